# SPDX-License-Identifier: MIT
"""Synthetic twins: simulated datasets in the raw formats of real ones, with their truth."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from receval.seeds import generator
from receval.storage.archives import write_archive
from reproduction.simulation.large_worlds import LARGEST_WHOLE_WORLD, observe_large_world
from reproduction.simulation.spec import WRITERS, TwinSpec
from reproduction.simulation.world import Observation, World, generate_world, observe

HOLDING_REPEATS = ("librarything", "beeradvocate")
"""Formats in which a pair may occur again, with an outdated rating."""

TRUTH_FILE = "truth.npz"


class TwinCounts(TypedDict):
    """The counts that a correct parse of a synthetic twin gives."""

    users: int
    items: int
    ratings: int


class WrittenTwin(TypedDict):
    """Names of a synthetic twin's raw files, and the counts that a correct parse gives."""

    files: list[str]
    expected: TwinCounts


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
    of users (:mod:`reproduction.simulation.large_worlds`) and has no truth.

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
    files: list[str] = _writer(dataset_id).write(folder, observation, user_ids, item_ids, rng)
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
    """Return the rows that a correct parse keeps, ascending.

    All of them; for data with a random sample (such as Yahoo! R3), only those of users with a
    sample.
    """
    if observation.known is None:
        return np.arange(len(observation))
    sampled = np.unique(observation.users[~observation.known])
    return np.flatnonzero(np.isin(observation.users, sampled))


def _writer_for(dataset_id: str, spec: TwinSpec) -> ModuleType:
    """Return the module that writes a dataset's raw format, if it can hold the specified data."""
    writer = _writer(dataset_id)
    if spec.repeated_share and dataset_id not in HOLDING_REPEATS:
        raise ValueError(
            f"The synthetic twin of {dataset_id} asks for a repeated_share of "
            f"{spec.repeated_share:g}, but its raw format holds every pair once: remove "
            "repeated_share."
        )
    return writer


def _writer(dataset_id: str) -> ModuleType:
    if dataset_id not in WRITERS:
        raise ValueError(
            f"There is no raw format to write a synthetic twin of {dataset_id} in; there are "
            f"those of {', '.join(WRITERS)}."
        )
    return import_module(WRITERS[dataset_id])
