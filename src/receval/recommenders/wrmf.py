"""Weighted matrix factorisation for implicit feedback, by alternating least squares."""

from __future__ import annotations

import numpy as np
from implicit.cpu.als import AlternatingLeastSquares
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.parameters import choice, integer, real
from receval.recommenders.products import inner_products

WEIGHTS = ("binary", "rating")


class WRMF(Recommender):
    """Factors that tell rated from unrated pairs, rated ones with more confidence.

    Minimises ``sum_ui c_ui (p_ui - x_u . y_i)^2 + regularisation (sum |x_u|^2 + sum |y_i|^2)`` over
    all pairs, where p_ui is 1 for rated pairs and 0 for the others, and c_ui is 1 for the others
    and, for rated pairs, ``1 + alpha`` (``weights="binary"``) or ``1 + alpha r_ui``
    (``weights="rating"``). Score ``x_u . y_i``. Every half step is solved exactly, so the
    objective never rises; the library `implicit` does the work, on one thread.

    NaN for all items of users without training ratings. Items without training ratings have
    ``y_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        Length of x_u and y_i, at least 1.
    alpha : float
        Confidence of a rating, at least 0.
    regularisation : float
        At least 0; not multiplied by numbers of ratings.
    iterations : int
        Number of times both sides are solved, at least 1.
    weights : str
        ``"binary"`` or ``"rating"``.
    seed : int
        Seed of the initial factors, at least 0.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        x_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        y_i, one column each.

    References
    ----------
    Hu, Koren and Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008,
    section 4. The defaults are MyMediaLite's.
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]

    def __init__(
        self,
        factors: int = 10,
        alpha: float = 1.0,
        regularisation: float = 0.015,
        iterations: int = 15,
        weights: str = "binary",
        seed: int = 0,
    ) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.alpha = real(self, "alpha", alpha, lowest=0)
        self.regularisation = real(self, "regularisation", regularisation, lowest=0)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.weights = choice(self, "weights", weights, WEIGHTS)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        strengths = train.data if self.weights == "rating" else np.ones_like(train.data)
        # implicit takes c_ui itself as the entry; its own alpha would replace the 1 as well.
        confidences = np.float32(1) + np.float32(self.alpha) * strengths
        model = AlternatingLeastSquares(
            factors=self.factors,
            regularization=self.regularisation,
            alpha=1.0,
            iterations=self.iterations,
            use_cg=False,
            num_threads=1,
            random_state=self.seed,
        )
        model.fit(
            csr_matrix((confidences, train.indices, train.indptr), shape=train.shape),
            show_progress=False,
        )
        self.user_factors_ = model.user_factors
        self.user_factors_[np.diff(train.indptr) == 0] = np.nan
        self.item_factors_ = np.ascontiguousarray(model.item_factors.T)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)
