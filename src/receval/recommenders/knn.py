# SPDX-License-Identifier: MIT
"""Ranking-oriented nearest neighbours, user-based and item-based."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, Number
from receval.recommenders.neighbourhood import nearest_of_others, nearest_rows
from receval.recommenders.products import NeighbourModel, refuse_known, with_rows_of


@dataclass(eq=False, repr=False)
class UserKNN(NeighbourModel):
    """The similarity-weighted sum of the ratings of the user's nearest neighbours.

    ``s(u, i) = sum_{v in N(u), v rated i} cos(u, v) r_vi``, where N(u) are the k users most similar
    to u over all items (not per item) by the cosine of the full rating vectors, and nothing is
    normalised. Equal cosines (in float32) are ordered by user code.

    With a threshold, the ratings are binarised first: those at or above it become 1, and the others
    count as missing in cosines, overlaps and scores. With a threshold at or below the lowest
    rating, only which items were rated matters.

    NaN if no neighbour rated the item. This includes items without training ratings, and all items
    of users without training ratings or neighbours; a larger minimum overlap leaves more users
    without neighbours.

    Parameters
    ----------
    neighbours : int
        k, at least 1.
    minimum_overlap : int
        At least 1; users with fewer items in common with u, whatever their ratings, are no
        neighbours of u.
    threshold : float or None
        The lowest rating that becomes 1; with None, ratings are not changed.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_users, n_users)
        Cosines of each user's neighbours; only the rows of fitted users, if fitted for some.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings, binarised if there is a threshold.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 3 (non-normalised neighbourhoods), in the form used by Cañamares,
    Castells and Moffat, "Offline Evaluation Options for Recommender Systems", IRJ 2020; minimum
    overlap and binarised ratings: its figure 8.

    Examples
    --------
    User 1 is the neighbour of user 0, with a cosine of 3 / 5, and has not rated item 2:

    >>> train = csr_array(np.array([[5, 0, 0], [3, 4, 0], [0, 0, 2]], dtype=np.float32))
    >>> scores = UserKNN(neighbours=1).fit(train).score(np.array([0]))
    >>> scores.astype(np.float64).round(3).tolist()
    [[1.8, 2.4, nan]]
    """

    FITS_SOME_USERS = True
    _similarities_are_of_users = True

    neighbours: AtLeastOne = 100
    minimum_overlap: AtLeastOne = 1
    threshold: Annotated[float | None, Number(-np.inf)] = None

    def _fit(self, train: RatingMatrix) -> None:
        self.ratings_ = train if self.threshold is None else _binarised(train, self.threshold)
        self.similarities_ = nearest_rows(
            self.ratings_, self.neighbours, self.minimum_overlap, self._own_users
        )

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Find the neighbours of new users among those with training ratings."""
        own = ratings if self.threshold is None else _binarised(ratings, self.threshold)
        refuse_known((np.diff(own.indptr) > 0) & (np.diff(self.ratings_.indptr) > 0))
        found = nearest_of_others(own, self.ratings_, self.neighbours, self.minimum_overlap)
        self.similarities_ = with_rows_of(self.similarities_, found)


def _binarised(ratings: RatingMatrix, threshold: float) -> RatingMatrix:
    positive: RatingMatrix = csr_array(
        ((ratings.data >= threshold).astype(np.float32), ratings.indices, ratings.indptr),
        shape=ratings.shape,
        copy=True,
    )
    positive.eliminate_zeros()
    return positive


@dataclass(eq=False, repr=False)
class ItemKNN(NeighbourModel):
    """The similarity-weighted sum of the user's ratings of the target item's neighbours.

    ``s(u, i) = sum_{j in N(i), u rated j} cos(i, j) r_uj``, where N(i) are the k items most similar
    to the target item i by the cosine of the full rating vectors, and nothing is normalised. Equal
    cosines (in float32) are ordered by item code.

    NaN if the user rated none of the item's neighbours. This includes items without training
    ratings, and all items of users without training ratings.

    Parameters
    ----------
    neighbours : int
        k, at least 1.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_items, n_items)
        Row j holds the cosines with the items that have j among their neighbours.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 3 (non-normalised neighbourhoods); the counterpart over items of
    :class:`UserKNN`.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = ItemKNN(neighbours=2).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    neighbours: AtLeastOne = 100

    def _fit(self, train: RatingMatrix) -> None:
        self.similarities_ = nearest_rows(train.T.tocsr(), self.neighbours).T.tocsr()
        self.ratings_ = train

    def _fold_in(self, ratings: RatingMatrix) -> None:
        self.ratings_ = with_rows_of(self.ratings_, ratings)
