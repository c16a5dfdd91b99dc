"""Bayesian personalised ranking with unrated items drawn by popularity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.bprmf import descend
from receval.recommenders.divergence import refuse_divergence
from receval.recommenders.drifting_popularity import DriftingPopularitySampler
from receval.recommenders.pairwise_sampling import PairSampler
from receval.recommenders.parameters import choice, integer, real
from receval.recommenders.products import inner_products

WEIGHTS = ("popularity", "drifting-popularity")


class WBPR(Recommender):
    """Factors that put rated items above unrated but popular ones.

    :class:`receval.recommenders.bprmf.BPRMF` (the score, the objective and the steps are the same)
    with the unrated item of each triple drawn with a probability in proportion to its number of
    ratings: who has not rated a popular item has probably seen and not liked it. An epoch draws
    ``samples_per_user`` times as many triples as there are users, each of a uniformly random user
    and a uniformly random rated item of that user.

    That is ``weights="popularity"``, the paper's. LibRec 2.0.0 rescales the popularities by mistake
    whenever it draws (``weights="drifting-popularity"``): the popular items are soon no longer
    drawn (:class:`receval.recommenders.drifting_popularity.DriftingPopularitySampler`).

    Factors start normally distributed around 0 with deviation 0.1, biases uniform on [0, 0.01].

    NaN for all items of users without training ratings. Items without training ratings are never
    drawn, have ``b_i = 0`` and ``q_i = 0``, and score 0.

    Parameters
    ----------
    factors : int
        Length of p_u and q_i, at least 1.
    learning_rate : float
        Above 0.
    regularisation : float
        Of all factors and biases, at least 0.
    epochs : int
        At least 1.
    samples_per_user : int
        At least 1.
    weights : str
        ``"popularity"`` or ``"drifting-popularity"``.
    seed : int
        Seed of the initial values and of the triples, at least 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(s(u, i) - s(u, j))`` over each epoch, taken before each step; 0 where
        no user has an unrated item.

    References
    ----------
    Gantner, Drumond, Freudenthaler and Schmidt-Thieme, "Personalized Ranking for Non-Uniformly
    Sampled Items", KDD Cup 2011 workshop (JMLR proceedings 18, 2012).
    """

    item_biases_: NDArray[np.float32]
    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    loss_: NDArray[np.float64]

    def __init__(
        self,
        factors: int = 128,
        learning_rate: float = 0.01,
        regularisation: float = 0.01,
        epochs: int = 20,
        samples_per_user: int = 100,
        weights: str = "popularity",
        seed: int = 0,
    ) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.learning_rate = real(self, "learning_rate", learning_rate, lowest=0, above=True)
        self.regularisation = real(self, "regularisation", regularisation, lowest=0)
        self.epochs = integer(self, "epochs", epochs, lowest=1)
        self.samples_per_user = integer(self, "samples_per_user", samples_per_user, lowest=1)
        self.weights = choice(self, "weights", weights, WEIGHTS)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        generator = np.random.Generator(np.random.PCG64(self.seed))
        scale = np.float32(0.1)
        users = scale * generator.standard_normal((self.n_users_, self.factors), dtype=np.float32)
        items = scale * generator.standard_normal((self.n_items_, self.factors), dtype=np.float32)
        biases = np.float32(0.01) * generator.random(self.n_items_, dtype=np.float32)
        unrated = np.bincount(train.indices, minlength=self.n_items_) == 0
        items[unrated], biases[unrated] = 0, 0
        sampler = (
            DriftingPopularitySampler(train, generator)
            if self.weights == "drifting-popularity"
            else PairSampler(train, generator, negatives="popularity")
        )
        n_triples = self.samples_per_user * int(np.count_nonzero(np.diff(train.indptr)))
        self.loss_ = np.empty(self.epochs)
        for epoch in range(self.epochs):
            self.loss_[epoch] = descend(
                sampler.blocks(n_triples),
                biases,
                users,
                items,
                self.learning_rate,
                self.regularisation,
                self.regularisation,
                self.regularisation,
                self.regularisation,
            )
        refuse_divergence(self, self.learning_rate, self.loss_[-1])
        users[np.diff(train.indptr) == 0] = np.nan
        self.item_biases_ = biases
        self.user_factors_ = users
        self.item_factors_ = np.ascontiguousarray(items.T)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)
        scores += self.item_biases_
