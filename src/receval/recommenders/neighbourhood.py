"""The most similar rows of a sparse matrix by cosine: neighbourhoods of users or of items."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix


def nearest_rows(matrix: RatingMatrix, neighbours: int) -> RatingMatrix:
    """Return every row's most similar other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, the sum over common entries, the norms over
    all entries of each row. Only positive cosines count. Cosines are rounded to float32 and then
    compared, equal ones by row number, the lower row first.

    Memory: the result and a few vectors of length n_rows.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        Users by items for neighbourhoods of users, its transpose for those of items.
    neighbours : int
        The most neighbours of a row.

    Returns
    -------
    csr_array of float32, shape (n_rows, n_rows)
        Cosines of each row's neighbours, at most ``neighbours`` a row, none on the diagonal.
    """
    n_rows = matrix.shape[0]
    neighbours = min(neighbours, n_rows)
    transposed = matrix.T.tocsr()
    found = np.zeros(n_rows, dtype=np.int32)
    indices = np.empty((n_rows, neighbours), dtype=np.int32)
    cosines = np.empty((n_rows, neighbours), dtype=np.float32)
    _nearest_rows(
        matrix.indptr,
        matrix.indices,
        matrix.data,
        transposed.indptr,
        transposed.indices,
        transposed.data,
        row_norms(matrix),
        found,
        indices,
        cosines,
    )
    kept = np.arange(neighbours) < found[:, None]
    starts = np.zeros(n_rows + 1, dtype=np.int32)
    np.cumsum(found, out=starts[1:])
    return csr_array((cosines[kept], indices[kept], starts), shape=(n_rows, n_rows))


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = np.square(matrix.data.astype(np.float64))
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))


@njit(cache=True)
def _nearest_rows(  # type: ignore[no-untyped-def]
    starts, columns, values, by_starts, by_rows, by_values, norms, found, indices, cosines
):
    n_rows, neighbours = indices.shape
    products = np.zeros(n_rows, dtype=np.float64)
    similarities = np.zeros(n_rows, dtype=np.float32)
    # The bits of positive floats order like the floats, so one integer orders by cosine and then
    # by row number.
    bits = similarities.view(np.int32)
    heap = np.empty(neighbours, dtype=np.int64)
    for row in range(n_rows):
        products[:] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            value = np.float64(values[entry])
            column = columns[entry]
            # Unsigned positions spare numba's test for negative ones.
            for position in range(np.uint64(by_starts[column]), np.uint64(by_starts[column + 1])):
                products[np.uint64(by_rows[position])] += value * by_values[position]
        products[row] = 0.0
        size = 0
        for other in range(n_rows):
            if products[other] <= 0.0:
                similarities[other] = np.float32(0)
                continue
            similarities[other] = np.float32(products[other] / (norms[row] * norms[other]))
            key = (np.int64(bits[other]) << 32) | np.int64(n_rows - other)
            if size < neighbours:
                _insert(heap, size, key)
                size += 1
            elif key > heap[0]:
                _replace_smallest(heap, size, key)
        found[row] = size
        if size == 0:
            continue
        # The heap's root is the last key that stays: one more pass meets the neighbours in order.
        position = 0
        for other in range(n_rows):
            key = (np.int64(bits[other]) << 32) | np.int64(n_rows - other)
            if key >= heap[0] and bits[other] > 0:
                indices[row, position] = other
                cosines[row, position] = similarities[other]
                position += 1


@njit(cache=True)
def _insert(heap, size, key):  # type: ignore[no-untyped-def]
    position = size
    while position > 0:
        parent = (position - 1) >> 1
        if heap[parent] <= key:
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = key


@njit(cache=True)
def _replace_smallest(heap, size, key):  # type: ignore[no-untyped-def]
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
