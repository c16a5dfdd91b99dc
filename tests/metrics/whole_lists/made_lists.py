# SPDX-License-Identifier: MIT
"""Lists, folds and measured lists made for the tests of metrics of whole lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.data.ratings import summed_matrix
from receval.metrics.whole_lists.list_metric import RecommendedLists
from receval.splits.split import Fold, Judgments
from receval.top_lists import NO_ITEM, TopLists


def made_fold(
    train: Sequence[tuple[int, int]], test: Sequence[tuple[int, int, float]], shape: tuple[int, int]
) -> Fold:
    """Return a fold with training pairs (user, item) and test ratings (user, item, rating)."""
    users, items = np.array(train, dtype=np.int64).reshape(-1, 2).T
    judged = sorted(test)
    return Fold(
        summed_matrix(users, items, np.ones(len(users)), shape),
        Judgments.from_pairs(
            [user for user, _, _ in judged],
            [item for _, item, _ in judged],
            [rating for _, _, rating in judged],
            n_users=shape[0],
        ),
    )


def made_lists(*lists: Sequence[int]) -> TopLists:
    """Return lists of items for the users 0, 1 and so on, with the scores n, n - 1 and so on."""
    n = max(1, *(len(own) for own in lists))
    items = np.full((len(lists), n), NO_ITEM, dtype=np.int32)
    scores = np.full((len(lists), n), np.nan, dtype=np.float32)
    for row, own in enumerate(lists):
        items[row, : len(own)] = own
        scores[row, : len(own)] = n - np.arange(len(own))
    return TopLists(np.arange(len(lists)), items, scores)


def measured(
    *lists: Sequence[int],
    n_items: int = 6,
    train: Sequence[tuple[int, int]] = (),
    test: Sequence[tuple[int, int, float]] = (),
    threshold: float = 1.0,
) -> RecommendedLists:
    """Return lists for users 0, 1 and so on, with all items as candidates."""
    fold = made_fold(train, test, (len(lists), n_items))
    return RecommendedLists(made_lists(*lists), fold, threshold, np.ones(n_items, dtype=bool))
