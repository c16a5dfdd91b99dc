# SPDX-License-Identifier: MIT
"""MovieLens 1M: ``ml-1m.zip`` with ``::`` between fields and ISO-8859-1 titles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from receval.storage.files import write_atomically
from reproduction.simulation.observation import Observation
from reproduction.simulation.writers.raw_files import (
    Ids,
    invent_names,
    join_columns,
    numbers_with_gaps,
    to_bytes,
    zip_bytes,
)

LAST_MOVIE = 3952
GENRES = np.array(["Action", "Comedy", "Comedy|Romance", "Drama", "Drama|War", "Thriller"])
README = "A synthetic twin of MovieLens 1M: no rating in it was given by a person.\n"


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw user ids (1, 2, ...) and movie ids (with gaps), by index."""
    return (
        np.arange(1, n_users + 1).astype(np.str_),
        numbers_with_gaps(n_items, LAST_MOVIE, rng).astype(np.str_),
    )


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write ``ratings.dat``, by user and in no order within a user, and return its name."""
    if seen.timestamps is None:
        raise ValueError("MovieLens ratings have timestamps. Give the synthetic twin a period.")
    order = np.lexsort((rng.random(len(seen)), seen.users))
    ratings = join_columns(
        [
            user_ids[seen.users[order]],
            item_ids[seen.items[order]],
            seen.values[order].astype(np.int64),
            seen.timestamps[order],
        ],
        "::",
    )
    n_users, n_items = len(user_ids), len(item_ids)
    titles = join_columns(
        [np.array(invent_names(n_items, rng)), " (", rng.integers(1930, 2001, n_items), ")"]
    )
    movies = join_columns([item_ids, titles, rng.choice(GENRES, n_items)], "::")
    users = join_columns(
        [
            user_ids,
            rng.choice(["F", "M"], n_users),
            rng.choice([1, 18, 25, 35, 45, 50, 56], n_users),
            rng.integers(0, 21, n_users),
            rng.integers(10_000, 99_999, n_users),
        ],
        "::",
    )
    content = zip_bytes(
        {
            "ml-1m/": b"",
            "ml-1m/movies.dat": to_bytes(movies, "iso-8859-1"),
            "ml-1m/ratings.dat": to_bytes(ratings),
            "ml-1m/README": README.encode(),
            "ml-1m/users.dat": to_bytes(users),
        }
    )
    write_atomically(folder / "ml-1m.zip", content)
    return ["ml-1m.zip"]
