# SPDX-License-Identifier: MIT
"""Draw samples of candidates, to check the computed expectations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.protocols.evaluation import Scorer
from receval.sampled_metrics.weighted_candidates import refuse_without_weight, scored_candidates
from receval.splits.split import Fold
from receval.storage.kernel_cache import njit


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
    """Count the sampled candidates above each relevant item, sample by sample.

    Candidates are all items without a training or relevant test rating of the user; `sampled` of
    them are drawn for each relevant item. With `weights`, of shape (n_all_items,), they are drawn
    in proportion to these with replacement. Without, they are drawn uniformly without replacement,
    and a user with fewer gets all. The counts have shape (samples, n_rows), and are -1 for items
    that are not ranked.
    """
    hits = np.full((samples, len(rows)), -1, dtype=np.int64)
    weighted = np.empty(0) if weights is None else weights
    for users in scored_candidates(system, fold, rows, relevant):
        if weights is not None:
            refuse_without_weight(users, weights, fold.test.users[rows])
        _draw(*users, weighted, priority, sampled, rng, hits)
    return hits


@njit(cache=True)
def _draw(
    scores: NDArray[np.floating],
    candidates: NDArray[np.bool_],
    asked: NDArray[np.int64],
    owners: NDArray[np.int64],
    items: NDArray[np.int64],
    weights: NDArray[np.float64],
    priority: NDArray[np.uint32],
    sampled: int,
    rng: np.random.Generator,
    hits: NDArray[np.int64],
) -> None:
    n_items = scores.shape[1]
    pool = np.empty(n_items, dtype=np.int64)
    bounds = np.empty(n_items, dtype=np.float64)
    for row, own_item, place in zip(owners, items, asked):  # noqa: B905
        score = scores[row, own_item]
        if score != score:
            continue
        size = 0
        total = 0.0
        for item in range(n_items):
            if candidates[row, item]:
                pool[size] = item
                if len(weights):
                    total += weights[item]
                    bounds[size] = total
                size += 1
        for sample in range(hits.shape[0]):
            count = 0
            for drawn in range(sampled if len(weights) else min(sampled, size)):
                if len(weights):
                    point = rng.random() * total
                    chosen = int(np.searchsorted(bounds[:size], point, side="right"))
                    other = pool[min(chosen, size - 1)]
                else:
                    # The first items of a pool, whose shuffling continues from sample to sample.
                    chosen = drawn + int(rng.random() * (size - drawn))
                    pool[drawn], pool[chosen] = pool[chosen], pool[drawn]
                    other = pool[drawn]
                value = scores[row, other]
                if value > score or (value == score and priority[other] < priority[own_item]):
                    count += 1
            hits[sample, place] = count
