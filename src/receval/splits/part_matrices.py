# SPDX-License-Identifier: MIT
"""Matrices of parts of the ratings, such as train and test, made by blocks of users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.data.ratings import Ratings, summed_matrix


def matrices_of(ratings: Ratings, parts: Sequence[NDArray[np.bool_]]) -> list[csr_array]:
    """Return the matrix of each part, as ``summed_matrix`` makes it of all its rows at once.

    Parameters
    ----------
    ratings : Ratings
    parts : sequence of ndarray of bool, shape (n_ratings,)
        Which ratings each has.

    Returns
    -------
    list of csr_array of float32, shape (n_users, n_items)
        Indices sorted; repeated pairs are summed, zeros stay.
    """
    filled = [_Rows(int(np.count_nonzero(chosen)), ratings) for chosen in parts]
    for start, size, rows in ratings.blocks_of_users():
        for chosen, part in zip(parts, filled, strict=True):
            own = rows[chosen[rows]]
            part.add(
                start,
                summed_matrix(
                    ratings.users[own] - start,
                    ratings.items[own],
                    ratings.values[own],
                    (size, ratings.n_items),
                ),
            )
    return [part.matrix() for part in filled]


class _Rows:
    """A matrix that is filled from the first row to the last."""

    def __init__(self, most: int, ratings: Ratings) -> None:
        self._shape = (ratings.n_users, ratings.n_items)
        # As scipy chooses it (`get_index_dtype`, which its older versions do not export).
        dtype = np.int32 if max(most, *self._shape) <= np.iinfo(np.int32).max else np.int64
        self._ends = np.zeros(ratings.n_users + 1, dtype=dtype)
        self._items = np.empty(most, dtype=dtype)
        self._values = np.empty(most, dtype=np.float32)
        self._filled = 0

    def add(self, start: int, rows: csr_array) -> None:
        end = self._filled + rows.nnz
        self._items[self._filled : end] = rows.indices
        self._values[self._filled : end] = rows.data
        self._ends[start + 1 : start + 1 + rows.shape[0]] = self._filled + rows.indptr[1:]
        self._filled = end

    def matrix(self) -> csr_array:
        items, values = self._items, self._values
        if self._filled < len(items):
            items, values = items[: self._filled].copy(), values[: self._filled].copy()
        matrix = csr_array((values, items, self._ends), shape=self._shape)
        # As each block is, which scipy would find out by looking through all of them.
        matrix.has_canonical_format = True
        return matrix
