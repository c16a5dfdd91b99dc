# SPDX-License-Identifier: MIT
"""Times of events: users and items arrive, users rate in sessions, listeners tire of artists."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import numpy as np
from numpy.typing import NDArray

from reproduction.simulation.spec import Period, Sessions

DAY = 86_400
SECONDS_PER_RATING = 20


def rating_times(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    period: Period,
    sessions: Sessions,
    rng: np.random.Generator,
    appeared: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Draw the time of each rating.

    A user arrives, then has one or more sessions with some of their ratings, a few seconds apart. A
    rating that would precede its item's appearance is moved after it by an exponential delay of
    mean ``active_days``, truncated at the end of the period.
    """
    _, end = _bounds(period)
    n_ratings = np.bincount(users)
    n_users = len(n_ratings)
    arrival = _arrivals(n_users, period, rng)
    if appeared is None:
        appeared = item_appearances(int(items.max()) + 1, period, rng)
    appeared = appeared[items]
    active = np.minimum(end - arrival, rng.exponential(sessions.active_days * DAY, n_users))

    n_sessions = np.maximum(1, rng.poisson(n_ratings / sessions.length))
    first_session = np.cumsum(n_sessions) - n_sessions
    session_user = np.repeat(np.arange(n_users), n_sessions)
    session_start = arrival[session_user] + active[session_user] * rng.random(len(session_user))
    session_start[first_session] = arrival

    session = first_session[users] + (rng.random(len(users)) * n_sessions[users]).astype(np.int64)
    position = _position_in_group(session, rng.permutation(len(users)))
    moments: NDArray[np.float64] = session_start[session] + SECONDS_PER_RATING * (
        position + rng.random(len(users))
    )
    noticed = appeared + _delays(end - appeared, sessions.active_days, rng)
    moments = np.where(moments < appeared, noticed, moments)
    return np.minimum(moments, end - 1).astype(np.int64)


def scrobble_times(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    plays: NDArray[np.int64],
    period: Period,
    fade_days: float,
    rng: np.random.Generator,
    appeared: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Expand numbers of plays into single plays with times.

    A listener discovers an artist at a uniform time between the arrival of the later of the two and
    the end of the period. The delay of a play after the discovery is exponential, truncated at the
    end of the period.
    """
    _, end = _bounds(period)
    arrived = _arrivals(int(users.max()) + 1, period, rng)[users]
    if appeared is None:
        appeared = item_appearances(int(items.max()) + 1, period, rng)
    earliest = np.maximum(arrived, appeared[items])
    pairs = np.repeat(np.arange(len(users)), plays)
    discovered = (earliest + (end - earliest) * rng.random(len(users)))[pairs]
    times = np.minimum(discovered + _delays(end - discovered, fade_days, rng), end - 1)
    return pairs, times.astype(np.int64)


def item_appearances(n_items: int, period: Period, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw when each item appears, in seconds since 1970-01-01 UTC, shape (n_items,)."""
    start, end = _bounds(period)
    from_start = rng.random(n_items) < period.items_at_start
    return np.where(from_start, float(start), rng.uniform(start, end, n_items))


def _bounds(period: Period) -> tuple[int, int]:
    """Return the first second of the period and the first second after it."""
    return _midnight(period.start), _midnight(period.end)


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp())


def _arrivals(n_users: int, period: Period, rng: np.random.Generator) -> NDArray[np.float64]:
    start, end = _bounds(period)
    return start + period.arrival_share * (end - start) * rng.random(n_users)


def _delays(
    longest: NDArray[np.float64], mean_days: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw exponential delays in seconds, conditional on being at most `longest`."""
    scale = mean_days * DAY
    below_longest = -np.expm1(-longest / scale)
    return -scale * np.log1p(-below_longest * rng.random(len(longest)))


def _position_in_group(
    groups: NDArray[np.integer], priority: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the index of each entry in its group, from 0, in the order of priority."""
    order = np.lexsort((priority, groups))
    ordered = groups[order]
    new_group = np.r_[True, ordered[1:] != ordered[:-1]]
    group_start = np.maximum.accumulate(np.where(new_group, np.arange(len(groups)), 0))
    position = np.empty(len(groups), dtype=np.int64)
    position[order] = np.arange(len(groups)) - group_start
    return position
