# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from simulation.twin_folders import TwinFolder

from receval.splits.split import Judgments
from reproduction.simulation.complete_judgments import (
    DISLIKED,
    LIKED,
    KnownChances,
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
    with pytest.raises(
        ValueError, match=r"shape \(2, 3\), but the training ratings have the shape \(3, 3\)"
    ):
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


def test_the_truth_of_another_twin_is_refused(
    small_twins: dict[str, TwinFolder], small_simulations: dict[str, Simulation]
):
    ratings = observed_ratings(small_simulations["cm100k"])
    truth = small_twins["yahoo-r3"].folder / "truth.npz"
    with pytest.raises(ValueError, match=r"truth\.npz has no user '0'. It belongs to another"):
        relevance_of_twin(truth, ratings)


def test_pairs_are_observed_as_often_as_their_chance_says():
    world = KnownChances.drawn(40, 30, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    seen = np.mean([world.observed(0.5, rng) for _ in range(400)], axis=0)
    deviations = np.sqrt(0.5 * world.chances / 400)
    assert (np.abs(seen - 0.5 * world.chances) < 5 * deviations + 1e-3).all()


def test_chances_are_probabilities_and_ratings_say_what_is_liked():
    world = KnownChances.drawn(200, 100, np.random.default_rng(3))
    assert world.chances.min() > 0
    assert world.chances.max() <= 0.9
    assert ((world.ratings == LIKED) == world.liked).all()
    assert set(np.unique(world.ratings)) == {DISLIKED, LIKED}
    assert 0.05 < world.liked.mean() < 0.6
