# SPDX-License-Identifier: MIT
"""Netflix Prize: ``nf_prize_dataset.tar.gz`` with a tar of one file per movie inside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from numpy.typing import NDArray

from receval.storage.files import replacing
from reproduction.simulation.observation import DAY, Observation
from reproduction.simulation.writers.raw_files import (
    GzipWriter,
    Ids,
    group_to_bytes,
    invent_names,
    join_columns,
    numbers_with_gaps,
    to_bytes,
    write_tar,
)

LAST_MOVIE = 17_770
LAST_CUSTOMER = 2_649_429

_BLOCK_RATINGS = 2**20
"""Number of ratings that are held as lines of text at once."""


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw customer ids and movie ids, both with gaps, by index."""
    return (
        numbers_with_gaps(n_users, LAST_CUSTOMER, rng).astype(np.str_),
        numbers_with_gaps(n_items, LAST_MOVIE, rng).astype(np.str_),
    )


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw file and return its name.

    A movie's file starts with ``<movieId>:`` and lists ``customerId,rating,YYYY-MM-DD`` in no
    order. Movies without a rating have no file.
    """
    if seen.timestamps is None:
        raise ValueError("Netflix ratings have dates. Give the synthetic twin a period.")
    order = rng.permutation(len(seen))
    order = order[np.argsort(seen.items[order], kind="stable")]
    titles = join_columns(
        [
            item_ids,
            rng.integers(1930, 2006, len(item_ids)),
            np.array(invent_names(len(item_ids), rng)),
        ],
        ",",
    )
    target = folder / "nf_prize_dataset.tar.gz"
    # A tar stores a member's size before its content, so the inner tar is made first.
    with replacing(target) as archive, TemporaryDirectory(dir=folder) as parts:
        training_set = Path(parts) / "training_set.tar"
        with training_set.open("wb") as file:
            write_tar(file, _movies(seen, seen.timestamps, order, user_ids, item_ids))
        with archive.open("wb") as below, GzipWriter(below) as compressed:
            write_tar(
                compressed,
                [
                    ("download/movie_titles.txt", to_bytes(titles, "iso-8859-1")),
                    ("download/training_set.tar", training_set),
                ],
            )
    return [target.name]


def _movies(
    seen: Observation,
    timestamps: NDArray[np.int64],
    order: NDArray[np.int64],
    user_ids: Ids,
    item_ids: Ids,
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the movies' files; `order` has the rows by movie."""
    ends = np.cumsum(np.bincount(seen.items, minlength=len(item_ids)))
    customers = pa.array(user_ids)
    first = 0
    while first < len(item_ids):
        start = int(ends[first - 1]) if first else 0
        # At least one movie, and further ones as long as their ratings fit in a block.
        last = max(first + 1, int(np.searchsorted(ends, start + _BLOCK_RATINGS, side="right")))
        rows = order[start : ends[last - 1]]
        if not len(rows):
            first = last
            continue
        lines = join_columns(
            [
                customers.take(pa.array(seen.users[rows])),
                seen.values[rows].astype(np.int64),
                _dates(timestamps[rows]),
            ],
            ",",
        )
        contents = group_to_bytes(lines, seen.items[rows] - first, last - first)
        for movie, content in zip(item_ids[first:last], contents, strict=True):
            if content:
                yield f"training_set/mv_{int(movie):07d}.txt", f"{movie}:\n".encode() + content
        first = last


def _dates(seconds: NDArray[np.int64]) -> pa.Array:
    """Return dates as YYYY-MM-DD; each day is formatted once."""
    days = seconds // DAY
    earliest, latest = int(days.min()), int(days.max())
    words = np.datetime_as_string(np.arange(earliest, latest + 1).astype("datetime64[D]"))
    return pa.array(words).take(pa.array(days - earliest))
