# SPDX-License-Identifier: MIT
"""Kendall's tau-b of many orderings at once, against scipy's of two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs, pearson_r

ORDERINGS = arrays(np.float64, (5, 9), elements=st.integers(0, 6).map(float))


@pytest.mark.costly
@given(one=ORDERINGS, other=ORDERINGS)
def test_every_coefficient_equals_scipy_s_with_ties(one: np.ndarray, other: np.ndarray) -> None:
    tau = kendall_tau_b(one, other)
    for i, first in enumerate(one):
        for j, second in enumerate(other):
            np.testing.assert_allclose(tau[i, j], kendalltau(first, second).statistic, atol=1e-12)


def test_an_ordering_with_all_systems_tied_has_no_correlation() -> None:
    tau = kendall_tau_b([[1.0, 1.0, 1.0]], [[1.0, 2.0, 3.0]])
    assert np.isnan(tau).all()


def test_signs_stand_in_the_order_of_the_pairs() -> None:
    assert pair_signs([3.0, 1.0, 3.0]).tolist() == [1.0, 0.0, -1.0]


def test_systems_without_a_value_and_other_systems_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        kendall_tau_b([[1.0, np.nan]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="2 and 3 systems"):
        kendall_tau_b([[1.0, 2.0]], [[1.0, 2.0, 3.0]])


def test_means_in_another_order_are_tied_and_others_are_not() -> None:
    forth, back = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert forth != back
    assert pair_signs([forth, back])[0] != 0
    assert pair_signs([forth, back], TOLERANCE_OF_MEANS)[0] == 0
    assert pair_signs([1e-5, 1e-5 + 1e-12], TOLERANCE_OF_MEANS)[0] == -1
    assert kendall_tau_b([[forth, back, 1.0]], [[1.0, 1.0, 2.0]], TOLERANCE_OF_MEANS) == 1


@pytest.mark.each(
    ("one", "other", "sign"),
    [(1.0, 0.5, 0), (0.5, 1.0, 0), (-1.0, -0.5, 0), (1.0, 0.49, 1), (-1.0, -0.49, -1), (0, 0, 0)],
)
def test_what_differs_by_the_tolerated_share_of_the_larger_one_is_tied(
    one: float, other: float, sign: int
) -> None:
    assert pair_signs([one, other], 0.5).tolist() == [sign]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_have_no_order(value: float) -> None:
    with pytest.raises(ValueError, match="infinite value"):
        kendall_tau_b([[0.1, value, 0.3]], [[1, 2, 3]])


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=2, max_size=30))
@pytest.mark.costly
def test_as_numpy_has_it(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=np.float64).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(pearson_r(x, y))
    else:
        assert pearson_r(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)


@pytest.mark.each("column", [[], [1.0], [0.1, 0.1, 0.1]])
def test_what_does_not_vary_has_no_correlation(column: list[float]) -> None:
    assert np.isnan(pearson_r(column, np.arange(len(column))))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="Leave out the observation"):
        pearson_r([1, wrong], [1, 2])


def test_columns_of_several_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        pearson_r([1, 2], [1, 2, 3])
