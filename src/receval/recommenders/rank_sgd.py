# SPDX-License-Identifier: MIT
"""RankSGD: factors fitted to the rating differences of rated and unrated items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import (
    AtLeastOne,
    LibRecSeed,
    NonNegative,
    Positive,
    Seed,
    refuse_divergence,
)
from receval.recommenders.librec.java_random import JavaRandom, JavaSampler, librec_factors
from receval.recommenders.pairwise import BLOCK, PairSampler
from receval.recommenders.products import FactorModel
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class RankSGD(FactorModel):
    """Factors fitted so that a rated item's score exceeds an unrated item's by the rating.

    ``s(u, i) = p_u . q_i``; minimises the sum of ``(s(u, i) - s(u, j) - r_ui)^2`` over the training
    ratings, each with an item j that u has not rated, drawn with a probability in proportion to its
    number of ratings. Stochastic gradient descent: each epoch visits the ratings in order of user
    and item, draws a j for each and steps, with ``e = s(u, i) - s(u, j) - r_ui`` and the old values
    on the right,

    - ``p_u -= learning_rate (e (q_i - q_j) + regularisation p_u)``;
    - ``q_i -= learning_rate (e p_u + regularisation q_i)``;
    - ``q_j -= learning_rate (-e p_u + regularisation q_j)``.

    Factors start normally distributed around 0 with deviation 0.1.

    The ratings of users who have rated every item are skipped.

    Parameters
    ----------
    regularisation : float
        At least 0. LibRec 2.0.0 ignores its configured values, which is equal to the default 0.

    Attributes
    ----------
    squared_error_ : ndarray of float64, shape (epochs,)
        Mean of e^2 over each epoch, every e taken before its step; 0 if no user has an unrated
        item.

    References
    ----------
    Jahrer and Töscher, "Collaborative Filtering Ensemble for Ranking", KDD Cup 2011 workshop (JMLR
    proceedings 18, 2012), "Rank SGD", in the form of LibRec 2.0.0.
    """

    factors: AtLeastOne = 10
    learning_rate: Positive = 0.01
    regularisation: NonNegative = 0.0
    epochs: AtLeastOne = 30
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        users, items, sampler = self._start(train)
        owners = np.repeat(np.arange(self.n_users_, dtype=np.int32), np.diff(train.indptr))
        visited = np.flatnonzero(np.isin(owners, sampler.eligible))
        exact = users.dtype.type
        self.squared_error_: NDArray[np.float64] = np.empty(self.epochs)
        for epoch in range(self.epochs):
            total = 0.0
            for start in range(0, len(visited), BLOCK):
                block = visited[start : start + BLOCK]
                total += _descend(
                    owners[block],
                    train.indices[block],
                    train.data[block],
                    sampler.negatives(owners[block]),
                    users,
                    items,
                    exact(np.float32(self.learning_rate)),
                    exact(np.float32(self.regularisation)),
                )
            self.squared_error_[epoch] = total / max(len(visited), 1)
        refuse_divergence(self, self.learning_rate, self.squared_error_[-1])
        self._keep_factors(train, users, items)

    def _start(
        self, train: RatingMatrix
    ) -> tuple[NDArray[np.floating], NDArray[np.floating], JavaSampler | PairSampler]:
        """Return initial user and item factors (LibRec's in double precision) and a sampler."""
        if self.librec_seed is not None:
            java = JavaRandom(self.librec_seed)
            return *librec_factors(java, train, self.factors), JavaSampler(train, java)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        scale = np.float32(0.1)
        users = scale * generator.standard_normal((self.n_users_, self.factors), dtype=np.float32)
        items = scale * generator.standard_normal((self.n_items_, self.factors), dtype=np.float32)
        items[np.bincount(train.indices, minlength=self.n_items_) == 0] = 0
        return users, items, PairSampler(train, generator, negatives="popularity")


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    owners, positives, values, negatives, users, items, learning_rate, regularisation
):
    n_factors = users.shape[1]
    squared_error = 0.0
    for n in range(len(owners)):
        p = users[np.uint64(owners[n])]
        q = items[np.uint64(positives[n])]
        r = items[np.uint64(negatives[n])]
        error = -values[n]
        for factor in range(n_factors):
            error += p[factor] * (q[factor] - r[factor])
        squared_error += np.float64(error) * np.float64(error)
        for factor in range(n_factors):
            user = p[factor]
            positive = q[factor]
            negative = r[factor]
            p[factor] -= learning_rate * (error * (positive - negative) + regularisation * user)
            q[factor] -= learning_rate * (error * user + regularisation * positive)
            r[factor] -= learning_rate * (regularisation * negative - error * user)
    return squared_error
