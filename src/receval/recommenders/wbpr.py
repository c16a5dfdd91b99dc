# SPDX-License-Identifier: MIT
"""Weighted Bayesian personalised ranking (WBPR): unrated items are drawn by popularity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, NonNegative, Positive, Seed
from receval.recommenders.librec.java_random import (
    JavaRandom,
    JavaSampler,
    librec_factors,
    rated_rows,
    spread,
)
from receval.recommenders.pairwise import (
    BLOCK,
    PairSampler,
    SampledPairwiseFactors,
    Triples,
    descend,
)
from receval.storage.kernel_cache import njit

HIGHEST_BIAS = 0.01

# How LibRec draws unrated items.
SEGMENTS, USERS_OF_SEGMENT = 4, 50

# Smaller weights count as 0: they are never drawn, and subnormal numbers are slow.
SMALLEST_WEIGHT = 1e-290

# The common factor of all weights decreases with every list. Below this value, the weights are
# rescaled before they become too small.
LARGEST_SCALE = 1e200

# Number of lists between two recomputations of the sums, which limit the rounding errors.
REFRESH = 1024

# Weights per partial sum: with some thousand items, there are about as many partial sums, so that a
# draw adds up few numbers of either kind.
SUMMED = 64


@dataclass(eq=False, repr=False)
class WBPR(SampledPairwiseFactors):
    """Factors fitted to rank rated items above unrated popular ones.

    :class:`receval.recommenders.bprmf.BPRMF` (the score, the objective and the steps are the same)
    where the unrated item of each triple is drawn in proportion to its number of ratings: a user
    who has not rated a popular item has probably seen it and not liked it. An epoch draws
    ``samples_per_user`` times as many triples as there are users, each of a uniformly random user
    and a uniformly random rated item of that user.

    By mistake, LibRec 2.0.0 rescales the popularities with every draw, so that popular items are
    soon no longer drawn; use ``librec_seed`` to reproduce it
    (:class:`DriftingPopularitySampler`).

    Factors start normally distributed around 0 with deviation 0.1, biases uniform on [0, 0.01].

    References
    ----------
    Gantner, Drumond, Freudenthaler and Schmidt-Thieme, "Personalized Ranking for Non-Uniformly
    Sampled Items", KDD Cup 2011 workshop (JMLR proceedings 18, 2012).
    """

    factors: AtLeastOne = 128
    learning_rate: Positive = 0.01
    regularisation: NonNegative = 0.01
    epochs: AtLeastOne = 20
    samples_per_user: AtLeastOne = 100
    seed: Seed = 0
    librec_seed: LibRecSeed = None

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
                *[self.regularisation] * 4,
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


class DriftingPopularitySampler:
    """The draws of LibRec 2.0.0's WBPR: uniform users, and unrated items by drifting weights.

    Each item has one weight, initially its number of training ratings. When a user is drawn whose
    list is not cached, LibRec lists the items that the user has not rated, and divides their
    weights by their sum. By mistake, it changes the weights that all users share, and not a copy.
    Weights of often rated items therefore decrease relative to the others with every draw. The
    weights of a cached user's list may no longer sum to 1. A random number in [0, 1) is compared
    with the cumulative sum in the order of descending initial weight; if the sum stays below it,
    the first item with training ratings is taken.

    The cache holds 200 users in four segments of 50, each of which removes the least recently used
    user. A hash of the user's number selects the segment (Guava 20, ``LocalCache``).

    ``weights`` has the current weights of the rated items up to a common factor, in the order of
    descending initial weight.
    """

    def __init__(self, train: RatingMatrix, java: JavaRandom) -> None:
        self._sampler = JavaSampler(train, java)
        n_users, n_items = train.shape
        counts = np.bincount(train.indices, minlength=n_items)
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        self.weights = counts[order].astype(np.float64)
        self._order = order.astype(np.int32)
        self._way_out = int(order.min())
        indices = np.empty(n_items, dtype=np.int32)
        indices[order] = np.arange(len(order))
        # The items of each user in that order.
        owners = np.repeat(np.arange(n_users), np.diff(train.indptr))
        own = indices[train.indices]
        self._own = own[np.lexsort((own, owners))]
        self._starts = train.indptr
        # LibRec only numbers users with ratings.
        numbers = np.cumsum(np.diff(train.indptr) > 0) - 1
        self._segments = cache_segments(numbers)
        # The cached users as linked rings of indices, least recently used first; the last indices
        # are the heads of the rings.
        self._ring = np.full((2, n_users + SEGMENTS), -1, dtype=np.int32)
        self._ring[:, n_users:] = np.arange(n_users, n_users + SEGMENTS)
        self._cached = np.zeros(SEGMENTS, dtype=np.int64)
        self._scale = np.ones(1)

    def blocks(self, n_pairs: int) -> Triples:
        """Draw pairs in blocks: users, each with a rated item and another item.

        The other item is unrated, except if LibRec falls back to the first item. Further calls
        continue the sequence.
        """
        for first in range(0, n_pairs, BLOCK):
            users, positives, shares = self._sampler.rated(min(BLOCK, n_pairs - first))
            drawn = np.full(len(users), self._way_out, dtype=np.int32)
            _draw_drifting(
                self.weights,
                self._order,
                self._starts,
                self._own,
                self._segments,
                self._ring,
                self._cached,
                self._scale,
                users,
                shares,
                drawn,
            )
            yield users, positives, drawn


def cache_segments(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the segment, 0 to 3, in which a Guava cache keeps each integer key.

    Integers are their own hashes in Java. Guava 20, ``LocalCache.rehash`` (a variant of Wang and
    Jenkins' hash) and ``segmentFor``.
    """
    word = np.uint64(0xFFFFFFFF)

    def shifted(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        return (hashes << np.uint64(bits)) & word

    hashes = numbers.astype(np.uint64) & word
    hashes = (hashes + (shifted(hashes, 15) ^ np.uint64(0xFFFFCD7D))) & word
    hashes ^= hashes >> np.uint64(10)
    hashes = (hashes + shifted(hashes, 3)) & word
    hashes ^= hashes >> np.uint64(6)
    hashes = (hashes + shifted(hashes, 2) + shifted(hashes, 14)) & word
    hashes ^= hashes >> np.uint64(16)
    return (hashes >> np.uint64(30)).astype(np.int64)


@njit(cache=True)
def _draw_drifting(  # type: ignore[no-untyped-def]
    weights, order, starts, own_of_users, segments, ring, cached, scales, users, shares, negatives
):
    n_weights = len(weights)
    n_users = ring.shape[1] - len(cached)
    before, after = ring
    sums = np.empty((n_weights + SUMMED - 1) // SUMMED)
    # The largest value of each sum since it was last recomputed, which determines the size of its
    # rounding errors.
    highest = np.empty(len(sums))
    masses = np.zeros(len(sums))
    is_own = np.zeros(n_weights, dtype=np.bool_)
    # Unsigned positions avoid numba's check for negative indices.
    summed = np.uint64(SUMMED)
    scale = scales[0]
    age = REFRESH
    for n in range(len(users)):
        if age == REFRESH:
            age = 0
            if scale > LARGEST_SCALE:
                for index in range(n_weights):
                    weights[index] *= scale
                scale = 1.0
            for block in range(len(sums)):
                sums[block] = np.sum(weights[SUMMED * block : SUMMED * block + SUMMED])
                highest[block] = sums[block]
        age += 1
        user = users[n]
        segment = segments[user]
        head = n_users + segment
        own = own_of_users[starts[user] : starts[user + 1]]
        known = before[user] >= 0
        if known:
            before[after[user]] = before[user]
            after[before[user]] = after[user]
        elif cached[segment] == USERS_OF_SEGMENT:
            oldest = after[head]
            after[head] = after[oldest]
            before[after[oldest]] = head
            before[oldest] = -1
        else:
            cached[segment] += 1
        before[user] = before[head]
        after[user] = head
        after[before[head]] = user
        before[head] = user
        # The part of each sum that belongs to the user's own items. Loops over them do not stop at
        # the end of each block, which a processor cannot predict.
        masses[:] = 0.0
        for item in own:
            place = np.uint64(item)
            is_own[place] = True
            masses[place // summed] += weights[place]
        if not known:
            unrated = 0.0
            for block in range(len(sums)):
                unrated += sums[block] - masses[block]
            if unrated < 1e-3 * np.sum(sums):
                unrated = _sum_without(weights, is_own, 0, n_weights)
            if unrated > 0.0:
                # Instead of dividing all others, multiply the weights of the user's few items.
                factor = unrated * scale
                scale = 1 / unrated
                masses[:] = 0.0
                for item in own:
                    place = np.uint64(item)
                    own_block = place // summed
                    old = weights[place]
                    new = old * factor if old * factor >= SMALLEST_WEIGHT else 0.0
                    weights[place] = new
                    masses[own_block] += new
                    total = sums[own_block] + (new - old)
                    if total > highest[own_block]:
                        highest[own_block] = total
                    elif total < 1e-3 * highest[own_block]:
                        start = SUMMED * np.int64(own_block)
                        total = np.sum(weights[start : start + SUMMED])
                        highest[own_block] = total
                    sums[own_block] = total
        bound = shares[n] / scale
        reached = 0.0
        for block in range(len(sums)):
            first, last = SUMMED * block, min(SUMMED * block + SUMMED, n_weights)
            rest = sums[block] - masses[block]
            if masses[block] > 0.999 * sums[block]:
                rest = _sum_without(weights, is_own, first, last)
            if reached + rest < bound and block < len(sums) - 1:
                reached += rest
                continue
            for index in range(first, last):
                weight = 0.0 if is_own[index] else weights[index]
                reached += weight
                if weight > 0.0 and reached >= bound:
                    negatives[n] = order[index]
                    break
            else:
                continue
            break
        for item in own:
            is_own[np.uint64(item)] = False
    scales[0] = scale


@njit(cache=True)
def _sum_without(weights, is_own, first, last):  # type: ignore[no-untyped-def]
    """Sum the weights from first to last, except those of the user's own items."""
    total = 0.0
    for index in range(first, last):
        total += 0.0 if is_own[index] else weights[index]
    return total
