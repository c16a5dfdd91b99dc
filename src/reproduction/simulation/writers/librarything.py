# SPDX-License-Identifier: MIT
"""LibraryThing: ``UI2.txt``, one line ``user work 2*rating tag`` per tag of a rating."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from receval.storage.files import write_atomically
from reproduction.simulation.observation import Observation
from reproduction.simulation.writers.raw_files import Ids, join_columns, numbers_with_gaps, to_bytes

LAST_WORK = 4_000_000
MEAN_EXTRA_TAGS = 1.7
"""Mean number of further tags of a rating; 2,056,487 / 749,401 - 1 = 1.74 in the original."""

TAGS = (
    "0", "1001 books", "18th century", "20th century", "adventure", "american literature",
    "art", "autobiography", "biography", "book club", "borrowed", "british", "chick lit",
    "children's", "classic", "comedy", "cooking", "crime", "essays", "fantasy",
    "favorite books of all time", "fiction", "film & tv", "food", "france", "gay literature",
    "graphic novel", "hardcover", "historical fiction", "history", "horror", "humor",
    "illustrated", "library book", "literature", "magic", "memoir", "mystery", "non-fiction",
    "novel", "paperback", "philosophy", "poetry", "politics", "psychology", "read",
    "read in 2007", "religion", "romance", "science", "science fiction", "series",
    "short stories", "signed", "to read", "travel", "unread", "vampires", "war", "young adult",
)  # fmt: skip
"""Tags in the order of their bytes; some contain spaces, one looks like a rating."""


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw user ids (from 1) and work ids (with gaps), by index."""
    return (
        np.arange(1, n_users + 1).astype(np.str_),
        numbers_with_gaps(n_items, LAST_WORK, rng).astype(np.str_),
    )


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw file and return its name.

    Lines are ordered by user, tag and work, as in the original. The first line of a repeated pair
    has an outdated rating, and later lines the valid one.
    """
    n_ratings = len(seen)
    repeated = seen.repeated
    n_tags = np.minimum(1 + rng.poisson(MEAN_EXTRA_TAGS, n_ratings), len(TAGS))
    n_tags = np.where(repeated, np.maximum(n_tags, 2), n_tags)
    rating = np.repeat(np.arange(n_ratings), n_tags)
    first_line = np.cumsum(n_tags) - n_tags
    index = np.arange(len(rating)) - first_line[rating]
    # A step coprime to the number of tags keeps the tags of a rating distinct.
    tag = (rng.integers(0, len(TAGS), n_ratings)[rating] + 7 * index) % len(TAGS)

    doubled = np.rint(2 * seen.values).astype(np.int64)
    outdated = np.where(doubled > 2, doubled - 2, doubled + 2)
    order = np.lexsort((seen.items[rating], tag, seen.users[rating]))
    rating, tag = rating[order], tag[order]
    first = np.zeros(len(rating), dtype=np.bool_)
    first[np.unique(rating, return_index=True)[1]] = True
    values = np.where(first & repeated[rating], outdated[rating], doubled[rating])
    lines = join_columns(
        [
            user_ids[seen.users[rating]],
            item_ids[seen.items[rating]],
            values,
            np.array(TAGS)[tag],
        ],
        " ",
    )
    write_atomically(folder / "UI2.txt", to_bytes(lines))
    return ["UI2.txt"]
