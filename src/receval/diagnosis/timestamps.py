# SPDX-License-Identifier: MIT
"""Timestamps: whether they can order ratings, and what of the future trains under each split."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval.comparison.splitting import SplitRatings
from receval.diagnosis.compared_splits import rows_of
from receval.ratings import Ratings
from receval.splits.split import TEST, TRAIN

SECONDS_PER_DAY = 86_400


def time_span(ratings: Ratings) -> pd.DataFrame:
    """Return what timestamps there are.

    Returns
    -------
    DataFrame
        ``quantity``, ``value`` and ``meaning``: whether there are timestamps; if so, the days from
        the first to the last, how many are different, and the share of ratings that have the same
        one as another rating of their user, so that time does not order them.
    """
    times = ratings.timestamps
    rows: list[tuple[str, float, str]] = [
        ("timestamps", float(times is not None), "whether ratings have timestamps (1: yes)")
    ]
    if times is not None:
        order = np.lexsort((times, ratings.users))
        users, own = ratings.users[order], times[order]
        same = (users[1:] == users[:-1]) & (own[1:] == own[:-1])
        tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        days = (int(times.max()) - int(times.min())) / SECONDS_PER_DAY
        rows += [
            ("days", days, "days from the first rating to the last"),
            ("different_timestamps", len(np.unique(times)), "different timestamps"),
            ("tied_share", float(tied.mean()), "share of ratings as old as another of their user"),
        ]
    return pd.DataFrame(rows, columns=["quantity", "value", "meaning"])


def future_training(splits: Mapping[str, SplitRatings]) -> pd.DataFrame:
    """Measure how much of what trains is younger than what tests, in the first fold.

    Parameters
    ----------
    splits : mapping of str to SplitRatings
        Of ratings with timestamps.

    Returns
    -------
    DataFrame
        A row for each split, all of it shares: ``later_training`` (of the training ratings, those
        that are younger than a test rating, averaged over test ratings); ``own_future`` (of the
        test ratings, those whose user trains with a younger rating); ``item_future`` (of the test
        ratings, those whose item trains with younger ratings alone, so that nobody had rated it
        yet). Ratings of the same second are not younger.

    Raises
    ------
    ValueError
        The ratings have no timestamps.

    Notes
    -----
    A split by time of the whole dataset has none of it; a random one has all three (Ji et al.
    2023, "A critical study on data leakage in recommender system offline evaluation").

    Examples
    --------
    The first of Ann's ratings tests, the second trains:

    >>> from receval.comparison.splitting import SplitRatings
    >>> from receval.interchange.ratings_table import read_ratings
    >>> from receval.splits.split import Split
    >>> ratings = read_ratings({"user": ["ann"] * 2, "item": ["x", "y"], "time": [1, 2]})
    >>> parts = Split((np.array([TEST, TRAIN], dtype=np.uint8),))
    >>> table = future_training({"mine": SplitRatings(ratings, parts, {"kind": "mine"}, 1)})
    >>> table.to_dict("list")
    {'split': ['mine'], 'later_training': [1.0], 'own_future': [1.0], 'item_future': [0.0]}
    """
    rows = []
    for name, data in splits.items():
        ratings = data.ratings
        if ratings.timestamps is None:
            raise ValueError(
                "These ratings have no timestamps, so that nothing can be said of the future: "
                "read them with timestamp=..."
            )
        times = ratings.timestamps.astype(np.int64)
        train, test = rows_of(data, TRAIN), rows_of(data, TEST)
        tested = times[test]
        sorted_train = np.sort(times[train])
        later = len(train) - np.searchsorted(sorted_train, tested, side="right")
        newest = np.full(ratings.n_users, np.iinfo(np.int64).min)
        np.maximum.at(newest, ratings.users[train], times[train])
        oldest = np.full(ratings.n_items, np.iinfo(np.int64).max)
        np.minimum.at(oldest, ratings.items[train], times[train])
        is_trained = np.bincount(ratings.items[train], minlength=ratings.n_items) > 0
        items = ratings.items[test]
        rows.append(
            {
                "split": name,
                "later_training": float(later.mean() / len(train)),
                "own_future": float(np.mean(newest[ratings.users[test]] > tested)),
                "item_future": float(np.mean(is_trained[items] & (oldest[items] > tested))),
            }
        )
    return pd.DataFrame(rows)
