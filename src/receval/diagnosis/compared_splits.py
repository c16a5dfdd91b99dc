# SPDX-License-Identifier: MIT
"""Make the splits that a diagnosis compares, and measure cold start and leakage under each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.splits.leakage import futures_in_train
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.split_ratings import SplitRatings, split

COMPARED_SPLITS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "random-ratio": ("random-ratio", {"train_ratio": 0.8}),
        "user-ratio": ("user-ratio", {"train_ratio": 0.8}),
        "leave-out": ("leave-out", {"held_out": 1, "short_profiles": "train"}),
        "leave-last-out": ("leave-last-out", {"held_out": 1, "short_profiles": "train"}),
        "temporal": ("temporal", {"scope": "all", "test_share": 0.2}),
        "temporal, by user": ("temporal", {"scope": "user", "test_share": 0.2}),
    }
)
"""Kind and parameters of splits by their names in tables; temporal splits need timestamps."""


@dataclass(frozen=True)
class ComparedSplits:
    """Splits of the same ratings by name, and the reasons in sentences why others were refused."""

    made: Mapping[str, SplitRatings]
    refused: Mapping[str, str]


def compared_splits(ratings: Ratings, seed: int) -> ComparedSplits:
    """Make all of :data:`COMPARED_SPLITS` that these ratings allow."""
    made: dict[str, SplitRatings] = {}
    refused: dict[str, str] = {}
    for name, (kind, parameters) in COMPARED_SPLITS.items():
        try:
            made[name] = split(ratings, kind, seed=seed, **parameters)
        except ValueError as error:
            refused[name] = str(error)
    return ComparedSplits(made, refused)


# Test users and items without training ratings, under each split.


def cold_start(splits: Mapping[str, SplitRatings]) -> pd.DataFrame:
    """Count users and items without training ratings in the first fold of each split.

    Each row has ``train_ratings``, ``test_ratings``; ``test_users`` and, of these, ``cold_users``
    (without training ratings); ``test_items`` and ``cold_items``; ``cold_user_share`` and
    ``cold_item_share``, the shares of **test ratings** that are of such users and items; and
    ``untrained_items``, all items without training ratings.
    """
    rows = []
    for name, data in splits.items():
        ratings = data.ratings
        train, test = (np.flatnonzero(data.parts.codes[0] & part) for part in (TRAIN, TEST))
        row: dict[str, object] = {
            "split": name,
            "train_ratings": len(train),
            "test_ratings": len(test),
        }
        for what, codes, size in (
            ("user", ratings.users, ratings.n_users),
            ("item", ratings.items, ratings.n_items),
        ):
            trained = np.bincount(codes[train], minlength=size) > 0
            tested = np.bincount(codes[test], minlength=size) > 0
            row[f"test_{what}s"] = int(tested.sum())
            row[f"cold_{what}s"] = int((tested & ~trained).sum())
            row[f"cold_{what}_share"] = float(np.mean(~trained[codes[test]]))
            row[f"untrained_{what}s"] = int(size - trained.sum())
        rows.append(row)
    return pd.DataFrame(rows)


def future_training(splits: Mapping[str, SplitRatings]) -> pd.DataFrame:
    """Measure how many training ratings are later than test ratings, in the first fold.

    All splits are of the same ratings with timestamps. Each row has ``any_future``, ``own_future``
    and ``item_future`` (shares of the test ratings for which a training rating of any user, of the
    same user, or of the same item is later), ``later_training`` (the median over test ratings of
    the share of all training ratings that are later) and ``days`` (the median number of days to the
    user's last training rating, over test ratings before it). Ratings of the same second are not
    later (:func:`receval.splits.leakage.futures_in_train`).
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
