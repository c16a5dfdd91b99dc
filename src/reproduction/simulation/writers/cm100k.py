# SPDX-License-Identifier: MIT
"""CM100k: ``ratings.txt``, tab-separated, with a flag for tracks heard before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from receval.storage.files import write_atomically
from reproduction.simulation.observation import Observation
from reproduction.simulation.writers.raw_files import Ids, join_columns, numbers_with_gaps, to_bytes

LAST_TRACK = 99_757_138


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw user ids (from 0) and track ids (with gaps), by index."""
    return (
        np.arange(n_users).astype(np.str_),
        numbers_with_gaps(n_items, LAST_TRACK, rng).astype(np.str_),
    )


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw file and return its name; lines ``user track rating known`` in no order."""
    if seen.known is None:
        raise ValueError("CM100k has familiarity flags. Give the synthetic twin a random_sample.")
    order = rng.permutation(len(seen))
    lines = join_columns(
        [
            user_ids[seen.users[order]],
            item_ids[seen.items[order]],
            seen.values[order].astype(np.int64),
            seen.known[order].astype(np.int64),
        ],
        "\t",
    )
    write_atomically(folder / "ratings.txt", to_bytes(lines))
    return ["ratings.txt"]
