# SPDX-License-Identifier: MIT
"""Measure how much of a split trains on ratings from the future of the test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.splits.split import KNOWN_BEFORE, TEST, Split
from receval.splits.split_ratings import SplitRatings
from receval.splits.temporal import SECONDS_OF_A_DAY

LEAKAGE_SCOPES = ("anybody", "same user", "same item")
"""Whose training ratings are considered."""


@dataclass(frozen=True)
class Leakage:
    """The share of test interactions with training data from their future.

    The table has one row per fold and scope. A test interaction is *affected* if a training rating
    of the scope has a later timestamp; one of the same second does not count.

    - ``fold``, ``scope`` (one of `LEAKAGE_SCOPES`)
    - ``test_interactions``, ``test_users``: their numbers
    - ``interactions``: share of the test interactions that are affected
    - ``users``: share of the test users with at least one affected interaction
    - ``median_share``: over the test interactions with training ratings in the scope, the
      median share of these that lie in the future; NaN if there are none
    - ``median_days``: over the affected interactions, the median number of days to the latest
      of these training ratings; NaN if there are none

    Examples
    --------
    See :func:`future_in_train`.
    """

    table: pd.DataFrame

    @property
    def shares(self) -> dict[str, float]:
        """Share of affected test interactions by scope, over all folds."""
        weighted = self.table["interactions"] * self.table["test_interactions"]
        sums = weighted.groupby(self.table["scope"]).sum()
        counts = self.table.groupby("scope")["test_interactions"].sum()
        return {scope: float(sums[scope] / counts[scope]) for scope in LEAKAGE_SCOPES}

    def __str__(self) -> str:
        return self.table.round(4).to_string(index=False)


def future_in_train(ratings: Ratings, split: Split) -> Leakage:
    r"""Count the test interactions for which some training rating lies in the future.

    Let :math:`T_s(u, i)` be the training ratings of a scope: those of all users, of user u, or of
    item i. Those that are folded in for held-out users count, too. A test interaction of u with i
    at time t is affected if

    .. math:: \exists\, (u', i', t') \in T_s(u, i) : t' > t.

    A system that trains on such ratings knows what nobody could have known at t: which items became
    popular, what the user did next, who else liked the item. A split of the kind ``temporal`` with
    the scope ``all`` has no leakage, and ``leave-last-out`` has none in the scope of the same user.

    Ji, Sun, Zhang and Li (2023), "A critical study on data leakage in recommender system offline
    evaluation", ACM TOIS 41(3); Meng, McCreadie, Macdonald and Ounis (2020), "Exploring data
    splitting strategies for the evaluation of recommendation models", RecSys.

    Examples
    --------
    Ann's test rating lies between her two training ratings, and before Bob's of the same item:

    >>> ratings = Ratings(
    ...     users=np.array([0, 0, 0, 1], dtype=np.int32),
    ...     items=np.array([0, 1, 2, 1], dtype=np.int32),
    ...     values=np.ones(4, dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film", "song"]),
    ...     timestamps=np.array([0, 86_400, 172_800, 345_600]),
    ... )
    >>> from receval.splits.split import TRAIN
    >>> split = Split((np.array([TRAIN, TEST, TRAIN, TRAIN], dtype=np.uint8),))
    >>> found = future_in_train(ratings, split)
    >>> found.shares
    {'anybody': 1.0, 'same user': 1.0, 'same item': 1.0}
    >>> found.table[["scope", "median_share", "median_days"]].round(2).to_dict("list")
    {'scope': ['anybody', 'same user', 'same item'], 'median_share': [0.67, 0.5, 1.0],
     'median_days': [3.0, 1.0, 3.0]}
    """
    return futures_in_train(ratings, [split])[0]


def futures_in_train(ratings: Ratings, splits: Sequence[Split]) -> list[Leakage]:
    """Apply :func:`future_in_train` to several splits of the same ratings, sorted only once.

    Examples
    --------
    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.ones(3, dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ...     timestamps=np.array([0, 1, 2]),
    ... )
    >>> first, last = (Split((np.array(codes, np.uint8),)) for codes in ([2, 1, 1], [1, 1, 2]))
    >>> [found.shares["anybody"] for found in futures_in_train(ratings, [first, last])]
    [1.0, 0.0]
    """
    if ratings.timestamps is None:
        raise ValueError(
            "Leakage cannot be measured without timestamps: they show whether training data are "
            "from the future of a test. Read the ratings with timestamp=..."
        )
    for split in splits:
        split.check_table(ratings)
        for number, codes in enumerate(split.codes):
            if not (codes & TEST).any():
                raise ValueError(
                    f"Fold {number} has no test rating, so there is no leakage to measure."
                )
    by_time = np.argsort(ratings.timestamps, kind="stable")
    groups = (None, ratings.users, ratings.items)
    rows: list[list[dict[str, Any]]] = [[] for _ in splits]
    for scope, group in zip(LEAKAGE_SCOPES, groups, strict=True):
        ordered = _GroupsInTime.of(ratings, group, by_time)
        for found, split in zip(rows, splits, strict=True):
            for number, codes in enumerate(split.codes):
                found.append({"fold": number, "scope": scope} | ordered.row(codes))
    return [Leakage(pd.DataFrame(sorted(own, key=lambda row: row["fold"]))) for own in rows]


@dataclass(frozen=True)
class _GroupsInTime:
    """Ratings sorted by group and, within each group, by time.

    Each position has the user and the time of its rating, the begin and end of its group, and the
    end of the ratings with the same group and time.
    """

    order: NDArray[np.int64]
    users: NDArray[np.int32]
    times: NDArray[np.integer] | NDArray[np.float64]
    group_start: NDArray[np.int32]
    group_end: NDArray[np.int32]
    moment_end: NDArray[np.int32]

    @classmethod
    def of(
        cls, ratings: Ratings, group: NDArray[np.int32] | None, by_time: NDArray[np.int64]
    ) -> _GroupsInTime:
        """Sort ratings by group; None puts all into one group."""
        assert ratings.timestamps is not None
        order = by_time
        is_first = np.zeros(len(ratings), dtype=np.bool_)
        is_first[:1] = True
        if group is not None:
            order = by_time[np.argsort(group[by_time], kind="stable")]
            own = group[order]
            is_first[1:] = own[1:] != own[:-1]
        times = ratings.timestamps[order]
        is_other_moment = is_first.copy()
        is_other_moment[1:] |= times[1:] != times[:-1]
        start, group_end = _ends(is_first)
        return cls(order, ratings.users[order], times, start, group_end, _ends(is_other_moment)[1])

    def row(self, codes: NDArray[np.uint8]) -> dict[str, Any]:
        """Return the counts of a fold."""
        own = codes[self.order]
        trains = (own & KNOWN_BEFORE) > 0
        before = np.concatenate([[0], np.cumsum(trains)])
        tests = np.flatnonzero(own & TEST)
        end = self.group_end[tests]
        n_train = before[end] - before[self.group_start[tests]]
        later = before[end] - before[self.moment_end[tests]]
        affected = later > 0
        last_train = np.maximum.accumulate(np.where(trains, np.arange(len(own)), -1))
        latest = self.times[last_train[end[affected] - 1]].astype(np.float64)
        ahead = latest - self.times[tests[affected]]
        share = (later / np.maximum(n_train, 1))[n_train > 0]
        users = self.users[tests]
        n_users = int(users.max()) + 1
        test_users = np.bincount(users, minlength=n_users) > 0
        affected_users = np.bincount(users[affected], minlength=n_users) > 0
        return {
            "test_interactions": len(tests),
            "test_users": int(test_users.sum()),
            "interactions": float(affected.mean()),
            "users": affected_users.sum() / test_users.sum(),
            "median_share": float(np.median(share)) if len(share) else float("nan"),
            "median_days": (
                float(np.median(ahead)) / SECONDS_OF_A_DAY if len(ahead) else float("nan")
            ),
        }


def _ends(is_first: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the begin and end of each position's run, given the positions where runs begin."""
    bounds = np.append(np.flatnonzero(is_first), len(is_first)).astype(np.int32)
    lengths = np.diff(bounds)
    return np.repeat(bounds[:-1], lengths), np.repeat(bounds[1:], lengths)


@checked_arguments
def leakage(data: SplitRatings) -> Leakage:
    """Return the share of test interactions, and of users, with training data from their future.

    Parameters
    ----------
    data : SplitRatings
        A split of any kind from :func:`receval.splits.split_ratings.split`, with timestamps.

    Returns
    -------
    Leakage
        See :func:`receval.splits.leakage.future_in_train`, which defines what is counted.

    Raises
    ------
    ValueError
        The ratings have no timestamps.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> ratings = read_ratings(table | {"timestamp": [1, 2, 3, 4, 5, 6]})
    >>> leakage(split(ratings, "leave-last-out")).shares
    {'anybody': 0.5, 'same user': 0.0, 'same item': 0.0}
    >>> leakage(split(ratings, "temporal", cut=0.5)).shares["anybody"]
    0.0
    """
    return future_in_train(data.ratings, data.parts)
