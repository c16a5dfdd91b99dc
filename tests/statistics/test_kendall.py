# SPDX-License-Identifier: MIT
"""Kendall's tau-b of many orderings at once, against scipy's of two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs

ORDERINGS = arrays(np.float64, (5, 9), elements=st.integers(0, 6).map(float))


@pytest.mark.costly
@given(one=ORDERINGS, other=ORDERINGS)
def test_every_coefficient_equals_scipy_s_with_ties(one: np.ndarray, other: np.ndarray) -> None:
    tau = kendall_tau_b(one, other)
    for i, first in enumerate(one):
        for j, second in enumerate(other):
            np.testing.assert_allclose(tau[i, j], kendalltau(first, second).statistic, atol=1e-12)


def test_orders_that_agree_or_oppose_have_one_and_minus_one() -> None:
    ahead = [0.1, 0.2, 0.3, 0.4]
    assert kendall_tau_b([ahead], [ahead, ahead[::-1]]).tolist() == [[1.0, -1.0]]


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


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_have_no_order(value: float) -> None:
    with pytest.raises(ValueError, match="infinite value"):
        kendall_tau_b([[0.1, value, 0.3]], [[1, 2, 3]])
