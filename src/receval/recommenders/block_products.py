# SPDX-License-Identifier: MIT
"""Inner products of one row of a sparse matrix with a block of its rows, exact and in cache.

A block is of so few rows that their sums stay in a core's first cache, and their entries, sorted by
column, in its second. Columns that many rows of a block have are kept dense as well: added as
vectors they take less time than entry by entry. Whole numbers are added as integers, of which many
fit into a vector, and whose sums do not depend on their order; all others as float64 in the order
of the row's columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix

BLOCK_ROWS = 2_048
"""Rows of a block, at most 65,536: their positions are 16 bits wide."""

DENSE_FROM = 0.08
"""Share of a block's rows from which on a column is dense: where both ways take as long."""

MOST_DENSE = 1_024
"""Dense columns of a block, at most, so that they stay in the second cache."""

_LARGEST_SHORT = 2**15 - 1
_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class BlockMemory:
    """What the kernel works with: values of one kind, and room for one block.

    Attributes
    ----------
    values : ndarray of int8 or float32, shape (n_entries,)
        Of the matrix.
    unit : int32 or float64
        One, of the type in which products are added.
    sums : ndarray of int32 or float64, shape (n_block,)
        Zero; the products of a row with each of the block's.
    common : ndarray of int32, shape (n_block,) or (0,)
        Zero; how many columns a row has in common with each. Empty where nobody asks.
    starts : ndarray of int64, shape (n_columns + 1,)
        Where each column's entries of the block begin.
    rows : ndarray of uint16, shape (n_entries of the largest block,)
        Their rows, counted from the first of the block.
    entries : ndarray of int8 or float32, of the shape of ``rows``
        Their values.
    places : ndarray of int32, shape (n_columns,)
        Of each column among the dense ones, or -1.
    dense : ndarray of int8 or float32, shape (n_dense, n_block)
    short_sums : ndarray of int16 or float64, shape (n_block,)
        Zero.
    flush : int
        Dense columns whose products a short sum holds.
    """

    values: NDArray
    unit: np.int32 | np.float64
    sums: NDArray
    common: NDArray[np.int32]
    starts: NDArray[np.int64]
    rows: NDArray[np.uint16]
    entries: NDArray
    places: NDArray[np.int32]
    dense: NDArray
    short_sums: NDArray
    flush: int

    @classmethod
    def of(cls, matrix: RatingMatrix, counts_common: bool = False) -> BlockMemory:
        """Return the memory for the rows of a matrix.

        Parameters
        ----------
        matrix : csr_array of float32, shape (n_rows, n_columns)
        counts_common : bool
            Whether common columns are counted.

        Examples
        --------
        Ratings in whole stars are added as integers, their averages are not:

        >>> from scipy.sparse import csr_array
        >>> ratings = csr_array(np.array([[5, 3], [0, 4]], dtype=np.float32))
        >>> BlockMemory.of(ratings).sums.dtype, BlockMemory.of(ratings / 3).sums.dtype
        (dtype('int32'), dtype('float64'))
        """
        n_rows, n_columns = matrix.shape
        size = min(max(n_rows, 1), BLOCK_ROWS)
        bounds = matrix.indptr[np.minimum(np.arange(0, n_rows + size, size), n_rows)]
        n_entries = int(np.diff(bounds).max(initial=0))
        largest = int(np.abs(matrix.data).max(initial=0)) if _are_whole(matrix.data) else 128
        longest = int(np.diff(matrix.indptr).max(initial=0))
        is_whole = largest < 128 and longest * largest**2 <= _LARGEST_INTEGER
        kind = np.int8 if is_whole else np.float32
        # Floating products must be added in the order of columns, and dense ones come last.
        n_dense = MOST_DENSE if is_whole and not counts_common else 0
        return cls(
            values=matrix.data.astype(kind, copy=False),
            unit=np.int32(1) if is_whole else np.float64(1),
            sums=np.zeros(size, dtype=np.int32 if is_whole else np.float64),
            common=np.zeros(size if counts_common else 0, dtype=np.int32),
            starts=np.zeros(n_columns + 1, dtype=np.int64),
            rows=np.empty(n_entries, dtype=np.uint16),
            entries=np.empty(n_entries, dtype=kind),
            places=np.full(n_columns, -1, dtype=np.int32),
            dense=np.zeros((min(n_dense, n_columns), size), dtype=kind),
            short_sums=np.zeros(size, dtype=np.int16 if is_whole else np.float64),
            flush=_LARGEST_SHORT // max(largest, 1) ** 2,
        )

    def arrays(self) -> tuple[object, ...]:
        """Return what :func:`take_block` and :func:`add_products` take, in their order."""
        return (
            *(self.values, self.unit, self.sums, self.common, self.starts, self.rows),
            *(self.entries, self.places, self.dense, self.short_sums, self.flush),
        )


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


@njit(cache=True)
def take_block(  # type: ignore[no-untyped-def]
    indptr, columns, values, first, end, starts, rows, entries, places, dense
):
    """Sort the entries of the rows from first to end by column, and fill the dense columns."""
    starts[:] = 0
    for entry in range(indptr[first], indptr[end]):
        starts[columns[entry] + 1] += 1
    enough = DENSE_FROM * dense.shape[1]
    n_dense = 0
    for column in range(len(places)):
        places[column] = -1
        if starts[column + 1] >= enough and n_dense < dense.shape[0]:
            places[column] = n_dense
            dense[n_dense, :] = 0
            n_dense += 1
        starts[column + 1] += starts[column]
    for row in range(first, end):
        for entry in range(indptr[row], indptr[row + 1]):
            column = columns[entry]
            position = starts[column]
            rows[position] = row - first
            entries[position] = values[entry]
            starts[column] = position + 1
            if places[column] >= 0:
                dense[places[column], row - first] = values[entry]
    # Each start has become the next one's.
    for column in range(len(places), 0, -1):
        starts[column] = starts[column - 1]
    starts[0] = 0


@njit(cache=True)
def add_products(  # type: ignore[no-untyped-def]
    indptr,
    columns,
    row,
    values,
    unit,
    sums,
    common,
    starts,
    rows,
    entries,
    places,
    dense,
    short_sums,
    flush,
):
    """Add the products of a row with each row of the block to the sums, which begin with zeros."""
    n_dense = 0
    for entry in range(indptr[row], indptr[row + 1]):
        column = columns[entry]
        if places[column] >= 0:
            n_dense += 1
            continue
        value = unit * values[entry]
        # Unsigned positions spare numba's test for negative ones.
        for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
            sums[np.uint64(rows[position])] += value * entries[position]
        if len(common):
            for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
                common[np.uint64(rows[position])] += 1
    if not n_dense:
        return
    waiting = 0
    for entry in range(indptr[row], indptr[row + 1]):
        place = places[columns[entry]]
        if place < 0:
            continue
        value = values[entry]
        own = dense[place]
        for other in range(len(short_sums)):
            short_sums[other] += value * own[other]
        waiting += 1
        if waiting == flush:
            _flush(sums, short_sums)
            waiting = 0
    _flush(sums, short_sums)


@njit(cache=True)
def _flush(sums, short_sums):  # type: ignore[no-untyped-def]
    for other in range(len(sums)):
        sums[other] += short_sums[other]
        short_sums[other] = 0
