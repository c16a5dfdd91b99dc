# SPDX-License-Identifier: MIT
"""Probabilistic latent semantic analysis (pLSA): users as mixtures of topics, fitted by EM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer, optional_integer, refuse_negative
from receval.recommenders.librec.java_random import JavaRandom
from receval.recommenders.librec.start import rated_rows, spread
from receval.recommenders.products import inner_products
from receval.recommenders.shared_ratings import SharedRatings
from receval.recommenders.single_precision import rounded_apart

# Smaller probabilities count as 0, which changes scores by less than that: their products would be
# subnormal floats, which are many times slower.
SMALLEST_PROBABILITY = 1e-18


class PLSA(Recommender):
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
    seed : int
        Seed of the initial tables, at least 0.
    librec_seed : int, optional
        Repeat the draws of LibRec 2.0.0, from ``java.util.Random`` with this seed, instead of those
        from ``seed`` (:mod:`receval.recommenders.librec.java_random`). LibRec processes users and
        items in the order of their first appearance.

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
    >>> group = [[5, 4, 0], [4, 5, 3], [5, 3, 4]]
    >>> train = csr_array(np.kron(np.eye(2), group).astype(np.float32))
    >>> scores = PLSA(topics=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("iterations",)

    user_topics_: NDArray[np.floating]
    topic_items_: NDArray[np.floating]
    log_likelihood_: NDArray[np.float64]

    def __init__(
        self,
        topics: int = 50,
        iterations: int = 100,
        seed: int = 0,
        librec_seed: int | None = None,
    ) -> None:
        self.topics = integer(self, "topics", topics, lowest=1)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0)
        self.librec_seed = optional_integer(self, "librec_seed", librec_seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_family([self], train)

    @classmethod
    def _fit_family(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        refuse_negative(first, train, "numbers of observations")
        users: NDArray[np.floating]
        items: NDArray[np.floating]
        if first.librec_seed is not None:
            # LibRec computes in double precision.
            users, items = _librec_tables(JavaRandom(first.librec_seed), train, first.topics)
        else:
            generator = np.random.Generator(np.random.PCG64(first.seed))
            users, items = initial_tables(generator, first.n_users_, first.n_items_, first.topics)
        longest = max(model.iterations for model in models)
        log_likelihood = np.empty(longest + 1)
        ratings = SharedRatings(train, users.dtype.type)
        for step in range(longest + 1):
            for model in models:
                if model.iterations == step:
                    model.user_topics_ = users.copy()
                    model.user_topics_[np.diff(train.indptr) == 0] = np.nan
                    model.topic_items_ = np.ascontiguousarray(items.T)
            if step < longest:
                users, items, log_likelihood[step] = expectation_maximisation(ratings, users, items)
        log_likelihood[-1] = ratings.ratios(users, items).log_likelihood
        for model in models:
            model.log_likelihood_ = log_likelihood[: model.iterations + 1].copy()

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        if self.librec_seed is None:
            inner_products(self.user_topics_[users], self.topic_items_, scores)
            return
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
    """Do one step of EM.

    Parameters
    ----------
    ratings : SharedRatings
        The ratings.
    users : ndarray of float32 or float64, shape (n_users, topics)
        p(z | u).
    items : ndarray of float32 or float64, shape (n_items, topics)
        p(i | z).

    Returns
    -------
    users, items : ndarray
        The tables after the step.
    log_likelihood : float
        The objective of the tables before the step.
    """
    ratios = ratings.ratios(users, items)
    new_users, new_items = users * ratios.users, items * ratios.items
    for table, axis in ((new_users, 1), (new_items, 0)):
        totals = table.sum(axis=axis, dtype=np.float64, keepdims=True).astype(table.dtype)
        np.divide(table, totals, out=table, where=totals > 0)
        if table.dtype == np.float32:
            table[table < SMALLEST_PROBABILITY] = 0
    return new_users, new_items, ratios.log_likelihood
