# SPDX-License-Identifier: MIT
"""How much of a split trains on the future of what it tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.ratings import Ratings
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.time_cut import SECONDS_OF_A_DAY

LEAKAGE_SCOPES = ("anybody", "same user", "same item")
"""Whose training ratings are looked at."""


@dataclass(frozen=True)
class Leakage:
    """The test interactions of a split whose training data lie in their future.

    Attributes
    ----------
    table : DataFrame
        One row a fold and scope. A test interaction is *affected* if a training rating of the scope
        has a later timestamp; one of the same second does not count.

        - ``fold``, ``scope`` (one of `LEAKAGE_SCOPES`)
        - ``test_interactions``, ``test_users``: how many there are
        - ``interactions``: share of the test interactions that are affected
        - ``users``: share of the test users with at least one of them
        - ``median_share``: over the test interactions that the scope has training ratings for, the
          median share of these that lie in the future; NaN where there are none
        - ``median_days``: over the affected ones, the median number of days to the latest of these
          training ratings; NaN where there are none

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

    With the training ratings :math:`T_s(u, i)` of a scope, those of anybody, of the same user u or
    of the same item i, a test interaction of u with i at time t is affected if

    .. math:: \exists\, (u', i', t') \in T_s(u, i) : t' > t.

    A system that trains on those knows what nobody could have known at t: which items became
    popular, what the user did next, who else liked the item. A split of the kind ``temporal`` with
    the scope ``all`` has none of it, ``leave-last-out`` none of the same user's.

    Parameters
    ----------
    ratings : Ratings
        With timestamps.
    split : Split
        Of any kind, made for these ratings.

    Returns
    -------
    Leakage

    Raises
    ------
    ValueError
        The ratings have no timestamps, the split is of another table, or a fold tests nothing.

    Notes
    -----
    Ji, Sun, Zhang and Li (2023), "A critical study on data leakage in recommender system offline
    evaluation", ACM TOIS 41(3); Meng, McCreadie, Macdonald and Ounis (2020), "Exploring data
    splitting strategies for the evaluation of recommendation models", RecSys.

    Examples
    --------
    Ann's test lies between her two training ratings, and before Bob's of the same item:

    >>> ratings = Ratings(
    ...     users=np.array([0, 0, 0, 1], dtype=np.int32),
    ...     items=np.array([0, 1, 2, 1], dtype=np.int32),
    ...     values=np.ones(4, dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film", "song"]),
    ...     timestamps=np.array([0, 86_400, 172_800, 345_600]),
    ... )
    >>> split = Split((np.array([TRAIN, TEST, TRAIN, TRAIN], dtype=np.uint8),))
    >>> found = future_in_train(ratings, split)
    >>> found.shares
    {'anybody': 1.0, 'same user': 1.0, 'same item': 1.0}
    >>> found.table[["scope", "median_share", "median_days"]].round(2).to_dict("list")
    {'scope': ['anybody', 'same user', 'same item'], 'median_share': [0.67, 0.5, 1.0],
     'median_days': [3.0, 1.0, 3.0]}
    """
    if ratings.timestamps is None:
        raise ValueError(
            "Whether training data lie in the future of a test cannot be said of ratings without "
            "timestamps: read them with timestamp=..."
        )
    if split.n_ratings != len(ratings):
        raise ValueError(
            f"The split was made for {split.n_ratings} ratings, but the table has {len(ratings)}: "
            "make the split again from this table."
        )
    # Times by their order, so that group and time fit into one integer to search for.
    distinct, order_of_time = np.unique(ratings.timestamps, return_inverse=True)
    nobody = np.zeros(len(ratings), dtype=np.int32)
    groups: tuple[NDArray[np.int32], ...] = (nobody, ratings.users, ratings.items)
    rows = []
    for number, codes in enumerate(split.codes):
        train, test = (np.flatnonzero(codes & bit) for bit in (TRAIN, TEST))
        if not len(test):
            raise ValueError(f"Fold {number} has no test rating, so there is nothing to look at.")
        for scope, group in zip(LEAKAGE_SCOPES, groups, strict=True):
            key = group.astype(np.int64) * (len(distinct) + 1) + order_of_time
            rows.append(
                {"fold": number, "scope": scope}
                | _row(ratings, np.sort(key[train]), key[test], test, distinct)
            )
    return Leakage(pd.DataFrame(rows))


def _row(
    ratings: Ratings,
    train_keys: NDArray[np.int64],
    test_keys: NDArray[np.int64],
    test: NDArray[np.int64],
    distinct: NDArray,
) -> dict[str, float]:
    width = len(distinct) + 1
    first_of_group = test_keys - test_keys % width
    start = np.searchsorted(train_keys, first_of_group, side="left")
    end = np.searchsorted(train_keys, first_of_group + width, side="left")
    later = end - np.searchsorted(train_keys, test_keys, side="right")
    has_train, affected = end > start, later > 0
    latest = distinct[train_keys[end[affected] - 1] % width]
    ahead = latest.astype(np.float64) - distinct[test_keys[affected] % width]
    users = ratings.users[test]
    share = later[has_train] / (end - start)[has_train]
    return {
        "test_interactions": len(test),
        "test_users": len(np.unique(users)),
        "interactions": float(affected.mean()),
        "users": len(np.unique(users[affected])) / len(np.unique(users)),
        "median_share": float(np.median(share)) if len(share) else float("nan"),
        "median_days": float(np.median(ahead)) / SECONDS_OF_A_DAY if len(ahead) else float("nan"),
    }
