# SPDX-License-Identifier: MIT
"""Sums without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.evaluation.summed_values import UNITS, exact_products, exact_sum

DOUBLES = st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), max_size=20)
# No part of a product is below the smallest double.
FACTORS = st.lists(
    st.tuples(*[st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)] * 2),
    max_size=20,
)


@given(DOUBLES)
def test_sums_are_those_of_fractions(values: list[float]) -> None:
    assert Fraction(exact_sum(np.array(values)), UNITS) == sum(map(Fraction, values))


@given(FACTORS)
def test_sums_of_products_are_those_of_fractions_in_blocks_of_any_size(
    pairs: list[tuple[float, float]],
) -> None:
    one, other = np.array(pairs).reshape(-1, 2).T
    wanted = sum(Fraction(a) * Fraction(b) for a, b in pairs)
    for size in {1, 2, 3, max(1, len(pairs) - 1), 100}:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("receval.evaluation.summed_values._AT_ONCE", size)
            assert Fraction(exact_products(one.copy(), other.copy()), UNITS) == wanted


def test_sums_round_once() -> None:
    assert exact_sum(np.full(10, 0.1)) / UNITS == 1.0


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_values_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        exact_sum(np.array([1.0, value]))
