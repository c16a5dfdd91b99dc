# SPDX-License-Identifier: MIT
"""Netflix Prize: ``nf_prize_dataset.tar.gz`` with a tar of one file per movie inside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from receval.simulation.observation import Observation
from receval.simulation.timeline import DAY
from receval.simulation.writers.raw_files import (
    group_to_bytes,
    gzip_bytes,
    invent_names,
    join_columns,
    numbers_with_gaps,
    tar_bytes,
    to_bytes,
)
from receval.storage.files import write_atomically

LAST_MOVIE = 17_770
LAST_CUSTOMER = 2_649_429


def identifiers(
    n_users: int, n_items: int, rng: np.random.Generator
) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Return raw customer ids and movie ids, both with gaps, by index."""
    return (
        numbers_with_gaps(n_users, LAST_CUSTOMER, rng).astype(np.str_),
        numbers_with_gaps(n_items, LAST_MOVIE, rng).astype(np.str_),
    )


def write(
    folder: Path,
    observation: Observation,
    user_ids: NDArray[np.str_],
    item_ids: NDArray[np.str_],
    rng: np.random.Generator,
) -> list[str]:
    """Write the raw file and return its name.

    A movie's file starts with ``<movieId>:`` and lists ``customerId,rating,YYYY-MM-DD`` in no
    order. Movies without a rating have no file.
    """
    if observation.timestamps is None:
        raise ValueError("Netflix ratings have dates: give the synthetic twin a period.")
    order = rng.permutation(len(observation))
    days = (observation.timestamps[order] // DAY).astype("datetime64[D]")
    lines = join_columns(
        [
            user_ids[observation.users[order]],
            observation.values[order].astype(np.int64),
            np.datetime_as_string(days),
        ],
        ",",
    )
    contents = group_to_bytes(lines, observation.items[order], len(item_ids))
    movies = {
        f"training_set/mv_{int(movie):07d}.txt": f"{movie}:\n".encode() + content
        for movie, content in zip(item_ids, contents, strict=True)
        if content
    }
    titles = join_columns(
        [
            item_ids,
            rng.integers(1930, 2006, len(item_ids)),
            np.array(invent_names(len(item_ids), rng)),
        ],
        ",",
    )
    archive = tar_bytes(
        {
            "download/movie_titles.txt": to_bytes(titles, "iso-8859-1"),
            "download/training_set.tar": tar_bytes(movies),
        }
    )
    write_atomically(folder / "nf_prize_dataset.tar.gz", gzip_bytes(archive))
    return ["nf_prize_dataset.tar.gz"]
