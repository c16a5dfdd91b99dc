# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulation.twin_folders import ROOT_SEED

from receval.statistics.concentration import gini
from reproduction.simulation import large_worlds, twins
from reproduction.simulation.large_worlds import LARGEST_WHOLE_WORLD, observe_large_world
from reproduction.simulation.observation import DAY, Observation
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import TRUTH_FILE, simulate, write_twin

SEEDS = range(4)
RATED = ("netflix", "librarything", "beeradvocate")


@pytest.fixture(scope="module")
def netflix(specs: dict[str, TwinSpec]) -> Observation:
    return observe_large_world("netflix", specs["netflix"], ROOT_SEED)


@pytest.mark.costly
def test_users_choose_as_many_different_items_as_are_asked_for(
    specs: dict[str, TwinSpec], netflix: Observation
) -> None:
    activity = specs["netflix"].activity
    counts = np.bincount(netflix.users, minlength=specs["netflix"].users)
    assert len(netflix) == activity.total
    assert activity.minimum <= counts.min()
    assert counts.max() <= activity.maximum
    assert len(np.unique(np.stack([netflix.users, netflix.items]), axis=1).T) == len(netflix)


@pytest.mark.costly
@pytest.mark.parametrize("dataset", RATED)
def test_no_item_is_without_a_user_and_items_are_as_unequal_as_asked_for(
    specs: dict[str, TwinSpec], netflix: Observation, dataset: str
) -> None:
    spec, is_there = specs[dataset], dataset == "netflix"
    seen = netflix if is_there else observe_large_world(dataset, spec, ROOT_SEED)
    counts = np.bincount(seen.items, minlength=spec.items)
    assert counts.min() >= 1
    # The pilot expects what the data are a draw of: twice the tolerance of its own fit.
    assert gini(counts) == pytest.approx(spec.exposure.item_gini, abs=0.02)


@pytest.mark.costly
def test_ratings_have_the_distribution_of_the_original(
    specs: dict[str, TwinSpec], netflix: Observation
) -> None:
    scale = specs["netflix"].scale
    assert scale is not None
    ratings, counts = np.unique(netflix.values, return_counts=True)
    shares = np.array([scale.marginal[rating] for rating in ratings.tolist()])
    assert ratings.tolist() == sorted(scale.marginal)
    assert counts / counts.sum() == pytest.approx(shares / shares.sum(), abs=0.015)


@pytest.mark.costly
def test_popularity_and_ratings_are_as_related_as_in_whole_worlds(
    small_specs: dict[str, TwinSpec],
) -> None:
    def relation(observation: Observation) -> float:
        counts = np.bincount(observation.items)[observation.items]
        return float(np.corrcoef(counts, observation.values)[0, 1])

    spec = small_specs["netflix"]
    whole = [relation(simulate("netflix", spec, seed).observation) for seed in SEEDS]
    large = [relation(observe_large_world("netflix", spec, seed)) for seed in SEEDS]
    # A world's standard deviation is .03: four have a standard error of .015, both of .02.
    assert np.mean(large) == pytest.approx(np.mean(whole), abs=0.06)


@pytest.mark.costly
def test_times_are_within_the_period(specs: dict[str, TwinSpec], netflix: Observation) -> None:
    period = specs["netflix"].period
    assert netflix.timestamps is not None
    assert period is not None
    days = (netflix.timestamps // DAY).astype("datetime64[D]")
    assert days.min() >= np.datetime64(period.start)
    assert days.max() < np.datetime64(period.end)


@pytest.mark.costly
def test_there_are_as_many_plays_as_in_whole_worlds(specs: dict[str, TwinSpec]) -> None:
    spec = specs["lastfm-1k"]
    whole = [len(simulate("lastfm-1k", spec, seed).observation) for seed in SEEDS]
    large = [observe_large_world("lastfm-1k", spec, seed) for seed in SEEDS]
    # A pilot of 120 listeners leaves a standard deviation of a fifteenth.
    assert np.mean([len(one) for one in large]) == pytest.approx(np.mean(whole), rel=0.12)
    assert all((one.values == 1).all() for one in large)


@pytest.mark.costly
def test_blocks_of_users_leave_the_shared_part_as_it_is(
    small_specs: dict[str, TwinSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = small_specs["netflix"]
    whole = observe_large_world("netflix", spec, ROOT_SEED)
    monkeypatch.setattr(large_worlds, "BLOCK_PAIRS", 100 * spec.items)
    blocks = observe_large_world("netflix", spec, ROOT_SEED)
    assert np.bincount(blocks.users).tolist() == np.bincount(whole.users).tolist()
    assert np.unique(blocks.items).size == spec.items


def test_a_large_world_is_written_in_the_raw_format_without_a_truth(
    small_specs: dict[str, TwinSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twins, "LARGEST_WHOLE_WORLD", 0)
    spec = small_specs["netflix"]
    written = write_twin("netflix", spec, ROOT_SEED, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == written["files"]
    assert not (tmp_path / TRUTH_FILE).exists()
    assert written["expected"] == {
        "users": spec.users,
        "items": spec.items,
        "ratings": spec.activity.total,
    }


def test_a_random_sample_of_a_large_world_is_refused(specs: dict[str, TwinSpec]) -> None:
    with pytest.raises(ValueError, match=f"more than the {LARGEST_WHOLE_WORLD:,}"):
        observe_large_world("cm100k", specs["cm100k"], ROOT_SEED)


def test_fewer_choices_than_items_are_refused(specs: dict[str, TwinSpec]) -> None:
    spec = specs["netflix"].model_copy(update={"items": 10**6})
    with pytest.raises(ValueError, match=r"raise activity\.total"):
        observe_large_world("netflix", spec, ROOT_SEED)
