# SPDX-License-Identifier: MIT
"""Group preference based Bayesian personalised ranking (GBPR)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, NonNegative, OneOf, Positive, Seed
from receval.recommenders.librec.java_random import (
    Grouped,
    JavaRandom,
    JavaSampler,
    librec_factors,
    rated_rows,
    spread,
)
from receval.recommenders.pairwise import BLOCK, PairSampler, SampledPairwiseFactors
from receval.storage.kernel_cache import njit

Tables = tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.floating]]
"""Biases, user factors and item factors."""


@dataclass(eq=False, repr=False)
class GBPR(SampledPairwiseFactors):
    """Factors that rank what a group of users rated above what one of them did not rate.

    ``s(u, i) = b_i + p_u . q_i``. For a user u, an item i rated by u, a group G of u and other
    raters of i, and an item j not rated by u, maximises ``ln sigmoid(x)`` less a penalty, with
    ``x = group_weight mean_{w in G} s(w, i) + (1 - group_weight) s(u, i) - s(u, j)``, by stochastic
    gradient ascent. An epoch draws ``samples_per_user`` times as many such (u, i, G, j) as there
    are users: u and j uniformly, i among u's items, the rest of G among the raters of i. With
    ``g = sigmoid(-x)`` and the old values on the right it steps

    - ``b_i += learning_rate (g - regularisation b_i)``;
    - ``b_j += learning_rate (-g - regularisation b_j)``;
    - ``p_w += learning_rate (g group_weight q_i / |G| - regularisation p_w)`` for w in G, and
      another ``learning_rate g ((1 - group_weight) q_i - q_j)`` for u;
    - ``q_i += learning_rate (g (group_weight mean_{w in G} p_w + (1 - group_weight) p_u) -
      regularisation q_i)``;
    - ``q_j += learning_rate (-g p_u - regularisation q_j)``.

    The paper applies each step at once (``updates="triple"``). LibRec 2.0.0 applies only the steps
    of the biases at once. It computes the steps of the factors from their values at the beginning
    of the epoch, and applies the sum at its end (``updates="epoch"``).

    Factors start normally distributed around 0 with deviation 0.1, biases uniform on [0, 1].

    Parameters
    ----------
    group_weight : float
        At least 0; at most 1 in the paper, where it is called rho, but 1.5 in LibRec's
        configuration.
    group_size : int
        Size of G, at least 1; all raters of i if there are fewer.

    References
    ----------
    Pan and Chen, "GBPR: Group Preference Based Bayesian Personalized Ranking for One-Class
    Collaborative Filtering", IJCAI 2013, equations 3 to 7.
    """

    factors: AtLeastOne = 10
    group_weight: NonNegative = 0.5
    group_size: AtLeastOne = 2
    learning_rate: Positive = 0.01
    regularisation: NonNegative = 0.01
    epochs: AtLeastOne = 100
    samples_per_user: AtLeastOne = 100
    updates: Annotated[str, OneOf("triple", "epoch")] = "triple"
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        draws = self._drawn_by_librec(train) if self.librec_seed is not None else self._drawn(train)
        (biases, users, items), blocks = draws
        exact = users.dtype.type
        n_triples = self._triples_of_epoch(train)
        at_once = self.updates == "triple"
        losses = np.empty(self.epochs)
        for epoch in range(self.epochs):
            total = 0.0
            new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
            for drawn in blocks(n_triples):
                total += _descend(
                    *drawn,
                    biases,
                    users,
                    items,
                    new_users,
                    new_items,
                    exact(self.group_weight),
                    exact(np.float32(self.learning_rate)),
                    exact(np.float32(self.regularisation)),
                )
            users, items = new_users, new_items
            losses[epoch] = total / n_triples
        self._keep(train, biases, users, items, losses)

    def _drawn(self, train: RatingMatrix) -> tuple[Tables, Callable[[int], Iterator[Grouped]]]:
        """Return initial values in single precision, and a function that makes an epoch's draws."""
        generator = np.random.Generator(np.random.PCG64(self.seed))
        start = self._start(train, generator, highest_bias=1.0)
        by_item = train.T.tocsr()
        sampler = PairSampler(train, generator)

        def blocks(n_triples: int) -> Iterator[Grouped]:
            for users, positives, negatives in sampler.blocks(n_triples):
                groups = np.empty((len(users), self.group_size), dtype=np.int32)
                sizes = np.empty(len(users), dtype=np.int32)
                _draw_groups(
                    generator, by_item.indptr, by_item.indices, users, positives, groups, sizes
                )
                yield users, positives, negatives, groups, sizes

        return start, blocks

    def _drawn_by_librec(
        self, train: RatingMatrix
    ) -> tuple[Tables, Callable[[int], Iterator[Grouped]]]:
        """Return the same with LibRec's draws, in double precision."""
        assert self.librec_seed is not None
        java = JavaRandom(self.librec_seed)
        users, items = librec_factors(java, train, self.factors)
        _, of_items = rated_rows(train)
        biases = spread(java.doubles(int(of_items.sum())), of_items)
        sampler = JavaSampler(train, java)

        def blocks(n_triples: int) -> Iterator[Grouped]:
            for first in range(0, n_triples, BLOCK):
                yield sampler.groups(min(BLOCK, n_triples - first), self.group_size)

        return (biases, users, items), blocks


@njit(cache=True)
def _draw_groups(  # type: ignore[no-untyped-def]
    generator, starts, raters, users, positives, groups, sizes
):
    """Write the user and distinct other raters of the positive item, in the order drawn."""
    for n in range(len(users)):
        first = np.int64(starts[np.uint64(positives[n])])
        n_raters = np.int64(starts[np.uint64(positives[n]) + np.uint64(1)]) - first
        group = groups[n]
        group[0] = users[n]
        size = 1
        if n_raters <= len(group):
            for rater in range(first, first + n_raters):
                if raters[rater] != users[n]:
                    group[size] = raters[rater]
                    size += 1
        while size < n_raters and size < len(group):
            drawn = raters[np.uint64(first + np.int64(generator.random() * n_raters))]
            known = False
            for member in range(size):
                known |= group[member] == drawn
            if not known:
                group[size] = drawn
                size += 1
        sizes[n] = size


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    drawn_users,
    positives,
    negatives,
    groups,
    sizes,
    biases,
    users,
    items,
    new_users,
    new_items,
    group_weight,
    learning_rate,
    regularisation,
):
    """Add steps computed from one pair of factor tables to another pair, which may be the same."""
    n_factors = users.shape[1]
    one = users.dtype.type(1)
    # Copies of the rows, so that the compiler knows that steps do not change its inputs.
    mean, old, positive, negative = np.empty((4, n_factors), dtype=users.dtype)
    own_weight = one - group_weight
    shrinkage = learning_rate * regularisation
    loss = 0.0
    for n in range(len(drawn_users)):
        user = np.uint64(drawn_users[n])
        above = np.uint64(positives[n])
        below = np.uint64(negatives[n])
        size = sizes[n]
        for factor in range(n_factors):
            old[factor] = users[user, factor]
            mean[factor] = old[factor]
            positive[factor] = items[above, factor]
            negative[factor] = items[below, factor]
        for member in range(1, size):
            other = np.uint64(groups[n, member])
            for factor in range(n_factors):
                mean[factor] += users[other, factor]
        weight = group_weight / users.dtype.type(size)
        x = biases[above] - biases[below]
        for factor in range(n_factors):
            mean[factor] = weight * mean[factor] + own_weight * old[factor]
            x += mean[factor] * positive[factor] - old[factor] * negative[factor]
        exponential = np.exp(-x)
        pull = one - one / (one + exponential)
        loss += np.log1p(np.float64(exponential)) if pull < one else -np.float64(x)
        bias = biases[above]
        other_bias = biases[below]
        biases[above] += learning_rate * (pull - regularisation * bias)
        biases[below] += learning_rate * (-pull - regularisation * other_bias)
        step = learning_rate * pull
        of_group = step * weight
        of_user = step * (weight + own_weight)
        for factor in range(n_factors):
            gradient = of_user * positive[factor] - step * negative[factor]
            new_users[user, factor] += gradient - shrinkage * old[factor]
        for factor in range(n_factors):
            new_items[above, factor] += step * mean[factor] - shrinkage * positive[factor]
        for factor in range(n_factors):
            new_items[below, factor] -= step * old[factor] + shrinkage * negative[factor]
        for member in range(1, size):
            other = np.uint64(groups[n, member])
            for factor in range(n_factors):
                change = of_group * positive[factor] - shrinkage * users[other, factor]
                new_users[other, factor] += change
    return loss
