# SPDX-License-Identifier: MIT
"""Yahoo! R3: two tab-separated files, of ratings that users chose and of drawn ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from receval.storage.files import write_atomically
from reproduction.simulation.observation import Observation
from reproduction.simulation.writers.raw_files import Ids, join_columns, to_bytes

TRAIN_FILE = "ydata-ymusic-rating-study-v1_0-train.txt"
TEST_FILE = "ydata-ymusic-rating-study-v1_0-test.txt"


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw user ids and song ids, both from 1 without gaps, by index."""
    return np.arange(1, n_users + 1).astype(np.str_), np.arange(1, n_items + 1).astype(np.str_)


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw files and return their names.

    Lines ``user song rating`` are ordered by user and song. The training file also holds users
    without a random sample.
    """
    if seen.known is None:
        raise ValueError(
            "Yahoo! R3 has a part missing at random. Give the synthetic twin a random_sample."
        )
    lines = join_columns(
        [
            user_ids[seen.users],
            item_ids[seen.items],
            seen.values.astype(np.int64),
        ],
        "\t",
    )
    for name, rows in ((TRAIN_FILE, seen.known), (TEST_FILE, ~seen.known)):
        write_atomically(folder / name, to_bytes(lines.take(np.flatnonzero(rows))))
    return [TRAIN_FILE, TEST_FILE]
