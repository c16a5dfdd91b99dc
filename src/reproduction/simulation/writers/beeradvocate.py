# SPDX-License-Identifier: MIT
"""BeerAdvocate: ``beeradvocate.json.gz``, one Python dict literal per line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from receval.storage.files import write_atomically
from reproduction.simulation.observation import DAY, Observation
from reproduction.simulation.writers.raw_files import (
    Ids,
    LineColumn,
    gzip_bytes,
    invent_names,
    join_columns,
    numbers_with_gaps,
    to_bytes,
)

LAST_BEER = 77_317
BEERS_PER_BREWERY = 12
WITHOUT_ALCOHOL = 0.05
"""Share of beers whose lines lack the key ``beer/ABV``."""

DAYS_BETWEEN_REVIEWS = 200
"""A repeated review precedes the valid one by at most this many days."""

STYLES = ("American IPA", "Hefeweizen", "Kölsch", "Rauchbier", "Russian Imperial Stout", "Witbier")
REVIEWS = (
    "Pours a clear amber.\tGood head.",
    "Don't age this one.",
    'My "desert island" beer.',
    "It's what I'd call \"sessionable\".",
    "Smells of caf\u00e9 au lait.\nWould buy again.",
    "",
    "{'beer/beerId': '1'} is no beer.",
    "A back\\slash on the label: odd.",
)
"""Texts with both kinds of quotes, line ends, braces and backslashes, and an empty one."""


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw profile names and beer ids (with gaps), by index; one name is empty."""
    numbers = numbers_with_gaps(n_users, 99_999, rng).astype(np.str_)
    names = np.array([name.replace(" ", "") for name in invent_names(n_users, rng)])
    users = np.char.add(names, numbers)
    users[n_users // 2] = ""
    return users, numbers_with_gaps(n_items, LAST_BEER, rng).astype(np.str_)


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw file and return its name.

    Lines are ordered by beer and time. Repeated pairs have an earlier, outdated review, so that
    both the last line and the latest time of a pair give the valid rating.
    """
    if seen.timestamps is None:
        raise ValueError("Beer reviews have times. Give the synthetic twin a period.")
    values = seen.values
    repeated = np.flatnonzero(seen.repeated)
    row = np.r_[repeated, np.arange(len(values))]
    overall = np.r_[
        np.where(values[repeated] > 1, values[repeated] - 1, values[repeated] + 1), values
    ]
    earlier = rng.integers(1, DAYS_BETWEEN_REVIEWS * DAY, len(repeated))
    times = seen.timestamps[row].copy()
    times[: len(repeated)] -= earlier
    order = np.lexsort((times, seen.items[row]))
    row, overall, times = row[order], overall[order], times[order]

    texts = np.array([repr(text) for text in REVIEWS])
    names = user_ids[seen.users[row]]
    profiles = np.char.add(np.char.add(", 'review/profileName': '", names), "'")
    # Every second empty name lacks the key.
    profiles[np.flatnonzero(names == "")[::2]] = ""
    beers = _beer_fields(item_ids, rng)[seen.items[row]]
    # Ratings of single aspects are not part of the model.
    aspects: list[LineColumn] = []
    for aspect in ("appearance", "aroma", "palate", "taste"):
        aspects += [f", 'review/{aspect}': '", rng.integers(2, 11, len(row)) / 2, "'"]
    lines = join_columns(
        [
            beers,
            *aspects,
            ", 'review/overall': '",
            overall.astype(np.float64),
            "', 'review/time': '",
            times,
            "'",
            profiles,
            ", 'review/text': ",
            texts[rng.integers(0, len(texts), len(row))],
            "}",
        ]
    )
    write_atomically(folder / "beeradvocate.json.gz", gzip_bytes(to_bytes(lines)))
    return ["beeradvocate.json.gz"]


def _beer_fields(item_ids: Ids, rng: Generator) -> Ids:
    """Return the beginning of the lines of each beer, shape (n_items,)."""
    n_items = len(item_ids)
    names = [repr(f"{name}'s Ale") for name in invent_names(n_items, rng)]
    breweries = 1 + np.arange(n_items) // BEERS_PER_BREWERY
    strengths = [f"'beer/ABV': '{strength:.2f}', " for strength in rng.uniform(3, 12, n_items)]
    fields = join_columns(
        [
            "{'beer/name': ",
            np.array(names),
            ", 'beer/beerId': '",
            item_ids,
            "', 'beer/brewerId': '",
            breweries,
            "', ",
            np.where(rng.random(n_items) < WITHOUT_ALCOHOL, "", np.array(strengths)),
            "'beer/style': '",
            rng.choice(STYLES, n_items),
            "'",
        ]
    )
    return np.array(fields.to_pylist())
