# SPDX-License-Identifier: MIT
"""Products of a row with a block of rows are those of the matrix, whatever the block and values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from receval.recommenders import neighbourhood
from receval.recommenders.neighbourhood import BlockMemory, nearest_rows
from receval.recommenders.neighbourhood_kernels import add_products, take_block


def matrix_of(seed: int, largest: int, density: float = 0.3, shape: tuple[int, int] = (23, 40)):
    rng = np.random.default_rng(seed)
    values = rng.integers(-largest, largest + 1, shape) * (rng.random(shape) < density)
    return csr_array(values.astype(np.float32))


def sums_of_blocks(matrix: csr_array, counts_common: bool = False) -> tuple[np.ndarray, ...]:
    """Return the products of every row with every row, and the columns in common."""
    memory = BlockMemory.of(matrix, counts_common)
    n_rows, size = matrix.shape[0], len(memory.sums)
    sums, common = np.zeros((2, n_rows, n_rows))
    columns = (memory.starts, memory.rows, memory.entries, memory.places, memory.dense)
    for first in range(0, n_rows, size):
        end = min(first + size, n_rows)
        take_block(matrix.indptr, matrix.indices, memory.values, first, end, *columns)
        for row in range(n_rows):
            add_products(matrix.indptr, matrix.indices, row, *memory.arrays())
            sums[row, first:end] = memory.sums[: end - first]
            memory.sums[:] = 0
            if counts_common:
                common[row, first:end] = memory.common[: end - first]
                memory.common[:] = 0
    return sums, common


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    largest=st.sampled_from([1, 5, 127]),
    density=st.sampled_from([0.05, 0.4, 1.0]),
    size=st.sampled_from([1, 5, 23, 100]),
    most_dense=st.sampled_from([0, 3, 1024]),
)
def test_sums_of_whole_values_are_the_products_of_the_matrix(
    seed: int, largest: int, density: float, size: int, most_dense: int
) -> None:
    matrix = matrix_of(seed, largest, density)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbourhood, "BLOCK_ROWS", size)
        patch.setattr(neighbourhood, "MOST_DENSE", most_dense)
        assert BlockMemory.of(matrix).sums.dtype == np.int32
        sums, _ = sums_of_blocks(matrix)
    dense = matrix.toarray().astype(np.int64)
    np.testing.assert_array_equal(sums, dense @ dense.T)


@pytest.mark.parametrize("size", [1, 6, 100])
def test_floating_sums_are_added_in_the_order_of_columns(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", size)
    matrix = matrix_of(1, 100, density=0.8)
    matrix.data = (matrix.data / np.float32(7)).astype(np.float32)
    sums, _ = sums_of_blocks(matrix)
    dense = matrix.toarray().astype(np.float64)
    expected = np.zeros_like(sums)
    for column in dense.T:
        expected += np.outer(column, column)
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("divisor", [1, 7])
def test_common_columns_are_those_that_both_rows_have(divisor: int) -> None:
    matrix = matrix_of(2, 5)
    matrix.data = matrix.data / np.float32(divisor)
    has = (matrix.toarray() != 0).astype(int)
    _, common = sums_of_blocks(matrix, counts_common=True)
    np.testing.assert_array_equal(common, has @ has.T)


@pytest.mark.parametrize(
    ("largest", "n_columns", "is_whole"),
    [(127, 50, True), (128, 50, False), (1, 200_000, True), (127, 134_000, False)],
    ids=["a byte", "more than a byte", "long rows", "sums of more than 31 bits"],
)
def test_integers_are_used_where_no_sum_can_overflow(
    largest: int, n_columns: int, is_whole: bool
) -> None:
    matrix = csr_array(np.full((2, n_columns), largest, dtype=np.float32))
    assert (BlockMemory.of(matrix).sums.dtype == np.int32) == is_whole
    sums, _ = sums_of_blocks(matrix)
    np.testing.assert_array_equal(sums, np.full((2, 2), float(n_columns) * largest**2))


def test_infinite_and_missing_values_are_no_whole_ones() -> None:
    for value in (np.inf, np.nan):
        matrix = csr_array(np.array([[value, 1.0]], dtype=np.float32))
        assert BlockMemory.of(matrix).values.dtype == np.float32


@pytest.mark.parametrize("minimum_overlap", [1, 3])
@pytest.mark.parametrize("divisor", [1, 7])
def test_the_nearest_rows_do_not_depend_on_the_block(
    minimum_overlap: int, divisor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = matrix_of(3, 5, shape=(60, 40))
    matrix.data = matrix.data / np.float32(divisor)
    whole = nearest_rows(matrix, 7, minimum_overlap)
    for size in (1, 7, 59):
        monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", size)
        blocks = nearest_rows(matrix, 7, minimum_overlap)
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(blocks, name), getattr(whole, name))


@pytest.mark.parametrize("minimum_overlap", [1, 3])
@pytest.mark.parametrize("divisor", [1, 7])
@pytest.mark.parametrize("cuts", [(0, 60), (0, 1, 31, 60), (0, 16, 32, 59, 60), (0, 20, 20, 60)])
def test_the_nearest_of_some_rows_are_those_among_all(
    cuts: tuple[int, ...], minimum_overlap: int, divisor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = matrix_of(3, 5, shape=(60, 40))
    matrix.data = matrix.data / np.float32(divisor)
    whole = nearest_rows(matrix, 7, minimum_overlap)
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", 16)
    for first, end in pairwise(cuts):
        found = nearest_rows(matrix, 7, minimum_overlap, range(first, end))
        wanted = whole[first:end]
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
