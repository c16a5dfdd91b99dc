# SPDX-License-Identifier: MIT
"""Compare pairs of systems by lexirecall: user preferences and their significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.evaluation.fitted_systems import ranked_folds
from receval.evaluation.measuring import named_protocols
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lexicographic_recall import lexirecall, total_search_efficiency
from receval.metrics.lists import JudgedLists
from receval.protocols.protocol import Protocol
from receval.splits.split_ratings import SplitRatings
from receval.statistics.multiple_comparisons import holm
from receval.statistics.paired_tests import sign_test_of_counts
from receval.statistics.pairs import LEVEL, system_pairs


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
