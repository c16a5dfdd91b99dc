# SPDX-License-Identifier: MIT
"""Random folds with every special case, and what systems get on them."""

from __future__ import annotations

import numpy as np
from protocols.brute_force import Scores
from scipy.sparse import csr_array

from receval.metrics.lists import JudgedLists
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold, Judgments

THRESHOLD = 4.0


def fold_of(train: list[tuple[int, int]], test: list[tuple[int, int, float]], shape: tuple) -> Fold:
    """Return a fold from pairs that train (all positive) and ratings that test."""
    users, items = zip(*train, strict=True) if train else ((), ())
    values = np.full(len(train), 5, dtype=np.float32)
    matrix = csr_array((values, (np.array(users, int), np.array(items, int))), shape=shape)
    matrix.sort_indices()
    columns = zip(*test, strict=True) if test else ((), (), ())
    return Fold(train=matrix, test=Judgments.from_pairs(*columns, shape[0]))


def random_fold(seed: int, n_users: int = 8, n_items: int = 23) -> Fold:
    """Return a fold with users without test or training ratings, and test items in train."""
    rng = np.random.default_rng(seed)
    use = rng.choice(3, size=(n_users, n_items), p=[0.45, 0.25, 0.3])
    use[0][use[0] == 2] = 0  # nothing judged
    use[1][use[1] == 1] = 0  # nothing in train
    use[2] = 1  # everything in train
    train = np.argwhere(use == 1)
    again = train[rng.random(len(train)) < 0.1]
    test = np.concatenate([np.argwhere(use == 2), again])
    values = rng.integers(1, 6, size=len(test))
    ratings = [(int(u), int(i), float(v)) for (u, i), v in zip(test, values, strict=True)]
    return fold_of([(int(u), int(i)) for u, i in train], ratings, (n_users, n_items))


def random_scores(seed: int, fold: Fold, *, computable: bool = True) -> np.ndarray:
    """Return scores that are drawn independently; some are NaN where not all are computable."""
    rng = np.random.default_rng([seed, 1])
    scores = rng.normal(size=fold.train.shape)
    return scores if computable else np.where(rng.random(scores.shape) < 0.15, np.nan, scores)


def lists_of(
    fold: Fold, scores: np.ndarray, *protocols: Protocol, seed: int = 5
) -> list[JudgedLists]:
    """Rank the test items under some protocols."""

    def seeded(*names: str | int) -> np.random.Generator:
        return generator(seed, "dataset", *names)

    outcomes = rank_judged(Scores(scores), fold, protocols, seeded)
    return [
        JudgedLists.of(fold.test, outcome, THRESHOLD, protocol)
        for protocol, outcome in zip(protocols, outcomes, strict=True)
    ]
