# SPDX-License-Identifier: MIT
"""Draw random pairs of a rated and an unrated item, to train pairwise systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit

POSITIVES = ("users", "ratings")
NEGATIVES = ("uniform", "popularity")

# Limits the memory of the drawn pairs: 2**18 pairs with three codes of 4 bytes are 3 MiB.
BLOCK = 2**18


class PairSampler:
    """Draws users, each with a rated and an unrated item.

    Items without training ratings are never drawn. Users who have rated all other items are never
    drawn either. Needs one bit per pair of user and item.

    Parameters
    ----------
    train : csr_array of float32, shape (n_users, n_items)
        The training ratings; an entry of value 0 is a rating too.
    generator : numpy.random.Generator
        Source of all draws.
    positives : str
        ``"users"``: a uniformly random user, then one of the user's rated items; ``"ratings"``: a
        uniformly random rating.
    negatives : str
        Unrated items are drawn ``"uniform"`` or with probabilities in proportion to their numbers
        of training ratings (``"popularity"``).

    Attributes
    ----------
    eligible : ndarray of int32
        The users that can be drawn, ascending.
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
        self._ratings = np.empty(0, dtype=np.int32)
        if positives == "ratings":
            self._ratings = np.flatnonzero(can_be_drawn[owners]).astype(np.int32)
        self._owners = owners
        self._bits = np.zeros((n_users, (n_items + 7) // 8), dtype=np.uint8)
        flags = np.left_shift(1, train.indices & 7).astype(np.uint8)
        np.bitwise_or.at(self._bits, (owners, train.indices >> 3), flags)
        popular = negatives == "popularity"
        self._pool = train.indices if popular else rated_items.astype(np.int32)

    def blocks(
        self, n_pairs: int
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]:
        """Draw pairs in blocks; none if no user is eligible.

        Yields
        ------
        users, positives, negatives : ndarray of int32
            A user, an item that the user has rated and one that the user has not.
        """
        if not len(self.eligible):
            return
        for start in range(0, n_pairs, BLOCK):
            size = min(BLOCK, n_pairs - start)
            users, positives = np.empty((2, size), dtype=np.int32)
            _draw_positives(
                self._generator,
                self._ratings,
                self._owners,
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


@njit(cache=True)
def _draw_positives(  # type: ignore[no-untyped-def]
    generator, ratings, owners, eligible, starts, items, users, positives
):
    """Draw a rating among the given ones or, without any, an eligible user and then a rating."""
    for n in range(len(users)):
        if len(ratings):
            rating = np.uint64(ratings[np.uint64(generator.random() * len(ratings))])
            users[n] = owners[rating]
        else:
            user = np.uint64(eligible[np.uint64(generator.random() * len(eligible))])
            first = starts[user]
            length = starts[user + np.uint64(1)] - first
            rating = np.uint64(first + np.int64(generator.random() * length))
            users[n] = user
        positives[n] = items[rating]


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
