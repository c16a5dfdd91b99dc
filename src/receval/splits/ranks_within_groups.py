# SPDX-License-Identifier: MIT
"""Rank ratings within their user or item, at random or in a given order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.storage.kernel_cache import njit


@njit(cache=True)
def ranks_within_groups(
    groups: NDArray[np.int32], order: NDArray[np.int64], n_groups: int
) -> NDArray[np.int32]:
    """Return how many rows of the same group come before each row.

    Parameters
    ----------
    groups : ndarray of int32, shape (n,)
        The group of each row, in ``0..n_groups-1``: its user or its item.
    order : ndarray of int, shape (n,)
        The rows in the order of the ranks, each once.
    n_groups : int
        Number of groups.

    Returns
    -------
    ndarray of int32, shape (n,)
        0 for the first row of a group, 1 for the second, and so on.
    """
    ranks = np.empty(len(groups), dtype=np.int32)
    seen = np.zeros(n_groups, dtype=np.int32)
    for row in order:
        ranks[row] = seen[groups[row]]
        seen[groups[row]] += 1
    return ranks


def random_ranks_within_groups(
    groups: NDArray[np.int32], n_groups: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return each row's rank within its group, from 0, in random order.

    The rows with a rank below k are a uniform sample of k rows per group, without replacement.

    Parameters
    ----------
    groups : ndarray of int32, shape (n,)
        The group of each row, in ``0..n_groups-1``.
    n_groups : int
        Number of groups.
    rng : Generator
        Draws the order.
    """
    order = rng.permutation(np.arange(len(groups), dtype=np.int32))
    ranks: NDArray[np.int32] = ranks_within_groups(groups, order, n_groups)
    return ranks


def ceiling_of_share(counts: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Return ``ceil(share * counts)`` without errors from binary fractions (.55 of 100 is 55)."""
    return np.ceil(np.round(share * counts, 9)).astype(np.int64)
