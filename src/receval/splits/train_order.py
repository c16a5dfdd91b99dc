# SPDX-License-Identifier: MIT
"""The order of rows in the train files that authors gave to their software, by name.

Nothing learns from the order of rows as such, but LibRec numbers users and items as its train file
first mentions them, and breaks ties by that order (:class:`receval.splits.split.Fold`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.ratings import Ratings

TRAIN_ORDERS = ("rows", "folds", "least-liked-first", "time", "last-users-first")


def order_by_time(ratings: Ratings) -> str:
    """Return the name of the order of a train file that was written in the order of time.

    It is ``"time"``, or ``"last-users-first"`` where the ratings have no timestamps: MovieLens 1M
    gave low numbers to late users, so that this comes nearer to the order of time than the raw
    file does.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    str
        One of `TRAIN_ORDERS`.
    """
    return "last-users-first" if ratings.timestamps is None else "time"


def in_train_order(
    rows: NDArray[np.int64],
    ratings: Ratings,
    tested_in: Iterable[NDArray[np.bool_]],
    metadata: Mapping[str, Any],
) -> NDArray[np.int64]:
    """Sort the rows of a train file.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_train,)
        Rows of the ratings, ascending.
    ratings : Ratings
    tested_in : iterable of ndarray of bool, shape (n_ratings,)
        Which ratings each fold of the split tests with; looked at where the order needs it.
    metadata : mapping
        Those of the split. ``train_order`` is one of

        - ``"rows"``: the order of the raw file;
        - ``"folds"``: the other folds one after the other;
        - ``"least-liked-first"``: the same, each fold from the item with the fewest ratings of at
          least the metadatum ``relevant_from`` to the one with the most;
        - ``"time"``: by timestamp;
        - ``"last-users-first"``: from the last user of the raw file to the first.

        Rows that are equal in all that stay in the order of the raw file.

    Returns
    -------
    ndarray of int64, shape (n_train,)
        The same rows.

    Raises
    ------
    ValueError
        If there is no order of that name.
    """
    name = metadata["train_order"]
    if name not in TRAIN_ORDERS:
        raise ValueError(
            f"The split's train file has the order '{name}', but there are {TRAIN_ORDERS}: make "
            "the split again."
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
