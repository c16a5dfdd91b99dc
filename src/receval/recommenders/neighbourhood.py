# SPDX-License-Identifier: MIT
"""The most similar rows of a sparse matrix by cosine: neighbourhoods of users or of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_kernels import (
    find_nearest_rows,
    in_row_order,
    keep_nearest,
)

SPARE = 2
FEWEST_SPARE = 16
"""Keys collected beside the nearest rows, an n-th of them and no fewer, before a selection."""


BLOCK_ROWS = 2_048
"""Rows of a block, at most 65,536: their positions are 16 bits wide."""

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
        """Return what ``take_block`` and ``add_products`` take, in their order."""
        return (
            *(self.values, self.unit, self.sums, self.common, self.starts, self.rows),
            *(self.entries, self.places, self.dense, self.short_sums, self.flush),
        )


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


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
    """
    n_rows = matrix.shape[0]
    wanted = range(n_rows) if wanted is None else wanted
    neighbours = min(max(numbers), n_rows)
    # One key orders by cosine, then by row number.
    spare = max(FEWEST_SPARE, neighbours // SPARE)
    keys = np.empty((len(wanted), neighbours + spare), dtype=np.int64)
    counts = np.zeros(len(wanted), dtype=np.int32)
    memory = BlockMemory.of(matrix, counts_common=minimum_overlap > 1)
    arguments = (
        *(matrix.indptr, matrix.indices, *memory.arrays()),
        *(row_norms(matrix), minimum_overlap, neighbours, wanted.start, keys, counts),
    )
    find_nearest_rows(*arguments)
    nearest: dict[int, RatingMatrix] = {}
    falling = sorted(set(numbers), reverse=True)
    for number in falling:
        keep_nearest(keys, counts, number)
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
