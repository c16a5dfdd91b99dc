# SPDX-License-Identifier: MIT
"""What the kernels of neighbourhoods work with: a matrix in parts, and room for blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_kernels import LANES, part_rows

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
