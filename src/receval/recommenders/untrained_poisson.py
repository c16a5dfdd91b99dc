"""LibRec's Poisson factorisation as it was released in 2.0.0: its initial factors, untrained."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.parameters import integer
from receval.recommenders.products import inner_products

SHAPE, SHAPE_SPREAD = 0.1, 0.01
RATE, RATE_SPREAD = 0.1, 0.1


class UntrainedPoissonFactorisation(Recommender):
    """Random factors: one order of the items, much the same for all users.

    ``s(u, i) = sum_k t_uk b_ik`` with ``t_uk = (0.1 + 0.01 random) / (0.1 + 0.1 random_k)``, the
    rate being one for all users, and b_ik likewise; random uniform on [0, 1). LibRec 2.0.0's
    ``bpoissmf`` computes in each iteration how the ratings are shared among the factors and throws
    it away, and does not read its priors' parameters; so it ranks by this, its initialisation,
    whatever the ratings are. `receval.recommenders.poisson_factorisation` is the trained system.

    NaN for all items of users without training ratings. Items without training ratings are scored
    like all others.

    Parameters
    ----------
    factors : int
        At least 1.
    seed : int
        Seed of the factors, at least 0.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        t_uk; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        b_ik, one column an item.

    References
    ----------
    LibRec 2.0.0, class ``BPoissMFRecommender``, meant to be Gopalan, Hofman and Blei, UAI 2015.
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]

    def __init__(self, factors: int = 10, seed: int = 0) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        generator = np.random.Generator(np.random.PCG64(self.seed))
        users, items = (
            (SHAPE + SHAPE_SPREAD * generator.random((size, self.factors)))
            / (RATE + RATE_SPREAD * generator.random(self.factors))
            for size in train.shape
        )
        users[np.diff(train.indptr) == 0] = np.nan
        self.user_factors_ = users.astype(np.float32)
        self.item_factors_ = np.ascontiguousarray(items.T, dtype=np.float32)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)
