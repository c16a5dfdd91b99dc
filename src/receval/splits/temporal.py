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
    """Send the last ratings to test and those before them to train.

    Ratings of the same second follow each other in the order of the rows, that of the raw file.
    (:func:`receval.splits.split_ratings.split` draws the order of the rows first.)

    Parameters
    ----------
    ratings : Ratings
        The ratings, or plays, to split; they need timestamps.
    rng_for : callable
        Not used: nothing here is random.
    scope : {"all", "user"}
        "all": the last ``round(test_share * n)`` ratings of the dataset test. "user": of each
        user's n_u ratings, ``ceil((1 - test_share) * n_u)`` train and those after them test.
    test_share : float
        Share of the ratings that tests, between 0 and 1.
    repeats : {"drop", "keep"}
        What happens to a test row whose (user, item) pair also trains, as happens with plays:
        systems do not recommend what a user has trained on, so that "drop" leaves such rows out;
        "keep" lets them test.
    train_order : {"rows", "time"}
        Whether the train file that LibRec would read has the ratings in the order of the raw file,
        or in that of time (:mod:`receval.splits.train_order`).
    cut : float or str, optional
        With the scope "all" and in place of ``test_share``: a moment from which on ratings test,
        as a date, as seconds since 1970, or by the share of the ratings before it
        (:func:`receval.splits.time_cut.cut_in_time`).
    gap : float
        Days before the first moment of the test whose ratings neither train nor test; with the
        scope "all".
    new_users : {"test", "drop"}
        What happens to test ratings of users who have no training rating: "test" lets them test,
        though no recommender has learnt anything of these users, "drop" leaves them out.

    Returns
    -------
    Split
        One fold. Its metadatum ``repeats_dropped`` counts the test rows left out. With a cut, a gap
        or ``new_users="drop"`` there are more: ``cut`` (date and time, UTC), ``left_in_gap``
        (ratings), ``users_without_train`` (users who would test without a training rating) and
        ``new_users_dropped`` (their test ratings, where they are left out).

    Raises
    ------
    ValueError
        If the ratings have no timestamps, or one of the sides of the cut has no rating.

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
        If there are none.
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
    """Return the test rows whose (user, item) pair occurs in train."""

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
