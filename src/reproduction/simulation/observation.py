# SPDX-License-Identifier: MIT
"""Which parts of a world are observed, and when: choices, random samples, familiarity, plays.

Users and items arrive, users rate in sessions, and listeners tire of artists.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

import numpy as np
from numpy.typing import NDArray

from reproduction.simulation.spec import Period, Sessions, TwinSpec
from reproduction.simulation.world import World, choice_noise, choose_items, draw_random_sample

DAY = 86_400
SECONDS_PER_RATING = 20


@dataclass(frozen=True)
class Observation:
    """The observed part of a world, one entry per rating (or play), ordered by user.

    Users and items are indices into the world. Values are ratings, or 1 for each play; timestamps
    are seconds since 1970-01-01 UTC. `known` is True where the user chose or knew the item, and
    False where it was drawn for them. `repeated` marks pairs that the raw file also holds with an
    outdated rating, which is not part of the observation.

    Examples
    --------
    User 0 chose item 5, and item 8 was drawn for them:

    >>> seen = Observation(
    ...     users=np.array([0, 0], dtype=np.int32),
    ...     items=np.array([5, 8], dtype=np.int32),
    ...     values=np.array([4, 2], dtype=np.float32),
    ...     timestamps=None,
    ...     known=np.array([True, False]),
    ...     repeated=np.array([False, False]),
    ... )
    >>> len(seen), seen.items[seen.known].tolist()
    (2, [5])
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    timestamps: NDArray[np.int64] | None
    known: NDArray[np.bool_] | None
    repeated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.users)


def observe(spec: TwinSpec, world: World, rng: np.random.Generator) -> Observation:
    """Draw which users rate (or play) which items and when.

    Users choose items by the world's exposure, which depends on item and relevance. If a random
    sample includes the choices (CM100k), the data is the sample, and the choices are its known
    part. If it is separate from the choices (Yahoo! R3), the data is both.
    """
    shape = (world.n_users, world.n_items)
    in_sample = draw_random_sample(spec.random_sample, shape, rng)
    noise = choice_noise(spec, in_sample, rng)
    chosen = np.zeros(shape, dtype=np.bool_)
    chosen[choose_items(spec, world.exposure, world.activity, noise)] = True

    users, items = np.nonzero(chosen | in_sample)
    known = None if spec.random_sample is None else chosen[users, items]
    if spec.plays is not None and spec.period is not None:
        plays = world.relevance[users, items].astype(np.int64)
        pairs, timestamps = scrobble_times(
            users, items, plays, spec.period, spec.plays.fade_days, rng
        )
        users, items = users[pairs], items[pairs]
        values = np.ones(len(pairs), dtype=np.float32)
    else:
        timestamps = None
        if spec.period is not None and spec.sessions is not None:
            timestamps = rating_times(users, items, spec.period, spec.sessions, rng)
        values = world.ratings()[users, items]
    return Observation(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=values,
        timestamps=timestamps,
        known=known,
        repeated=rng.random(len(users)) < spec.repeated_share,
    )


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

    def midnight(day: date) -> int:
        return int(datetime.combine(day, time(), tzinfo=UTC).timestamp())

    return midnight(period.start), midnight(period.end)


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
    position = np.empty(len(groups), dtype=np.int64)
    position[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return position
