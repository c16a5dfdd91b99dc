"""Recommendation of the most rated items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender


class Popularity(Recommender):
    """The number of training ratings of the item, of any value: ``s(u, i) = |U_i|``.

    Every score can be computed, there is no NaN: items without training ratings score 0, and users
    without training ratings get the same scores as all others.

    Attributes
    ----------
    counts_ : ndarray of float32, shape (n_items,)
        Training ratings by item.
    """

    counts_: NDArray[np.float32]

    def __init__(self) -> None:
        pass

    def _fit(self, train: RatingMatrix) -> None:
        counts = np.bincount(train.indices, minlength=self.n_items_)
        self.counts_ = counts.astype(np.float32)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[:] = self.counts_
