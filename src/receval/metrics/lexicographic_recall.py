# SPDX-License-Identifier: MIT
"""Lexirecall: prefer the list whose lowest relevant items rank higher."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView

_UNRETRIEVED = np.iinfo(np.int64).max


def lexirecall(first: ListView, second: ListView) -> NDArray[np.int8]:
    r"""Return, per user, which list is preferred: the one whose lowest relevant items rank higher.

    With the ranks :math:`p_1 \le \ldots \le p_m` of the m relevant items in one list and
    :math:`q_1 \le \ldots \le q_m` in the other, let k be the largest index with
    :math:`p_k \ne q_k`:

    .. math:: LR(p, q) = \mathrm{sgn}(q_k - p_k), \qquad LR(p, q) = 0
              \text{ if there is no such } k.

    The lowest-ranked relevant item decides; if it has the same rank in both lists, the next one
    above it does, and so on. This is the leximin order, which gives priority to the worst-off.

    Relevant items that are not in a list (not computable, or cut off) count as ranked at its end,
    below all its items, with the same ranks as missing items of the other list. A list with more
    relevant items is therefore preferred to one with fewer.

    Returned is 1 if the first is preferred, -1 if the second is, 0 for ties and for users without
    relevant items. Both must be measured by the same judged items.

    Diaz, Ekstrand and Mitra (2025), "Recall, Robustness, and Lexicographic Evaluation", ACM TORS
    4(1) (arXiv 2302.11370). Items that are not retrieved are treated as in the code that the
    authors released.

    Examples
    --------
    The lowest relevant item has rank 9 in both lists; the next one is higher in the second list:

    >>> from receval.metrics.judged_items import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judged = JudgedItems.of(Judgments.from_pairs([0, 0, 0], [1, 2, 3], [5, 5, 5], 1), 4)
    >>> ten = np.array([10])
    >>> first = ListView.of(judged, np.array([1, 9, 5]), ten)
    >>> second = ListView.of(judged, np.array([9, 3, 4]), ten)
    >>> lexirecall(first, second).tolist()
    [-1]
    """
    owner, one = _lowest_first(first)
    other_owner, other = _lowest_first(second)
    if not np.array_equal(owner, other_owner) or first.n_lists != second.n_lists:
        raise ValueError(
            "The lists are measured with different judged items, so their relevant items cannot "
            "be compared. Measure both systems on the same fold with the same threshold."
        )
    preferences = np.zeros(first.n_lists, dtype=np.int8)
    differ = np.flatnonzero(one != other)
    lists, deciding = np.unique(owner[differ], return_index=True)
    deciding = differ[deciding]
    preferences[lists] = np.where(one[deciding] < other[deciding], 1, -1)
    return preferences


def total_search_efficiency(lists: ListView) -> NDArray[np.float64]:
    r"""Return the exposure of each list's lowest-ranked relevant item.

    .. math:: TSE(p) = e(p_m), \qquad e(k) = 1 / k

    where :math:`p_m` is the rank at which a user has found all m relevant items; 0 if one of them
    is not in the list, or there are none. Lexirecall refines it for any decreasing exposure e: the
    list with the higher efficiency is preferred, and the frequent ties are broken by the relevant
    items above. (Diaz, Ekstrand and Mitra 2025, as for :func:`lexirecall`)

    Examples
    --------
    >>> from receval.metrics.judged_items import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judged = JudgedItems.of(Judgments.from_pairs([0, 0], [1, 2], [5, 5], 1), 4)
    >>> total_search_efficiency(ListView.of(judged, np.array([1, 8]), np.array([10]))).tolist()
    [0.125]
    """
    owner, ranks = _lowest_first(lists)
    with_relevant, lowest = np.unique(owner, return_index=True)
    efficiency = np.zeros(lists.n_lists)
    found = ranks[lowest] < _UNRETRIEVED
    efficiency[with_relevant[found]] = 1.0 / ranks[lowest[found]]
    return efficiency


def _lowest_first(lists: ListView) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the list and the rank of each relevant item, by descending rank within a list."""
    held = lists.list_of[lists.relevant]
    missing = lists.n_relevant - np.bincount(held, minlength=lists.n_lists)
    missing_owner = np.repeat(np.arange(lists.n_lists), missing)
    owner = np.concatenate([missing_owner, held])
    ranks = np.concatenate(
        [np.full(len(missing_owner), _UNRETRIEVED), lists.ranks[lists.relevant].astype(np.int64)]
    )
    order = np.lexsort((-ranks, owner))
    return owner[order], ranks[order]
