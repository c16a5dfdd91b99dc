# SPDX-License-Identifier: MIT
"""Find the nearest neighbours of users or items by cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_kernels import (
    keep_nearest,
    pack_in_row_order,
    part_packed,
)
from receval.recommenders.neighbourhood_search import nearest_keys

_LARGEST_INTEGER = 2**31 - 1


def nearest_rows(
    matrix: RatingMatrix, neighbours: int, minimum_overlap: int = 1, wanted: range | None = None
) -> RatingMatrix:
    """Return every row's nearest other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, with the sum over common entries, and the norms
    over all entries of each row. Only positive cosines count. Cosines are rounded to float32 before
    they are compared; of equal ones, the lower row comes first.

    Every pair with a wanted row is compared once, in blocks of rows whose sums stay in cache
    (:mod:`receval.recommenders.neighbourhood_kernels`); only pairs of a sample are compared again
    (:mod:`receval.recommenders.neighbourhood_search`). Memory: about one and a half times the
    result, a copy of the matrix (temporarily two), the entries of a block and a few vectors of
    length n_rows or n_columns.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Users by items for neighbourhoods of users, its transpose for those of items.
    neighbours : int
        Maximum number of neighbours of a row.
    minimum_overlap : int
        Rows with fewer common entries, whatever their values, are no neighbours.
    wanted : range, optional
        Consecutive rows to find neighbours of, by default all. Pairs without a wanted row are not
        compared.

    Returns
    -------
    csr_array of float32, shape (n_wanted, n_rows)
        Cosines of each wanted row's neighbours, at most ``neighbours`` per row. A row is not its
        own neighbour. The rows do not depend on ``wanted``.

    Examples
    --------
    The neighbour of the second row only:

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
    """Return the result of :func:`nearest_rows` for each of several numbers of neighbours.

    Pairs are compared only for the largest number, whose neighbours include all others.

    Parameters
    ----------
    matrix, minimum_overlap, wanted
        As for :func:`nearest_rows`.
    numbers : sequence of int
        Numbers of neighbours, at least one.

    Returns
    -------
    list of csr_array
        In the order of the numbers; equal numbers share one matrix.

    Raises
    ------
    ValueError
        If the total number of neighbours exceeds 2^31 - 1.
    """
    n_rows = matrix.shape[0]
    wanted = range(n_rows) if wanted is None else wanted
    keys, counts = nearest_keys(matrix, min(max(numbers), n_rows), minimum_overlap, wanted)
    nearest: dict[int, RatingMatrix] = {}
    falling = sorted(set(numbers), reverse=True)
    for number in falling:
        keep_nearest(keys, counts, number)
        found = int(counts.sum(dtype=np.int64))
        if found > _LARGEST_INTEGER:
            raise ValueError(
                f"{len(wanted):,} rows have {found:,} neighbours together, more than the "
                f"{_LARGEST_INTEGER:,} whose places 32 bits number: ask for fewer neighbours, or "
                "for those of fewer rows at a time (in config/config.yaml more shards than folds)."
            )
        starts = np.zeros(len(wanted) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        # The result reuses the memory of the keys, which smaller numbers still need.
        own = keys if number == falling[-1] else keys.copy()
        nearest[number] = _in_row_order(own, starts, n_rows)
    return [nearest[number] for number in numbers]


def _in_row_order(keys: NDArray[np.int64], starts: NDArray[np.int32], n_rows: int) -> RatingMatrix:
    """Convert the keys of rows to their neighbours, in the memory of the keys.

    Separate arrays of keys and neighbours would determine the peak memory on large data.
    """
    n_rows_wanted, found = len(keys), int(starts[-1])
    pack_in_row_order(keys, starts, n_rows, keys.reshape(-1))
    keys.resize(found, refcheck=False)
    indices = np.empty(found, dtype=np.int32)
    part_packed(keys, indices, keys.view(np.int32))
    # Half as long, because the bits of a cosine are half of a packed key.
    keys.resize(-(-found // 2), refcheck=False)
    cosines = keys.view(np.float32)[:found]
    return csr_array((cosines, indices, starts), shape=(n_rows_wanted, n_rows))
