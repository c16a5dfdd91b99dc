# SPDX-License-Identifier: MIT
"""Systems of equations, and sums of ratings, have the bits of plain loops in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.recommenders.cholesky import (
    TOGETHER,
    padded_width,
    solve_equations,
    solve_rows,
    sum_pulls,
)

Numbers = NDArray[np.float64]


def solved_row_by_row(matrices: Numbers, right: Numbers) -> tuple[Numbers, Numbers]:
    """Return solutions, and right-hand sides times solutions, of Cholesky's textbook loops."""
    size = len(matrices)
    products = np.zeros(TOGETHER)
    for k in range(size):
        pivots = matrices[k, k]
        positive = pivots > 0
        reciprocals = np.zeros_like(pivots)
        reciprocals[positive] = 1 / np.sqrt(pivots[positive])
        matrices[k, k] = reciprocals
        matrices[k, k + 1 :] *= reciprocals
        right[k] *= reciprocals
        products += right[k] ** 2
        for i in range(k + 1, size):
            matrices[i, i:] -= matrices[k, i] * matrices[k, i:]
            right[i] -= matrices[k, i] * right[k]
    for i in range(size - 1, -1, -1):
        for j in range(i + 1, size):
            right[i] -= matrices[i, j] * right[j]
        right[i] *= matrices[i, i]
    return right, products


@pytest.mark.each("size", [1, 2, 5, 6, 7, 13, 50])
def test_equations_side_by_side_have_the_bits_of_one_row_after_the_other(size: int) -> None:
    rng = np.random.default_rng(size)
    # As many terms as equations, but for the last system: it leaves directions open.
    terms = rng.normal(size=(size, size, TOGETHER))
    terms[size // 2 :, :, -1] = 0
    matrices = np.einsum("nit,njt->ijt", terms, terms)
    right = rng.normal(size=(size, TOGETHER))
    padded = np.full((size, padded_width(size), TOGETHER), np.nan)
    padded[:, :size], padded[:, size] = matrices, right
    products = np.full(TOGETHER, np.nan)
    solve_equations(padded, products)
    expected, expected_products = solved_row_by_row(matrices, right)
    np.testing.assert_array_equal(padded[:, size], expected)
    np.testing.assert_array_equal(products, expected_products)


def test_a_pivot_of_zero_leaves_its_part_of_the_solution_zero() -> None:
    padded = np.zeros((2, padded_width(2), TOGETHER))
    padded[0, 0], padded[0, 2] = 4, 2
    products = np.empty(TOGETHER)
    solve_equations(padded, products)
    np.testing.assert_array_equal(padded[:, 2], np.repeat([[0.5], [0]], TOGETHER, axis=1))
    np.testing.assert_array_equal(products, 1)


@given(
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=2 * TOGETHER + 1),
    n_factors=st.integers(1, 7),
    seed=st.integers(0, 10_000),
)
def test_rows_are_solved_whatever_others_there_are(
    lengths: list[int], n_factors: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = rng.integers(0, 12, starts[-1]).astype(np.int32)
    roots, pulls = rng.uniform(0.5, 2, (2, starts[-1]))
    fixed = rng.normal(size=(12, n_factors))
    gram = np.eye(n_factors) + 0.1
    solved = np.full((len(lengths), n_factors), 9.0)
    gained = solve_rows(starts, columns, roots, pulls, fixed, gram, solved)
    expected = 0.0
    for row, length in enumerate(lengths):
        own = slice(starts[row], starts[row + 1])
        scaled = roots[own, None] * fixed[columns[own]]
        right = pulls[own] @ fixed[columns[own]]
        solution = np.linalg.solve(scaled.T @ scaled + gram, right)
        expected += right @ solution
        # Rows without ratings are left as they are.
        np.testing.assert_allclose(solved[row], solution if length else 9.0, rtol=1e-9, atol=1e-12)
    assert gained == pytest.approx(expected)


@pytest.mark.each("number", [np.float32, np.float64])
@pytest.mark.each("length", [0, 1, 3, 4, 5, 11])
def test_sums_of_ratings_are_made_in_their_order(
    length: int, number: type[np.floating[Any]]
) -> None:
    rng = np.random.default_rng(length)
    columns = rng.integers(0, 20, length).astype(np.int32)
    pulls = rng.normal(size=length).astype(number)
    fixed = rng.normal(size=(20, 7))
    expected = np.zeros(7)
    for column, pull in zip(columns, pulls, strict=True):
        expected += pull * fixed[column]
    found = np.full(7, np.nan)
    sum_pulls(columns, pulls, fixed, found)
    np.testing.assert_array_equal(found, expected)
