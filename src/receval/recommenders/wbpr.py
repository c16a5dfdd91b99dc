# SPDX-License-Identifier: MIT
"""Weighted Bayesian personalised ranking (WBPR): unrated items are drawn by popularity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import optional_integer
from receval.recommenders.librec.java_random import JavaRandom
from receval.recommenders.librec.popularity import DriftingPopularitySampler
from receval.recommenders.librec.start import librec_factors, rated_rows, spread
from receval.recommenders.pairwise_factors import SampledPairwiseFactors, descend
from receval.recommenders.pairwise_sampling import PairSampler

HIGHEST_BIAS = 0.01


class WBPR(SampledPairwiseFactors):
    """Factors fitted to rank rated items above unrated popular ones.

    :class:`receval.recommenders.bprmf.BPRMF` (the score, the objective and the steps are the same)
    where the unrated item of each triple is drawn in proportion to its number of ratings: a user
    who has not rated a popular item has probably seen it and not liked it. An epoch draws
    ``samples_per_user`` times as many triples as there are users, each of a uniformly random user
    and a uniformly random rated item of that user.

    By mistake, LibRec 2.0.0 rescales the popularities with every draw, so that popular items are
    soon no longer drawn; use ``librec_seed`` to reproduce it
    (:class:`receval.recommenders.librec.popularity.DriftingPopularitySampler`).

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
        Regularisation of all factors and biases, at least 0.
    epochs : int
        At least 1.
    samples_per_user : int
        At least 1.
    seed : int
        Seed of the initial values and of the triples, at least 0.
    librec_seed : int, optional
        Repeat the draws of LibRec 2.0.0, from ``java.util.Random`` with this seed, instead of those
        from ``seed`` (:mod:`receval.recommenders.librec.java_random`). LibRec processes users and
        items in the order of their first appearance.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(s(u, i) - s(u, j))`` over each epoch, taken before each step; 0 if no
        user has an unrated item.

    References
    ----------
    Gantner, Drumond, Freudenthaler and Schmidt-Thieme, "Personalized Ranking for Non-Uniformly
    Sampled Items", KDD Cup 2011 workshop (JMLR proceedings 18, 2012).
    """

    def __init__(
        self,
        factors: int = 128,
        learning_rate: float = 0.01,
        regularisation: float = 0.01,
        epochs: int = 20,
        samples_per_user: int = 100,
        seed: int = 0,
        librec_seed: int | None = None,
    ) -> None:
        super().__init__(factors, learning_rate, regularisation, epochs, samples_per_user, seed)
        self.librec_seed = optional_integer(self, "librec_seed", librec_seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        biases, users, items, sampler = self._initial(train)
        n_triples = self._triples_of_epoch(train)
        losses = np.empty(self.epochs)
        for epoch in range(self.epochs):
            losses[epoch] = descend(
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
        self._keep(train, biases, users, items, losses)

    def _initial(
        self, train: RatingMatrix
    ) -> tuple[
        NDArray[np.floating],
        NDArray[np.floating],
        NDArray[np.floating],
        PairSampler | DriftingPopularitySampler,
    ]:
        """Return biases, user and item factors (LibRec's in double precision) and a sampler."""
        if self.librec_seed is None:
            generator = np.random.Generator(np.random.PCG64(self.seed))
            start = self._start(train, generator, highest_bias=HIGHEST_BIAS)
            return *start, PairSampler(train, generator, negatives="popularity")
        java = JavaRandom(self.librec_seed)
        users, items = librec_factors(java, train, self.factors)
        _, of_items = rated_rows(train)
        biases = spread(HIGHEST_BIAS * java.doubles(int(of_items.sum())), of_items)
        return biases, users, items, DriftingPopularitySampler(train, java)
