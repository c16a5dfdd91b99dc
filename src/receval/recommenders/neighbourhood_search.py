# SPDX-License-Identifier: MIT
"""Find the nearest neighbours of each row by comparing all pairs of rows.

In random order, the n-th row compared with a row is among its k nearest so far with probability k /
n. If k is large, collecting these rows and repeatedly selecting among them takes longer than the
comparisons. A sample tells in advance which rows will be too far. A sample of one row in a has k /
a of the k nearest rows on average, so the r-th nearest of the sample, with r well above k / a, is
hardly ever among the k nearest of all. The rows of a sample are compared with all first, and rows
farther than the r-th nearest of the sample are left out from the start. If fewer than k rows are
nearer, the guess was wrong, and the row is compared with all again. The result is exact.

The sample is every a-th row. If rows vary with that period, guesses are wrong, which takes time but
does not change results.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_kernels import (
    LANES,
    find_nearest_rows,
    keep_nearest,
    mark_too_few,
    part_rows,
)
from receval.recommenders.products import row_norms

SPARE = 2
FEWEST_SPARE = 16
"""Room for keys besides the nearest rows: a fraction of their number, and a minimum."""

SAMPLED = 32
"""Average number of a row's nearest rows that are in the sample."""

DEVIATIONS = 6
"""Number of standard deviations by which the rank in the sample exceeds that average."""

FEWEST_APART = 8
"""A sample with more than one row in this many takes longer than it saves."""

ROWS_A_NEIGHBOUR = 16
"""A sample is useful if there are at least this many times as many rows as neighbours."""


# The data of the kernels: the parts of a matrix, and memory for blocks of rows.

BLOCK_ROWS = 2_048
"""Rows of a block: a multiple of ``LANES`` and at most 65,536, because positions have 16 bits."""

CHUNK_ROWS = 128
"""Rows compared with a block together, per table, such that they fit into the L2 cache."""

MOST_DENSE = 1_536
"""Maximum number of dense columns, so that a table of them fits into the L2 cache."""

DENSE_FROM = 0.02
"""Share of the rows from which a column is dense: both methods take equally long there."""

_LARGEST_BYTE = 2**8 - 1
_LARGEST_SHORT = 2**16 - 1
_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class BlockMemory:
    """The parts of a matrix, and memory for one block and one chunk.

    Attributes
    ----------
    starts_of_values : ndarray of int64, shape (n_rows, largest value + 2)
        Begin of each row's dense columns with each value, as an index of ``places``.
    places : ndarray of uint16, shape (n_dense_entries,)
        Positions of dense columns in the tables.
    row_starts, columns, values : ndarray of int64, int32, and int8 or float32
        All other entries, as compressed rows.
    unit : int32 or float64
        The number 1 in the type in which products are added.
    most_lines : int
        Number of dense columns whose sum fits into a byte.
    starts : ndarray of int64, shape (n_columns + 1,)
        Begin of each column's entries of the block.
    rows : ndarray of uint16, shape (n_entries of the largest block,)
        Rows of these entries, counted from the first of the block, which may begin at any row.
    entries : ndarray of int8 or float32, of the shape of ``rows``
        Values of these entries.
    tables : ndarray of uint8, shape (n_tables, n_dense, LANES)
        Values of the block's rows in dense columns.
    sums : ndarray of int32 or float64, shape (n_chunk, n_block)
        The product of each row of the chunk with each row of the block.
    common : ndarray of int32, of the shape of ``sums`` or (n_chunk, 0)
        Number of common columns of each pair; equal to ``sums`` if all values are 1, and empty if
        not needed.
    counts_common : bool
        Whether common columns are counted.
    """

    starts_of_values: NDArray[np.int64]
    places: NDArray[np.uint16]
    row_starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray
    unit: np.int32 | np.float64
    most_lines: int
    starts: NDArray[np.int64]
    rows: NDArray[np.uint16]
    entries: NDArray
    tables: NDArray[np.uint8]
    sums: NDArray
    common: NDArray[np.int32]
    counts_common: bool

    @classmethod
    def of(cls, matrix: RatingMatrix, needs_common: bool = False) -> BlockMemory:
        """Return the memory for the rows of a matrix.

        Parameters
        ----------
        matrix : csr_array of float32, shape (n_rows, n_columns)
        needs_common : bool
            Whether common columns must be counted.

        Examples
        --------
        Products of integer ratings are added as integers, those of other ratings are not:

        >>> from scipy.sparse import csr_array
        >>> ratings = csr_array(np.array([[5, 3], [0, 4]], dtype=np.float32))
        >>> BlockMemory.of(ratings).sums.dtype, BlockMemory.of(ratings / 3).sums.dtype
        (dtype('int32'), dtype('float64'))
        """
        n_rows, n_columns = matrix.shape
        largest = int(np.abs(matrix.data).max(initial=0)) if _are_whole(matrix.data) else 128
        longest = int(np.diff(matrix.indptr).max(initial=0))
        is_whole = largest < 128 and longest * largest**2 <= _LARGEST_INTEGER
        values = matrix.data.astype(np.int8 if is_whole else np.float32, copy=False)
        is_one = is_whole and bool((values == 1).all())
        counts_common = needs_common and not is_one
        n_dense = 0
        # Dense columns are unsigned, and their common columns are not counted.
        if is_whole and not counts_common and values.min(initial=0) >= 0:
            n_dense = min(MOST_DENSE, _LARGEST_SHORT // max(largest, 1) ** 2)
        frequent = _frequent_columns(matrix, n_dense)
        starts_of_values, places, row_starts, columns, other_values = _parted(
            matrix, values, frequent, largest
        )
        size = -(-min(BLOCK_ROWS, max(n_rows, 1)) // LANES) * LANES
        ends = np.minimum(np.arange(n_rows) + size, n_rows)
        n_entries = int((row_starts[ends] - row_starts[:-1]).max(initial=0))
        sums = np.zeros((CHUNK_ROWS, size), dtype=np.int32 if is_whole else np.float64)
        common = np.zeros((CHUNK_ROWS, size if counts_common else 0), dtype=np.int32)
        return cls(
            starts_of_values=starts_of_values,
            places=places,
            row_starts=row_starts,
            columns=columns,
            values=other_values,
            unit=np.int32(1) if is_whole else np.float64(1),
            most_lines=_LARGEST_BYTE // max(largest, 1),
            starts=np.zeros(n_columns + 1, dtype=np.int64),
            rows=np.empty(n_entries, dtype=np.uint16),
            entries=np.empty(n_entries, dtype=values.dtype),
            tables=np.zeros((size // LANES, len(frequent), LANES), dtype=np.uint8),
            sums=sums,
            common=sums if needs_common and is_one else common,
            counts_common=counts_common,
        )

    def arrays(self) -> tuple[object, ...]:
        """Return the arguments of ``find_nearest_rows``, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self))


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _frequent_columns(matrix: RatingMatrix, most: int) -> NDArray[np.int64]:
    """Return the most frequent columns, up to a maximum, among those that enough rows have."""
    n_rows, n_columns = matrix.shape
    numbers = np.bincount(matrix.indices, minlength=n_columns)
    falling = np.argsort(-numbers, kind="stable")[:most]
    return falling[numbers[falling] >= max(1, DENSE_FROM * n_rows)]


def _parted(
    matrix: RatingMatrix, values: NDArray, frequent: NDArray[np.int64], largest: int
) -> tuple[NDArray, ...]:
    """Return the first fields of :class:`BlockMemory`: entries of frequent and other columns."""
    n_rows, n_columns = matrix.shape
    indptr = matrix.indptr.astype(np.int64)
    if not len(frequent):
        starts = np.zeros((n_rows, 1), dtype=np.int64)
        return starts, np.empty(0, dtype=np.uint16), indptr, matrix.indices, values
    place_of = np.full(n_columns, -1, dtype=np.int32)
    place_of[frequent] = np.arange(len(frequent))
    n_dense = int((place_of[matrix.indices] >= 0).sum())
    parted = (
        np.zeros((n_rows, largest + 2), dtype=np.int64),
        np.empty(n_dense, dtype=np.uint16),
        np.zeros(n_rows + 1, dtype=np.int64),
        np.empty(matrix.nnz - n_dense, dtype=np.int32),
        np.empty(matrix.nnz - n_dense, dtype=values.dtype),
    )
    part_rows(indptr, matrix.indices, values, place_of, *parted)
    return parted


class RowSearch:
    """Compares some rows of a matrix with all rows.

    The cost of a pair is the number of entries in frequent columns of one of its rows: of the row
    at the lower position, if the row at the higher position is compared. Compared rows are
    therefore sorted by their numbers of entries, and placed between the other rows with fewer than
    half of them and those with more.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Columns of each row must be sorted.
    norms : ndarray of float64, shape (n_rows,)
        Norms of the rows.
    minimum_overlap : int
        Rows with fewer common entries are no neighbours, whatever their cosine.
    compared : ndarray of int64
        Ascending numbers of the rows to compare with all rows.

    Attributes
    ----------
    numbers : ndarray of int64, shape (n_rows,)
        Numbers of the rows in the matrix, by position.
    positions : range
        Positions of the compared rows.
    norms : ndarray of float64, shape (n_rows,)
        Norms by position.
    minimum_overlap
        The parameter.
    memory : BlockMemory
        The parts of the matrix, with rows by position.
    reciprocals : ndarray of float32 or float64, shape (n_rows + LANES,)
        Reciprocals of the norms; 0 for rows without entries, and after the last row.
    """

    def __init__(
        self,
        matrix: RatingMatrix,
        norms: NDArray[np.float64],
        minimum_overlap: int,
        compared: NDArray[np.int64],
    ) -> None:
        n_rows = matrix.shape[0]
        self.numbers, self.positions = _by_entries(np.diff(matrix.indptr), compared)
        self.norms = norms[self.numbers]
        self.minimum_overlap = minimum_overlap
        self.memory = BlockMemory.of(matrix[self.numbers], needs_common=minimum_overlap > 1)
        # For integer sums, marks of near rows are only approximate, so products of 32 bits suffice.
        rough = np.float32 if self.memory.sums.dtype == np.int32 else np.float64
        self.reciprocals = np.zeros(n_rows + LANES, dtype=rough)
        reciprocals = self.reciprocals[:n_rows]
        np.divide(1.0, self.norms, out=reciprocals, where=self.norms > 0, casting="same_kind")

    def collect(
        self,
        rows: NDArray[np.int64],
        guesses: NDArray[np.float32] | float,
        neighbours: int,
        keys: NDArray[np.int64],
        counts: NDArray[np.int32],
        collectors: NDArray[np.int64],
    ) -> None:
        """Add keys of near rows to the collected keys of some rows.

        Parameters
        ----------
        rows : ndarray of int64
            Numbers of the rows whose keys are collected.
        guesses : ndarray of float32 or float
            Cosine of each row below which no keys are collected.
        neighbours : int
            Maximum number of keys wanted per row.
        keys : ndarray of int64, shape (n, room)
        counts : ndarray of int32, shape (n,)
            Number of keys of each row; afterwards, these include the largest ones that are wanted.
        collectors : ndarray of int64
            Index of each row in ``keys``.
        """
        n_rows = len(self.numbers)
        floors = np.full(n_rows, np.inf, dtype=self.reciprocals.dtype)
        # A little lower, so that the rounding of a product of reciprocals does no harm.
        floors[rows] = np.multiply(guesses, 1 - 4e-6, dtype=floors.dtype)
        collector_of = np.full(n_rows, -1, dtype=np.int64)
        collector_of[rows] = collectors
        behind = np.full(LANES, np.inf, dtype=floors.dtype)
        arguments = (
            *self.memory.arrays(),
            *(self.norms, self.reciprocals, np.concatenate([floors[self.numbers], behind])),
            *(self.minimum_overlap, neighbours, self.numbers, collector_of[self.numbers]),
            *(self.positions.start, self.positions.stop, keys, counts),
        )
        find_nearest_rows(*arguments)


def _by_entries(
    entries: NDArray[np.integer], compared: NDArray[np.int64]
) -> tuple[NDArray[np.int64], range]:
    """Return the numbers of all rows by position, and the positions of compared rows."""
    n_rows = len(entries)
    is_compared = np.zeros(n_rows, dtype=bool)
    is_compared[compared] = True
    rising = np.argsort(entries, kind="stable")
    own = rising[is_compared[rising]]
    others = rising[~is_compared[rising]]
    middle = entries[own[len(own) // 2]] if len(own) else 0
    few, many = others[entries[others] < middle], others[entries[others] >= middle]
    return np.concatenate([few, own, many]), range(len(few), len(few) + len(own))


def nearest_keys(
    matrix: RatingMatrix, neighbours: int, minimum_overlap: int, wanted: range
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return keys of each wanted row's nearest rows, and their number per row.

    A key has the bits of a cosine above ``n_rows`` minus the number of the other row: keys are
    ordered by cosine, and of rows with the same cosine, the lower has the larger key. The keys are
    in any order, and may include some that are not among the nearest.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
    minimum_overlap : int
        As for :class:`RowSearch`.
    neighbours : int
        Number of largest keys wanted, at most n_rows.
    wanted : range
        Consecutive rows.

    Returns
    -------
    keys : ndarray of int64, shape (n_wanted, room)
    counts : ndarray of int32, shape (n_wanted,)
    """
    norms = row_norms(matrix)
    guesses = np.zeros(len(wanted), dtype=np.float32)
    pays = neighbours >= SAMPLED * FEWEST_APART and matrix.shape[0] >= ROWS_A_NEIGHBOUR * neighbours
    if pays:
        guesses = guessed_cosines(matrix, norms, neighbours, minimum_overlap, wanted)
    rows = np.arange(wanted.start, wanted.stop)
    search = RowSearch(matrix, norms, minimum_overlap, rows)
    keys, counts = _room(len(wanted), neighbours)
    search.collect(rows, guesses, neighbours, keys, counts, rows - wanted.start)
    too_few = np.zeros(len(wanted), dtype=bool)
    mark_too_few(keys, counts, neighbours, guesses.view(np.int32), too_few)
    if too_few.any():
        counts[too_few] = 0
        again = np.flatnonzero(too_few)
        search.collect(wanted.start + again, 0.0, neighbours, keys, counts, again)
    return keys, counts


def guessed_cosines(
    matrix: RatingMatrix,
    norms: NDArray[np.float64],
    neighbours: int,
    minimum_overlap: int,
    wanted: range,
) -> NDArray[np.float32]:
    """Guess from a sample a cosine that at least `neighbours` rows reach with each wanted row.

    Parameters
    ----------
    matrix, norms, minimum_overlap
        As for :class:`RowSearch`.
    neighbours : int
        At least ``SAMPLED``.
    wanted : range
        Consecutive rows.

    Returns
    -------
    ndarray of float32, shape (n_wanted,)
        0 for rows of the sample, and if too few rows of the sample have a positive cosine.
    """
    n_rows = matrix.shape[0]
    apart = neighbours // SAMPLED
    expected = neighbours / apart
    rank = math.ceil(expected + DEVIATIONS * math.sqrt(expected))
    sampled = np.arange(0, n_rows, apart)
    others = np.setdiff1d(np.arange(wanted.start, wanted.stop), sampled, assume_unique=True)
    met = np.union1d(sampled, others)
    search = RowSearch(matrix[met], norms[met], minimum_overlap, np.searchsorted(met, sampled))
    keys, counts = _room(len(others), rank)
    rows = np.searchsorted(met, others)
    search.collect(rows, 0.0, rank, keys, counts, np.arange(len(others)))
    keep_nearest(keys, counts, rank)
    enough = counts == rank
    lowest = keys[enough, :rank].min(axis=1) >> 32
    guesses = np.zeros(len(wanted), dtype=np.float32)
    guesses[others[enough] - wanted.start] = lowest.astype(np.int32).view(np.float32)
    return guesses


def _room(n_rows: int, neighbours: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    spare = max(FEWEST_SPARE, neighbours // SPARE)
    return np.empty((n_rows, neighbours + spare), dtype=np.int64), np.zeros(n_rows, dtype=np.int32)
