# SPDX-License-Identifier: MIT
"""Tests by a margin agree with scipy's one-sided t-tests, and powers with the noncentral t."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from receval.statistics.difference_tests import (
    detectable_difference,
    equivalence_test,
    non_inferiority_test,
)

USERS = np.random.default_rng(3).normal(0.01, 0.1, 60)
MEAN, ERROR = USERS.mean(), stats.sem(USERS)


def test_non_inferiority_is_a_one_sided_t_test_against_minus_the_margin() -> None:
    expected = stats.ttest_1samp(USERS, -0.02, alternative="greater").pvalue
    assert non_inferiority_test([MEAN], [ERROR], 60, 0.02)[0] == pytest.approx(expected)


def test_equivalence_is_the_worse_of_two_one_sided_t_tests() -> None:
    above = stats.ttest_1samp(USERS, -0.02, alternative="greater").pvalue
    below = stats.ttest_1samp(USERS, 0.02, alternative="less").pvalue
    assert equivalence_test([MEAN], [ERROR], 60, 0.02)[0] == pytest.approx(max(above, below))


def test_systems_are_equivalent_where_the_interval_of_90_is_within_the_margin() -> None:
    half = stats.t(59).ppf(0.95) * ERROR
    for scale, is_within in ((1.01, True), (0.99, False)):
        margin = scale * (abs(MEAN) + half)
        assert (equivalence_test([MEAN], [ERROR], 60, margin)[0] < 0.05) == is_within


def test_identical_systems_are_equivalent_and_others_without_spread_by_their_difference() -> None:
    assert equivalence_test([0.0, 0.01, 0.03], [0.0] * 3, 9, 0.02).tolist() == [0, 0, 1]


@pytest.mark.each("n_users", [10, 50, 1000])
@pytest.mark.each("level", [0.05, 0.05 / 28])
def test_a_detectable_difference_is_found_with_its_power(n_users: int, level: float) -> None:
    (difference,) = detectable_difference([1.0], n_users, level=level, power=0.8)
    limit = stats.t(n_users - 1).ppf(1 - level / 2)
    found = stats.nct(n_users - 1, difference).sf(limit)
    assert found == pytest.approx(0.8, abs=0.005 if level == 0.05 else 0.05)


def test_one_user_and_margins_that_are_none_are_refused() -> None:
    assert np.isnan(detectable_difference([1.0], 1, level=0.05, power=0.8)).all()
    with pytest.raises(ValueError, match="needs at least two"):
        equivalence_test([0.1], [0.1], 1, 0.2)
    with pytest.raises(ValueError, match="must be a difference above 0"):
        non_inferiority_test([0.1], [0.1], 9, 0)
