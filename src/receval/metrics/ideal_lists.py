# SPDX-License-Identifier: MIT
"""The best lists that nDCG is divided by, where each list has one of its own."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.list_view import NO_CUTOFF, ListView, as_array
from receval.metrics.metric import column, filled
from receval.storage.kernel_cache import njit

Ideal = Literal["cut", "all", "filled", "listed"]


def best_sums(
    lists: ListView,
    cutoffs: tuple[int, ...],
    worth: NDArray[np.float64],
    ideal: Ideal,
    discounts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the discounted gain of the best list in place of each list.

    Parameters
    ----------
    lists : ListView
    cutoffs : tuple of int
        Increasing; ``NO_CUTOFF`` for none.
    worth : ndarray of float64, shape (n_judged,)
        Gains of the judged items, which never grow within a row.
    ideal : {"cut", "all", "filled", "listed"}
        Which judged items the best list holds (:class:`receval.metrics.ndcg.NDCG`).
    discounts : ndarray of float64, shape (n_ranks + 1,)
        By rank, from 1 to that of the longest list or row.

    Returns
    -------
    ndarray of float64, shape (n_cutoffs, n_lists)

    Examples
    --------
    The user has three relevant items; a list that fills two ranks can hold two of them:

    >>> from receval.metrics.judged_items import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0, 0], [4, 5, 9], [1, 1, 1], n_users=1)
    >>> judged = JudgedItems.of(judgments, threshold=1)
    >>> lists = ListView.of(judged, ranks=np.array([2, 0, 0]), lengths=np.array([2]))
    >>> for ideal in ("cut", "filled", "listed"):
    ...     print(best_sums(lists, (3,), np.ones(3), ideal, np.array([0, 1, 0.5, 0.25])).item())
    1.75
    1.5
    1.0
    """
    sums = np.empty((len(cutoffs), lists.n_lists))
    if ideal == "listed":
        _listed_sums(lists.starts, lists.indices, worth, discounts, as_array(cutoffs), sums)
        return sums
    limits = np.full(sums.shape, float(NO_CUTOFF))
    if ideal == "cut":
        limits = np.repeat(column(cutoffs), lists.n_lists, axis=1)
    elif ideal == "filled":
        limits = filled(lists, cutoffs)
    _limited_sums(lists.judged.starts, lists.rows, worth, discounts, limits.astype(np.int64), sums)
    return sums


@njit(cache=True)
def _limited_sums(
    starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    limits: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    for place in range(len(rows)):
        first, end = starts[rows[place]], starts[rows[place] + 1]
        for level in range(len(limits)):
            total = 0.0
            for step in range(min(limits[level, place], end - first)):
                total += worth[first + step] * discounts[step + 1]
            sums[level, place] = total


@njit(cache=True)
def _listed_sums(
    starts: NDArray[np.int64],
    indices: NDArray[np.int32],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    cutoffs: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        first, end = starts[row], starts[row + 1]
        # Judged items stand by descending rating, so that the least index is the best item.
        best = np.sort(indices[first:end])
        for level in range(len(cutoffs)):
            total = 0.0
            for step in range(min(cutoffs[level], end - first)):
                total += worth[best[step]] * discounts[step + 1]
            sums[level, row] = total
