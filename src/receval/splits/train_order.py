# SPDX-License-Identifier: MIT
"""The order of rows in train files, which LibRec's results depend on.

LibRec numbers users and items in the order in which its train file first mentions them, and breaks
ties by that order (:class:`receval.splits.split.Fold`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.data.ratings import Ratings

TRAIN_ORDERS = ("rows", "folds", "least-liked-first", "time", "last-users-first")

# Rows processed together, so that intermediate results take only a few MiB.
_BLOCK_ROWS = 2**20


def order_by_time(ratings: Ratings) -> str:
    """Return the name of the order of a train file that was sorted by time.

    Without timestamps it is ``"last-users-first"``: in MovieLens 1M, late users have low numbers,
    so that this order is closer to time than the raw file.
    """
    return "last-users-first" if ratings.timestamps is None else "time"


def in_train_order(
    rows: NDArray[np.int64],
    ratings: Ratings,
    tested_in: Iterable[NDArray[np.bool_]],
    metadata: Mapping[str, Any],
) -> NDArray[np.int64]:
    """Sort the rows of a train file, given in ascending order.

    The metadatum ``train_order`` of the split is one of

    - ``"rows"``: the order of the raw file;
    - ``"folds"``: the other folds one after the other, whose test ratings ``tested_in`` marks;
    - ``"least-liked-first"``: the same, each fold from the item with the fewest ratings of at
      least the metadatum ``relevant_from`` to the one with the most;
    - ``"time"``: by timestamp;
    - ``"last-users-first"``: from the last user of the raw file to the first.

    Rows that are tied in this order stay in the order of the raw file.
    """
    name = metadata["train_order"]
    if name not in TRAIN_ORDERS:
        raise ValueError(
            f"The order of the split's train file is '{name}'. It must be one of {TRAIN_ORDERS}. "
            "Make the split again."
        )
    if name == "time":
        assert ratings.timestamps is not None
        return rows[np.argsort(ratings.timestamps[rows], kind="stable")]
    if name == "last-users-first":
        return rows[np.argsort(-ratings.users[rows], kind="stable")]
    if name == "least-liked-first":
        liked = ratings.items[ratings.values >= metadata["relevant_from"]]
        position = np.empty(ratings.n_items, dtype=np.int64)
        counts = np.bincount(liked, minlength=ratings.n_items)
        position[np.argsort(counts, kind="stable")] = np.arange(ratings.n_items)
        rows = rows[np.argsort(position[ratings.items[rows]], kind="stable")]
    if name != "rows":
        fold_of_rating = np.zeros(len(ratings), dtype=np.uint8)
        for number, tested in enumerate(tested_in):
            fold_of_rating[tested] = number
        rows = rows[np.argsort(fold_of_rating[rows], kind="stable")]
    return rows


def by_appearance(
    ratings: Ratings,
    trains: NDArray[np.bool_],
    tested_in: Iterable[NDArray[np.bool_]],
    metadata: Mapping[str, Any],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return users and items in the order in which the train file mentions them first.

    Those that it does not mention come last, in the order of their codes. ``trains`` marks the
    ratings in the train file; without the metadatum ``train_order`` they are in the order of the
    raw file.
    """
    first_of_user = np.full(ratings.n_users, len(trains), dtype=np.int64)
    first_of_item = np.full(ratings.n_items, len(trains), dtype=np.int64)
    in_file = None
    if "train_order" in metadata:
        in_file = in_train_order(np.flatnonzero(trains), ratings, tested_in, metadata)
    size = len(trains) if in_file is None else len(in_file)
    # Written from the last row to the first, so that the first mention is kept.
    for end in range(size, 0, -_BLOCK_ROWS):
        start = max(0, end - _BLOCK_ROWS)
        if in_file is None:
            rows = start + np.flatnonzero(trains[start:end])[::-1]
            places = rows
        else:
            rows = in_file[start:end][::-1]
            places = np.arange(end - 1, start - 1, -1)
        first_of_user[ratings.users[rows]] = places
        first_of_item[ratings.items[rows]] = places
    users, items = (
        np.argsort(first, kind="stable").astype(np.int32)
        for first in (first_of_user, first_of_item)
    )
    return users, items
