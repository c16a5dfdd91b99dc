# SPDX-License-Identifier: MIT
"""Which judgments leave, and when."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from receval.missing_judgments.judgment_sampling import (
    RANDOM,
    SamplingUnit,
    kept_units,
    sampling_order,
)
from receval.splits.split import Judgments

KINDS = get_args(SamplingUnit)


def judgments(seed: int = 0) -> Judgments:
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((12, 30)) < np.linspace(0.1, 0.8, 30))
    users, items = users[users != 5], items[users != 5]
    return Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), 12)


def owners(test: Judgments, unit: str) -> np.ndarray:
    if unit == "ratings":
        return np.arange(len(test))
    return test.items if "items" in unit else test.users


@pytest.mark.each("unit", KINDS)
def test_ratings_of_the_same_unit_leave_together_and_each_unit_has_its_step(unit: str) -> None:
    test = judgments()
    order, n_units = sampling_order(test, unit, np.random.default_rng(1))
    owner_ranks = owners(test, unit)
    pairs = set(zip(owner_ranks.tolist(), order.tolist(), strict=True))
    assert len(pairs) == n_units == len(np.unique(owner_ranks))
    assert sorted(step for _, step in pairs) == list(range(n_units))


@pytest.mark.parametrize("unit", ["popular-items", "largest-users"])
def test_units_with_more_test_ratings_leave_before_those_with_fewer(unit: str) -> None:
    test = judgments()
    order, _ = sampling_order(test, unit, np.random.default_rng(1))
    owner_ranks = owners(test, unit)
    sizes = np.bincount(owner_ranks)[owner_ranks]
    order = np.argsort(order)
    assert (np.diff(sizes[order]) >= 0).all()


@pytest.mark.each("unit", KINDS)
def test_only_the_generator_decides_the_order(unit: str) -> None:
    test = judgments()
    first, again, other = (
        sampling_order(test, unit, np.random.default_rng(seed))[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    sizes = np.bincount(owners(test, unit))[owners(test, unit)]
    if unit in RANDOM:
        assert (first != other).any()
    else:  # another draw moves equals alone
        np.testing.assert_array_equal(sizes[np.argsort(first)], sizes[np.argsort(other)])


def test_levels_round_to_whole_units_and_keep_at_least_one() -> None:
    assert kept_units(10, np.array([100.0, 55.0, 14.0, 1.0])).tolist() == [10, 6, 1, 1]


@pytest.mark.each("levels", [[], [50.0, 50.0], [101.0], [10.0, 0.0], [10.0, 20.0]])
def test_levels_that_do_not_fall_within_0_and_100_are_refused(levels: list[float]) -> None:
    with pytest.raises(ValueError, match="per cent"):
        kept_units(10, np.array(levels))


def test_unknown_kinds_and_empty_test_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="largest-users"):
        sampling_order(judgments(), "films", np.random.default_rng(0))  # type: ignore[arg-type]
    nothing = Judgments.from_pairs([], [], [], 3)
    with pytest.raises(ValueError, match="no test ratings"):
        sampling_order(nothing, "ratings", np.random.default_rng(0))
