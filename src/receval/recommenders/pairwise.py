# SPDX-License-Identifier: MIT
"""Pairwise systems: random pairs of a rated and an unrated item, and steps by them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import refuse_divergence
from receval.recommenders.products import FactorModel
from receval.storage.kernel_cache import njit

POSITIVES = ("users", "ratings")
NEGATIVES = ("uniform", "popularity")

# Limits the memory of the drawn pairs: 2**18 pairs with three codes of 4 bytes are 3 MiB, and the
# random numbers of their users and rated items at most 4 MiB.
BLOCK = 2**18


Triples = Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]
"""Users, positive items and negative items, in blocks."""


class PairSampler:
    """Draws users, each with a rated and an unrated item.

    Items without training ratings are never drawn. Users who have rated all other items are never
    drawn either; ``eligible`` has those that are, ascending. Needs one bit per pair of user and
    item.

    Positives ``"users"`` are a uniformly random user, then one of the user's rated items;
    ``"ratings"`` are uniformly random ratings (also of value 0). Negatives are drawn ``"uniform"``
    or with probabilities in proportion to their numbers of training ratings (``"popularity"``).
    """

    def __init__(
        self,
        train: RatingMatrix,
        generator: np.random.Generator,
        positives: str = "users",
        negatives: str = "uniform",
    ) -> None:
        n_users, n_items = train.shape
        lengths = np.diff(train.indptr)
        owners = np.repeat(np.arange(n_users, dtype=np.int32), lengths)
        rated_items = np.flatnonzero(np.bincount(train.indices, minlength=n_items))
        can_be_drawn = (lengths > 0) & (lengths < len(rated_items))
        self.eligible = np.flatnonzero(can_be_drawn).astype(np.int32)
        self._generator = generator
        self._starts, self._items = train.indptr, train.indices
        # User and item of a rating are side by side, because a draw is one access to memory.
        self._pairs = np.empty((0, 2), dtype=np.int32)
        if positives == "ratings":
            self._pairs = np.column_stack([owners, train.indices])[can_be_drawn[owners]]
        self._bits = np.zeros((n_users, (n_items + 7) // 8), dtype=np.uint8)
        flags = np.left_shift(1, train.indices & 7).astype(np.uint8)
        np.bitwise_or.at(self._bits, (owners, train.indices >> 3), flags)
        popular = negatives == "popularity"
        self._pool = train.indices if popular else rated_items.astype(np.int32)

    def blocks(self, n_pairs: int) -> Triples:
        """Draw users, rated and unrated items in blocks; none if no user is eligible."""
        if not len(self.eligible):
            return
        for start in range(0, n_pairs, BLOCK):
            size = min(BLOCK, n_pairs - start)
            users, positives = np.empty((2, size), dtype=np.int32)
            # A pair takes one random number; a user and one of the user's ratings take two.
            _draw_positives(
                self._generator.random((size, 1 if len(self._pairs) else 2)),
                self._pairs,
                self.eligible,
                self._starts,
                self._items,
                users,
                positives,
            )
            yield users, positives, self.negatives(users)

    def negatives(self, users: NDArray[np.int32]) -> NDArray[np.int32]:
        """Draw an unrated item for each of some eligible users."""
        drawn = np.empty(len(users), dtype=np.int32)
        _draw_negatives(self._generator, self._pool, self._bits, users, drawn)
        return drawn


class PairwiseFactors(FactorModel):
    """Factors and item biases learnt from pairs of a rated and an unrated item.

    ``s(u, i) = b_i + p_u . q_i``; NaN for all items of users without training ratings. Items
    without training ratings are never drawn, have ``b_i = 0`` and ``q_i = 0``, and score 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(x)`` over each epoch, every x taken before its step; 0 where no user
        has an unrated item.
    """

    factors: int
    learning_rate: float
    epochs: int

    item_biases_: NDArray[np.float32]
    loss_: NDArray[np.float64]

    def _keep(
        self,
        train: RatingMatrix,
        biases: NDArray[np.floating],
        users: NDArray[np.floating],
        items: NDArray[np.floating],
        losses: NDArray[np.float64],
    ) -> None:
        """Store the learnt arrays in the model, unless training diverged."""
        refuse_divergence(self, self.learning_rate, losses[-1])
        self._keep_factors(train, users, items)
        self.item_biases_ = biases.astype(np.float32)
        self.loss_ = losses

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        super()._score_block(users, scores)
        scores += self.item_biases_


class SampledPairwiseFactors(PairwiseFactors):
    """Pairwise factors whose epochs draw a number of triples per user with training ratings."""

    samples_per_user: int

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

    Changes b_i, p_u and q_i in place. Returns the mean of ``-ln sigmoid(x)`` over the triples, 0 if
    there are none.
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
    # What each loss is computed from; its logarithm would hold up the steps, so it comes last.
    terms = np.empty(len(drawn_users), dtype=users.dtype)
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
        terms[n] = exponential if pull < one else difference
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
    loss = 0.0
    for term in terms:
        loss += np.log1p(np.float64(term)) if term >= 0 else -np.float64(term)
    return loss


@njit(cache=True)
def _draw_positives(  # type: ignore[no-untyped-def]
    numbers, pairs, eligible, starts, items, users, positives
):
    """Draw one of the given pairs or, without any, an eligible user and then a rating."""
    for n in range(len(users)):
        if len(pairs):
            drawn = np.uint64(numbers[n, 0] * len(pairs))
            users[n], positives[n] = pairs[drawn, 0], pairs[drawn, 1]
        else:
            user = np.uint64(eligible[np.uint64(numbers[n, 0] * len(eligible))])
            first = starts[user]
            length = starts[user + np.uint64(1)] - first
            rating = np.uint64(first + np.int64(numbers[n, 1] * length))
            users[n], positives[n] = user, items[rating]


@njit(cache=True)
def _draw_negatives(generator, pool, bits, users, negatives):  # type: ignore[no-untyped-def]
    """Draw from the pool until the user's bit of the item is not set."""
    for n in range(len(users)):
        rated = bits[np.uint64(users[n])]
        while True:
            item = np.uint64(pool[np.uint64(generator.random() * len(pool))])
            if not (rated[item >> np.uint64(3)] >> (item & np.uint64(7))) & np.uint64(1):
                break
        negatives[n] = item
