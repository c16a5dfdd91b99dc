# SPDX-License-Identifier: MIT
"""Products of a row with a block of rows are those of the matrix, whatever the block and values."""

from __future__ import annotations

import math
import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recommenders.matrices import to_matrix
from scipy.sparse import csr_array

from receval.recommenders import neighbourhood
from receval.recommenders.neighbourhood import (
    BlockMemory,
    RowSearch,
    nearest_rows,
    nearest_rows_for,
)
from receval.recommenders.neighbourhood_kernels import (
    LANES,
    add_lines,
    add_products,
    far_step,
    mark_too_few,
    take_block,
)
from receval.recommenders.products import row_norms


def matrix_of(seed: int, lowest: int, largest: int, density: float = 0.3, n_rows: int = 23):
    rng = np.random.default_rng(seed)
    shape = (n_rows, 40)
    # Columns from rare ones to those that all rows have.
    has = rng.random(shape) < np.linspace(0, 2 * density, shape[1])
    return csr_array((rng.integers(lowest, largest + 1, shape) * has).astype(np.float32))


def sums_of_blocks(matrix: csr_array) -> np.ndarray:
    """Return the products of every row with every row."""
    memory = BlockMemory.of(matrix)
    n_rows, size = matrix.shape[0], memory.sums.shape[1]
    sums = np.zeros((n_rows, n_rows))
    others = (memory.row_starts, memory.columns)
    block = (memory.starts, memory.rows, memory.entries)
    for first in range(0, n_rows, size):
        end = min(first + size, n_rows)
        dense = (memory.starts_of_values, memory.places)
        take_block(*dense, *others, memory.values, first, end, *block, memory.tables)
        for row in range(n_rows):
            own = memory.sums[0]
            own[:] = 0
            values = (memory.values, memory.unit)
            add_products(*others, row, *values, *block, own, memory.common[0], False)
            for tile, table in enumerate(memory.tables):
                part = own[tile * LANES : (tile + 1) * LANES]
                starts = memory.starts_of_values[row]
                add_lines(table, memory.places, starts, memory.most_lines, part)
            sums[row, first:end] = own[: end - first]
    return sums


@pytest.mark.costly
@given(
    seed=st.integers(0, 2**32 - 1),
    lowest=st.sampled_from([0, -3]),
    largest=st.sampled_from([1, 5, 25, 127]),
    density=st.sampled_from([0.05, 0.4]),
    n_rows=st.sampled_from([1, 23, 256, 300, 600]),
    most_dense=st.sampled_from([0, 3, 1024]),
)
def test_sums_of_whole_values_are_the_products_of_the_matrix(
    seed: int, lowest: int, largest: int, density: float, n_rows: int, most_dense: int
) -> None:
    matrix = matrix_of(seed, lowest, largest, density, n_rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbourhood, "BLOCK_ROWS", LANES)
        patch.setattr(neighbourhood, "MOST_DENSE", most_dense)
        assert BlockMemory.of(matrix).sums.dtype == np.int32
        sums = sums_of_blocks(matrix)
    dense = matrix.toarray().astype(np.int64)
    np.testing.assert_array_equal(sums, dense @ dense.T)


def test_frequent_columns_of_ratings_are_dense_and_those_of_signed_values_are_not() -> None:
    ratings, signed = matrix_of(1, 1, 5), matrix_of(1, -5, 5)
    assert len(BlockMemory.of(ratings).places) > 0.8 * ratings.nnz
    assert len(BlockMemory.of(signed).places) == 0
    assert len(BlockMemory.of(ratings, needs_common=True).places) == 0
    # Common columns of ones are their products.
    ones = BlockMemory.of(matrix_of(1, 1, 1), needs_common=True)
    assert len(ones.places) > 0
    assert ones.common is ones.sums


@pytest.mark.parametrize("largest", [5, 25])
def test_sums_of_all_dense_columns_fit(largest: int) -> None:
    matrix = csr_array(np.full((3, 3_000), largest, dtype=np.float32))
    sums = sums_of_blocks(matrix)
    np.testing.assert_array_equal(sums, np.full((3, 3), 3_000.0 * largest**2))


def test_floating_sums_are_added_in_the_order_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", LANES)
    matrix = matrix_of(1, -100, 100, density=0.8, n_rows=300)
    matrix.data = (matrix.data / np.float32(7)).astype(np.float32)
    sums = sums_of_blocks(matrix)
    dense = matrix.toarray().astype(np.float64)
    expected = np.zeros_like(sums)
    for column in dense.T:
        expected += np.outer(column, column)
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.each(
    ("largest", "n_columns", "is_whole"),
    [(127, 50, True), (128, 50, False), (1, 200_000, True), (127, 134_000, False)],
    ids=["a byte", "more than a byte", "long rows", "sums of more than 31 bits"],
)
def test_integers_are_used_where_no_sum_can_overflow(
    largest: int, n_columns: int, is_whole: bool
) -> None:
    matrix = csr_array(np.full((2, n_columns), largest, dtype=np.float32))
    assert (BlockMemory.of(matrix).sums.dtype == np.int32) == is_whole
    sums = sums_of_blocks(matrix)
    np.testing.assert_array_equal(sums, np.full((2, 2), float(n_columns) * largest**2))


def test_infinite_and_missing_values_are_no_whole_ones() -> None:
    for value in (np.inf, np.nan):
        matrix = csr_array(np.array([[value, 1.0]], dtype=np.float32))
        assert BlockMemory.of(matrix).values.dtype == np.float32


def nearest_by_sorting(matrix: csr_array, neighbours: int, minimum_overlap: int) -> csr_array:
    """Return the cosines of each row's neighbours, in the order of rows."""
    content = matrix.toarray().tobytes()
    return _nearest_by_sorting(content, matrix.shape[1], neighbours, minimum_overlap)


@cache
def _nearest_by_sorting(
    content: bytes, n_columns: int, neighbours: int, minimum_overlap: int
) -> csr_array:
    cosines, common = all_cosines(content, n_columns)
    may_be_near = (cosines > 0) & (common >= minimum_overlap)
    np.fill_diagonal(may_be_near, False)
    # A stable sort leaves the first of equal rows first.
    order = np.argsort(np.where(may_be_near, -cosines, 1), axis=1, kind="stable")
    nearest = np.zeros_like(may_be_near)
    np.put_along_axis(nearest, order[:, :neighbours], True, axis=1)
    return csr_array(np.where(nearest & may_be_near, cosines, 0))


@cache
def all_cosines(content: bytes, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every two rows' cosine and the number of columns in common, given a dense matrix."""
    dense = np.frombuffer(content, dtype=np.float32).reshape(-1, n_columns).astype(np.float64)
    products = np.zeros((len(dense), len(dense)))
    for column in dense.T:
        products += np.outer(column, column)
    norms = np.sqrt(np.array([math.fsum(row**2) for row in dense]))
    norms[norms == 0] = 1
    has = (dense != 0).astype(np.float64)
    return (products / np.outer(norms, norms)).astype(np.float32), has @ has.T


def assert_same_rows(found: csr_array, expected: csr_array) -> None:
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("neighbours", [1, 7, 1000])
@pytest.mark.parametrize("minimum_overlap", [1, 3])
@pytest.mark.parametrize(
    ("lowest", "largest", "divisor"), [(1, 1, 1), (1, 5, 1), (-2, 5, 1), (1, 5, 7)]
)
@pytest.mark.costly
def test_the_nearest_rows_are_the_first_of_all_in_order(
    lowest: int,
    largest: int,
    divisor: int,
    minimum_overlap: int,
    neighbours: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = matrix_of(3, lowest, largest, density=0.2, n_rows=600)
    matrix.data = matrix.data / np.float32(divisor)
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", LANES)
    monkeypatch.setattr(neighbourhood, "CHUNK_ROWS", 100)
    found = nearest_rows(matrix, neighbours, minimum_overlap)
    assert_same_rows(found, nearest_by_sorting(matrix, neighbours, minimum_overlap))


def test_a_cosine_that_is_0_in_single_precision_makes_no_neighbour() -> None:
    # Of the last column the first two rows have a product of 10^-50, the others more.
    least, small = 1e-25, 1e-3
    matrix = csr_array(np.float32([[1, 0, least], [0, 1, least], [0, 1, small], [1, 0, small]]))
    found = nearest_rows(matrix, 3)
    assert_same_rows(found, nearest_by_sorting(matrix, 3, 1))
    assert found[[0]].indices.tolist() == [2, 3]


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", LANES)
    monkeypatch.setattr(neighbourhood, "CHUNK_ROWS", 100)
    for name, value in {"SAMPLED": 5, "FEWEST_APART": 2, "ROWS_A_NEIGHBOUR": 2}.items():
        monkeypatch.setattr(neighbourhood, name, value)


def collected_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of rows that collect, for each time that rows do."""
    found = []
    collect = RowSearch.collect

    def count(search: RowSearch, rows: np.ndarray, *others: Any) -> None:
        found.append(len(rows))
        collect(search, rows, *others)

    monkeypatch.setattr(RowSearch, "collect", count)
    return found


@pytest.mark.parametrize("deviations", [6, 0, -1.5], ids=["low", "often too high", "too high"])
@pytest.mark.parametrize("minimum_overlap", [1, 3])
@pytest.mark.parametrize(
    ("lowest", "largest", "divisor"), [(1, 1, 1), (1, 5, 1), (1, 5, 7), (-2, 5, 1)]
)
@pytest.mark.parametrize("wanted", [range(600), range(310, 599)])
@pytest.mark.usefixtures("small_samples")
@pytest.mark.costly
def test_whatever_is_guessed_from_a_sample_the_nearest_rows_are_the_same(
    wanted: range,
    lowest: int,
    largest: int,
    divisor: int,
    minimum_overlap: int,
    deviations: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dense = matrix_of(4, lowest, largest, density=0.2, n_rows=600).toarray()
    dense[[0, 1, 313, 598]] = 0
    matrix = csr_array(dense / np.float32(divisor))
    monkeypatch.setattr(neighbourhood, "DEVIATIONS", deviations)
    collected = collected_rows(monkeypatch)
    numbers = (20, 7)
    nearest = nearest_rows_for(matrix, numbers, minimum_overlap, wanted)
    for number, found in zip(numbers, nearest, strict=True):
        expected = nearest_by_sorting(matrix, number, minimum_overlap)
        assert_same_rows(found, expected[wanted.start : wanted.stop])
    # One in four is in the sample; what was guessed too high is collected again, and no other.
    sampled, whole, *again = collected
    assert (sampled, whole) == (sum(row % 4 > 0 for row in wanted), len(wanted))
    assert [n > 0.8 * sampled for n in again] == {6: [], 0: [False], -1.5: [True]}[deviations]


@pytest.mark.parametrize(
    ("neighbours", "n_rows", "pays"), [(10, 20, True), (9, 20, False), (10, 19, False)]
)
@pytest.mark.usefixtures("small_samples")
def test_a_sample_is_compared_first_where_it_is_small_and_rows_are_many(
    neighbours: int, n_rows: int, pays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected = collected_rows(monkeypatch)
    nearest_rows(matrix_of(4, 1, 5, n_rows=n_rows), neighbours)
    assert (len(collected) > 1) == pays


def test_rows_with_too_few_keys_at_a_guess_are_marked_and_those_without_a_guess_are_not() -> None:
    keys = np.array([[9, 5, 4, 5]] * 5, dtype=np.int64) << 32
    # The last of the keys is there of one row alone.
    counts = np.array([3, 4, 3, 3, 0], dtype=np.int32)
    guesses = np.array([5, 5, 6, 4, 0], dtype=np.int32)
    found = np.zeros(5, dtype=bool)
    mark_too_few(keys, counts, 3, guesses, found)
    assert found.tolist() == [True, False, True, False, False]


@pytest.mark.costly
def test_guesses_are_above_most_rows_and_below_the_nearest() -> None:
    matrix = matrix_of(5, 1, 5, density=0.2, n_rows=6_000)
    norms = row_norms(matrix)
    guesses = neighbourhood.guessed_cosines(matrix, norms, 300, 1, range(6_000))
    assert not guesses[:: 300 // 32].any()
    assert (guesses > 0).mean() > 0.8
    for row in np.flatnonzero(guesses)[::100]:
        products = (matrix @ matrix[[row]].T).toarray().ravel()
        assert 300 < (products >= guesses[row] * norms * norms[row]).sum() < 1_500


def test_more_neighbours_than_have_places_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = matrix_of(3, 1, 5, n_rows=60)
    found = nearest_rows(matrix, 7).nnz
    monkeypatch.setattr(neighbourhood, "_LARGEST_INTEGER", found)
    assert nearest_rows(matrix, 7).nnz == found
    monkeypatch.setattr(neighbourhood, "_LARGEST_INTEGER", found - 1)
    with pytest.raises(ValueError, match=f"60 rows have {found} neighbours together, more than"):
        nearest_rows(matrix, 7)


def skewed_matrix(n_rows: int = 600, n_columns: int = 80) -> csr_array:
    """Return whole numbers, of which rows have from none to nearly all columns."""
    rng = np.random.default_rng(9)
    shares = rng.beta(0.3, 1.2, n_rows)[:, np.newaxis]
    dense = (rng.random((n_rows, n_columns)) < shares) * rng.integers(1, 6, (n_rows, n_columns))
    return csr_array(dense.astype(np.float32))


@pytest.mark.each("wanted", [range(600), range(200, 331), range(5, 5), range(1), range(599, 600)])
@pytest.mark.each("minimum_overlap", [1, 4])
def test_rows_of_very_different_lengths_have_the_nearest_of_all(
    wanted: range, minimum_overlap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbourhood, "BLOCK_ROWS", LANES)
    monkeypatch.setattr(neighbourhood, "CHUNK_ROWS", 100)
    matrix = skewed_matrix()
    found = nearest_rows(matrix, 9, minimum_overlap, wanted)
    expected = nearest_by_sorting(matrix, 9, minimum_overlap)
    assert_same_rows(found, expected[wanted.start : wanted.stop])


def test_of_a_pair_the_row_with_fewer_entries_is_at_the_lower_position() -> None:
    dense = np.tril(np.ones((6, 6), dtype=np.float32))[[4, 0, 5, 2, 1, 3]]
    matrix = csr_array(dense)
    every = RowSearch(matrix, row_norms(matrix), 1, np.arange(6))
    assert (every.numbers.tolist(), every.positions) == ([1, 4, 3, 5, 0, 2], range(6))
    # The compared rows have three and four entries: half of them fewer than four.
    some = RowSearch(matrix, row_norms(matrix), 1, np.array([3, 5]))
    assert (some.numbers.tolist(), some.positions) == ([1, 4, 3, 5, 0, 2], range(2, 4))
    one = RowSearch(matrix, row_norms(matrix), 1, np.array([0]))
    assert (one.numbers.tolist(), one.positions) == ([1, 4, 3, 5, 0, 2], range(4, 5))


@given(st.integers(1, 3_000))
@example(12)
def test_steps_reach_every_place_once_and_are_far(number: int) -> None:
    step = far_step.py_func(number)
    assert len({turn * step % number for turn in range(number)}) == number
    golden = int(0.618 * number + 0.5)
    coprime = [other for other in range(1, 2 * number + 2) if math.gcd(other, number) == 1]
    assert step == min(coprime, key=lambda other: (abs(other - golden), other))


@pytest.mark.costly
def test_neighbours_take_the_memory_of_the_keys_that_they_are_found_by() -> None:
    neighbours = 200
    matrix = to_matrix(np.ones((1_000, 4)), np.ones((1_000, 4), dtype=bool))
    nearest_rows(matrix, neighbours)
    tracemalloc.start()
    try:
        found = nearest_rows(matrix, neighbours)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.nnz == 1_000 * neighbours
    # Keys have as many bytes and half as many to spare. With both side by side it would be 2.5.
    assert 1.5 < peak / (8 * found.nnz) < 2


def test_cosines_that_rise_by_less_than_a_millionth_push_out_the_lower_ones() -> None:
    # Row after row comes a little nearer to the first; a millionth is what rounding is allowed.
    slopes = np.linspace(3e-3, 1e-3, 1000)
    values = np.vstack(([[1.0, 0.0]], np.column_stack((np.ones(1000), slopes))))
    train = to_matrix(values, values > 0)
    norms = np.sqrt((train.toarray().astype(np.float64) ** 2).sum(axis=1))
    cosines = (1.0 / norms[1:]).astype(np.float32)
    falling = np.lexsort((np.arange(1, 1001), -cosines))[:5] + 1
    found = nearest_rows(train, 5)[[0]]
    assert found.indices.tolist() == sorted(falling.tolist())
