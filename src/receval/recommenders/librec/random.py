# SPDX-License-Identifier: MIT
"""LibRec's random recommender: scores drawn one after the other while it recommends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import Seed, Whole
from receval.recommenders.librec.java_random import (
    INCREMENT,
    MASK,
    MULTIPLIER,
    UNIT,
    JavaRandom,
    rated_rows,
)
from receval.recommenders.products import rounded_apart
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class LibRecRandom(Recommender):
    """Scores drawn uniformly from [0, 1) for every user and each item that the user has not rated.

    LibRec draws scores when it needs them, user by user and item by item in the order of its
    numbers, with two steps of ``java.util.Random`` each, and none for the user's rated items. The
    state before each user's scores is computed without drawing those of the users before.

    NaN for all items of users without training ratings, which LibRec does not know, for the user's
    rated items and for items without training ratings.

    Parameters
    ----------
    librec_seed : int
        Seed of ``java.util.Random``.
    seed : int
        Not used; every system has this parameter.

    Attributes
    ----------
    rated_ : csr_array of float32, shape (n_users, n_items)
        The training ratings.
    states_ : ndarray of uint64, shape (n_users,)
        States of the generator before each user's first score.
    """

    librec_seed: Annotated[int, Whole(0)] = 1
    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        of_users, of_items = rated_rows(train)
        asked = np.where(of_users, int(of_items.sum()) - np.diff(train.indptr), 0)
        begin = np.append(0, np.cumsum(asked[:-1]))
        start = int(JavaRandom(self.librec_seed).state[0])
        states = [state_after(start, 2 * number) for number in begin.tolist()]
        self.rated_ = train
        self.states_ = np.array(states, dtype=np.uint64)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        of_users, of_items = rated_rows(self.rated_)
        warm = of_users[users]
        drawn = np.full((int(warm.sum()), scores.shape[1]), np.nan)
        _draw_scores(
            self.states_,
            self.rated_.indptr,
            self.rated_.indices,
            np.flatnonzero(of_items),
            users[warm],
            (MULTIPLIER, INCREMENT, MASK),
            UNIT,
            drawn,
        )
        scores[warm] = rounded_apart(drawn)


def state_after(state: int, steps: int) -> int:
    """Return the state of ``java.util.Random``, 48 bits, after some steps, without doing them.

    Examples
    --------
    >>> java = JavaRandom(1)
    >>> begin = int(java.state[0])
    >>> _ = java.integers(10, 1000)
    >>> state_after(begin, 1000) == int(java.state[0])
    True
    """
    modulus = int(MASK) + 1
    factor, added = 1, 0
    power, offset = int(MULTIPLIER), int(INCREMENT)
    while steps:
        if steps & 1:
            factor, added = factor * power % modulus, (added * power + offset) % modulus
        power, offset = power * power % modulus, (offset * power + offset) % modulus
        steps >>= 1
    return (state * factor + added) % modulus


@njit(cache=True)
def _draw_scores(states, starts, rated, items, users, step, unit, scores):  # type: ignore[no-untyped-def]
    multiplier, increment, mask = step
    for n in range(len(users)):
        state = states[users[n]]
        position, last = starts[users[n]], starts[users[n] + 1]
        for item in items:
            if position < last and rated[position] == item:
                position += 1
                continue
            state = (state * multiplier + increment) & mask
            high = state >> np.uint64(22)
            state = (state * multiplier + increment) & mask
            scores[n, item] = np.float64((high << np.uint64(27)) + (state >> np.uint64(21))) * unit
