"""Ranking as every library needs it after scoring: each user's best unrated items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

LENGTH = 100
BLOCK = 256


def top_lists(scores: NDArray[np.floating], train: csr_matrix) -> NDArray[np.int64]:
    """Return the 100 unrated items with the highest scores, the best first.

    Ours and the peers' scores go through it alike, so that all are timed to the ranked list.

    Parameters
    ----------
    scores : ndarray of float, shape (n_users, n_items)
        NaN where there is no score; left as they are.
    train : csr_matrix or csr_array, shape (n_users, n_items)
        The training ratings of these users.

    Returns
    -------
    ndarray of int64, shape (n_users, 100)
    """
    lists = np.empty((len(scores), LENGTH), dtype=np.int64)
    for first in range(0, len(scores), BLOCK):
        last = min(first + BLOCK, len(scores))
        costs = -scores[first:last]
        rated = slice(train.indptr[first], train.indptr[last])
        owners = np.repeat(np.arange(last - first), np.diff(train.indptr[first : last + 1]))
        costs[owners, train.indices[rated]] = np.inf
        costs[np.isnan(costs)] = np.inf
        best = np.argpartition(costs, LENGTH, axis=1)[:, :LENGTH]
        order = np.argsort(np.take_along_axis(costs, best, axis=1), axis=1)
        lists[first:last] = np.take_along_axis(best, order, axis=1)
    return lists
