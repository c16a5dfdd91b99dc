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


def sorted_list(scores: np.ndarray, candidates: set[int], priority: np.ndarray) -> list[int]:
    computable = [item for item in candidates if not np.isnan(scores[item])]
    return sorted(computable, key=lambda item: (-scores[item], priority[item]))


def rank_by_sorting(
    scores: np.ndarray,
    fold: Fold,
    judgments: Judgments,
    protocol: Protocol,
    priority: np.ndarray,
    samples: dict[int, list[int]] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (ranks, lengths) under a protocol; ``samples`` gives N_u of each user under NN."""
    n_items = fold.train.shape[1]
    base = {
        "AI": set(range(n_items)),
        "TI": set(judgments.items.tolist()),
        "train": set(fold.train.indices.tolist()),
    }[protocol.candidates]
    ranks = np.zeros(len(judgments), dtype=int)
    lengths = np.zeros(judgments.n_users, dtype=int)
    for user in range(judgments.n_users):
        rows = range(judgments.indptr[user], judgments.indptr[user + 1])
        if not len(rows):
            continue
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
            ranking = sorted_list(scores[user], others | (relevant & allowed), priority)
            lengths[user] = len(ranking)
            for row in rows:
                if judgments.items[row] in ranking:
                    ranks[row] = 1 + ranking.index(judgments.items[row])
        else:
            lengths[user] = len(sorted_list(scores[user], others, priority))
            for row in rows:
                item = int(judgments.items[row])
                if item not in relevant or item not in allowed:
                    continue
                ranking = sorted_list(scores[user], others | {item}, priority)
                if item in ranking:
                    ranks[row] = 1 + ranking.index(item)
    return ranks, lengths
