# SPDX-License-Identifier: MIT
"""Probabilistic latent semantic analysis (pLSA): users as mixtures of topics, fitted by EM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, Seed, refuse_negative
from receval.recommenders.em import SharedRatings
from receval.recommenders.librec.java_random import JavaRandom, rated_rows, spread
from receval.recommenders.products import TopicModel, rounded_apart

# Smaller probabilities count as 0, which changes scores by less than that: their products would be
# subnormal floats, which are many times slower.
SMALLEST_PROBABILITY = 1e-18


@dataclass(eq=False, repr=False)
class PLSA(TopicModel):
    """The probability of the item under the user's topics.

    ``s(u, i) = p(i | u) = sum_z p(z | u) p(i | z)``; maximises ``sum_ui r_ui log p(i | u)`` over
    the training ratings by expectation maximisation, where a rating counts as that many
    observations, without tempering or smoothing. Both tables start uniformly random and normalised.

    NaN for all items of users without training ratings. Users whose ratings are all 0 have
    ``p(z | u) = 0`` and score 0 everywhere; items without training ratings above 0 have ``p(i | z)
    = 0`` and score 0.

    Parameters
    ----------
    topics : int
        Number of topics, at least 1.
    iterations : int
        Number of EM steps, at least 1.

    Attributes
    ----------
    user_topics_ : ndarray of float32, or float64 with librec_seed, shape (n_users, topics)
        p(z | u); NaN for users without training ratings.
    topic_items_ : ndarray of the same type, shape (topics, n_items)
        p(i | z).
    log_likelihood_ : ndarray of float64, shape (iterations + 1,)
        The objective before the first and after every step; it never decreases, except for rounding
        to float32.

    References
    ----------
    Hofmann, "Latent Semantic Models for Collaborative Filtering", TOIS 2004, section 3, in the
    multinomial form of the same author's "Probabilistic Latent Semantic Analysis", UAI 1999.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = PLSA(topics=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("iterations",)

    topics: AtLeastOne = 50
    iterations: AtLeastOne = 100
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        refuse_negative(first, train, "numbers of observations")
        # LibRec computes in double precision.
        ratings = SharedRatings(train, np.float32 if first.librec_seed is None else np.float64)
        users: NDArray[np.floating]
        items: NDArray[np.floating]
        if first.librec_seed is not None:
            users, items = _librec_tables(JavaRandom(first.librec_seed), train, first.topics)
        else:
            generator = np.random.Generator(np.random.PCG64(first.seed))
            users, items = initial_tables(generator, first.n_users_, first.n_items_, first.topics)
        longest = max(model.iterations for model in models)
        log_likelihood = np.empty(longest + 1)
        for step in range(longest + 1):
            for model in models:
                if model.iterations == step:
                    model._keep_topics(train, users, items)
            if step < longest:
                users, items, log_likelihood[step] = expectation_maximisation(ratings, users, items)
        log_likelihood[-1] = ratings.ratios(users, items).log_likelihood
        for model in models:
            model._record(log_likelihood)

    def _record(self, log_likelihood: NDArray[np.float64]) -> None:
        self.log_likelihood_ = log_likelihood[: self.iterations + 1].copy()

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        if self.librec_seed is None:
            super()._score_block(users, scores)
        else:
            exact = np.zeros(scores.shape)
            for topic, of_items in enumerate(self.topic_items_):
                exact += self.user_topics_[users, topic, None] * of_items
            scores[:] = rounded_apart(exact)


def initial_tables(
    generator: np.random.Generator, n_users: int, n_items: int, topics: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw p(z | u), shape (n_users, topics), and p(i | z), shape (n_items, topics).

    All entries are positive: uniform on (0, 1], then normalised.
    """
    users = 1.0 - generator.random((n_users, topics))
    items = 1.0 - generator.random((n_items, topics))
    users /= users.sum(axis=1, keepdims=True)
    items /= items.sum(axis=0)
    return users.astype(np.float32), items.astype(np.float32)


def _librec_tables(
    java: JavaRandom, train: RatingMatrix, topics: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw as LibRec does: integers from 1 to the length of a distribution, normalised."""
    of_users, of_items = rated_rows(train)
    n_users, n_items = int(of_users.sum()), int(of_items.sum())
    users = 1.0 + java.integers(topics, n_users, topics)
    items = 1.0 + java.integers(n_items, topics, n_items)
    users /= users.sum(axis=1, keepdims=True)
    items /= items.sum(axis=1, keepdims=True)
    return spread(users, of_users), spread(np.ascontiguousarray(items.T), of_items)


def expectation_maximisation(
    ratings: SharedRatings, users: NDArray[np.floating], items: NDArray[np.floating]
) -> tuple[NDArray[np.floating], NDArray[np.floating], float]:
    """Do one step of EM on p(z | u) and p(i | z), with one row per user or item.

    Returns the tables after the step, and the objective of those before it.
    """
    ratios = ratings.ratios(users, items)
    new_users, new_items = users * ratios.users, items * ratios.items
    for table, axis in ((new_users, 1), (new_items, 0)):
        totals = table.sum(axis=axis, dtype=np.float64, keepdims=True).astype(table.dtype)
        np.divide(table, totals, out=table, where=totals > 0)
        if table.dtype == np.float32:
            table[table < SMALLEST_PROBABILITY] = 0
    return new_users, new_items, ratios.log_likelihood
