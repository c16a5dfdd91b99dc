# SPDX-License-Identifier: MIT
"""Cut ratings at one moment for all users, optionally with a gap before the test."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from receval.storage.messages import quoted

SECONDS_OF_A_DAY = 86_400

Cut = float | str
"""Seconds since 1970-01-01 UTC, a date, or a share of the ratings."""


def seconds_of_date(text: str) -> float:
    """Return a date as seconds since 1970-01-01 UTC; without a time zone, the date is UTC.

    Parameters
    ----------
    text : str
        In ISO 8601: ``2003-01-31``, ``2003-01-31T12:00``, ``2003-01-31 12:00+02:00``.

    Raises
    ------
    ValueError
        The text is not a date.

    Examples
    --------
    >>> seconds_of_date("1970-01-02"), seconds_of_date("1970-01-01T01:00+01:00")
    (86400.0, 0.0)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(
            f"The cut {quoted(text)} is no date: write it as 2003-01-31 or 2003-01-31T12:00, or "
            "give seconds since 1970, or a share of the ratings between 0 and 1."
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


def cut_in_time(timestamps: NDArray[np.integer] | NDArray[np.float64], cut: Cut) -> float:
    r"""Return the second at which a cut begins the test.

    A share :math:`s` of n ratings is turned into the time of the rating that has
    :math:`\mathrm{round}(s n)` others before it, in the order of time. All ratings of that second
    lie after the cut, so that the share before it is at most :math:`s`.

    Parameters
    ----------
    timestamps : ndarray of int, shape (n_ratings,)
        Seconds since 1970-01-01 UTC.
    cut : float or str
        A date (:func:`seconds_of_date`), a share between 0 and 1, or a number of at least 1, in
        seconds since 1970-01-01 UTC.

    Raises
    ------
    ValueError
        The cut is not a date, or not positive, or there are no ratings.

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
            f"The cut is {cut:g}: it must be a share between 0 and 1, seconds since 1970, or a "
            "date."
        )
    if cut >= 1:
        return float(cut)
    if not len(timestamps):
        raise ValueError("There are no ratings, so that a share of them has no time.")
    before = min(round(cut * len(timestamps)), len(timestamps) - 1)
    return float(np.partition(timestamps, before)[before])


def sides_of_cut(
    timestamps: NDArray[np.integer] | NDArray[np.float64], cut: float, gap: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    r"""Return which ratings lie before the gap, and which lie at or after the cut.

    .. math:: train = \{t < cut - gap\}, \qquad test = \{t \ge cut\}

    The gap excludes events just before the test, such as the same session, from training.

    Parameters
    ----------
    timestamps : ndarray of int, shape (n_ratings,)
    cut : float
        Seconds since 1970-01-01 UTC.
    gap : float
        Days.

    Raises
    ------
    ValueError
        There are no ratings on one of the two sides.

    Examples
    --------
    >>> before, behind = sides_of_cut(np.array([0, 86_399, 86_400, 200_000]), 172_800, gap=1)
    >>> before.tolist(), behind.tolist()
    ([True, True, False, False], [False, False, False, True])
    """
    before, behind = timestamps < cut - gap * SECONDS_OF_A_DAY, timestamps >= cut
    for side, name in ((before, "before the gap"), (behind, "from the cut on")):
        if not side.any():
            span = "there are none at all"
            if len(timestamps):
                first, last = (date_of_seconds(t) for t in (timestamps.min(), timestamps.max()))
                span = f"they are from {first} to {last}"
            raise ValueError(
                f"The cut at {date_of_seconds(cut)} with a gap of {gap:g} days leaves no rating "
                f"{name}; {span}. Choose another cut, or a smaller gap."
            )
    return before, behind
