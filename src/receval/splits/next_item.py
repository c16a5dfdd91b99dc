# SPDX-License-Identifier: MIT
"""Next-item splits: each of a user's last ratings is tested given all those before it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import ranks_within_groups
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.temporal import drop_repeats, needed_timestamps

MOST_FOLDS = 99
"""The most folds of a split."""


def split_before_each_item(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int | Literal["all"],
    repeats: Literal["drop", "keep"],
) -> Split:
    r"""Test in the fold k each user's rating with k later ones, given all before it.

    With the ratings :math:`r_1, \ldots, r_n` of a user in the order of time, the fold k, counted
    from 0, tests :math:`r_{n-k}`, trains on :math:`r_1, \ldots, r_{n-k-1}`, and leaves out the
    later ones. A user whose first rating would be tested has no test in the fold, and that rating
    trains. With ``held_out="all"``, there are as many folds as the longest history needs, at most
    :data:`MOST_FOLDS`. Nothing is random. Each user's training ratings precede the test, but those
    of other users need not: :mod:`receval.splits.leakage` measures by how much.

    ``repeats`` is as for :func:`receval.splits.temporal.split_by_time`. Metadata:
    ``users_without_test`` (those with one rating) and ``repeats_dropped``, over all folds.
    """
    timestamps = needed_timestamps(ratings)
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    folds = max(1, int(sizes.max(initial=0)) - 1) if held_out == "all" else held_out
    if folds > MOST_FOLDS:
        raise ValueError(
            f"To test every item but the first, a user with {int(sizes.max()):,} ratings needs "
            f"{folds:,} folds, but a split has at most {MOST_FOLDS}. Set held_out to a number, or "
            "select users with fewer ratings."
        )
    order = np.argsort(timestamps, kind="stable")
    ranks = ranks_within_groups(ratings.users, order, ratings.n_users)
    later = sizes[ratings.users] - 1 - ranks
    codes: list[NDArray[np.uint8]] = []
    dropped = 0
    for number in range(folds):
        tests = (later == number) & (ranks > 0)
        # The only rating that a short history has left in this fold.
        trains = (later > number) | ((ranks == 0) & (later <= number))
        own = np.where(tests, TEST, np.where(trains, TRAIN, 0)).astype(np.uint8)
        dropped += drop_repeats(own, ratings, trains, tests, repeats)
        codes.append(own)
    without = int((sizes == 1).sum())
    return Split(tuple(codes), {"users_without_test": without, "repeats_dropped": dropped})
