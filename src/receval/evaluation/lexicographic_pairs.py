# SPDX-License-Identifier: MIT
"""Lexirecall: of two lists, prefer the one whose lowest relevant items rank higher.

Systems are compared in pairs by the preferences of users and their significance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.evaluation.fitted_systems import ranked_folds
from receval.evaluation.measuring import named_protocols
from receval.metrics.lists import JudgedItems, JudgedLists, ListView
from receval.protocols.protocol import Protocol
from receval.splits.split_ratings import SplitRatings
from receval.statistics.multiple_comparisons import holm
from receval.statistics.paired_tests import sign_test_of_counts
from receval.statistics.pairs import LEVEL, system_pairs

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

    >>> from receval.metrics.lists import JudgedItems
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
    >>> from receval.metrics.lists import JudgedItems
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


def preference_table(
    preferences: NDArray[np.integer], pairs: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    r"""Return how many users prefer each system of a pair, with the sign test.

    Under the null hypothesis, a user with a preference prefers either system with probability one
    half. If w of n such users prefer the first, the two-sided p-value is

    .. math:: p = \min\bigl(1,\; 2 P(B(n, 1/2) \le \min(w, n - w))\bigr).

    This is also the exact permutation test of the mean preference, since swapping the two systems
    of a user changes the sign of a preference and keeps ties.

    Preferences, shape (n_pairs, n_users), are positive if the user prefers the first system,
    negative if the second, 0 for ties. The columns are ``first``, ``second``; ``preferring_first``,
    ``preferring_second`` and ``tied`` users; ``preference``, the mean of the signs, from -1 to 1;
    ``p``; ``p_holm``, corrected for all pairs; and ``significant``, whether ``p_holm`` reaches the
    level .05.

    Examples
    --------
    >>> table = preference_table(np.array([[1, 1, 1, 1, 1, -1, 0]]), [("kNN", "Pop")])
    >>> table[["preferring_first", "tied", "p"]].to_dict("list")
    {'preferring_first': [5], 'tied': [1], 'p': [0.21875]}
    """
    signs = np.sign(preferences)
    wins, losses = (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
    p_values = sign_test_of_counts(wins, losses)
    adjusted = holm(p_values[None])[0]
    return pd.DataFrame(
        {
            "first": [first for first, _ in pairs],
            "second": [second for _, second in pairs],
            "preferring_first": wins,
            "preferring_second": losses,
            "tied": signs.shape[1] - wins - losses,
            "preference": (wins - losses) / signs.shape[1],
            "p": p_values,
            "p_holm": adjusted,
            "significant": adjusted < LEVEL,
        }
    )


@checked_arguments
def compare_by_lexirecall(
    data: SplitRatings,
    systems: Mapping[str, Any],
    *,
    protocol: str | Protocol = "AR AI-AN",
    relevant: float | Literal["auto"] = "auto",
    depth: int | None = None,
) -> pd.DataFrame:
    """Train systems on each fold, and compare each pair of them by lexirecall.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.splits.split_ratings.split`.
    systems : mapping of str to recommender, scorer or array
        At least two, as for :func:`receval.evaluation.systems.evaluate_systems`.
    protocol : str or Protocol
        A protocol with one list per user (AR).
    relevant : float or "auto"
        The lowest rating of a relevant test item.
    depth : int, optional
        Lists are first cut at this depth, and relevant items below it count as ranked last. Most
        pairs then tie or differ only by recall, so whole lists, the default, are most informative.

    Returns
    -------
    DataFrame
        As :func:`preference_table`, over the users with a relevant test item, with the columns
        ``efficiency_first`` and ``efficiency_second``, the systems' mean total search efficiency.
        The preferences of a user are summed over folds.

    Raises
    ------
    ValueError
        There are fewer than two systems, the protocol has several lists per user, or no user has a
        relevant test item.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aabb"), "item": list("xyzw"), "rating": [1] * 4}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> up = np.array([[0, 1, 2, 3], [0, 1, 2, 3]])
    >>> found = compare_by_lexirecall(halves, {"up": up, "down": -up})
    >>> found[["preferring_first", "preferring_second", "tied"]].to_dict("list")
    {'preferring_first': [0], 'preferring_second': [1], 'tied': [1]}
    """
    if len(systems) < 2:
        raise ValueError("Lexirecall compares two or more systems: name at least two.")
    (chosen,) = named_protocols([protocol]).values()
    if chosen.relevant == "1R":
        raise ValueError(
            f"Lexirecall looks at all relevant items of a user in one list, but {chosen.name} has "
            "one list per relevant item. Choose AR."
        )
    threshold = data.relevance(relevant).threshold
    chosen = chosen.with_threshold(threshold)
    names = list(systems)
    first, second = system_pairs(len(names))
    n_users = data.ratings.n_users
    sums = np.zeros((len(first), n_users), dtype=np.int64)
    efficiency, tested = np.zeros(len(names)), np.zeros(n_users, dtype=np.int64)
    for ranked in ranked_folds(data, systems, chosen, threshold):
        judged = JudgedItems.of(ranked.data.test, threshold)
        views = [
            JudgedLists.measured_by(judged, ranked.test[name], chosen).view(depth=depth)
            for name in names
        ]
        sums += [
            lexirecall(views[one], views[other]) for one, other in zip(first, second, strict=True)
        ]
        efficiency += [total_search_efficiency(view).sum() for view in views]
        tested += views[0].n_relevant > 0
    if not tested.any():
        raise ValueError(
            "No user has a relevant test item that is ranked, so nothing can be compared."
        )
    pairs = [(names[one], names[other]) for one, other in zip(first, second, strict=True)]
    table = preference_table(sums[:, tested > 0], pairs)
    means = efficiency / tested.sum()
    return table.assign(efficiency_first=means[first], efficiency_second=means[second])
