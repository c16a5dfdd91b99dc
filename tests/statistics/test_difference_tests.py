# SPDX-License-Identifier: MIT
"""Tests of rows of differences are those of pairs of systems."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest, norm
from system_values import few_eighths

from receval.statistics.bootstrap import shifted_bootstrap_test
from receval.statistics.difference_tests import (
    TESTS,
    TIES_AT_RANDOM,
    p_values_of_tests,
    sign_group_test,
    t_statistics_by_moments,
    t_test_by_moments,
    t_test_of_rows,
    users_for_power,
    wilcoxon_test_of_rows,
)
from receval.statistics.effect_sizes import binomial_interval
from receval.statistics.paired_tests import sign_test, t_statistics, t_test, wilcoxon_test
from receval.statistics.tukey import honestly_significant_differences

Table = NDArray[np.float64]


def rows_of(seed: int = 1) -> Table:
    rows = np.random.default_rng(seed).integers(-2, 4, (6, 40)).astype(float)
    rows[3] = 0.0
    rows[4] = 1.0
    rows[5, 1:] = 0.0
    return rows


@pytest.mark.parametrize(
    ("of_rows", "of_pairs"), [(t_test_of_rows, t_test), (wilcoxon_test_of_rows, wilcoxon_test)]
)
def test_a_row_has_the_p_value_of_a_pair_with_these_differences(
    of_rows: Callable[[Table], Table], of_pairs: Callable[[list[Table]], Table]
) -> None:
    rows = rows_of()
    expected = [of_pairs([row, np.zeros(40)])[0] for row in rows]
    np.testing.assert_allclose(of_rows(rows), expected, atol=1e-14)


def test_all_tests_have_a_p_value_of_every_row() -> None:
    rows = rows_of()
    found = p_values_of_tests(rows, np.random.default_rng(2))
    assert tuple(found) == TESTS
    assert all(p_values.shape == (6,) for p_values in found.values())
    signs = [sign_test([row, np.zeros(40)])[0] for row in rows]
    np.testing.assert_allclose(found["sign"], signs)
    # Nothing differs in row 3, and all users agree in row 4.
    assert [found[name][3] for name in TESTS[:5]] == [1.0] * 5
    assert all(found[name][4] < 0.01 for name in TESTS)


def test_all_tests_draw_from_one_generator_in_their_order() -> None:
    rows = rows_of()
    rng = np.random.default_rng(3)
    permutation = sign_group_test(rows, rng, 10)
    bootstrap = shifted_bootstrap_test(rows, 499, rng)
    found = p_values_of_tests(rows, np.random.default_rng(3))
    assert found["permutation"].tolist() == permutation.p_values.tolist()
    assert found["bootstrap"].tolist() == bootstrap.tolist()
    assert found[TIES_AT_RANDOM].tolist() == permutation.randomised(rng).tolist()


def test_no_resamples_and_no_table_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        shifted_bootstrap_test([[1.0]], 0, np.random.default_rng(1))
    with pytest.raises(ValueError, match="must be"):
        shifted_bootstrap_test([1.0, 2.0], 9, np.random.default_rng(1))


def test_intervals_of_shares_are_those_of_scipy() -> None:
    trials = np.repeat([1, 2, 20], 3)
    successes = np.array([0, 1, 1, 0, 1, 2, 0, 7, 20])
    low, high = binomial_interval(successes, trials)
    for k, n, one, other in zip(successes, trials, low, high, strict=True):
        expected = binomtest(int(k), int(n)).proportion_ci(0.95)
        assert (one, other) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert [float(end) for end in binomial_interval(0, 0)] == [0, 1]


@given(values=few_eighths(), exponent=st.sampled_from([-200, 0, 200]))
@pytest.mark.costly
def test_t_by_moments_is_t_of_few_differences(values: Table, exponent: int) -> None:
    scaled = np.ldexp(values, exponent)
    found, expected = t_statistics_by_moments(scaled), t_statistics(values)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(t_test_by_moments(scaled), t_test(values), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    "test",
    [
        t_statistics_by_moments,
        t_test_by_moments,
        lambda v: honestly_significant_differences(v, 0.1),
    ],
)
@pytest.mark.costly
def test_families_of_two_users_are_tested_and_of_one_refused(
    test: Callable[[Table], Table],
) -> None:
    assert np.isfinite(test(np.array([[0.0, 1.0], [3.0, 1.0]]))).all()
    with pytest.raises(ValueError, match="2 user"):
        test(np.zeros((2, 1)))


def test_t_by_moments_knows_constant_differences() -> None:
    base = np.random.default_rng(7).random(25)
    found = t_statistics_by_moments([base, base, base + 0.5])
    assert found.tolist() == [0.0, -np.inf, -np.inf]


def test_users_for_power_are_those_of_the_normal_approximation() -> None:
    effects = np.array([[0.5, -0.1], [0.0, 2.0]])
    quantiles = norm.isf(0.025) + norm.ppf(0.8)
    found = users_for_power(effects)
    assert found[effects != 0] == pytest.approx((quantiles / effects[effects != 0]) ** 2)
    assert found[effects == 0].tolist() == [np.inf]


def test_so_many_users_find_the_effect_with_the_wanted_power() -> None:
    n_users = int(np.ceil(users_for_power(0.3)))
    rows = np.random.default_rng(9).normal(0.3, 1, (4000, n_users))
    assert (t_test_of_rows(rows) <= 0.05).mean() == pytest.approx(0.8, abs=0.03)
