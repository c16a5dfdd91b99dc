# SPDX-License-Identifier: MIT
"""Which parts of a world are observed: chosen items, random samples, familiarity, plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.seeds import gumbel_noise
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.timeline import rating_times, scrobble_times
from reproduction.simulation.world import World, choosable_items, choose_items, draw_random_sample


@dataclass(frozen=True)
class Observation:
    """The observed part of a world, one entry per rating (or play), ordered by user.

    Attributes
    ----------
    users, items : ndarray of int32, shape (n_ratings,)
        Indices into the world.
    values : ndarray of float32, shape (n_ratings,)
        Ratings; 1 for each play.
    timestamps : ndarray of int64, shape (n_ratings,), or None
        Seconds since 1970-01-01 UTC.
    known : ndarray of bool, shape (n_ratings,), or None
        True where the user chose or knew the item, False where it was drawn for them.
    repeated : ndarray of bool, shape (n_ratings,)
        True for pairs that the raw file also holds with an outdated rating, which is not part of
        the observation.

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
    noise = np.where(choosable_items(spec, in_sample), gumbel_noise(shape, rng), -np.inf)
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
