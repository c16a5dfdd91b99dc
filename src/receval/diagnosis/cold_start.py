# SPDX-License-Identifier: MIT
"""Users and items that test without having trained, under each split."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval.diagnosis.compared_splits import rows_in_part
from receval.splits.split import TEST, TRAIN
from receval.splits.split_ratings import SplitRatings


def cold_start(splits: Mapping[str, SplitRatings]) -> pd.DataFrame:
    """Count users and items without training ratings in the first fold of each split.

    Returns
    -------
    DataFrame
        A row for each split: ``train_ratings``, ``test_ratings``; ``test_users`` and, of these,
        ``cold_users`` (without training ratings); ``test_items`` and ``cold_items``;
        ``cold_user_share`` and ``cold_item_share`` of the **test ratings**, which are of such users
        and items; ``untrained_items``, all items without training ratings.

    Examples
    --------
    Bob's only rating is the newest one, and nobody else rated what he did:

    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": ["ann"] * 4 + ["bob"], "item": list("vwxyz"), "time": range(5)}
    >>> newest = split(read_ratings(table), "temporal", test_share=0.2)
    >>> cold_start({"temporal": newest})[["cold_users", "cold_item_share"]].to_dict("list")
    {'cold_users': [1], 'cold_item_share': [1.0]}
    """
    rows = []
    for name, data in splits.items():
        ratings = data.ratings
        train, test = rows_in_part(data, TRAIN), rows_in_part(data, TEST)
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
