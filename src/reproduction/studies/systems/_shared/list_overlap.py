# SPDX-License-Identifier: MIT
"""The items at the top of systems' lists, and how many of them two systems share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender

BLOCK = 1024
"""Users that are scored at a time."""


def top_items(
    model: Recommender, train: RatingMatrix, users: NDArray[np.int64], depth: int
) -> NDArray[np.int32]:
    """Return the best items of some users among all that they have no training rating of.

    Judged ranks, which evaluation lives on, do not say which items a list has. Equal scores are
    ordered by item code here, in evaluation by a random order.

    Examples
    --------
    The user knows item 0, and the system has no score for item 2:

    >>> from scipy.sparse import csr_array
    >>> from receval.recommenders.knn import ItemKNN
    >>> train = csr_array(np.array([[5, 0, 0], [5, 5, 0], [0, 0, 4]], dtype=np.float32))
    >>> top_items(ItemKNN().fit(train), train, np.array([0]), depth=2).tolist()
    [[1, -1]]
    """
    lists = np.full((len(users), depth), -1, dtype=np.int32)
    for start in range(0, len(users), BLOCK):
        block = users[start : start + BLOCK]
        scores = model.score(block)
        rated = train[block]
        scores[np.repeat(np.arange(len(block)), np.diff(rated.indptr)), rated.indices] = np.nan
        # NaN comes last, and a stable order leaves equal scores as they are, by item code.
        np.negative(scores, out=scores)
        n_best = min(depth, scores.shape[1])
        cut = np.partition(scores, n_best - 1, axis=1)[:, n_best - 1]
        # An item at the cut may be one of many; before it there are fewer than the list takes.
        candidates = ~(scores > cut[:, None]) & ~np.isnan(scores)
        rows, items = np.nonzero(candidates)
        order = np.lexsort((scores[rows, items], rows))
        rows, items = rows[order], items[order]
        position = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = position < depth
        lists[start + rows[kept], position[kept]] = items[kept]
    return lists


def overlap(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.float64]:
    r"""Return the share of each list that is also in the other list of the user.

    .. math:: |A \cap B| / \max(|A|, |B|)

    and 1 where both are empty.

    Examples
    --------
    >>> first = np.array([[3, 1, 4], [2, -1, -1], [-1, -1, -1]])
    >>> second = np.array([[4, 5, 3], [2, 6, -1], [-1, -1, -1]])
    >>> overlap(first, second).round(3).tolist()
    [0.667, 0.5, 1.0]
    """
    shared = (first[:, :, None] == second[:, None, :]) & (first >= 0)[:, :, None]
    lengths = np.maximum((first >= 0).sum(axis=1), (second >= 0).sum(axis=1))
    common: NDArray[np.float64] = shared.any(axis=2).sum(axis=1) / np.maximum(lengths, 1)
    return np.where(lengths > 0, common, 1.0)
