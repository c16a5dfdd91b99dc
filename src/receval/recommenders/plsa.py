"""Probabilistic latent semantic analysis: every user a mixture of topics, by EM."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.parameters import integer
from receval.recommenders.products import inner_products

# Below it a probability is taken for 0, which changes no score by more than that: products of
# smaller ones are subnormal floats, on which processors are many times slower.
SMALLEST_PROBABILITY = 1e-18


class PLSA(Recommender):
    """The probability that a topic of the user's produces the item.

    ``s(u, i) = p(i | u) = sum_z p(z | u) p(i | z)``; maximises ``sum_ui r_ui log p(i | u)`` over
    the training ratings by expectation maximisation, a rating counting as that many observations,
    with neither tempering nor smoothing. Both tables start uniformly random and normalised.

    NaN for all items of users without training ratings. Users whose ratings are all 0 have
    ``p(z | u) = 0`` and score 0 everywhere; items without training ratings, or with none but 0,
    have ``p(i | z) = 0`` and score 0.

    Parameters
    ----------
    topics : int
        Number of topics, at least 1.
    iterations : int
        Number of EM steps, at least 1.
    seed : int
        Seed of the initial tables, at least 0.

    Attributes
    ----------
    user_topics_ : ndarray of float32, shape (n_users, topics)
        p(z | u); NaN for users without training ratings.
    topic_items_ : ndarray of float32, shape (topics, n_items)
        p(i | z).
    log_likelihood_ : ndarray of float64, shape (iterations + 1,)
        The objective before the first and after every step; it never falls but for the rounding of
        float32.

    References
    ----------
    Hofmann, "Latent Semantic Models for Collaborative Filtering", TOIS 2004, section 3, in the
    multinomial form of the same author's "Probabilistic Latent Semantic Analysis", UAI 1999.
    """

    user_topics_: NDArray[np.float32]
    topic_items_: NDArray[np.float32]
    log_likelihood_: NDArray[np.float64]

    def __init__(self, topics: int = 50, iterations: int = 100, seed: int = 0) -> None:
        self.topics = integer(self, "topics", topics, lowest=1)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        if train.data.min() < 0:
            raise ValueError(
                f"PLSA takes ratings as numbers of observations, but the smallest is "
                f"{train.data.min()}: ratings must be at least 0."
            )
        generator = np.random.Generator(np.random.PCG64(self.seed))
        users, items = initial_tables(generator, self.n_users_, self.n_items_, self.topics)
        self.log_likelihood_ = np.empty(self.iterations + 1)
        for step in range(self.iterations):
            users, items, self.log_likelihood_[step] = expectation_maximisation(train, users, items)
        _, _, self.log_likelihood_[-1] = expectation_maximisation(train, users, items)
        users[np.diff(train.indptr) == 0] = np.nan
        self.user_topics_ = users
        self.topic_items_ = np.ascontiguousarray(items.T)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_topics_[users], self.topic_items_, scores)


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


def expectation_maximisation(
    train: RatingMatrix, users: NDArray[np.float32], items: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """Do one step of EM.

    Parameters
    ----------
    train : csr_array of float32, shape (n_users, n_items)
        The ratings.
    users : ndarray of float32, shape (n_users, topics)
        p(z | u).
    items : ndarray of float32, shape (n_items, topics)
        p(i | z).

    Returns
    -------
    users, items : ndarray of float32
        The tables after the step.
    log_likelihood : float
        The objective of the tables before the step.
    """
    new_users = np.zeros_like(users)
    new_items = np.zeros_like(items)
    log_likelihood = _accumulate(
        train.indptr, train.indices, train.data, users, items, new_users, new_items
    )
    for table, axis in ((new_users, 1), (new_items, 0)):
        totals = table.sum(axis=axis, dtype=np.float64, keepdims=True).astype(np.float32)
        np.divide(table, totals, out=table, where=totals > 0)
        table[table < SMALLEST_PROBABILITY] = 0
    return new_users, new_items, log_likelihood


@njit(cache=True)
def _accumulate(starts, columns, values, users, items, new_users, new_items):  # type: ignore[no-untyped-def]
    topics = users.shape[1]
    whole = topics - topics % 4
    joint = np.empty(topics, dtype=np.float32)
    log_likelihood = 0.0
    for user in range(len(starts) - 1):
        mixture = users[user]
        new_mixture = new_users[user]
        # Unsigned positions spare numba's test for negative ones.
        for entry in range(np.uint64(starts[user]), np.uint64(starts[user + 1])):
            rating = values[entry]
            if rating == 0:
                continue
            item = np.uint64(columns[entry])
            topic_probabilities = items[item]
            new_probabilities = new_items[item]
            for topic in range(topics):
                joint[topic] = mixture[topic] * topic_probabilities[topic]
            # Four partial sums, so that an addition need not wait for the one before it; written
            # out, so that the order of summation is the same on every processor.
            first = np.float32(0)
            second = np.float32(0)
            third = np.float32(0)
            fourth = np.float32(0)
            for topic in range(0, whole, 4):
                position = np.uint64(topic)
                first += joint[position]
                second += joint[position + np.uint64(1)]
                third += joint[position + np.uint64(2)]
                fourth += joint[position + np.uint64(3)]
            for topic in range(whole, topics):
                first += joint[topic]
            probability = (first + second) + (third + fourth)
            log_likelihood += rating * np.log(np.float64(probability))
            weight = rating / probability
            for topic in range(topics):
                share = joint[topic] * weight
                new_mixture[topic] += share
                new_probabilities[topic] += share
    return log_likelihood
