"""Recommendation by the mean rating of the item, Dirichlet-smoothed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import real


class Average(Recommender):
    """The item's mean training rating, smoothed towards the mean of all training ratings.

    ``s(u, i) = (sum_u r_ui + mu m) / (n_i + mu)``, with n_i the number of training ratings of the
    item, m the mean of all training ratings and mu the strength of the smoothing.

    An item without training ratings scores m, or NaN without smoothing (``smoothing=0``), for then
    it has no mean. Users without training ratings get the same scores as all others.

    Parameters
    ----------
    smoothing : float
        mu, at least 0, in ratings: the mean counts as if rated that often.

    Attributes
    ----------
    means_ : ndarray of float32, shape (n_items,)
        Smoothed means by item.

    References
    ----------
    Mena-Maldonado et al., "Popularity Bias in False-positive Metrics for Recommender Systems
    Evaluation", TOIS 2021: the system Avg, with mu = 1.

    Examples
    --------
    Item 0 has the ratings 5 and 4, item 1 the rating 2, item 2 none:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.array([[5, 2, 0], [4, 0, 0]], dtype=np.float32))
    >>> Average(smoothing=0).fit(train).score(np.array([0])).tolist()
    [[4.5, 2.0, nan]]
    """

    means_: NDArray[np.float32]

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = real(self, "smoothing", smoothing, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        values = train.data.astype(np.float64)
        sums = np.bincount(train.indices, weights=values, minlength=self.n_items_)
        weights = np.bincount(train.indices, minlength=self.n_items_) + self.smoothing
        sums += self.smoothing * values.mean()
        means = np.full(self.n_items_, np.nan)
        np.divide(sums, weights, out=means, where=weights > 0)
        self.means_ = means.astype(np.float32)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[:] = self.means_
