# SPDX-License-Identifier: MIT
"""Splits by time: the past and the future of all ratings or per user, next items, and windows."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import ceiling_of_share, ranks_within_groups, short_profiles_of
from receval.splits.split import TEST, TRAIN, Metadatum, Split
from receval.storage.messages import quoted

SECONDS_OF_A_DAY = 86_400

Cut = float | str
"""Seconds since 1970-01-01 UTC, a date, or a share of the ratings."""

Timestamps = NDArray[np.integer] | NDArray[np.float64]

# Ratings with the same time keep the order of the rows in the raw file in all these splits;
# `receval.splits.split_ratings.split` shuffles the rows first.


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
    """Put the last ratings into test and those before them into train; nothing is random.

    With the scope "all", the last ``round(test_share * n)`` ratings of the dataset test, or those
    from ``cut`` on (:func:`cut_in_time`), and ratings in the ``gap`` days before the test neither
    train nor test. With "user", the first ``ceil((1 - test_share) * n_u)`` of each user's n_u
    ratings train, and the rest test.

    ``repeats`` decides about test rows whose (user, item) pair is also in train, as happens with
    plays: "drop" leaves them out, because systems do not recommend the user's training items.
    ``new_users`` does the same for test ratings of users without training ratings.

    The metadatum ``repeats_dropped`` counts the test rows left out. With a cut, a gap or
    ``new_users="drop"``, there are also ``cut`` (date and time, UTC), ``left_in_gap`` (number of
    ratings), ``users_without_train`` (number of test users without a training rating) and
    ``new_users_dropped`` (number of their test ratings, if left out).

    "all" is the split of Mena-Maldonado et al. (2021), figure 18, and "user" that of Bellogín et
    al. (2017), section 3.3, on Last.fm.
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
    metadata: dict[str, Metadatum] = {
        "repeats_dropped": drop_repeats(codes, ratings, trains, tests, repeats)
    }
    if train_order != "rows":
        metadata["train_order"] = train_order
    if cut is not None or gap or new_users == "drop":
        new = (codes == TEST) & ~np.isin(ratings.users, ratings.users[trains])
        metadata["users_without_train"] = len(np.unique(ratings.users[new]))
        metadata["new_users_dropped"] = int(new.sum()) if new_users == "drop" else 0
        metadata["left_in_gap"] = int((~trains & ~tests).sum())
        if cut is not None:
            metadata["cut"] = date_of_seconds(moment)
        if new_users == "drop":
            codes[new] = 0
    return Split((codes,), metadata)


def split_leaving_last_out(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    held_out: int,
    short_profiles: Literal["refuse", "train"],
    repeats: Literal["drop", "keep"],
) -> Split:
    """Put the last ``held_out`` ratings of each user into test, and those before them into train.

    Nothing is random; ``repeats`` is as for :func:`split_by_time`, ``short_profiles`` as for
    :func:`receval.splits.random_splits.short_profiles_of`. Each user's training ratings precede the
    same user's test ratings, but not those of other users; :mod:`receval.splits.leakage` measures
    by how much.

    Metadata: ``users_without_test``, the number of users whose profiles are too short;
    ``users_tied``, the number of users whose last training rating and first test rating have the
    same time, so that the order of the rows decides; and ``repeats_dropped``.
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
    return Split(
        (codes,),
        {
            "users_without_test": int(too_short.sum()),
            "users_tied": int(tied.sum()),
            "repeats_dropped": drop_repeats(codes, ratings, ~tests, tests, repeats),
        },
    )


def needed_timestamps(ratings: Ratings) -> Timestamps:
    """Return the timestamps of ratings, which a split by time cannot do without."""
    if ratings.timestamps is None:
        raise ValueError(
            "A temporal split needs timestamps, but this variant of the dataset has none. Use a "
            "variant with timestamps, or a split of the kind 'predefined' with the held-out pairs."
        )
    return ratings.timestamps


def drop_repeats(
    codes: NDArray[np.uint8],
    ratings: Ratings,
    trains: NDArray[np.bool_],
    tests: NDArray[np.bool_],
    repeats: Literal["drop", "keep"],
) -> int:
    """Leave out the test rows whose (user, item) pair is also in train; return their number."""
    if repeats == "keep":
        return 0

    def pairs(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return ratings.users[rows].astype(np.int64) * ratings.n_items + ratings.items[rows]

    test_rows = np.flatnonzero(tests)
    repeated = test_rows[np.isin(pairs(test_rows), pairs(np.flatnonzero(trains)))]
    codes[repeated] = 0
    return len(repeated)


# A cut is one moment for all users.


def seconds_of_date(text: str) -> float:
    """Return an ISO 8601 date as seconds since 1970-01-01 UTC; without a time zone, it is UTC.

    Examples
    --------
    >>> seconds_of_date("1970-01-02"), seconds_of_date("1970-01-01T01:00+01:00")
    (86400.0, 0.0)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(
            f"The cut {quoted(text)} is not a date. Write a date as 2003-01-31 or "
            "2003-01-31T12:00, or give seconds since 1970, or a share of the ratings between 0 "
            "and 1."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def date_of_seconds(seconds: float) -> str:
    """Return seconds since 1970 as a date and time in UTC, or as a number if too late for a date.

    Examples
    --------
    >>> date_of_seconds(86_400), date_of_seconds(1e300)
    ('1970-01-02 00:00:00', '1e+300')
    """
    try:
        return f"{datetime.fromtimestamp(float(seconds), UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g}"


def cut_in_time(timestamps: Timestamps, cut: Cut) -> float:
    r"""Return the second at which a cut begins the test.

    A number of at least 1 is that second. A share :math:`s` of n ratings is turned into the time of
    the rating that has :math:`\mathrm{round}(s n)` others before it, in the order of time. All
    ratings of that second lie after the cut, so that the share before it is at most :math:`s`.

    Examples
    --------
    >>> times = np.array([10, 20, 20, 20, 50])
    >>> cut_in_time(times, 0.6), cut_in_time(times, 0.8), cut_in_time(times, 30)
    (20.0, 50.0, 30.0)
    """
    if isinstance(cut, str):
        return seconds_of_date(cut)
    if not cut > 0 or not np.isfinite(cut):
        raise ValueError(
            f"The cut is {cut:g}. It must be a share between 0 and 1, seconds since 1970, or a "
            "date."
        )
    if cut >= 1:
        return float(cut)
    if not len(timestamps):
        raise ValueError("There are no ratings, so a share of them cannot be converted to a time.")
    before = min(round(cut * len(timestamps)), len(timestamps) - 1)
    return float(np.partition(timestamps, before)[before])


def sides_of_cut(
    timestamps: Timestamps, cut: float, gap: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    r"""Return which ratings lie before the gap of some days, and which at or after the cut.

    .. math:: train = \{t < cut - gap\}, \qquad test = \{t \ge cut\}

    The gap excludes events just before the test, such as the same session, from training. If there
    are no ratings on one of the two sides, that is an error.
    """
    before, behind = timestamps < cut - gap * SECONDS_OF_A_DAY, timestamps >= cut
    for side, name in ((before, "before the gap"), (behind, "at or after the cut")):
        if not side.any():
            span = "there are no ratings"
            if len(timestamps):
                first, last = (date_of_seconds(t) for t in (timestamps.min(), timestamps.max()))
                span = f"the ratings are from {first} to {last}"
            raise ValueError(
                f"The cut at {date_of_seconds(cut)} with a gap of {gap:g} days leaves no rating "
                f"{name}; {span}. Choose another cut or a smaller gap."
            )
    return before, behind


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


def split_into_time_windows(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    windows: int,
    cut: Cut,
    days: float | None,
    past_days: float | None,
    gap: float,
    repeats: Literal["drop", "keep"],
    new_users: Literal["test", "drop"],
) -> Split:
    r"""Make a fold of each window of time, which trains on its past; nothing is random.

    With the moments :math:`c_0 < c_1 < \ldots < c_w` that :func:`moments_of_windows` returns, a
    rating at the time t has in the fold k, counted from 0, the use

    .. math:: train = \{c_k - g - p \le t < c_k - g\}, \qquad test = \{c_k \le t < c_{k+1}\},

    with the ``gap`` g and the length p of the past (``past_days``, without a limit by default).
    Ratings of one second are never on both sides of a moment, so that no fold trains on the future
    of its test. ``repeats`` and ``new_users`` are as for
    :func:`receval.splits.temporal.split_by_time`.

    Metadata: ``windows_begin`` (dates and times, UTC), and over all folds ``repeats_dropped``,
    ``new_users_dropped`` and ``left_in_gap`` (numbers of ratings). Campos, Díez and Cantador
    (2014), "Time-aware recommender systems: a comprehensive survey and analysis of existing
    evaluation protocols", UMUAI 24, compare windows of time with other splits by time.
    """
    timestamps = needed_timestamps(ratings)
    moments = moments_of_windows(timestamps, windows, cut, days)
    past = np.inf if past_days is None else past_days * SECONDS_OF_A_DAY
    codes: list[NDArray[np.uint8]] = []
    counts = {"repeats_dropped": 0, "new_users_dropped": 0, "left_in_gap": 0}
    for number, (start, end) in enumerate(pairwise(moments), 1):
        last = start - gap * SECONDS_OF_A_DAY
        trains = (timestamps < last) & (timestamps >= last - past)
        tests = (timestamps >= start) & (timestamps < end)
        for side, what in ((trains, "training"), (tests, "test")):
            if not side.any():
                raise ValueError(
                    f"Window {number} of {windows}, which begins at {date_of_seconds(start)}, has "
                    f"no {what} rating. The ratings are from {date_of_seconds(timestamps.min())} "
                    f"to {date_of_seconds(timestamps.max())}. Set fewer or longer windows, another "
                    "cut, a smaller gap or a longer past."
                )
        own = np.where(tests, TEST, np.where(trains, TRAIN, 0)).astype(np.uint8)
        counts["repeats_dropped"] += drop_repeats(own, ratings, trains, tests, repeats)
        counts["left_in_gap"] += int(((timestamps >= last) & (timestamps < start)).sum())
        if new_users == "drop":
            new = (own == TEST) & ~np.isin(ratings.users, ratings.users[trains])
            counts["new_users_dropped"] += int(new.sum())
            own[new] = 0
        codes.append(own)
    begin = ", ".join(date_of_seconds(moment) for moment in moments[:-1])
    metadata: dict[str, Metadatum] = {**counts, "windows_begin": begin}
    return Split(tuple(codes), metadata)


def moments_of_windows(
    timestamps: NDArray[np.integer] | NDArray[np.float64],
    windows: int,
    cut: Cut,
    days: float | None,
) -> list[float]:
    r"""Return the seconds at which windows begin, and that at which the last one ends.

    The first begins at the ``cut`` (:func:`receval.splits.temporal.cut_in_time`). With ``days``,
    each is that long. Otherwise the n ratings from the cut on are divided equally: window k begins
    at the time of the rating that has :math:`\mathrm{round}(k n / w)` of them before it, and all
    ratings of that second belong to it; if it would be empty, it begins at the next time.

    Examples
    --------
    >>> times = np.array([0, 10, 20, 30, 40, 50])
    >>> moments_of_windows(times, 2, 20, None)
    [20.0, 40.0, inf]
    >>> moments_of_windows(times, 2, 20, 0.0001)
    [20.0, 28.64, 37.28]
    """
    start = cut_in_time(timestamps, cut)
    if days is not None:
        length = days * SECONDS_OF_A_DAY
        return [start + number * length for number in range(windows + 1)]
    after = np.sort(timestamps[timestamps >= start])
    if not len(after):
        raise ValueError(
            f"No rating is from {date_of_seconds(start)} or later, where the first window begins. "
            "Choose an earlier cut."
        )
    moments = [start]
    for number in range(1, windows):
        later = int(np.searchsorted(after, moments[-1], side="right"))
        next_moment = max(round(number * len(after) / windows), later)
        if next_moment >= len(after):
            raise ValueError(
                f"{len(after):,} ratings from {date_of_seconds(start)} on cannot be divided into "
                f"{windows} windows, because too many have the same time. Set fewer windows, an "
                "earlier cut, or the length of windows (days)."
            )
        moments.append(float(after[next_moment]))
    moments.append(np.inf)
    return moments
