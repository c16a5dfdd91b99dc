"""Which judgments leave, and when."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from receval.robustness.judgment_sampling import RANDOM, Removed, kept_units, removal_turns
from receval.splits.split import Judgments

KINDS = get_args(Removed)


def judgments(seed: int = 0) -> Judgments:
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((12, 30)) < np.linspace(0.1, 0.8, 30))
    users, items = users[users != 5], items[users != 5]
    return Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), 12)


def owners(test: Judgments, removed: str) -> np.ndarray:
    if removed == "ratings":
        return np.arange(len(test))
    return test.items if "items" in removed else test.users


@pytest.mark.parametrize("removed", KINDS)
def test_ratings_of_the_same_unit_leave_together_and_each_unit_has_its_turn(removed: str) -> None:
    test = judgments()
    turns, n_units = removal_turns(test, removed, np.random.default_rng(1))
    units = owners(test, removed)
    pairs = set(zip(units.tolist(), turns.tolist(), strict=True))
    assert len(pairs) == n_units == len(np.unique(units))
    assert sorted(turn for _, turn in pairs) == list(range(n_units))


@pytest.mark.parametrize("removed", ["popular-items", "largest-users"])
def test_units_with_more_test_ratings_leave_before_those_with_fewer(removed: str) -> None:
    test = judgments()
    turns, _ = removal_turns(test, removed, np.random.default_rng(1))
    units = owners(test, removed)
    sizes = np.bincount(units)[units]
    order = np.argsort(turns)
    assert (np.diff(sizes[order]) >= 0).all()


@pytest.mark.parametrize("removed", KINDS)
def test_only_the_generator_decides_the_order(removed: str) -> None:
    test = judgments()
    first, again, other = (
        removal_turns(test, removed, np.random.default_rng(seed))[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    sizes = np.bincount(owners(test, removed))[owners(test, removed)]
    if removed in RANDOM:
        assert (first != other).any()
    else:  # another draw moves equals alone
        np.testing.assert_array_equal(sizes[np.argsort(first)], sizes[np.argsort(other)])


def test_every_unit_stays_equally_long_on_average() -> None:
    test = judgments()
    draws = [removal_turns(test, "ratings", np.random.default_rng(s))[0] for s in range(400)]
    means = np.mean(draws, axis=0)
    deviation = len(test) / np.sqrt(12 * 400)
    assert np.abs(means - (len(test) - 1) / 2).max() < 5 * deviation


def test_levels_round_to_whole_units_and_keep_at_least_one() -> None:
    assert kept_units(10, np.array([100.0, 55.0, 14.0, 1.0])).tolist() == [10, 6, 1, 1]


@pytest.mark.parametrize("levels", [[], [50.0, 50.0], [101.0], [10.0, 0.0], [10.0, 20.0]])
def test_levels_that_do_not_fall_within_0_and_100_are_refused(levels: list[float]) -> None:
    with pytest.raises(ValueError, match="per cent"):
        kept_units(10, np.array(levels))


def test_unknown_kinds_and_empty_test_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="largest-users"):
        removal_turns(judgments(), "films", np.random.default_rng(0))  # type: ignore[arg-type]
    nothing = Judgments.from_pairs([], [], [], 3)
    with pytest.raises(ValueError, match="no test ratings"):
        removal_turns(nothing, "ratings", np.random.default_rng(0))
