"""Neighbourhood of items, ranking-oriented."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.neighbourhood import nearest_rows
from receval.recommenders.parameters import integer
from receval.recommenders.products import sparse_products


class ItemKNN(Recommender):
    """The similarity-weighted sum of the user's ratings of the target item's neighbours.

    ``s(u, i) = sum_{j in N(i), u rated j} cos(i, j) r_uj``, where N(i) are the k items most similar
    to the target item i by the cosine of the full rating vectors, and nothing is normalised. Equal
    cosines (in float32) are ordered by item code.

    NaN where the user rated none of the item's neighbours: so for items without training ratings,
    and for all items of users without training ratings.

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
    `receval.recommenders.user_knn`.
    """

    similarities_: RatingMatrix
    ratings_: RatingMatrix

    def __init__(self, neighbours: int = 100) -> None:
        self.neighbours = integer(self, "neighbours", neighbours, lowest=1)

    def _fit(self, train: RatingMatrix) -> None:
        self.similarities_ = nearest_rows(train.T.tocsr(), self.neighbours).T.tocsr()
        self.ratings_ = train

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        sparse_products(users, self.ratings_, self.similarities_, scores)
