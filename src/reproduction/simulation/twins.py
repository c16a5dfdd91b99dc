# SPDX-License-Identifier: MIT
r"""Synthetic twins: simulated datasets in the raw formats of real ones, with their truth.

Worlds that do not fit in memory are observed in blocks of users.

The model is that of :mod:`reproduction.simulation.observation`. First, what all users share is
drawn: the items, their popularity curve, when they appear, and how many items each user chooses. A
pilot of some users then fits the exponent of the curve and the bounds of the ratings. Finally the
affinities, choices, ratings and times are drawn block by block, each from a seed by its number.
Unobserved pairs are discarded with their block, so there is no complete relevance.

Two things differ from worlds in memory. The pilot expects

.. math:: \frac{|U|}{|P|} \sum_{u \in P} \left(1 - \exp(-\exp(w_{ui} - t_u))\right)

users of item i, where :math:`t_u` is the smallest key that user u of the pilot P chose, because
counts of few users would be more unequal than those of all; the counts of all users are Poisson
draws with this mean. Further, each item is given to one user so that none is without users. This
user is drawn in proportion to the numbers of items that users choose, regardless of affinity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from receval.seeds import generator
from receval.statistics.inequality import gini
from receval.storage.archives import write_archive
from reproduction.simulation.observation import (
    FIRST_RATING_BONUS,
    Observation,
    World,
    draw_activity,
    fitted_exponent,
    generate_world,
    item_appearances,
    log_popularity_curve,
    observe,
    play_counts,
    rating_bounds,
    rating_times,
    scrobble_times,
)
from reproduction.simulation.spec import WRITERS, Preferences, TwinSpec

LARGEST_WHOLE_WORLD = 2**25
"""Largest number of (user, item) pairs of worlds in memory, at about 60 bytes per pair."""

PILOT_PAIRS = 2**26
"""Number of (user, item) pairs of the pilot."""

BLOCK_PAIRS = 2**22
"""Number of (user, item) pairs whose affinities are in memory at once; 16 MiB per array."""

_CACHED_PAIRS = 2**17
"""Number of pairs whose tastes are added up at once, so that they fit in processor caches."""


@dataclass(frozen=True)
class _Shared:
    """What all users share; arrays have shape (n_items,) except `factors` and `activity`."""

    quality: NDArray[np.float32]
    factors: NDArray[np.float32]
    log_curve: NDArray[np.float64]
    activity: NDArray[np.int64]
    finders: NDArray[np.int64]
    appeared: NDArray[np.float64] | None


@dataclass(frozen=True)
class _Fitted:
    """The results of the pilot: the fitted curve, and how affinities become ratings.

    `observed` has the affinities of observed pairs in ascending order, `bounds` those at which
    ratings change.
    """

    log_curve: NDArray[np.float32]
    observed: NDArray[np.float32]
    bounds: NDArray[np.floating] | None


def observe_large_world(dataset_id: str, spec: TwinSpec, root_seed: int) -> Observation:
    """Draw which users rate (or play) which items and when, in a world too large for memory."""
    if spec.random_sample is not None:
        raise ValueError(
            f"The synthetic twin of {dataset_id} has {spec.users * spec.items:,} pairs of user "
            "and item. A random sample can be drawn only from a world that is simulated whole, "
            f"with at most {LARGEST_WHOLE_WORLD:,} pairs. Lower users or items."
        )
    if spec.activity.total < spec.items:
        raise ValueError(
            f"The synthetic twin of {dataset_id} has {spec.items:,} items but only "
            f"{spec.activity.total:,} choices. Every item needs a choice. Raise activity.total."
        )
    shared = _draw_shared(spec, generator(root_seed, dataset_id, "twin", "large world"))
    fitted = _fit(spec, shared, generator(root_seed, dataset_id, "twin", "pilot"))
    size = max(1, BLOCK_PAIRS // spec.items)
    blocks = [
        _block(
            spec,
            shared,
            fitted,
            range(first, min(first + size, spec.users)),
            generator(root_seed, dataset_id, "twin", "block of users", number),
        )
        for number, first in enumerate(range(0, spec.users, size))
    ]
    times = [block.timestamps for block in blocks if block.timestamps is not None]
    return Observation(
        users=np.concatenate([block.users for block in blocks]),
        items=np.concatenate([block.items for block in blocks]),
        values=np.concatenate([block.values for block in blocks]),
        timestamps=np.concatenate(times) if times else None,
        known=None,
        repeated=np.concatenate([block.repeated for block in blocks]),
    )


def _draw_shared(spec: TwinSpec, rng: np.random.Generator) -> _Shared:
    preferences, exposure = spec.preferences, spec.exposure
    quality = rng.standard_normal(spec.items)
    shares = np.arange(1, preferences.factors + 1) ** -preferences.decay
    strengths = np.sqrt(preferences.taste * shares / shares.sum())
    factors = strengths[:, np.newaxis] * rng.standard_normal((preferences.factors, spec.items))
    log_curve = log_popularity_curve(
        quality, exposure.quality_correlation, exposure.head_width, rng
    )
    activity = draw_activity(spec.activity, spec.users, rng)
    appeared = None if spec.period is None else item_appearances(spec.items, spec.period, rng)
    # Evenly spaced positions in all choices, so no user gets more items than they choose.
    places = (np.arange(spec.items) + rng.random()) * activity.sum() / spec.items
    finders = np.searchsorted(np.cumsum(activity), places, side="right")
    return _Shared(
        quality=(np.sqrt(preferences.quality) * quality).astype(np.float32),
        factors=factors.astype(np.float32),
        log_curve=log_curve,
        activity=activity,
        finders=rng.permutation(finders),
        appeared=appeared,
    )


def _fit(spec: TwinSpec, shared: _Shared, rng: np.random.Generator) -> _Fitted:
    """Fit the exponent of the popularity curve, and collect observed affinities."""
    n_users = min(spec.users, max(1, PILOT_PAIRS // spec.items))
    counts = shared.activity[np.sort(rng.choice(spec.users, n_users, replace=False))]
    appeal = _draw_appeal(spec.preferences, shared, n_users, rng)
    noise = _gumbel_noise(appeal.shape, rng)
    seed = rng.integers(2**63)

    def keys_of(exponent: float) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.float32]]]:
        curve = (exponent * shared.log_curve).astype(np.float32)
        for user, count in enumerate(counts.tolist()):
            if count:
                weights = np.float32(spec.exposure.relevance_strength) * appeal[user] + curve
                yield count, weights, weights + noise[user]

    def item_gini(exponent: float) -> float:
        expected = np.zeros(spec.items)
        for count, weights, keys in keys_of(exponent):
            lowest = np.partition(keys, spec.items - count)[spec.items - count]
            expected -= np.expm1(-np.exp(weights - lowest))
        # Each item is given to one user; the other choices follow the weights.
        drawn = spec.activity.total - spec.items
        return gini(1 + np.random.default_rng(seed).poisson(expected * (drawn / expected.sum())))

    exponent = fitted_exponent(item_gini, spec.exposure.item_gini)
    leniency = np.sqrt(spec.preferences.leniency) * rng.standard_normal(n_users)
    rows = np.flatnonzero(counts).tolist()
    observed = [
        appeal[row, _largest(keys, count)] + np.float32(leniency[row])
        for row, (count, _, keys) in zip(rows, keys_of(exponent), strict=True)
    ]
    affinity = np.sort(np.concatenate(observed))
    bounds = None if spec.scale is None else rating_bounds(affinity, spec.scale)
    return _Fitted((exponent * shared.log_curve).astype(np.float32), affinity, bounds)


def _block(
    spec: TwinSpec, shared: _Shared, fitted: _Fitted, block: range, rng: np.random.Generator
) -> Observation:
    """Draw the observation of a block of users, with their indices in the world."""
    counts = shared.activity[block.start : block.stop]
    appeal = _draw_appeal(spec.preferences, shared, len(block), rng)
    keys = np.float32(spec.exposure.relevance_strength) * appeal
    keys += fitted.log_curve
    keys += _gumbel_noise(appeal.shape, rng)
    found = np.flatnonzero((shared.finders >= block.start) & (shared.finders < block.stop))
    keys[shared.finders[found] - block.start, found] += np.float32(FIRST_RATING_BONUS)
    users = np.repeat(np.arange(len(block), dtype=np.int32), counts)
    items = np.concatenate([_largest(keys[row], n) for row, n in enumerate(counts.tolist())])
    leniency = np.sqrt(spec.preferences.leniency) * rng.standard_normal(len(block))
    affinity = appeal[users, items] + leniency[users].astype(np.float32)
    values: NDArray[np.float32] = np.ones(len(users), dtype=np.float32)
    timestamps = None
    if spec.scale is not None and fitted.bounds is not None:
        ratings = np.array(sorted(spec.scale.marginal), dtype=np.float32)
        values = ratings[np.searchsorted(fitted.bounds, affinity)]
    if spec.plays is not None and spec.period is not None:
        plays = play_counts(affinity, fitted.observed, spec.plays).astype(np.int64)
        pairs, timestamps = scrobble_times(
            users, items, plays, spec.period, spec.plays.fade_days, rng, shared.appeared
        )
        users, items, values = users[pairs], items[pairs], np.ones(len(pairs), dtype=np.float32)
    elif spec.period is not None and spec.sessions is not None:
        timestamps = rating_times(users, items, spec.period, spec.sessions, rng, shared.appeared)
    return Observation(
        users=users + np.int32(block.start),
        items=items,
        values=values,
        timestamps=timestamps,
        known=None,
        repeated=rng.random(len(users)) < spec.repeated_share,
    )


def _draw_appeal(
    preferences: Preferences, shared: _Shared, n_users: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Draw the appeal of items to users, without leniency, shape (n_users, n_items).

    Tastes are added up by factor, because a matrix product may be rounded differently on other
    machines.
    """
    n_items = len(shared.quality)
    noise_share = 1 - preferences.taste - preferences.quality - preferences.leniency
    tastes = rng.standard_normal((preferences.factors, n_users), dtype=np.float32)
    appeal = rng.standard_normal((n_users, n_items), dtype=np.float32)
    # Shares that add up to 1 may exceed it by a rounding error.
    appeal *= np.float32(np.sqrt(max(0.0, noise_share)))
    appeal += shared.quality
    size = max(1, _CACHED_PAIRS // n_items)
    product = np.empty((size, n_items), dtype=np.float32)
    for first in range(0, n_users, size):
        rows = appeal[first : first + size]
        part = product[: len(rows)]
        for user_factor, item_factor in zip(tastes, shared.factors, strict=True):
            np.multiply.outer(user_factor[first : first + size], item_factor, out=part)
            rows += part
    return appeal


def _gumbel_noise(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return standard Gumbel noise in single precision, where an exponential draw may be 0."""
    noise = rng.standard_exponential(shape, dtype=np.float32)
    np.maximum(noise, np.finfo(np.float32).tiny, out=noise)
    np.log(noise, out=noise)
    return np.negative(noise, out=noise)


def _largest(keys: NDArray[np.float32], count: int) -> NDArray[np.int32]:
    """Return the ascending indices of the largest keys."""
    if not count:
        return np.empty(0, dtype=np.int32)
    places = np.argpartition(keys, len(keys) - count)[len(keys) - count :]
    return np.sort(places).astype(np.int32)


HOLDING_REPEATS = ("librarything", "beeradvocate")
"""Formats in which a pair may occur again, with an outdated rating."""

TRUTH_FILE = "truth.npz"


class WrittenTwin(TypedDict):
    """Names of a synthetic twin's raw files, and the counts that a correct parse gives."""

    files: list[str]
    expected: dict[str, int]


@dataclass(frozen=True)
class Simulation:
    """A world, its observation, and the raw identifiers of users and items.

    The observation is everything that is observed, including users whom the parser leaves out.
    Identifiers are by index into the world.
    """

    world: World
    observation: Observation
    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]


def simulate(dataset_id: str, spec: TwinSpec, root_seed: int) -> Simulation:
    """Simulate a synthetic twin without writing anything.

    The id of the original is one of the keys of `WRITERS`, and part of every seed's name.

    Examples
    --------
    >>> spec = TwinSpec(
    ...     users=20,
    ...     items=10,
    ...     activity={"total": 100, "minimum": 2, "maximum": 8, "spread": 0.5},
    ...     preferences={"factors": 2, "taste": 0.5, "quality": 0.2, "leniency": 0.1},
    ...     exposure={
    ...         "item_gini": 0.3,
    ...         "head_width": 0.2,
    ...         "quality_correlation": 0.5,
    ...         "relevance_strength": 1,
    ...     },
    ...     scale={"step": 1, "marginal": {1: 30, 2: 30, 3: 40}},
    ... )
    >>> twin = simulate("ml-1m", spec, root_seed=1)
    >>> twin.world.relevance.shape, len(twin.observation)
    ((20, 10), 100)
    """
    writer = _writer_for(dataset_id, spec)
    world = generate_world(spec, generator(root_seed, dataset_id, "twin", "world"))
    observation = observe(spec, world, generator(root_seed, dataset_id, "twin", "observation"))
    user_ids, item_ids = writer.identifiers(
        world.n_users, world.n_items, generator(root_seed, dataset_id, "twin", "identifiers")
    )
    return Simulation(world, observation, user_ids, item_ids)


def write_twin(dataset_id: str, spec: TwinSpec, root_seed: int, folder: Path) -> WrittenTwin:
    """Write a synthetic twin's raw files and ``truth.npz``.

    ``truth.npz`` holds ``relevance`` (float32, shape (n_users, n_items): the actual or hypothetical
    rating of every pair on the rating scale, or its number of plays for event data), ``user_ids``
    and ``item_ids`` (str). It covers the whole world, including users whom the parser leaves out
    and items without ratings. A world of more than `LARGEST_WHOLE_WORLD` pairs is drawn by blocks
    of users (:mod:`reproduction.simulation.twins`) and has no truth.

    The files are named in the order in which the parser takes them. The expected counts are of one
    rating per pair (per play for events), without users that lack a random sample if the data has
    one.
    """
    if spec.users * spec.items <= LARGEST_WHOLE_WORLD:
        simulation = simulate(dataset_id, spec, root_seed)
        return write_simulation(dataset_id, simulation, root_seed, folder)
    writer = _writer_for(dataset_id, spec)
    observation = observe_large_world(dataset_id, spec, root_seed)
    user_ids, item_ids = writer.identifiers(
        spec.users, spec.items, generator(root_seed, dataset_id, "twin", "identifiers")
    )
    return _write_raw_files(dataset_id, observation, user_ids, item_ids, root_seed, folder)


def write_simulation(
    dataset_id: str, simulation: Simulation, root_seed: int, folder: Path
) -> WrittenTwin:
    """Write a simulation as a synthetic twin; see :func:`write_twin`."""
    written = _write_raw_files(
        dataset_id,
        simulation.observation,
        simulation.user_ids,
        simulation.item_ids,
        root_seed,
        folder,
    )
    write_archive(
        folder / TRUTH_FILE,
        {
            "relevance": simulation.world.ratings(),
            "user_ids": simulation.user_ids,
            "item_ids": simulation.item_ids,
        },
    )
    return written


def _write_raw_files(
    dataset_id: str,
    observation: Observation,
    user_ids: NDArray[np.str_],
    item_ids: NDArray[np.str_],
    root_seed: int,
    folder: Path,
) -> WrittenTwin:
    rng = generator(root_seed, dataset_id, "twin", "raw files")
    writer = import_module(WRITERS[dataset_id])
    files: list[str] = writer.write(folder, observation, user_ids, item_ids, rng)
    rows = parsed_rows(observation)
    return {
        "files": files,
        "expected": {
            "users": int(np.count_nonzero(np.bincount(observation.users[rows]))),
            "items": int(np.count_nonzero(np.bincount(observation.items[rows]))),
            "ratings": len(rows),
        },
    }


def parsed_rows(observation: Observation) -> NDArray[np.int64]:
    """Return the rows that a correct parse keeps: those of users with a sample, if any have."""
    if observation.known is None:
        return np.arange(len(observation))
    sampled = np.unique(observation.users[~observation.known])
    return np.flatnonzero(np.isin(observation.users, sampled))


def _writer_for(dataset_id: str, spec: TwinSpec) -> ModuleType:
    """Return the module that writes a dataset's raw format, if it can hold the specified data."""
    if dataset_id not in WRITERS:
        raise ValueError(
            f"There is no raw format for a synthetic twin of {dataset_id}. There are formats for "
            f"{', '.join(WRITERS)}."
        )
    if spec.repeated_share and dataset_id not in HOLDING_REPEATS:
        raise ValueError(
            f"The synthetic twin of {dataset_id} has a repeated_share of "
            f"{spec.repeated_share:g}, but its raw format contains every pair only once. Remove "
            "repeated_share."
        )
    return import_module(WRITERS[dataset_id])
