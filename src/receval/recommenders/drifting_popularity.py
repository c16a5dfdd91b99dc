"""LibRec 2.0.0's draws of unrated items: by popularities that its cache keeps rescaling."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.pairwise_sampling import PairSampler

CACHED_USERS = 200
# Weights below it are taken for 0: they are never drawn, and subnormal numbers are slow.
SMALLEST_WEIGHT = 1e-290
# How many lists are built between two sums from scratch, which end the growth of rounding errors.
REFRESH = 1024


class DriftingPopularitySampler(PairSampler):
    """Draws as LibRec 2.0.0's WBPR does: uniform users, unrated items by drifting weights.

    Each item has one weight, at first its number of training ratings. When a user is drawn who is
    not among the 200 drawn most recently, LibRec lists the items that the user has not rated, and
    divides their weights by their sum: the weights themselves, which all users share, although only
    a copy was meant. Weights of often rated items so fall against those of the others, further at
    every draw. A user among the 200 has a list whose weights need no longer sum to 1: a random
    number in [0, 1) is compared with the running sum in order of falling initial weight, and the
    first item of the matrix is taken where the sum stays below.

    Attributes
    ----------
    weights : ndarray of float64, shape (n_rated_items,)
        The weights now but for a common factor, in order of falling initial weight.
    """

    def __init__(self, train: RatingMatrix, generator: np.random.Generator) -> None:
        super().__init__(train, generator)
        n_users, n_items = train.shape
        counts = np.bincount(train.indices, minlength=n_items)
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        self.weights = counts[order].astype(np.float64)
        self._order = order.astype(np.int32)
        places = np.empty(n_items, dtype=np.int32)
        places[order] = np.arange(len(order))
        self._places = places[train.indices]
        # A ring of the cached users, the least recently drawn first, through places before and
        # after; its last place is the head.
        self._ring = np.full((2, n_users + 1), -1, dtype=np.int32)
        self._ring[:, n_users] = n_users
        self._state = np.array([1.0, 0.0])

    def negatives(self, users: NDArray[np.int32]) -> NDArray[np.int32]:
        """Draw for every given user, who must be eligible, an item by the weights of that moment.

        It is one that the user has not rated, but for LibRec's way out, the first item.
        """
        drawn = np.empty(len(users), dtype=np.int32)
        _draw_drifting(
            self._generator,
            self.weights,
            self._order,
            self._starts,
            self._places,
            self._bits,
            self._ring,
            self._state,
            users,
            drawn,
        )
        return drawn


@njit(cache=True)
def _draw_drifting(  # type: ignore[no-untyped-def]
    generator, weights, order, starts, places, bits, ring, state, users, negatives
):
    n_weights = len(weights)
    head = ring.shape[1] - 1
    before, after = ring
    sums = np.empty((n_weights + 63) // 64)
    scale, cached = state
    total = 0.0
    age = REFRESH
    for n in range(len(users)):
        if age == REFRESH:
            age = 0
            for block in range(len(sums)):
                sums[block] = np.sum(weights[64 * block : 64 * block + 64])
            total = np.sum(sums)
        age += 1
        user = users[n]
        own = places[starts[user] : starts[user + 1]]
        rated = bits[user]
        hit = before[user] >= 0
        if hit:
            before[after[user]] = before[user]
            after[before[user]] = after[user]
        elif cached == CACHED_USERS:
            oldest = after[head]
            after[head] = after[oldest]
            before[after[oldest]] = head
            before[oldest] = -1
        else:
            cached += 1
        before[user] = before[head]
        after[user] = head
        after[before[head]] = user
        before[head] = user
        negatives[n] = 0
        if hit:
            reached = 0.0
            bound = generator.random() / scale
            for place in range(n_weights):
                item = np.uint64(order[place])
                if not (rated[item >> np.uint64(3)] >> (item & np.uint64(7))) & np.uint64(1):
                    reached += weights[place]
                    if reached >= bound:
                        negatives[n] = item
                        break
            continue
        mass = 0.0
        for place in own:
            mass += weights[np.uint64(place)]
        unrated = total - mass
        if unrated < 1e-3 * total:
            unrated = 0.0
            for place in range(n_weights):
                item = np.uint64(order[place])
                if not (rated[item >> np.uint64(3)] >> (item & np.uint64(7))) & np.uint64(1):
                    unrated += weights[place]
        if unrated <= 0.0:
            continue
        # Instead of dividing all the others, multiply those of the rated items, which are few.
        factor = unrated * scale
        scale = 1 / unrated
        for place in own:
            at = np.uint64(place)
            old = weights[at]
            new = old * factor
            if new < SMALLEST_WEIGHT:
                new = 0.0
            weights[at] = new
            sums[at >> np.uint64(6)] += new - old
        total = unrated + mass * factor
        while True:
            bound = generator.random() * total
            block = 0
            while block < len(sums) - 1 and sums[block] <= bound:
                bound -= sums[block]
                block += 1
            place = 64 * block
            last = min(place + 64, n_weights) - 1
            while place < last and weights[place] <= bound:
                bound -= weights[place]
                place += 1
            item = np.uint64(order[place])
            if weights[place] > 0.0 and not (
                rated[item >> np.uint64(3)] >> (item & np.uint64(7))
            ) & np.uint64(1):
                negatives[n] = item
                break
    state[0] = scale
    state[1] = cached
