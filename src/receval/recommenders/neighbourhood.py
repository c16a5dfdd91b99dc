"""The most similar rows of a sparse matrix by cosine: neighbourhoods of users or of items."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix


def nearest_rows(matrix: RatingMatrix, neighbours: int, minimum_overlap: int = 1) -> RatingMatrix:
    """Return every row's most similar other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, the sum over common entries, the norms over
    all entries of each row. Only positive cosines count. Cosines are rounded to float32 and then
    compared, equal ones by row number, the lower row first.

    Every pair of rows is compared once. Memory: the transpose of the matrix, twice the result and
    a few vectors of length n_rows or n_columns.

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
    n_rows = matrix.shape[0]
    neighbours = min(neighbours, n_rows)
    transposed = matrix.T.tocsr()
    # One key orders by cosine, then by row number; 0 is below all of them.
    heaps = np.zeros((n_rows, neighbours), dtype=np.int64)
    _nearest_rows(
        matrix.indptr,
        matrix.indices,
        matrix.data,
        transposed.indptr.copy(),
        transposed.indptr,
        transposed.indices,
        transposed.data,
        row_norms(matrix),
        minimum_overlap,
        heaps,
    )
    starts = np.zeros(n_rows + 1, dtype=np.int32)
    np.cumsum(np.count_nonzero(heaps, axis=1), out=starts[1:])
    indices = np.empty(starts[-1], dtype=np.int32)
    cosines = np.empty(starts[-1], dtype=np.float32)
    _in_row_order(heaps, starts, indices, cosines)
    return csr_array((cosines, indices, starts), shape=(n_rows, n_rows))


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = np.square(matrix.data.astype(np.float64))
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))


@njit(cache=True)
def _nearest_rows(  # type: ignore[no-untyped-def]
    starts,
    columns,
    values,
    later,
    by_starts,
    by_rows,
    by_values,
    norms,
    minimum_overlap,
    heaps,
):
    n_rows = heaps.shape[0]
    products = np.zeros(n_rows, dtype=np.float64)
    common = np.zeros(n_rows if minimum_overlap > 1 else 0, dtype=np.int32)
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
    for row in range(n_rows):
        for entry in range(starts[row], starts[row + 1]):
            value = np.float64(values[entry])
            column = columns[entry]
            # Rows come in order, so the column's next unread entry is this row's own.
            later[column] += 1
            # Unsigned positions spare numba's test for negative ones.
            first = np.uint64(later[column])
            last = np.uint64(by_starts[column + 1])
            for position in range(first, last):
                products[np.uint64(by_rows[position])] += value * by_values[position]
            if minimum_overlap > 1:
                for position in range(first, last):
                    common[np.uint64(by_rows[position])] += 1
        for other in range(row + 1, n_rows):
            product = products[other]
            products[other] = 0.0
            if minimum_overlap > 1:
                overlap = common[other]
                common[other] = 0
                if overlap < minimum_overlap:
                    continue
            if product <= 0.0:
                continue
            rough = product * reciprocals[row] * reciprocals[other]
            if rough < floors[row] and rough < floors[other]:
                continue
            similarity[0] = np.float32(product / (norms[row] * norms[other]))
            if bits[0] == 0:
                continue
            key = np.int64(bits[0]) << 32
            for one, two in ((row, other), (other, row)):
                if key + (n_rows - two) > heaps[one, 0]:
                    _replace_smallest(heaps[one], key + (n_rows - two))
                    bits[0] = np.int32(heaps[one, 0] >> 32)
                    floors[one] = np.float64(similarity[0]) * (1.0 - 1e-6)


@njit(cache=True)
def _replace_smallest(heap, key):  # type: ignore[no-untyped-def]
    size = len(heap)
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[position] = heap[child]
        position = child
    heap[position] = key


@njit(cache=True)
def _in_row_order(heaps, starts, indices, cosines):  # type: ignore[no-untyped-def]
    n_rows, neighbours = heaps.shape
    bits = cosines.view(np.int32)
    for row in range(n_rows):
        found = heaps[row]
        for position in range(neighbours):
            # The other row's number above the bits of the cosine.
            key = found[position]
            if key > 0:
                other = n_rows - (key & 0xFFFFFFFF)
                found[position] = (other << 32) | (key >> 32)
            else:
                found[position] = n_rows << 32
        found.sort()
        start = starts[row]
        for position in range(starts[row + 1] - start):
            indices[start + position] = found[position] >> 32
            bits[start + position] = np.int32(found[position] & 0xFFFFFFFF)
