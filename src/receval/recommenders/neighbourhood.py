# SPDX-License-Identifier: MIT
"""The most similar rows of a sparse matrix by cosine: neighbourhoods of users or of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_kernels import (
    LANES,
    find_nearest_rows,
    in_row_order,
    keep_nearest,
    part_rows,
)

SPARE = 2
FEWEST_SPARE = 16
"""Keys collected beside the nearest rows, an n-th of them and no fewer, before a selection."""


BLOCK_ROWS = 2_048
"""Rows of a block, a multiple of ``LANES`` and at most 65,536: their positions are 16 bits wide."""

CHUNK_ROWS = 128
"""Rows that meet a block together: so many for each table that the second cache takes in."""

MOST_DENSE = 1_536
"""Dense columns, at most, so that a table of them fits into the second cache."""

DENSE_FROM = 0.02
"""Share of the rows from which on a column is dense: where both ways take as long."""

_LARGEST_BYTE = 2**8 - 1
_LARGEST_SHORT = 2**16 - 1
_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class BlockMemory:
    """What the kernels work with: a matrix in parts, and room for one block and one chunk.

    Attributes
    ----------
    starts_of_values : ndarray of int64, shape (n_rows, largest value + 2)
        Where the dense columns in which a row has a value begin among the places.
    places : ndarray of uint16, shape (n_dense_entries,)
        Of dense columns in the tables.
    row_starts, columns, values : ndarray of int64, int32, and int8 or float32
        All other entries, in compressed rows.
    unit : int32 or float64
        One, of the type in which products are added.
    most_lines : int
        Dense columns whose sum a byte holds.
    starts : ndarray of int64, shape (n_columns + 1,)
        Where each column's entries of the block begin.
    rows : ndarray of uint16, shape (n_entries of the largest block,)
        Their rows, counted from the first of the block. A block may begin at any row.
    entries : ndarray of int8 or float32, of the shape of ``rows``
        Their values.
    tables : ndarray of uint8, shape (n_tables, n_dense, LANES)
        Values of the block's rows in dense columns.
    sums : ndarray of int32 or float64, shape (n_chunk, n_block)
        The products of each row of the chunk with each of the block's.
    common : ndarray of int32, of the shape of ``sums`` or (n_chunk, 0)
        How many columns a row has in common with each; the sums themselves where all values are
        1, empty where nobody asks.
    counts_common : bool
        Whether they are counted.
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
            Whether numbers of common columns are wanted.

        Examples
        --------
        Ratings in whole stars are added as integers, their averages are not:

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
        # Lines of dense columns have no signs and are not counted.
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
        """Return what ``find_nearest_rows`` takes, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self))


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _frequent_columns(matrix: RatingMatrix, most: int) -> NDArray[np.int64]:
    """Return the most frequent columns, so many at most, of those that enough rows have."""
    n_rows, n_columns = matrix.shape
    numbers = np.bincount(matrix.indices, minlength=n_columns)
    falling = np.argsort(-numbers, kind="stable")[:most]
    return falling[numbers[falling] >= max(1, DENSE_FROM * n_rows)]


def _parted(
    matrix: RatingMatrix, values: NDArray, frequent: NDArray[np.int64], largest: int
) -> tuple[NDArray, ...]:
    """Return the first fields of :class:`BlockMemory`: entries of frequent columns, and others."""
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


def nearest_rows(
    matrix: RatingMatrix, neighbours: int, minimum_overlap: int = 1, wanted: range | None = None
) -> RatingMatrix:
    """Return every row's most similar other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, the sum over common entries, the norms over
    all entries of each row. Only positive cosines count. Cosines are rounded to float32 and then
    compared, equal ones by row number, the lower row first.

    Every pair of rows, one of them wanted, is compared once, with blocks of rows whose sums stay in
    cache
    (:mod:`receval.recommenders.neighbourhood_kernels`). Memory: some two and a half times the
    result, the entries of a block and a few vectors of length n_rows or n_columns.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Users by items for neighbourhoods of users, its transpose for those of items.
    neighbours : int
        The most neighbours of a row.
    minimum_overlap : int
        Rows with fewer common entries, whatever their values, are no neighbours.
    wanted : range, optional
        Consecutive rows whose neighbours are wanted; by default those of all. Of the pairs without
        a wanted row none is compared.

    Returns
    -------
    csr_array of float32, shape (n_wanted, n_rows)
        Cosines of each wanted row's neighbours, at most ``neighbours`` a row, no row its own: the
        same for any ``wanted``.

    Examples
    --------
    The second row's neighbour, found for this row alone:

    >>> from scipy.sparse import csr_array
    >>> ratings = csr_array(np.array([[4, 3], [3, 4], [0, 5]], dtype=np.float32))
    >>> nearest_rows(ratings, 1, wanted=range(1, 2)).toarray().round(2).tolist()
    [[0.9599999785423279, 0.0, 0.0]]
    """
    return nearest_rows_for(matrix, [neighbours], minimum_overlap, wanted)[0]


def nearest_rows_for(
    matrix: RatingMatrix,
    numbers: Sequence[int],
    minimum_overlap: int = 1,
    wanted: range | None = None,
) -> list[RatingMatrix]:
    """Return what :func:`nearest_rows` does for each of several numbers of neighbours.

    Pairs of rows are compared once, for the largest; the neighbours of the others are among these.

    Parameters
    ----------
    matrix, minimum_overlap, wanted
        As for :func:`nearest_rows`.
    numbers : sequence of int
        Numbers of neighbours, at least one.

    Returns
    -------
    list of csr_array
        In the order of the numbers; equal ones share one matrix.

    Raises
    ------
    ValueError
        If all neighbours together are more than 2^31 - 1.
    """
    n_rows = matrix.shape[0]
    wanted = range(n_rows) if wanted is None else wanted
    neighbours = min(max(numbers), n_rows)
    # One key orders by cosine, then by row number.
    spare = max(FEWEST_SPARE, neighbours // SPARE)
    keys = np.empty((len(wanted), neighbours + spare), dtype=np.int64)
    counts = np.zeros(len(wanted), dtype=np.int32)
    norms = row_norms(matrix)
    memory = BlockMemory.of(matrix, needs_common=minimum_overlap > 1)
    # Marks of near rows are rough where sums are whole: a product of 32 bits loses nothing else.
    rough = np.float32 if memory.sums.dtype == np.int32 else np.float64
    reciprocals = np.zeros(n_rows + LANES, dtype=rough)
    np.divide(1.0, norms, out=reciprocals[:n_rows], where=norms > 0, casting="same_kind")
    arguments = (
        *memory.arrays(),
        *(norms, reciprocals, minimum_overlap, neighbours, wanted.start, keys, counts),
    )
    find_nearest_rows(*arguments)
    nearest: dict[int, RatingMatrix] = {}
    falling = sorted(set(numbers), reverse=True)
    for number in falling:
        keep_nearest(keys, counts, number)
        found = int(counts.sum(dtype=np.int64))
        if found > _LARGEST_INTEGER:
            raise ValueError(
                f"{len(wanted):,} rows have {found:,} neighbours together, more than the "
                f"{_LARGEST_INTEGER:,} whose places 32 bits number: ask for fewer neighbours, or "
                "for those of fewer rows at a time (shards in config/config.yaml)."
            )
        starts = np.zeros(len(wanted) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        indices = np.empty(starts[-1], dtype=np.int32)
        cosines = np.empty(starts[-1], dtype=np.float32)
        # The order of rows overwrites the keys, which smaller numbers still need.
        own = keys if number == falling[-1] else keys.copy()
        in_row_order(own, starts, n_rows, indices, cosines)
        nearest[number] = csr_array((cosines, indices, starts), shape=(len(wanted), n_rows))
    return [nearest[number] for number in numbers]


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = np.square(matrix.data.astype(np.float64))
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))
