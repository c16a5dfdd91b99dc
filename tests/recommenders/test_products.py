# SPDX-License-Identifier: MIT
"""Scores have the bits of a sum in the order of the factors, and rounding keeps their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import csr_array, random_array

from receval.recommenders.products import (
    MOST_AHEAD,
    TILE,
    inner_products,
    rounded_apart,
    sparse_products,
)


@pytest.mark.each("n_factors", [1, 3, 4, 7, 50])
@pytest.mark.each("n_items", [1, TILE - 1, TILE, TILE + 1, 2 * TILE + 3])
def test_products_are_summed_factor_by_factor_whatever_the_tiles(
    n_factors: int, n_items: int
) -> None:
    rng = np.random.default_rng(n_factors)
    rows = rng.normal(size=(5, n_factors)).astype(np.float32)
    rows[2] = np.nan
    columns = rng.normal(size=(n_factors, n_items)).astype(np.float32)
    expected = np.zeros((5, n_items), dtype=np.float32)
    for factor in range(n_factors):
        expected += rows[:, [factor]] * columns[factor]
    found = np.full_like(expected, 9)
    inner_products(rows, columns, found)
    np.testing.assert_array_equal(found, expected)


def sparse_factor(rng: np.random.Generator, n_rows: int, n_columns: int) -> csr_array:
    """Return a matrix of which some entries are 0, and some rows are empty."""
    found = random_array((n_rows, n_columns), density=0.3, rng=rng, format="csr", dtype=np.float32)
    found.data[rng.random(found.nnz) < 0.2] = 0
    found.sort_indices()
    return found


@given(
    shape=st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(1, 7)),
    seed=st.integers(0, 10_000),
)
def test_products_of_sparse_factors_are_summed_entry_by_entry(
    shape: tuple[int, int, int], seed: int
) -> None:
    n_rows, n_inner, n_items = shape
    rng = np.random.default_rng(seed)
    left, right = sparse_factor(rng, n_rows, n_inner), sparse_factor(rng, n_inner, n_items)
    rows = rng.integers(0, n_rows, 4)
    found = np.full((4, n_items), np.nan, dtype=np.float32)
    sparse_products(rows, left, right, found)
    for row, own in zip(rows, found, strict=True):
        expected: dict[int, np.float32] = {}
        for inner in left.indices[left.indptr[row] : left.indptr[row + 1]]:
            for item in right.indices[right.indptr[inner] : right.indptr[inner + 1]]:
                term = left[row, inner] * right[inner, item]
                expected[item] = expected[item] + term if item in expected else term
        for item in range(n_items):
            np.testing.assert_array_equal(own[item], expected.get(item, np.float32(np.nan)))


@pytest.mark.each("length", [MOST_AHEAD - 1, MOST_AHEAD, MOST_AHEAD + 1])
def test_long_rows_are_multiplied_whole(length: int) -> None:
    right = csr_array(np.ones((3, length), dtype=np.float32))
    found = np.full((1, length), np.nan, dtype=np.float32)
    sparse_products(np.array([0]), csr_array(np.float32([[1, 2, 4]])), right, found)
    assert (found == 7).all()


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
