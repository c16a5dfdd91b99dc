# SPDX-License-Identifier: MIT
"""Samples of candidates that are drawn, to check what is expected of them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.protocols.evaluation import Scorer
from receval.splits.split import Fold

_USERS = 512
"""Scored at a time."""


def simulated_hits(
    system: Scorer,
    fold: Fold,
    rows: NDArray[np.int64],
    relevant: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    sampled: int,
    samples: int,
    rng: np.random.Generator,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Return how many of the sampled candidates are above each relevant item, sample by sample.

    Parameters
    ----------
    system : Scorer
        A fitted system.
    fold : Fold
        Candidates are all items but those of the user's training ratings and relevant test ratings.
    rows : ndarray of int64, shape (n_items,)
        Which of the fold's test ratings are asked for, in ascending order.
    relevant : ndarray of bool, shape (n_judgments,)
    priority : ndarray of uint32, shape (n_all_items,)
        Among equal scores the smaller ranks higher.
    sampled : int
        Candidates of each relevant item; with no weights, all of a user who has fewer.
    samples : int
        How often they are drawn.
    rng : Generator
    weights : ndarray of float64, shape (n_all_items,), optional
        Candidates are drawn in proportion to these and with replacement; without them, all alike
        and without replacement.

    Returns
    -------
    ndarray of int64, shape (samples, n_items)
        -1 where the item is not ranked.

    Examples
    --------
    Item 2 is relevant; one of the two other candidates is above it:

    >>> from receval.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> class Falling:
    ...     def score(self, users):
    ...         return np.tile(np.float32([4, 3, 2, 1]), (len(users), 1))
    >>> fold = Fold(summed_matrix([0], [0], [1], (1, 4)), Judgments.from_pairs([0], [2], [5], 1))
    >>> hits = simulated_hits(
    ...     Falling(), fold, np.array([0]), np.array([True]), np.arange(4, dtype=np.uint32),
    ...     sampled=1, samples=4000, rng=np.random.default_rng(1)
    ... )
    >>> hits.mean().round(1), hits.max()
    (np.float64(0.5), np.int64(1))
    """
    owners = fold.test.users[rows].astype(np.int64)
    hits = np.full((samples, len(rows)), -1, dtype=np.int64)
    everybody = np.unique(owners)
    for start in range(0, len(everybody), _USERS):
        users = everybody[start : start + _USERS].astype(np.int64)
        asked = np.arange(*np.searchsorted(owners, [users[0], users[-1] + 1]))
        _draw(
            np.asarray(system.score(users), dtype=np.float32),
            np.searchsorted(users, owners[asked]),
            users,
            fold.train.indptr.astype(np.int64),
            fold.train.indices.astype(np.int32),
            fold.test.indptr.astype(np.int64),
            fold.test.items.astype(np.int32),
            relevant,
            np.empty(0) if weights is None else weights,
            priority,
            asked,
            rows,
            sampled,
            rng,
            hits,
        )
    return hits


@njit(cache=True)
def _draw(
    scores: NDArray[np.float32],
    score_rows: NDArray[np.int64],
    users: NDArray[np.int64],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    test_indptr: NDArray[np.int64],
    test_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    weights: NDArray[np.float64],
    priority: NDArray[np.uint32],
    asked: NDArray[np.int64],
    rows: NDArray[np.int64],
    sampled: int,
    rng: np.random.Generator,
    hits: NDArray[np.int64],
) -> None:
    n_items = scores.shape[1]
    is_open = np.ones(n_items, dtype=np.bool_)
    pool = np.empty(n_items, dtype=np.int64)
    bounds = np.empty(n_items, dtype=np.float64)
    for number in range(len(asked)):
        row = score_rows[number]
        user = users[row]
        is_open[:] = True
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            is_open[train_items[entry]] = False
        for entry in range(test_indptr[user], test_indptr[user + 1]):
            if relevant[entry]:
                is_open[test_items[entry]] = False
        own_item = test_items[rows[asked[number]]]
        score = scores[row, own_item]
        if score != score:
            continue
        size = 0
        total = 0.0
        for item in range(n_items):
            if is_open[item]:
                pool[size] = item
                if len(weights):
                    total += weights[item]
                    bounds[size] = total
                size += 1
        for sample in range(hits.shape[0]):
            count = 0
            if len(weights):
                for _ in range(sampled):
                    point = rng.random() * total
                    place = int(np.searchsorted(bounds[:size], point, side="right"))
                    other = pool[min(place, size - 1)]
                    value = scores[row, other]
                    if value > score or (value == score and priority[other] < priority[own_item]):
                        count += 1
            else:
                # The first of a shuffled pool, which goes on from where the last sample left it.
                for drawn in range(min(sampled, size)):
                    place = drawn + int(rng.random() * (size - drawn))
                    pool[drawn], pool[place] = pool[place], pool[drawn]
                    other = pool[drawn]
                    value = scores[row, other]
                    if value > score or (value == score and priority[other] < priority[own_item]):
                        count += 1
            hits[sample, asked[number]] = count
