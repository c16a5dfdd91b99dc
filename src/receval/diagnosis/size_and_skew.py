# SPDX-License-Identifier: MIT
"""Measure the size, density and skew of ratings, their values, and their timestamps."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.splits.temporal import SECONDS_OF_A_DAY
from receval.statistics.inequality import density, gini

HEADS = (0.01, 0.1, 0.2)
"""Shares of the most popular items, whose share of the ratings is reported."""

QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)

_QUANTILES = {0.0: "fewest", 0.5: "median", 1.0: "most"}

CURVE_POINTS = 400
"""The most ranks of the popularity curve, evenly spaced on a logarithmic scale."""


def size_and_skew(ratings: Ratings, threshold: float) -> pd.DataFrame:
    """Measure size, density, inequality and the values of ratings.

    The columns are ``quantity`` (a stable name), ``value`` and ``meaning``. The quantities are
    users, items and ratings; density (share of pairs with a rating); Gini coefficients of items and
    users; the share of ratings that the most popular items have; quantiles of ratings per user and
    per item; different values, the share of the most frequent one and of the relevant ones; and the
    share of users whose ratings are all the same.
    """
    by_user = np.bincount(ratings.users, minlength=ratings.n_users)
    by_item = ratings_by_item(ratings)
    falling = np.sort(by_item)[::-1]
    values, counts = np.unique(ratings.values, return_counts=True)
    by_value = pd.Series(ratings.values).groupby(ratings.users)
    one_valued = (by_value.min() == by_value.max())[by_value.size() > 1]
    rows: list[tuple[str, float, str]] = [
        ("users", ratings.n_users, "users with a rating"),
        ("items", ratings.n_items, "items with a rating"),
        ("ratings", len(ratings), "rows of the table"),
        ("density", _density(ratings), "share of all pairs of a user and an item with a rating"),
        ("item_gini", gini(by_item), "inequality of items by ratings: 0 none, 1 all to one"),
        ("user_gini", gini(by_user), "inequality of users by ratings"),
    ]
    for share in HEADS:
        size = max(1, round(share * len(falling)))
        name = f"top_{share * 100:g}_percent_items"
        text = f"share of the ratings that the {100 * share:g} % most popular items have ({size:,})"
        rows.append((name, falling[:size].sum() / len(ratings), text))
    for what, own in (("user", by_user), ("item", by_item)):
        for quantile in QUANTILES:
            name = f"ratings_per_{what}_q{quantile * 100:g}"
            text = f"ratings per {what}, {_QUANTILES.get(quantile, f'quantile {quantile:g}')}"
            rows.append((name, float(np.quantile(own, quantile)), text))
    rows += [
        ("different_values", len(values), "different values of ratings"),
        ("most_frequent_value", float(values[counts.argmax()]), "the most frequent value"),
        ("most_frequent_share", counts.max() / len(ratings), "share of ratings that have it"),
        ("relevant_from", threshold, "ratings from this value on are relevant"),
        (
            "relevant_share",
            float(np.mean(ratings.values >= threshold)),
            "share of the ratings that are relevant",
        ),
        (
            "one_valued_users",
            float(one_valued.mean()),
            "share of users with several ratings who give all the same value",
        ),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value", "meaning"]).astype({"value": float})


def ratings_by_item(ratings: Ratings) -> np.ndarray:
    """Return the number of ratings of each item, int64, shape (n_items,)."""
    return np.bincount(ratings.items, minlength=ratings.n_items).astype(np.int64)


def popularity_curve(ratings: Ratings) -> pd.DataFrame:
    """Return the number of ratings of items by popularity rank.

    The columns are ``rank`` (from 1, with at most :data:`CURVE_POINTS` values), ``ratings`` of the
    item at the rank, and ``cumulative_share`` of all ratings down to this rank.
    """
    falling = np.sort(ratings_by_item(ratings))[::-1]
    ranks = np.geomspace(1, len(falling), CURVE_POINTS).round().astype(np.int64)
    ranks = np.unique(ranks)
    shares = np.cumsum(falling)[ranks - 1] / len(ratings)
    return pd.DataFrame({"rank": ranks, "ratings": falling[ranks - 1], "cumulative_share": shares})


def _density(ratings: Ratings) -> float:
    """Return the density; repeated pairs are looked for only if they are possible."""
    if ratings.events or ratings.known is not None:
        return density(ratings)
    return len(ratings) / (ratings.n_users * ratings.n_items)


def time_span(ratings: Ratings) -> pd.DataFrame:
    """Describe the timestamps of ratings by ``quantity``, ``value`` and ``meaning``.

    The quantities are whether there are timestamps; if so, the days from the first to the last, how
    many are different, and the share of ratings with the same timestamp as another rating of the
    same user, which time does not order.
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
        days = (float(times.max()) - float(times.min())) / SECONDS_OF_A_DAY
        rows += [
            ("days", days, "days from the first rating to the last"),
            ("different_timestamps", len(distinct), "different timestamps"),
            ("tied_share", float(tied.mean()), "share of ratings as old as another of their user"),
        ]
    return pd.DataFrame(rows, columns=["quantity", "value", "meaning"])
