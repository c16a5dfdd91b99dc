# SPDX-License-Identifier: MIT
"""Several time windows: each tests on its own ratings and trains on those before it."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.split import TEST, TRAIN, Metadatum, Split
from receval.splits.temporal import (
    SECONDS_OF_A_DAY,
    Cut,
    cut_in_time,
    date_of_seconds,
    drop_repeats,
    needed_timestamps,
)


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
            has_train = np.zeros(ratings.n_users, dtype=bool)
            has_train[ratings.users[trains]] = True
            new = (own == TEST) & ~has_train[ratings.users]
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
        next_moment = max(round(number * len(after) / windows), _first_after(after, moments[-1]))
        if next_moment >= len(after):
            raise ValueError(
                f"{len(after):,} ratings from {date_of_seconds(start)} on cannot be divided into "
                f"{windows} windows, because too many have the same time. Set fewer windows, an "
                "earlier cut, or the length of windows (days)."
            )
        moments.append(float(after[next_moment]))
    moments.append(np.inf)
    return moments


def _first_after(ascending: NDArray[np.integer] | NDArray[np.float64], moment: float) -> int:
    """Return the place of the first time after a moment."""
    return int(np.searchsorted(ascending, moment, side="right"))
