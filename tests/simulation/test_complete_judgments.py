# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from simulation.twin_folders import ROOT, TwinFolder

from receval.data.ratings import Ratings
from receval.splits.split import Judgments
from reproduction.config.reading import load_datasets
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.datasets.spec import ExpectedCounts
from reproduction.simulation.complete_judgments import (
    complete_judgments,
    drawn_at_random,
    kept_judgments,
    observed_ratings,
    relevance_of_twin,
    sampling_rates,
)
from reproduction.simulation.twins import Simulation

RELEVANCE = np.array([[1, 2, 3], [4, 5, 1], [2, 3, 4]], dtype=np.float32)


def train_of(*pairs):
    rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
    # Explicit zeros: what trains is told by its index, not by its value.
    return csr_array((np.zeros(len(pairs), dtype=np.float32), (rows, columns)), shape=(3, 3))


@st.composite
def any_judgments(draw):
    judged = np.array(draw(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1)))
    users, items = np.nonzero(judged)
    return Judgments.from_pairs(users, items, users * 6 + items, len(judged))


def pairs_of(judgments):
    columns = (judgments.users, judgments.items, judgments.values)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_pair_outside_training_is_judged():
    judgments = complete_judgments(RELEVANCE, train_of((0, 1), (2, 0), (2, 1), (2, 2)))
    assert judgments.indptr.tolist() == [0, 2, 5, 5]
    assert judgments.items.tolist() == [0, 2, 0, 1, 2]
    assert judgments.values.tolist() == [1, 3, 4, 5, 1]
    assert (judgments.items.dtype, judgments.values.dtype) == (np.int32, np.float32)


def test_relevance_and_training_of_different_worlds_are_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\), but the training ratings have \(3, 3\)"):
        complete_judgments(RELEVANCE[:2], train_of())


@pytest.mark.costly
@given(any_judgments(), st.integers(0, 7), st.integers(0, 9))
def test_a_sample_has_as_many_judgments_of_each_user_as_asked_for(judgments, per_user, seed):
    kept = drawn_at_random(judgments, per_user, np.random.default_rng(seed))
    sample = kept_judgments(judgments, kept)
    there = np.diff(judgments.indptr)
    assert np.diff(sample.indptr).tolist() == np.minimum(there, per_user).tolist()
    expected = [row for row, keep in zip(pairs_of(judgments), kept.tolist(), strict=True) if keep]
    assert pairs_of(sample) == expected
    rates = sampling_rates(sample, judgments)
    for rate, n_judgments in zip(rates.tolist(), there.tolist(), strict=True):
        if n_judgments:
            assert rate == min(per_user, n_judgments) / n_judgments
        else:
            assert np.isnan(rate)


@pytest.mark.costly
@given(any_judgments(), st.integers(0, 5), st.integers(0, 9))
def test_samples_of_equal_generators_are_nested(judgments, per_user, seed):
    smaller, larger = (
        drawn_at_random(judgments, n, np.random.default_rng(seed)) for n in (per_user, per_user + 1)
    )
    assert (larger | ~smaller).all()


@pytest.mark.costly
def test_every_judgment_of_a_user_is_drawn_equally_often():
    judgments = complete_judgments(RELEVANCE, train_of((0, 1)))
    rng = np.random.default_rng(3)
    drawn = np.mean([drawn_at_random(judgments, 1, rng) for _ in range(900)], axis=0)
    expected = np.array([1 / 2] * 2 + [1 / 3] * 6)
    assert (abs(drawn - expected) < 4 * np.sqrt(expected * (1 - expected) / 900)).all()


def test_observed_ratings_are_those_of_the_world(small_simulations: dict[str, Simulation]):
    simulation = small_simulations["cm100k"]
    ratings = observed_ratings(simulation)
    world = simulation.world
    assert (ratings.n_users, ratings.n_items) == (world.n_users, world.n_items)
    assert (world.ratings()[ratings.users, ratings.items] == ratings.values).all()
    assert ratings.known is simulation.observation.known


@pytest.mark.parametrize("dataset", ["cm100k", "yahoo-r3"])
def test_the_relevance_of_a_twin_fits_the_codes_of_its_parser(
    small_twins: dict[str, TwinFolder], tmp_path, dataset
):
    twin = small_twins[dataset]
    names = twin.written["files"]
    spec = load_datasets(ROOT / "config" / "datasets.yaml")[dataset]
    variant = spec.variant_of(names)
    files = tuple(RawFile.of(twin.folder / name) for name in names)
    expected = ExpectedCounts(**twin.written["expected"])
    raw = RawFiles(dataset, variant.name, variant.parser, files, source="twin", expected=expected)
    prepare(raw, spec, tmp_path)
    ratings = Ratings.read(tmp_path)
    relevance = relevance_of_twin(twin.folder / "truth.npz", ratings)
    assert relevance.shape == (ratings.n_users, ratings.n_items)
    assert (relevance[ratings.users, ratings.items] == ratings.values).all()


def test_the_truth_of_another_twin_is_refused(
    small_twins: dict[str, TwinFolder], small_simulations: dict[str, Simulation]
):
    ratings = observed_ratings(small_simulations["cm100k"])
    truth = small_twins["yahoo-r3"].folder / "truth.npz"
    with pytest.raises(ValueError, match=r"truth\.npz knows no user '0': it belongs to another"):
        relevance_of_twin(truth, ratings)
