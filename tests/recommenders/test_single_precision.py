# SPDX-License-Identifier: MIT
"""Rounding that keeps the order and the ties of numbers of double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from receval.recommenders.products import rounded_apart

# Steps of a hundredth of what single precision tells apart, so that many round to the same.
NEAR = st.builds(
    lambda base, step: base * (1 + 6e-10 * step),
    st.sampled_from([-3.0, 0.1, 1.0]),
    st.integers(0, 300),
)
VALUES = st.one_of(NEAR, NEAR, st.floats(-1e6, 1e6), st.just(float("nan")))
ROWS = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 12)), elements=VALUES)


@given(ROWS)
def test_order_and_ties_of_each_row_are_those_of_the_doubles(values: NDArray[np.float64]) -> None:
    apart = rounded_apart(values)
    assert apart.dtype == np.float32
    for row, own in zip(values, apart, strict=True):
        np.testing.assert_array_equal(own[:, None] < own, row[:, None] < row)
        np.testing.assert_array_equal(own[:, None] == own, row[:, None] == row)


@given(ROWS)
@pytest.mark.costly
def test_what_is_rounded_is_pushed_no_further_than_order_asks_for(
    values: NDArray[np.float64],
) -> None:
    for row, own in zip(values, rounded_apart(values), strict=True):
        below = np.float32(-np.inf)
        for value in np.unique(row[~np.isnan(row)]):
            nearest = np.float32(value)
            pushed = nearest if nearest > below else np.nextafter(below, np.float32(np.inf))
            assert (own[row == value] == pushed).all()
            below = pushed
        np.testing.assert_array_equal(np.isnan(own), np.isnan(row))
