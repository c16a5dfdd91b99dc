# SPDX-License-Identifier: MIT
"""Sums for mixture models, which divide each rating among topics or factors.

A rating r_ui of a model with ``m_ui = sum_k a_uk b_ik`` is divided among the k in proportion to
a_uk b_ik: the share of k is ``r_ui a_uk b_ik / m_ui``. Expectation maximisation, variational
inference of Dirichlet and Poisson models, and multiplicative updates for the divergence use the
ratings only through sums of these shares over a user's or an item's ratings.

In variational inference the entries of both tables are exponentials of expected logarithms, which
may be far below 0: :func:`exponentiated` prevents underflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit

# Lower bound of table entries: products of two entries are then not subnormal floats, which are
# many times slower, and no mixture is 0.
SMALLEST_ENTRY = 1e-15


class Responsibilities(NamedTuple):
    """Sums of r_ui / m_ui over the ratings, weighted by the other side's table.

    ``users`` has ``sum_i r_ui b_ik / m_ui`` in shape (n_users, k), which times a_uk is the sum of
    the shares of u's ratings; ``items`` likewise ``sum_u r_ui a_uk / m_ui``. The log-likelihood is
    ``sum_ui r_ui log m_ui`` over the ratings above 0.
    """

    users: NDArray[np.floating]
    items: NDArray[np.floating]
    log_likelihood: float


class SharedRatings:
    """Training ratings, at least 0, accessible by user and by item; those of 0 have no shares.

    The precision is ``numpy.float64`` if the tables are in double precision.
    """

    def __init__(self, train: RatingMatrix, precision: type[np.floating] = np.float32) -> None:
        self._by_user = train
        positions = csr_array(
            (np.arange(train.nnz, dtype=np.int32), train.indices, train.indptr), shape=train.shape
        ).tocsc()
        # With one index type, every kernel is compiled only once.
        self._item_starts = positions.indptr.astype(np.int32, copy=False)
        self._item_users = positions.indices.astype(np.int32, copy=False)
        self._positions = positions.data
        self._ratios = np.empty(train.nnz, dtype=precision)
        self._every = np.arange(train.nnz, dtype=np.int32)
        self._zeros = np.flatnonzero(train.data == 0)

    def ratios(self, users: NDArray[np.floating], items: NDArray[np.floating]) -> Responsibilities:
        """Return the sums for the tables a_uk and b_ik, of the precision and at least 0.

        Their shapes are (n_users, k) and (n_items, k); m_ui must be above 0 for all ratings above
        0.
        """
        by_user, ratios = self._by_user, self._ratios
        _mixtures(by_user.indptr, by_user.indices, users, items, ratios)
        ratios[self._zeros] = 1
        log_likelihood = float(np.sum(by_user.data * np.log(ratios), dtype=np.float64))
        np.divide(by_user.data, ratios, out=ratios)
        of_users, of_items = np.zeros_like(users), np.zeros_like(items)
        _weighted_sums(by_user.indptr, by_user.indices, self._every, ratios, items, of_users)
        _weighted_sums(
            self._item_starts, self._item_users, self._positions, ratios, users, of_items
        )
        return Responsibilities(of_users, of_items, log_likelihood)


@njit(cache=True)
def _mixtures(starts, columns, users, items, mixtures):  # type: ignore[no-untyped-def]
    """Write, for every entry, the inner product of its rows in both tables."""
    eight = np.uint64(8)
    for user in range(len(starts) - 1):
        row = users[user]
        # Unsigned positions avoid numba's check for negative indices.
        first = np.uint64(starts[user])
        last = np.uint64(starts[user + 1])
        whole = first + (last - first) // eight * eight
        # Eight entries at a time, so that an addition need not wait for the one before it.
        for start in range(first, whole, eight):
            entry = np.uint64(start)
            row0 = items[np.uint64(columns[entry])]
            row1 = items[np.uint64(columns[entry + np.uint64(1)])]
            row2 = items[np.uint64(columns[entry + np.uint64(2)])]
            row3 = items[np.uint64(columns[entry + np.uint64(3)])]
            row4 = items[np.uint64(columns[entry + np.uint64(4)])]
            row5 = items[np.uint64(columns[entry + np.uint64(5)])]
            row6 = items[np.uint64(columns[entry + np.uint64(6)])]
            row7 = items[np.uint64(columns[entry + np.uint64(7)])]
            sum0 = sum1 = sum2 = sum3 = users.dtype.type(0)
            sum4 = sum5 = sum6 = sum7 = users.dtype.type(0)
            for topic in range(users.shape[1]):
                at = np.uint64(topic)
                weight = row[at]
                sum0 += weight * row0[at]
                sum1 += weight * row1[at]
                sum2 += weight * row2[at]
                sum3 += weight * row3[at]
                sum4 += weight * row4[at]
                sum5 += weight * row5[at]
                sum6 += weight * row6[at]
                sum7 += weight * row7[at]
            mixtures[entry] = sum0
            mixtures[entry + np.uint64(1)] = sum1
            mixtures[entry + np.uint64(2)] = sum2
            mixtures[entry + np.uint64(3)] = sum3
            mixtures[entry + np.uint64(4)] = sum4
            mixtures[entry + np.uint64(5)] = sum5
            mixtures[entry + np.uint64(6)] = sum6
            mixtures[entry + np.uint64(7)] = sum7
        for rest in range(whole, last):
            other = items[np.uint64(columns[rest])]
            total = users.dtype.type(0)
            for topic in range(users.shape[1]):
                at = np.uint64(topic)
                total += row[at] * other[at]
            mixtures[rest] = total


@njit(cache=True)
def _weighted_sums(starts, columns, positions, weights, table, sums):  # type: ignore[no-untyped-def]
    """Sum the table rows of all entries, each times the weight at the entry's position."""
    four = np.uint64(4)
    for n in range(len(starts) - 1):
        target = sums[n]
        first = np.uint64(starts[n])
        last = np.uint64(starts[n + 1])
        whole = first + (last - first) // four * four
        # Four rows at a time, so that the sums are read and written a quarter as often.
        for start in range(first, whole, four):
            entry = np.uint64(start)
            row0 = table[np.uint64(columns[entry])]
            row1 = table[np.uint64(columns[entry + np.uint64(1)])]
            row2 = table[np.uint64(columns[entry + np.uint64(2)])]
            row3 = table[np.uint64(columns[entry + np.uint64(3)])]
            weight0 = weights[np.uint64(positions[entry])]
            weight1 = weights[np.uint64(positions[entry + np.uint64(1)])]
            weight2 = weights[np.uint64(positions[entry + np.uint64(2)])]
            weight3 = weights[np.uint64(positions[entry + np.uint64(3)])]
            for topic in range(table.shape[1]):
                target[topic] += (weight0 * row0[topic] + weight1 * row1[topic]) + (
                    weight2 * row2[topic] + weight3 * row3[topic]
                )
        for rest in range(whole, last):
            row = table[np.uint64(columns[rest])]
            weight = weights[np.uint64(positions[rest])]
            for topic in range(table.shape[1]):
                target[topic] += weight * row[topic]


def exponentiated(
    logarithms: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return exponentials of expected logarithms, scaled by row, and the scales.

    The table is ``exp(logarithm - highest of the row)``, at least 1e-15; the scales are the highest
    logarithms, which may be far below 0.
    """
    highest = logarithms.max(axis=1)
    table = np.exp((logarithms - highest[:, None]).astype(np.float32))
    return np.maximum(table, np.float32(SMALLEST_ENTRY)), highest
