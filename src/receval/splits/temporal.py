# SPDX-License-Identifier: MIT
"""Temporal splits: train on the past and test the future, of all ratings or per user."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.ranks_within_groups import ceiling_of_share, ranks_within_groups
from receval.splits.split import TEST, TRAIN, Metadatum, Split
from receval.splits.time_cut import Cut, cut_in_time, date_of_seconds, sides_of_cut


def split_by_time(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    scope: Literal["all", "user"],
    test_share: float,
    repeats: Literal["drop", "keep"],
    train_order: Literal["rows", "time"] = "rows",
    cut: Cut | None = None,
    gap: float = 0.0,
    new_users: Literal["test", "drop"] = "test",
) -> Split:
    """Put the last ratings into test and those before them into train.

    Ratings of the same second keep the order of the rows in the raw file.
    (:func:`receval.splits.split_ratings.split` shuffles the rows first.)

    Parameters
    ----------
    ratings : Ratings
        The ratings, or plays, to split, with timestamps.
    rng_for : callable
        Not used, as nothing is random.
    scope : {"all", "user"}
        "all": the last ``round(test_share * n)`` ratings of the dataset test. "user": the first
        ``ceil((1 - test_share) * n_u)`` of each user's n_u ratings train, and the rest test.
    test_share : float
        Share of the ratings that tests, between 0 and 1.
    repeats : {"drop", "keep"}
        What to do with a test row whose (user, item) pair is also in train, as happens with plays.
        "drop" leaves such rows out, because systems do not recommend the user's training items;
        "keep" tests them.
    train_order : {"rows", "time"}
        Whether the train file that LibRec would read is in the order of the raw file, or by time
        (:mod:`receval.splits.train_order`).
    cut : float or str, optional
        With the scope "all", instead of ``test_share``: the moment from which ratings test, as a
        date, as seconds since 1970, or as the share of ratings before it
        (:func:`receval.splits.time_cut.cut_in_time`).
    gap : float
        Number of days before the test in which ratings neither train nor test; with the scope
        "all".
    new_users : {"test", "drop"}
        What to do with test ratings of users without training ratings: "test" keeps them, although
        no recommender knows these users; "drop" leaves them out.

    Returns
    -------
    Split
        One fold. The metadatum ``repeats_dropped`` counts the test rows left out. With a cut, a gap
        or ``new_users="drop"``, there are also ``cut`` (date and time, UTC), ``left_in_gap``
        (number of ratings), ``users_without_train`` (number of test users without a training
        rating) and ``new_users_dropped`` (number of their test ratings, if left out).

    Raises
    ------
    ValueError
        If the ratings have no timestamps, or there are no ratings before or after the cut.

    Notes
    -----
    "all" is the split of menamaldonado2021, figure 18, and "user" that of bellogin2017,
    section 3.3, on Last.fm.
    """
    timestamps = needed_timestamps(ratings)
    order = np.argsort(timestamps, kind="stable")
    if cut is not None:
        moment = cut_in_time(timestamps, cut)
        trains, tests = sides_of_cut(timestamps, moment, gap)
    elif scope == "all":
        tests = np.zeros(len(ratings), dtype=bool)
        tests[order[len(ratings) - round(test_share * len(ratings)) :]] = True
        trains = ~tests
        if gap:
            moment = float(timestamps[tests].min()) if tests.any() else np.inf
            trains &= sides_of_cut(timestamps, moment, gap)[0]
    else:
        profile_sizes = np.bincount(ratings.users, minlength=ratings.n_users)
        n_train = ceiling_of_share(profile_sizes, 1 - test_share)
        tests = ranks_within_groups(ratings.users, order, ratings.n_users) >= n_train[ratings.users]
        trains = ~tests
    codes = np.where(tests, TEST, np.where(trains, TRAIN, 0)).astype(np.uint8)
    dropped = 0
    if repeats == "drop":
        repeated = rows_of_trained_pairs(ratings, trains, tests)
        codes[repeated] = 0
        dropped = len(repeated)
    metadata: dict[str, Metadatum] = {"repeats_dropped": dropped}
    if train_order != "rows":
        metadata["train_order"] = train_order
    if cut is not None or gap or new_users == "drop":
        has_train = np.zeros(ratings.n_users, dtype=bool)
        has_train[ratings.users[trains]] = True
        new = (codes == TEST) & ~has_train[ratings.users]
        metadata["users_without_train"] = len(np.unique(ratings.users[new]))
        metadata["new_users_dropped"] = int(new.sum()) if new_users == "drop" else 0
        metadata["left_in_gap"] = int((~trains & ~tests).sum())
        if cut is not None:
            metadata["cut"] = date_of_seconds(moment)
        if new_users == "drop":
            codes[new] = 0
    return Split((codes,), metadata)


def needed_timestamps(ratings: Ratings) -> NDArray[np.integer] | NDArray[np.float64]:
    """Return the timestamps of ratings.

    Raises
    ------
    ValueError
        If the ratings have none.
    """
    if ratings.timestamps is None:
        raise ValueError(
            "A temporal split needs timestamps, but this variant of the dataset has none: use a "
            "variant with timestamps, or a split of the kind 'predefined' with the held-out pairs."
        )
    return ratings.timestamps


def rows_of_trained_pairs(
    ratings: Ratings, trains: NDArray[np.bool_], tests: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the test rows whose (user, item) pair is also in train."""

    def pairs(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return ratings.users[rows].astype(np.int64) * ratings.n_items + ratings.items[rows]

    trained = np.sort(pairs(np.flatnonzero(trains)))
    test_rows = np.flatnonzero(tests)
    if not len(trained):
        return test_rows[:0]
    tested = pairs(test_rows)
    nearest = np.minimum(np.searchsorted(trained, tested), len(trained) - 1)
    repeated: NDArray[np.int64] = test_rows[trained[nearest] == tested]
    return repeated
