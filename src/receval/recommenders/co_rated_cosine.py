# SPDX-License-Identifier: MIT
"""Cosine similarity of two users over the items that both have rated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit


def co_rated_cosines(
    rows: NDArray[np.int64], matrix: RatingMatrix, transposed: RatingMatrix, shrinkage: float
) -> NDArray[np.float64]:
    """Return the shrunk cosines of some rows with all rows, over common entries only.

    ``sim(a, b) = n / (n + shrinkage) * sum_c x_ac x_bc / sqrt(sum_c x_ac^2 sum_c x_bc^2)``, where
    every sum is over the n columns c in which both rows have an entry, even of value 0. The
    similarity is 0 if the formula is undefined (no common entry, or only zeros on one side).

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Rows to compare.
    matrix, transposed : csr_array of float32, shapes (n_rows, n_columns) and (n_columns, n_rows)
        To compare users, users by items and its transpose; to compare items, the other way round.
    shrinkage : float
        At least 0, in common entries.

    Returns
    -------
    ndarray of float64, shape (n, n_rows)
        Similarities; that of a row with itself is 0.
    """
    cosines = np.empty((len(rows), matrix.shape[0]))
    _co_rated_cosines(
        rows,
        matrix.indptr,
        matrix.indices,
        matrix.data,
        transposed.indptr,
        transposed.indices,
        transposed.data,
        shrinkage,
        cosines,
    )
    return cosines


@njit(cache=True)
def _co_rated_cosines(  # type: ignore[no-untyped-def]
    rows, starts, columns, values, by_starts, by_rows, by_values, shrinkage, cosines
):
    n_rows = cosines.shape[1]
    # Product, both sums of squares and count are adjacent, so that each pair needs one cache line.
    sums = np.empty((n_rows, 4), dtype=np.float64)
    for n in range(len(rows)):
        row = rows[n]
        sums[:] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            value = np.float64(values[entry])
            square = value * value
            column = columns[entry]
            # Unsigned positions avoid numba's check for negative indices.
            for position in range(np.uint64(by_starts[column]), np.uint64(by_starts[column + 1])):
                other = np.uint64(by_rows[position])
                theirs = np.float64(by_values[position])
                sums[other, 0] += value * theirs
                sums[other, 1] += square
                sums[other, 2] += theirs * theirs
                sums[other, 3] += 1.0
        sums[row] = 0.0
        for compared in range(n_rows):
            squares = sums[compared, 1] * sums[compared, 2]
            if squares > 0.0:
                common = sums[compared, 3]
                cosine = sums[compared, 0] / np.sqrt(squares)
                cosines[n, compared] = cosine * (common / (common + shrinkage))
            else:
                cosines[n, compared] = 0.0
