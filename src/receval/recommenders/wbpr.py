"""Bayesian personalised ranking with unrated items drawn by popularity."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import choice
from receval.recommenders.pairwise_factors import SampledPairwiseFactors, descend
from receval.recommenders.pairwise_sampling import PairSampler

WEIGHTS = ("popularity", "drifting-popularity")

CACHED_USERS = 200

# Weights below it are taken for 0: they are never drawn, and subnormal numbers are slow.
SMALLEST_WEIGHT = 1e-290

# How many lists are built between two sums from scratch, which end the growth of rounding errors.
REFRESH = 1024

# Weights under one sum: of some thousand items there are about as many sums, and a draw adds up no
# more of either than it must.
SUMMED = 64


class WBPR(SampledPairwiseFactors):
    """Factors that put rated items above unrated but popular ones.

    :class:`receval.recommenders.bprmf.BPRMF` (the score, the objective and the steps are the same)
    with the unrated item of each triple drawn with a probability in proportion to its number of
    ratings: who has not rated a popular item has probably seen and not liked it. An epoch draws
    ``samples_per_user`` times as many triples as there are users, each of a uniformly random user
    and a uniformly random rated item of that user.

    That is ``weights="popularity"``, the paper's. LibRec 2.0.0 rescales the popularities by mistake
    whenever it draws (``weights="drifting-popularity"``): the popular items are soon no longer
    drawn (:class:`receval.recommenders.wbpr.DriftingPopularitySampler`).

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
        Of all factors and biases, at least 0.
    epochs : int
        At least 1.
    samples_per_user : int
        At least 1.
    weights : str
        ``"popularity"`` or ``"drifting-popularity"``.
    seed : int
        Seed of the initial values and of the triples, at least 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(s(u, i) - s(u, j))`` over each epoch, taken before each step; 0 where
        no user has an unrated item.

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
        weights: str = "popularity",
        seed: int = 0,
    ) -> None:
        super().__init__(factors, learning_rate, regularisation, epochs, samples_per_user, seed)
        self.weights = choice(self, "weights", weights, WEIGHTS)

    def _fit(self, train: RatingMatrix) -> None:
        generator = np.random.Generator(np.random.PCG64(self.seed))
        biases, users, items = self._start(train, generator, highest_bias=0.01)
        sampler = (
            DriftingPopularitySampler(train, generator)
            if self.weights == "drifting-popularity"
            else PairSampler(train, generator, negatives="popularity")
        )
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
        indices = np.empty(n_items, dtype=np.int32)
        indices[order] = np.arange(len(order))
        self._indices = indices[train.indices]
        # A ring of the cached users, the least recently drawn first, through indices before and
        # after; its last index is the head.
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
            self._indices,
            self._bits,
            self._ring,
            self._state,
            users,
            drawn,
        )
        return drawn


@njit(cache=True)
def _draw_drifting(  # type: ignore[no-untyped-def]
    generator, weights, order, starts, indices, bits, ring, state, users, negatives
):
    n_weights = len(weights)
    head = ring.shape[1] - 1
    before, after = ring
    sums = np.empty((n_weights + SUMMED - 1) // SUMMED)
    scale, cached = state
    total = 0.0
    age = REFRESH
    for n in range(len(users)):
        if age == REFRESH:
            age = 0
            for block in range(len(sums)):
                sums[block] = np.sum(weights[SUMMED * block : SUMMED * block + SUMMED])
            total = np.sum(sums)
        age += 1
        user = users[n]
        own = indices[starts[user] : starts[user + 1]]
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
            for index in range(n_weights):
                item = np.uint64(order[index])
                if not (rated[item >> np.uint64(3)] >> (item & np.uint64(7))) & np.uint64(1):
                    reached += weights[index]
                    if reached >= bound:
                        negatives[n] = item
                        break
            continue
        mass = 0.0
        for index in own:
            mass += weights[np.uint64(index)]
        unrated = total - mass
        if unrated < 1e-3 * total:
            unrated = 0.0
            for index in range(n_weights):
                item = np.uint64(order[index])
                if not (rated[item >> np.uint64(3)] >> (item & np.uint64(7))) & np.uint64(1):
                    unrated += weights[index]
        if unrated <= 0.0:
            continue
        # Instead of dividing all the others, multiply those of the rated items, which are few.
        factor = unrated * scale
        scale = 1 / unrated
        for index in own:
            at = np.uint64(index)
            old = weights[at]
            new = old * factor
            if new < SMALLEST_WEIGHT:
                new = 0.0
            weights[at] = new
            sums[at // np.uint64(SUMMED)] += new - old
        total = unrated + mass * factor
        while True:
            bound = generator.random() * total
            block = 0
            while block < len(sums) - 1 and sums[block] <= bound:
                bound -= sums[block]
                block += 1
            index = SUMMED * block
            last = min(index + SUMMED, n_weights) - 1
            while index < last and weights[index] <= bound:
                bound -= weights[index]
                index += 1
            item = np.uint64(order[index])
            if weights[index] > 0.0 and not (
                rated[item >> np.uint64(3)] >> (item & np.uint64(7))
            ) & np.uint64(1):
                negatives[n] = item
                break
    state[0] = scale
    state[1] = cached
