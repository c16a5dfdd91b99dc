# SPDX-License-Identifier: MIT
"""Shared parts of Bayesian personalised ranking: factors, item biases and updates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer, real, refuse_divergence
from receval.recommenders.products import inner_products
from receval.storage.kernel_cache import njit

Triples = Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]
"""Users, positive items and negative items, in blocks."""


class PairwiseFactors(Recommender):
    """Factors and item biases learnt from pairs of a rated and an unrated item.

    ``s(u, i) = b_i + p_u . q_i``; NaN for all items of users without training ratings. Items
    without training ratings have ``b_i = 0`` and ``q_i = 0``, and score 0.

    Parameters
    ----------
    factors : int
        Length of p_u and q_i, at least 1.
    learning_rate : float
        Above 0.
    epochs : int
        At least 1.
    seed : int
        Seed of the initial values and of all draws, at least 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean loss of each epoch.
    """

    item_biases_: NDArray[np.float32]
    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    loss_: NDArray[np.float64]

    def __init__(self, factors: int, learning_rate: float, epochs: int, seed: int) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.learning_rate = real(self, "learning_rate", learning_rate, lowest=0, above=True)
        self.epochs = integer(self, "epochs", epochs, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _keep(
        self,
        train: RatingMatrix,
        biases: NDArray[np.floating],
        users: NDArray[np.floating],
        items: NDArray[np.floating],
        losses: NDArray[np.float64],
    ) -> None:
        """Store the learnt arrays in the model, unless training diverged.

        Parameters
        ----------
        train : csr_array of float32, shape (n_users, n_items)
            Users without training ratings get no scores.
        biases : ndarray of float32, shape (n_items,)
        users, items : ndarray of float32, shapes (n_users, factors) and (n_items, factors)
        losses : ndarray of float64, shape (epochs,)
        """
        refuse_divergence(self, self.learning_rate, losses[-1])
        users[np.diff(train.indptr) == 0] = np.nan
        self.item_biases_ = biases.astype(np.float32, copy=False)
        self.user_factors_ = users.astype(np.float32, copy=False)
        self.item_factors_ = np.ascontiguousarray(items.T, dtype=np.float32)
        self.loss_ = losses

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)
        scores += self.item_biases_


class SampledPairwiseFactors(PairwiseFactors):
    """Pairwise factors with one regularisation, whose epochs have a number of draws per user.

    Parameters
    ----------
    factors, learning_rate, epochs, seed
        As for :class:`PairwiseFactors`.
    regularisation : float
        Regularisation of all factors and biases, at least 0.
    samples_per_user : int
        Triples drawn per epoch and user with training ratings, at least 1.
    """

    def __init__(
        self,
        factors: int,
        learning_rate: float,
        regularisation: float,
        epochs: int,
        samples_per_user: int,
        seed: int,
    ) -> None:
        super().__init__(factors, learning_rate, epochs, seed)
        self.regularisation = real(self, "regularisation", regularisation, lowest=0)
        self.samples_per_user = integer(self, "samples_per_user", samples_per_user, lowest=1)

    def _start(
        self, train: RatingMatrix, generator: np.random.Generator, highest_bias: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Draw initial biases, user factors and item factors; those of unrated items are 0.

        Factors are normally distributed around 0 with deviation 0.1, biases uniform on
        [0, highest_bias].
        """
        scale = np.float32(0.1)
        users = scale * generator.standard_normal((self.n_users_, self.factors), dtype=np.float32)
        items = scale * generator.standard_normal((self.n_items_, self.factors), dtype=np.float32)
        biases = np.float32(highest_bias) * generator.random(self.n_items_, dtype=np.float32)
        unrated = np.bincount(train.indices, minlength=self.n_items_) == 0
        items[unrated], biases[unrated] = 0, 0
        return biases, users, items

    def _triples_of_epoch(self, train: RatingMatrix) -> int:
        return self.samples_per_user * int(np.count_nonzero(np.diff(train.indptr)))


def descend(
    triples: Triples,
    biases: NDArray[np.floating],
    users: NDArray[np.floating],
    items: NDArray[np.floating],
    learning_rate: float,
    user_regularisation: float,
    positive_regularisation: float,
    negative_regularisation: float,
    bias_regularisation: float,
) -> float:
    """Do the update of :class:`receval.recommenders.bprmf.BPRMF` for each triple, in order.

    Parameters
    ----------
    triples : iterator
        As :meth:`receval.recommenders.pairwise_sampling.PairSampler.blocks` yields them.
    biases : ndarray of float32, shape (n_items,)
        b_i; changed in place, as are ``users`` and ``items``.
    users, items : ndarray of float32, shapes (n_users, factors) and (n_items, factors)
        p_u and q_i.
    learning_rate, user_regularisation, positive_regularisation : float
    negative_regularisation, bias_regularisation : float
        As in that class.

    Returns
    -------
    float
        Mean of ``-ln sigmoid(x)`` over the triples, 0 if there are none.
    """
    loss, n_triples = 0.0, 0
    exact = users.dtype.type
    for drawn in triples:
        loss += _descend(
            *drawn,
            biases,
            users,
            items,
            exact(np.float32(learning_rate)),
            exact(np.float32(user_regularisation)),
            exact(np.float32(positive_regularisation)),
            exact(np.float32(negative_regularisation)),
            exact(np.float32(bias_regularisation)),
        )
        n_triples += len(drawn[0])
    return loss / max(n_triples, 1)


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    drawn_users,
    positives,
    negatives,
    biases,
    users,
    items,
    learning_rate,
    user_regularisation,
    positive_regularisation,
    negative_regularisation,
    bias_regularisation,
):
    n_factors = users.shape[1]
    whole = n_factors - n_factors % 4
    one = users.dtype.type(1)
    loss = 0.0
    for n in range(len(drawn_users)):
        # Unsigned positions avoid numba's check for negative indices.
        above = np.uint64(positives[n])
        below = np.uint64(negatives[n])
        p = users[np.uint64(drawn_users[n])]
        q = items[above]
        r = items[below]
        # Four partial sums, so that an addition need not wait for the one before it; unrolled by
        # hand, so that the order of summation is the same on every processor.
        first = second = third = fourth = users.dtype.type(0)
        for factor in range(0, whole, 4):
            at = np.uint64(factor)
            first += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            second += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            third += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            fourth += p[at] * (q[at] - r[at])
        for factor in range(whole, n_factors):
            first += p[factor] * (q[factor] - r[factor])
        difference = biases[above] - biases[below]
        difference += (first + second) + (third + fourth)
        exponential = np.exp(-difference)
        # The exponential would be infinite for a difference below -88, and the quotient NaN.
        pull = one - one / (one + exponential)
        loss += np.log1p(np.float64(exponential)) if pull < one else -np.float64(difference)
        bias_above = biases[above]
        bias_below = biases[below]
        biases[above] += learning_rate * (pull - bias_regularisation * bias_above)
        biases[below] += learning_rate * (-pull - bias_regularisation * bias_below)
        for factor in range(n_factors):
            user = p[factor]
            positive = q[factor]
            negative = r[factor]
            p[factor] += learning_rate * (pull * (positive - negative) - user_regularisation * user)
            q[factor] += learning_rate * (pull * user - positive_regularisation * positive)
            r[factor] += learning_rate * (-pull * user - negative_regularisation * negative)
    return loss
