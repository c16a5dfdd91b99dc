# SPDX-License-Identifier: MIT
"""The most similar rows of a sparse matrix by cosine: neighbourhoods of users or of items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.block_products import BlockMemory, add_products, take_block

SPARE = 2
FEWEST_SPARE = 16
"""Keys collected beside the nearest rows, an n-th of them and no fewer, before a selection."""


def nearest_rows(matrix: RatingMatrix, neighbours: int, minimum_overlap: int = 1) -> RatingMatrix:
    """Return every row's most similar other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, the sum over common entries, the norms over
    all entries of each row. Only positive cosines count. Cosines are rounded to float32 and then
    compared, equal ones by row number, the lower row first.

    Every pair of rows is compared once, with blocks of rows whose sums stay in cache
    (:mod:`receval.recommenders.block_products`). Memory: some two and a half times the result, the
    entries of a block and a few vectors of length n_rows or n_columns.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Users by items for neighbourhoods of users, its transpose for those of items.
    neighbours : int
        The most neighbours of a row.
    minimum_overlap : int
        Rows with fewer common entries, whatever their values, are no neighbours.

    Returns
    -------
    csr_array of float32, shape (n_rows, n_rows)
        Cosines of each row's neighbours, at most ``neighbours`` a row, none on the diagonal.
    """
    return nearest_rows_for(matrix, [neighbours], minimum_overlap)[0]


def nearest_rows_for(
    matrix: RatingMatrix, numbers: Sequence[int], minimum_overlap: int = 1
) -> list[RatingMatrix]:
    """Return what :func:`nearest_rows` does for each of several numbers of neighbours.

    Pairs of rows are compared once, for the largest; the neighbours of the others are among these.

    Parameters
    ----------
    matrix, minimum_overlap
        As for :func:`nearest_rows`.
    numbers : sequence of int
        Numbers of neighbours, at least one.

    Returns
    -------
    list of csr_array
        In the order of the numbers; equal ones share one matrix.
    """
    n_rows = matrix.shape[0]
    neighbours = min(max(numbers), n_rows)
    # One key orders by cosine, then by row number.
    spare = max(FEWEST_SPARE, neighbours // SPARE)
    keys = np.empty((n_rows, neighbours + spare), dtype=np.int64)
    counts = np.zeros(n_rows, dtype=np.int32)
    memory = BlockMemory.of(matrix, counts_common=minimum_overlap > 1)
    arguments = (
        *(matrix.indptr, matrix.indices, *memory.arrays()),
        *(row_norms(matrix), minimum_overlap, neighbours, keys, counts),
    )
    _nearest_rows(*arguments)
    nearest: dict[int, RatingMatrix] = {}
    falling = sorted(set(numbers), reverse=True)
    for number in falling:
        _keep_nearest(keys, counts, number)
        starts = np.zeros(n_rows + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        indices = np.empty(starts[-1], dtype=np.int32)
        cosines = np.empty(starts[-1], dtype=np.float32)
        # The order of rows overwrites the keys, which smaller numbers still need.
        own = keys if number == falling[-1] else keys.copy()
        _in_row_order(own, starts, indices, cosines)
        nearest[number] = csr_array((cosines, indices, starts), shape=(n_rows, n_rows))
    return [nearest[number] for number in numbers]


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = np.square(matrix.data.astype(np.float64))
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))


@njit(cache=True)
def _nearest_rows(  # type: ignore[no-untyped-def]
    indptr,
    columns,
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
    norms,
    minimum_overlap,
    neighbours,
    keys,
    counts,
):
    n_rows, room = keys.shape
    similarity = np.zeros(1, dtype=np.float32)
    # The bits of positive floats order like the floats.
    bits = similarity.view(np.int32)
    # No cosine below a row's floor can be among its nearest; a little lower than the last that is,
    # so that the rounding of a product of reciprocals does no harm.
    floors = np.zeros(n_rows, dtype=np.float64)
    reciprocals = np.zeros(n_rows, dtype=np.float64)
    for row in range(n_rows):
        if norms[row] > 0.0:
            reciprocals[row] = 1.0 / norms[row]
    for first in range(0, n_rows, len(sums)):
        end = min(n_rows, first + len(sums))
        take_block(indptr, columns, values, first, end, starts, rows, entries, places, dense)
        # With rows before the block's own, and among these every pair once.
        for row in range(end):
            add_products(
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
            )
            for other in range(first, end):
                product = sums[other - first]
                sums[other - first] = 0
                if minimum_overlap > 1:
                    overlap = common[other - first]
                    common[other - first] = 0
                    if overlap < minimum_overlap:
                        continue
                if product <= 0 or other <= row:
                    continue
                rough = product * reciprocals[row] * reciprocals[other]
                if rough < floors[row] and rough < floors[other]:
                    continue
                similarity[0] = np.float32(product / (norms[row] * norms[other]))
                if bits[0] == 0:
                    continue
                key = np.int64(bits[0]) << 32
                for one, two in ((row, other), (other, row)):
                    if rough >= floors[one]:
                        keys[one, counts[one]] = key + (n_rows - two)
                        counts[one] += 1
                        if counts[one] == room:
                            _keep_largest(keys[one], neighbours)
                            counts[one] = neighbours
                            bits[0] = np.int32(keys[one, neighbours - 1] >> 32)
                            floors[one] = np.float64(similarity[0]) * (1.0 - 1e-6)


@njit(cache=True)
def _keep_nearest(keys, counts, neighbours):  # type: ignore[no-untyped-def]
    """Keep so many of every row's keys at most, the largest."""
    for row in range(len(counts)):
        if counts[row] > neighbours:
            _keep_largest(keys[row, : counts[row]], neighbours)
            counts[row] = neighbours


@njit(cache=True)
def _keep_largest(keys, kept):  # type: ignore[no-untyped-def]
    """Move the largest of some distinct keys to the front, the smallest of these to their end.

    Hoare's selection, with the median of three as pivot.
    """
    low = 0
    high = len(keys) - 1
    while low < high:
        one, two, three = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(one, two), min(max(one, two), three))
        left = low
        right = high
        while left <= right:
            while keys[left] > pivot:
                left += 1
            while keys[right] < pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if kept - 1 <= right:
            high = right
        elif kept - 1 >= left:
            low = left
        else:
            break


@njit(cache=True)
def _in_row_order(keys, starts, indices, cosines):  # type: ignore[no-untyped-def]
    n_rows = len(keys)
    bits = cosines.view(np.int32)
    for row in range(n_rows):
        start = starts[row]
        found = keys[row, : starts[row + 1] - start]
        for position in range(len(found)):
            # The other row's number above the bits of the cosine.
            key = found[position]
            other = n_rows - (key & 0xFFFFFFFF)
            found[position] = (other << 32) | (key >> 32)
        found.sort()
        for position in range(len(found)):
            indices[start + position] = found[position] >> 32
            bits[start + position] = np.int32(found[position] & 0xFFFFFFFF)
