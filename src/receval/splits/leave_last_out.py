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
    """Send the last l ratings of each user to test, those before them to train.

    Ratings of a user with the same timestamp follow each other in the order of the rows, that of
    the raw file. (:func:`receval.splits.split_ratings.split` draws the order of the rows first.)

    Parameters
    ----------
    ratings : Ratings
        The ratings, or plays, to split; they need timestamps.
    rng_for : callable
        Not used: nothing here is random.
    held_out : int
        Number l of test ratings of a user; 1 is leave-one-out by time.
    short_profiles : {"refuse", "train"}
        What happens to users with l ratings or fewer, for whom nothing would be left to train on:
        "refuse" stops with an error, "train" keeps all their ratings in train, so that they are
        not judged.
    repeats : {"drop", "keep"}
        What happens to a test row whose (user, item) pair also trains, as happens with plays:
        "drop" leaves it out, "keep" lets it test.

    Returns
    -------
    Split
        One fold. Metadata: ``users_without_test``, those whose profiles are too short;
        ``users_tied``, those whose first test rating has the time of their last training rating,
        so that the order of the rows decides; ``repeats_dropped``.

    Raises
    ------
    ValueError
        If the ratings have no timestamps, or a profile is too short and ``short_profiles`` is
        "refuse".

    Notes
    -----
    Everybody's own past trains, but the test of one user may lie before the training ratings of
    another: :mod:`receval.splits.leakage` says how much.

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
