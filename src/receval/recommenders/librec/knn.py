# SPDX-License-Identifier: MIT
"""LibRec's nearest neighbours, chosen per item or within the user's profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import BLOCK_USERS, RatingMatrix, Recommender
from receval.recommenders.checks import AtLeastOne, NonNegative, OneOf
from receval.recommenders.neighbourhood import co_rated_cosines
from receval.recommenders.products import rounded_apart
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class LibRecKNN(Recommender):
    """The sum of the similarities of the nearest users who rated the item, or of rated items.

    Over users ``s(u, i) = sum_v sim(u, v)`` over the k users v most similar to u *among those who
    rated i*; over items ``s(u, i) = sum_j sim(i, j)`` over the k items j most similar to i *among
    those that u rated*. ``sim = n / (n + shrinkage) cos``, where the cosine, including both norms,
    is over the n common ratings only. Any rating counts, also one of value 0; the neighbours'
    ratings of the item do not enter the sum. Pairs without common ratings, or with a similarity of
    0 or below, are no neighbours.

    Without neighbours the score is 0, also for items without training ratings. NaN for all items of
    users without training ratings.

    Over items, the similarities of all pairs with common ratings are stored (12 bytes each). Over
    users, they are computed during scoring, for a block of users at a time.

    Parameters
    ----------
    shrinkage : float
        At least 0, in common ratings: with fewer common ratings, similarities are reduced by more
        than half.

    Attributes
    ----------
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings, columns in `item_order_`.
    item_order_ : ndarray of int32, shape (n_items,)
        The items by descending number of training ratings; over items, as in the training matrix.
    similarities_ : csr_array of float64, shape (n_items, n_items)
        Over items only: similarities of each item, in descending order; items as in the training
        matrix.

    References
    ----------
    Guo, Zhang, Sun and Yorke-Smith, "LibRec: A Java Library for Recommender Systems", UMAP 2015:
    its UserKNN and ItemKNN in ranking mode with the similarity "cosine", as configured for Mena-
    Maldonado, Cañamares, Castells, Ren and Sanderson, "Popularity Bias in False-Positive Metrics
    for Recommender Systems Evaluation", TOIS 2021.
    """

    # Every item's list of similar items is read once per block of users.
    _blocks_at_a_time = 2

    neighbours: AtLeastOne = 20
    shrinkage: NonNegative = 10.0
    over: Annotated[str, OneOf("users", "items")] = "users"

    def _fit(self, train: RatingMatrix) -> None:
        if self.over == "users":
            self.item_order_ = _by_falling_count(train.indices, self.n_items_)
            self.ratings_ = _with_columns(train, self.item_order_)
            return
        self.item_order_ = np.arange(self.n_items_, dtype=np.int32)
        self.ratings_ = train
        raters = train.T.tocsr()
        items = np.arange(self.n_items_, dtype=np.int64)
        parts = [
            _in_falling_order(
                co_rated_cosines(items[first : first + BLOCK_USERS], raters, train, self.shrinkage)
            )
            for first in range(0, self.n_items_, BLOCK_USERS)
        ]
        self.similarities_ = csr_array(
            (
                np.concatenate([part.data for part in parts]),
                np.concatenate([part.indices for part in parts]),
                np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]).cumsum(),
            ),
            shape=(self.n_items_, self.n_items_),
        )

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        warm = np.diff(self.ratings_.indptr)[users] > 0
        if self.over == "users":
            cosines = co_rated_cosines(
                users[warm], self.ratings_, self.ratings_.T.tocsr(), self.shrinkage
            )
            sums = _sums_over_nearest(_in_falling_order(cosines), self.ratings_, self.neighbours)
            scores[np.ix_(warm, self.item_order_)] = rounded_apart(sums)
            return
        raters = self.ratings_[users[warm]].T.tocsr()
        order = _by_falling_count(raters.indices, raters.shape[1])
        sums = _sums_over_nearest(self.similarities_, _with_columns(raters, order), self.neighbours)
        scores[np.flatnonzero(warm)[order]] = rounded_apart(sums.T)


def _by_falling_count(columns: NDArray[np.int32], n_columns: int) -> NDArray[np.int32]:
    counts = np.bincount(columns, minlength=n_columns)
    return np.argsort(-counts, kind="stable").astype(np.int32)


def _with_columns(matrix: RatingMatrix, order: NDArray[np.int32]) -> RatingMatrix:
    ordered: RatingMatrix = matrix[:, order].tocsr()
    ordered.sort_indices()
    return ordered


def _in_falling_order(similarities: NDArray[np.float64]) -> csr_array:
    """Return the positive similarities of each row in descending order, ties by column."""
    n_rows, n_columns = similarities.shape
    counts = np.count_nonzero(similarities > 0, axis=1)
    columns = np.argsort(-similarities, axis=1, kind="stable").astype(np.int32)
    kept = np.arange(n_columns) < counts[:, None]
    values = np.take_along_axis(similarities, columns, axis=1)[kept]
    return csr_array(
        (values, columns[kept], np.append(0, counts.cumsum())), shape=(n_rows, n_columns)
    )


def _sums_over_nearest(
    similarities: csr_array, rated: RatingMatrix, neighbours: int
) -> NDArray[np.float64]:
    """Sum the largest similarities among the raters of each column of `rated`, for each row.

    Entries of each row of similarities are in descending order, and columns of `rated` by
    descending number of entries. A sum has at most as many terms as neighbours, and may have none.
    """
    counts = np.bincount(rated.indices, minlength=rated.shape[1])
    # Terms need to be counted only for columns with more entries than neighbours.
    n_crowded = int(np.count_nonzero(counts > neighbours))
    ends = np.append(0, np.cumsum(rated.indices < n_crowded))
    crowded_ends = rated.indptr[:-1] + np.diff(ends[rated.indptr])
    sums = np.zeros((similarities.shape[0], rated.shape[1]))
    _sum_nearest(
        similarities.indptr.astype(np.int64, copy=False),
        similarities.indices,
        similarities.data,
        rated.indptr,
        rated.indices,
        crowded_ends,
        n_crowded,
        neighbours,
        sums,
    )
    return sums


@njit(cache=True)
def _sum_nearest(  # type: ignore[no-untyped-def]
    starts, others, similarities, by_starts, columns, crowded_ends, n_crowded, neighbours, sums
):
    used = np.empty(n_crowded, dtype=np.int32)
    for row in range(sums.shape[0]):
        used[:] = 0
        target = sums[row]
        # Columns with more entries than neighbours are sorted by descending number of entries and
        # are completed in nearly that order. All columns before the first incomplete one are
        # complete, so most entries need not be read.
        first_with_room = 0
        for position in range(starts[row], starts[row + 1]):
            other = others[position]
            weight = np.float64(similarities[position])
            crowded_end = crowded_ends[other]
            if first_with_room < n_crowded:
                low = by_starts[other]
                high = crowded_end
                while low < high:
                    middle = (low + high) >> 1
                    if columns[middle] < first_with_room:
                        low = middle + 1
                    else:
                        high = middle
                for entry in range(np.uint64(low), np.uint64(crowded_end)):
                    column = np.uint64(columns[entry])
                    # Arithmetic instead of a branch that processors cannot predict.
                    room = np.int32(used[column] < neighbours)
                    used[column] += room
                    target[column] += np.float64(room) * weight
                while first_with_room < n_crowded and used[first_with_room] == neighbours:
                    first_with_room += 1
            for entry in range(np.uint64(crowded_end), np.uint64(by_starts[other + 1])):
                target[np.uint64(columns[entry])] += weight
