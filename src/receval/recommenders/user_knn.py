"""Neighbourhood of users, ranking-oriented."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.neighbourhood import nearest_rows
from receval.recommenders.parameters import integer
from receval.recommenders.products import sparse_products


class UserKNN(Recommender):
    """The similarity-weighted sum of the ratings of the user's nearest neighbours.

    ``s(u, i) = sum_{v in N(u), v rated i} cos(u, v) r_vi``, where N(u) are the k users most similar
    to u over all items (not per item) by the cosine of the full rating vectors, and nothing is
    normalised. Equal cosines (in float32) are ordered by user code.

    NaN where no neighbour rated the item: so for items without training ratings, and for all items
    of users without training ratings or without anything in common with another user.

    Parameters
    ----------
    neighbours : int
        k, at least 1.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_users, n_users)
        Cosines of each user's neighbours.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 3 (non-normalised neighbourhoods), in the form used by Cañamares,
    Castells and Moffat, "Offline Evaluation Options for Recommender Systems", IRJ 2020.
    """

    similarities_: RatingMatrix
    ratings_: RatingMatrix

    def __init__(self, neighbours: int = 100) -> None:
        self.neighbours = integer(self, "neighbours", neighbours, lowest=1)

    def _fit(self, train: RatingMatrix) -> None:
        self.similarities_ = nearest_rows(train, self.neighbours)
        self.ratings_ = train

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        sparse_products(users, self.similarities_, self.ratings_, scores)
