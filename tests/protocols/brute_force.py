# SPDX-License-Identifier: MIT
"""Judged ranks straight from the definition: form the candidates, sort them, look them up."""

from __future__ import annotations

import numpy as np

from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments


class Scores:
    """A system whose scores are a given matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.matrix = np.asarray(matrix, dtype=np.float32)

    def score(self, users: np.ndarray) -> np.ndarray:
        return self.matrix[users]


def sorted_list(
    scores: np.ndarray,
    candidates: set[int],
    priority: np.ndarray,
    fallback: np.ndarray | None = None,
) -> list[int]:
    computable = [item for item in candidates if not np.isnan(scores[item])]
    ranking = sorted(computable, key=lambda item: (-scores[item], priority[item]))
    if fallback is None:
        return ranking
    others = candidates - set(ranking)
    return ranking + sorted(others, key=lambda item: (-fallback[item], priority[item]))


def rank_by_sorting(
    scores: np.ndarray,
    fold: Fold,
    judgments: Judgments,
    protocol: Protocol,
    priority: np.ndarray,
    samples: dict[int, list[int]] | None = None,
    fallback: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (ranks, lengths) under a protocol; ``samples`` gives N_u of each user under NN.

    ``fallback`` has one row a user: scores that order the items without a score behind the others.
    """
    n_items = fold.train.shape[1]
    base = {
        "AI": set(range(n_items)),
        "TI": set(judgments.items.tolist()),
        "train": set(fold.train.indices.tolist()),
        "rated": {*judgments.items.tolist(), *fold.train.indices.tolist()},
    }[protocol.candidates]
    ranks = np.zeros(len(judgments), dtype=int)
    lengths = np.zeros(judgments.n_users, dtype=int)
    for user in range(judgments.n_users):
        rows = range(judgments.indptr[user], judgments.indptr[user + 1])
        if not len(rows):
            continue
        behind = None if fallback is None else fallback[user]
        train = set(fold.train.indices[fold.train.indptr[user] : fold.train.indptr[user + 1]])
        if protocol.candidates == "train" and not train:
            continue
        allowed = base - {int(item) for item in train}
        threshold = protocol.threshold if protocol.threshold is not None else np.inf
        relevant = {int(judgments.items[row]) for row in rows if judgments.values[row] >= threshold}
        others = allowed - relevant
        if protocol.sampled is not None:
            others = set((samples or {})[user][: protocol.sampled])
        if protocol.relevant == "AR":
            ranking = sorted_list(scores[user], others | (relevant & allowed), priority, behind)
            lengths[user] = len(ranking)
            for row in rows:
                if judgments.items[row] in ranking:
                    ranks[row] = 1 + ranking.index(judgments.items[row])
        else:
            lengths[user] = len(sorted_list(scores[user], others, priority, behind))
            for row in rows:
                item = int(judgments.items[row])
                if item not in relevant or item not in allowed:
                    continue
                ranking = sorted_list(scores[user], others | {item}, priority, behind)
                if item in ranking:
                    ranks[row] = 1 + ranking.index(item)
    return ranks, lengths
