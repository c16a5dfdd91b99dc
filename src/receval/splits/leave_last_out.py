# SPDX-License-Identifier: MIT
"""Leave-last-out: test the last ratings of each user and train on all before them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.hold_out import short_profiles_of
from receval.splits.ranks_within_groups import ranks_within_groups
from receval.splits.split import TEST, TRAIN, Split
from receval.splits.temporal import needed_timestamps, rows_of_trained_pairs


def split_leaving_last_out(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int,
    short_profiles: Literal["refuse", "train"],
    repeats: Literal["drop", "keep"],
) -> Split:
    """Put the last l ratings of each user into test, and those before them into train.

    Ratings of a user with the same timestamp keep the order of the rows in the raw file.
    (:func:`receval.splits.split_ratings.split` shuffles the rows first.)

    Parameters
    ----------
    ratings : Ratings
        The ratings, or plays, to split; they need timestamps.
    rng_for : callable
        Not used, as nothing is random.
    held_out : int
        Number l of test ratings per user; 1 is leave-one-out by time.
    short_profiles : {"refuse", "train"}
        What to do with users with l ratings or fewer, who would have no training rating left:
        "refuse" raises an error, and "train" keeps all their ratings in train, so that they are not
        tested.
    repeats : {"drop", "keep"}
        What to do with a test row whose (user, item) pair is also in train, as happens with plays:
        "drop" leaves it out, and "keep" tests it.

    Returns
    -------
    Split
        One fold. Metadata: ``users_without_test``, the number of users whose profiles are too
        short; ``users_tied``, the number of users whose last training rating and first test rating
        have the same time, so that the order of the rows decides; and ``repeats_dropped``.

    Raises
    ------
    ValueError
        If the ratings have no timestamps, or a profile is too short and ``short_profiles`` is
        "refuse".

    Notes
    -----
    Each user's training ratings precede the same user's test ratings, but not those of other users;
    :mod:`receval.splits.leakage` measures by how much.

    Examples
    --------
    >>> ratings = Ratings(
    ...     users=np.array([0, 0, 0], dtype=np.int32),
    ...     items=np.array([0, 1, 2], dtype=np.int32),
    ...     values=np.ones(3, dtype=np.float32),
    ...     user_ids=np.array(["ann"]),
    ...     item_ids=np.array(["book", "film", "song"]),
    ...     timestamps=np.array([30, 50, 20]),
    ... )
    >>> split = split_leaving_last_out(
    ...     ratings, None, held_out=1, short_profiles="refuse", repeats="drop"
    ... )
    >>> split.codes[0].tolist()
    [1, 2, 1]
    """
    timestamps = needed_timestamps(ratings)
    sizes, too_short = short_profiles_of(ratings, held_out, short_profiles)
    n_train = np.where(too_short, sizes, sizes - held_out)
    order = np.argsort(timestamps, kind="stable")
    ranks = ranks_within_groups(ratings.users, order, ratings.n_users)
    own_train = n_train[ratings.users]
    tests = ranks >= own_train
    latest = np.zeros(ratings.n_users, dtype=timestamps.dtype)
    last = ranks == own_train - 1
    latest[ratings.users[last]] = timestamps[last]
    tied = (ranks == own_train) & (timestamps == latest[ratings.users])
    codes = np.where(tests, TEST, TRAIN).astype(np.uint8)
    repeated = rows_of_trained_pairs(ratings, ~tests, tests)
    if repeats == "drop":
        codes[repeated] = 0
    return Split(
        (codes,),
        {
            "users_without_test": int(too_short.sum()),
            "users_tied": int(tied.sum()),
            "repeats_dropped": len(repeated) if repeats == "drop" else 0,
        },
    )
