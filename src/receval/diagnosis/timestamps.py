# SPDX-License-Identifier: MIT
"""Measure whether timestamps can order ratings, and how much each split leaks from the future."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.splits.leakage import futures_in_train
from receval.splits.split import Split
from receval.splits.split_ratings import SplitRatings
from receval.splits.temporal import SECONDS_OF_A_DAY


def time_span(ratings: Ratings) -> pd.DataFrame:
    """Describe the timestamps of ratings.

    Returns
    -------
    DataFrame
        ``quantity``, ``value`` and ``meaning``: whether there are timestamps; if so, the days from
        the first to the last, how many are different, and the share of ratings with the same
        timestamp as another rating of the same user, which time does not order.
    """
    times = ratings.timestamps
    rows: list[tuple[str, float, str]] = [
        ("timestamps", float(times is not None), "whether ratings have timestamps")
    ]
    if times is not None:
        distinct, order_of_time = np.unique(times, return_inverse=True)
        keys = np.sort(ratings.users.astype(np.int64) * len(distinct) + order_of_time)
        same = keys[1:] == keys[:-1]
        tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        days = float(times.max() - times.min()) / SECONDS_OF_A_DAY
        rows += [
            ("days", days, "days from the first rating to the last"),
            ("different_timestamps", len(distinct), "different timestamps"),
            ("tied_share", float(tied.mean()), "share of ratings as old as another of their user"),
        ]
    return pd.DataFrame(rows, columns=["quantity", "value", "meaning"])


def future_training(splits: Mapping[str, SplitRatings]) -> pd.DataFrame:
    """Measure how many training ratings are later than test ratings, in the first fold.

    Parameters
    ----------
    splits : mapping of str to SplitRatings
        At least one, all of the same ratings with timestamps.

    Returns
    -------
    DataFrame
        A row for each split: ``any_future``, ``own_future`` and ``item_future`` (shares of the test
        ratings for which a training rating of any user, of the same user, or of the same item is
        later), ``later_training`` (the median over test ratings of the share of all training
        ratings that are later) and ``days`` (the median number of days to the user's last training
        rating, over test ratings before it). Ratings of the same second are not later.

    Notes
    -----
    :func:`receval.splits.leakage.futures_in_train` defines what is counted.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "timestamp": range(6)}
    >>> last = split(read_ratings(table), "leave-last-out")
    >>> future_training({"last": last})[["split", "any_future", "own_future"]].to_dict("list")
    {'split': ['last'], 'any_future': [0.5], 'own_future': [0.0]}
    """
    rows = []
    ratings = next(iter(splits.values())).ratings
    found = futures_in_train(ratings, [Split(data.parts.codes[:1]) for data in splits.values()])
    for name, one in zip(splits, found, strict=True):
        own = one.table.set_index("scope")
        rows.append(
            {
                "split": name,
                "any_future": own.loc["anybody", "interactions"],
                "own_future": own.loc["same user", "interactions"],
                "item_future": own.loc["same item", "interactions"],
                "later_training": own.loc["anybody", "median_share"],
                "days": own.loc["same user", "median_days"],
            }
        )
    return pd.DataFrame(rows)
