# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulation.twin_folders import ROOT_SEED

from receval.statistics.inequality import gini
from reproduction.simulation import twins
from reproduction.simulation.observation import Observation
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import (
    LARGEST_WHOLE_WORLD,
    TRUTH_FILE,
    observe_large_world,
    simulate,
    write_twin,
)

SEEDS = range(4)
RATED = ("netflix", "librarything", "beeradvocate")


@pytest.mark.costly
@pytest.mark.parametrize("dataset", RATED)
def test_no_item_is_without_a_user_and_items_are_as_unequal_as_asked_for(
    specs: dict[str, TwinSpec], large_worlds_of: dict[str, Observation], dataset: str
) -> None:
    spec, seen = specs[dataset], large_worlds_of[dataset]
    counts = np.bincount(seen.items, minlength=spec.items)
    assert counts.min() >= 1
    # The pilot expects what the data are a draw of: twice the tolerance of its own fit.
    assert gini(counts) == pytest.approx(spec.exposure.item_gini, abs=0.02)


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
    for n_users in (1, 2, 3, spec.users - 1):
        monkeypatch.setattr(twins, "BLOCK_PAIRS", n_users * spec.items)
        blocks = observe_large_world("netflix", spec, ROOT_SEED)
        assert np.bincount(blocks.users).tolist() == np.bincount(whole.users).tolist(), n_users
        assert np.unique(blocks.items).size == spec.items, n_users


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


@pytest.mark.parametrize(
    ("dataset", "changes", "message"),
    [
        ("cm100k", {}, f"at most {LARGEST_WHOLE_WORLD:,}"),
        ("netflix", {"items": 10**6}, r"Raise activity\.total"),
    ],
)
def test_random_samples_and_items_without_choices_are_refused(
    specs: dict[str, TwinSpec], dataset: str, changes: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        observe_large_world(dataset, specs[dataset].model_copy(update=changes), ROOT_SEED)
