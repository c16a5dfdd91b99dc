# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats
from system_values import all_pairs, tied_values

from receval.statistics.paired_tests import (
    clustered_t_test,
    sign_test,
    signed_ranks,
    t_statistics,
    t_test,
    wilcoxon_statistics,
    wilcoxon_test,
)

Values = NDArray[np.float64]
TESTS = [t_test, wilcoxon_test, sign_test]
SMALL = st.integers(-3, 3)
SHAPES = [(2, 4, 300), (3, 40), (2, 2, 2, 12)]


def scipy_t(first: Values, second: Values) -> float:
    return stats.ttest_rel(first, second).pvalue


def scipy_wilcoxon(first: Values, second: Values) -> float:
    found = stats.wilcoxon(first, second, zero_method="wilcox", correction=False, method="approx")
    return found.pvalue


def scipy_sign(first: Values, second: Values) -> float:
    wins, losses = int((first > second).sum()), int((first < second).sum())
    return stats.binomtest(wins, wins + losses).pvalue


@pytest.mark.each("shape", SHAPES)
@pytest.mark.each(
    ("test", "oracle"),
    [(t_test, scipy_t), (wilcoxon_test, scipy_wilcoxon), (sign_test, scipy_sign)],
)
def test_p_values_are_those_of_scipy_with_ties_and_zeros(
    test: Callable, oracle: Callable, shape: tuple[int, ...]
) -> None:
    values = tied_values(3, shape)
    flat = values.reshape(-1, *shape[-2:])
    expected = [[oracle(table[i], table[j]) for i, j in all_pairs(shape[-2])] for table in flat]
    found = test(values)
    assert found.shape == (*shape[:-2], len(all_pairs(shape[-2])))
    np.testing.assert_allclose(found.reshape(len(flat), -1), expected, rtol=1e-9)


def test_small_p_values_keep_their_digits() -> None:
    values = np.random.default_rng(0).normal(size=(2, 3000)) + np.array([[1.0], [0.0]])
    for test, oracle in ((t_test, scipy_t), (wilcoxon_test, scipy_wilcoxon)):
        assert 0 < test(values)[0] < 1e-100
        assert test(values) == pytest.approx(oracle(*values), rel=1e-9)
    assert sign_test(values)[0] < 1e-100
    assert sign_test(values) == pytest.approx(scipy_sign(*values), rel=1e-9)


# SciPy before 1.13 warns of small samples even where this form of the test is asked for.
@pytest.mark.filterwarnings("ignore:Sample size too small")
def test_decimals_tie_what_only_rounding_tells_apart() -> None:
    values = np.array([[0.3, 0.0, 0.7], [0.1, 0.2, 0.0]])
    first, second = values[0] - values[1], np.array([0.2, -0.2, 0.7])
    assert abs(first[0]) != abs(first[1])
    expected = stats.wilcoxon(second, correction=False, method="approx").pvalue
    assert wilcoxon_test(values, decimals=9) == pytest.approx(expected)
    assert wilcoxon_test(values)[0] != pytest.approx(expected)


@pytest.mark.each("test", TESTS)
def test_identical_systems_have_p_1(test: Callable) -> None:
    row = np.random.default_rng(1).random(7)
    assert test(np.array([[row, row, row]])).tolist() == [[1.0, 1.0, 1.0]]


def test_differences_whose_squares_vanish_have_a_t() -> None:
    values = np.array([[1e-200, -1e-200], [0.0, 0.0], [-2e-200, -1e-200]])
    assert t_statistics(values).tolist() == [0.0, np.inf, np.inf]


def test_a_constant_difference_is_certain_for_t() -> None:
    # The mean of three times 0.1 is not 0.1 as a number.
    values = np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 0.0], [0.3, 0.3, 0.3]])
    assert t_statistics(values).tolist() == [np.inf, -np.inf, -np.inf]
    assert t_test(values).tolist() == [0.0, 0.0, 0.0]


@given(
    arrays(np.int64, st.integers(2, 8), elements=st.integers(-5, 5)),
    st.lists(st.integers(1, 4), min_size=8, max_size=8),
)
def test_clustered_t_is_that_of_the_ratio_of_two_sums(
    sums: NDArray[np.int64], sizes: list[int]
) -> None:
    n, counts = len(sums), np.array(sizes[: len(sums)])
    mean = sums.sum() / counts.sum()
    squares = sum((d - k * mean) ** 2 for d, k in zip(sums, counts, strict=True))
    found = clustered_t_test(sums.astype(float), counts)
    if mean == 0:
        assert found == 1
    elif squares < 1e-20:
        assert found < 1e-9
    else:
        error = np.sqrt(n / (n - 1) * squares) / counts.sum()
        assert found == pytest.approx(2 * stats.t.sf(abs(mean) / error, n - 1))


def test_clustered_t_of_the_same_difference_of_all_ratings_is_certain() -> None:
    counts = np.array([1, 2, 5])
    assert clustered_t_test(0.5 * counts, counts) == 0.0
    assert clustered_t_test(-0.5 * counts, counts) == 0.0


def test_clustered_t_without_a_difference_is_certain_of_nothing() -> None:
    assert clustered_t_test(np.zeros(5), np.arange(1, 6)) == 1.0
    for few in ([], [1.0], [0.0]):
        assert np.isnan(clustered_t_test(np.array(few), np.full(len(few), 2)))


def test_t_needs_two_users_and_the_others_one() -> None:
    values = np.array([[1.0], [0.0]])
    with pytest.raises(ValueError, match="2 user"):
        t_test(values)
    with pytest.raises(ValueError, match="2 user"):
        t_statistics(values)
    assert sign_test(values).tolist() == [1.0]
    assert wilcoxon_test(values) == pytest.approx(2 * stats.norm.sf(1))


@given(
    rows=arrays(np.int64, st.tuples(st.integers(1, 3), st.integers(1, 9)), elements=SMALL),
    zero=st.sampled_from([0.0, -0.0]),
)
def test_signed_ranks_are_those_of_scipy(rows: NDArray[np.int64], zero: float) -> None:
    found = signed_ranks(np.where(rows == 0, zero, rows / 4))
    for place, row in enumerate(rows):
        some = row[row != 0]
        ranks = stats.rankdata(abs(some))
        tied = np.unique(abs(some), return_counts=True)[1]
        sums = (len(some), ranks[some > 0].sum(), ranks[some < 0].sum(), (tied**3 - tied).sum())
        assert [float(part[place]) for part in found] == list(sums)


@pytest.mark.each("test", [*TESTS, t_statistics])
def test_missing_values_are_refused(test: Callable) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        test(np.array([[0.0, np.nan], [0.0, 1.0]]))


@pytest.mark.each("size", [1, 5, 6, 12, 25])
def test_exact_wilcoxon_is_that_of_scipy_without_ties(size: int) -> None:
    rng = np.random.default_rng(size)
    for shift in (0.0, 0.5, 2.0):
        differences = np.append(rng.normal(shift, 1, size), [0.0, 0.0])
        expected = stats.wilcoxon(differences[:size], method="exact").pvalue
        values = [differences, np.zeros(size + 2)]
        assert wilcoxon_test(values, exact_up_to=25)[0] == pytest.approx(expected, rel=1e-12)


def test_exact_wilcoxon_counts_all_signs_of_tied_ranks() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        differences = rng.integers(-2, 4, 9).astype(float)
        kept = differences[differences != 0]
        ranks = stats.rankdata(np.abs(kept))
        signs = np.array(list(product((0, 1), repeat=len(kept))))
        middle = ranks.sum() / 2
        expected = (np.abs(signs @ ranks - middle) >= abs(ranks[kept > 0].sum() - middle)).mean()
        found = wilcoxon_test([differences, np.zeros(9)], exact_up_to=25)[0]
        assert found == pytest.approx(expected, rel=1e-12)


def test_more_differences_and_callers_who_do_not_ask_keep_the_approximation() -> None:
    values = np.random.default_rng(5).random((3, 26))
    np.testing.assert_array_equal(wilcoxon_test(values, exact_up_to=25), wilcoxon_test(values))
    five = [[0, 0, 0, 0, 0], [1, 2, 3, 4, 5]]
    assert wilcoxon_test(five)[0] == pytest.approx(0.0431, abs=5e-5)
    assert wilcoxon_test(five, exact_up_to=25)[0] == 0.0625


@pytest.mark.each(
    ("test", "differences", "expected"),
    [
        # Mean 2, standard deviation 1, t = 2 sqrt(3); with 2 degrees of freedom P(|T| > t) is
        # 1 - t / sqrt(2 + t^2).
        (t_statistics, [1, 2, 3], 2 * np.sqrt(3)),
        (t_test, [1, 2, 3], 1 - np.sqrt(12 / 14)),
        (t_statistics, [0, 0, 0], 0),
        # Ranks 2, 2, 2, 4; W+ = 8, W- = 2; variance 4 * 5 * 9 / 24 - 24 / 48 = 7.
        (wilcoxon_test, [0, 1, 1, -1, 3], 2 * stats.norm.sf(3 / np.sqrt(7))),
        (wilcoxon_statistics, [0, 1, 1, -1, 3], 3 / np.sqrt(7)),
        # Four wins, one loss, two ties: 2 (1 + 5) / 32.
        (sign_test, [1, 1, 1, 1, -1, 0, 0], 12 / 32),
    ],
)
def test_a_few_differences_worked_by_hand(
    test: Callable, differences: list[int], expected: float
) -> None:
    values = np.array([differences, np.zeros(len(differences))], dtype=np.float64)
    assert test(values) == pytest.approx(expected)
