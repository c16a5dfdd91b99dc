# SPDX-License-Identifier: MIT
"""What is held at once by its formula, and the most ratings for which it fits a memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from job_records import GIB, RunRecord
from scale_tables import table

from receval.recommenders.neighbourhood import SPARE


@dataclass(frozen=True)
class Held:
    """What is in memory or in a file at once: its formula, and its bytes of n ratings, u users."""

    what: str
    formula: str
    size: Callable[[float, float], float]
    is_in_memory: bool = True


LARGEST_INTEGER = 2**31 - 1
HELD = (
    Held("ratings: user, item, value, date", "13 n", lambda n, u: 13 * n),
    Held(
        "train matrix at a ratio of .9",
        "8 (.9 n) + 4 u; 12 and 8 from 2^31 entries on",
        lambda n, u: 0.9 * n * 8 + 4 * u if 0.9 * n <= LARGEST_INTEGER else 0.9 * n * 12 + 8 * u,
    ),
    Held(
        "rows of ratings, by blocks of users",
        "4 n; 8 n from 2^31 on",
        lambda n, u: (4 if n < 2**31 else 8) * n,
    ),
    Held(
        "keys of 1,000 neighbours, and spare ones",
        f"8 x {1000 + 1000 // SPARE:,} u",
        lambda n, u: 8 * (1000 + 1000 // SPARE) * u,
    ),
    # They take part of the room of their keys, which ends first.
    Held("1,000 neighbours, found, in their place", "8 x 1,000 u", lambda n, u: 8000 * u, False),
    Held("models of nine ratios, on the disk", "9 x 8 x 1,000 u", lambda n, u: 72_000 * u, False),
    Held(
        "ranks of nine ratios, on the disk", "4 (4.5 n) + 72 u", lambda n, u: 18 * n + 72 * u, False
    ),
)


def limits(record: RunRecord) -> list[str]:
    """Return the table of bytes by formula, at larger sizes, with the largest that memory holds."""
    sizes = (100_480_507, 10**9, 10**10)
    users = record.users / record.choices
    rows = []
    for held in HELD:
        bytes_of = [held.size(n, users * n) / GIB for n in sizes]
        fits = (f"{largest_that_fits(held, users, gib) / 1e6:,.0f} M" for gib in (24, 256))
        cells = (f"{each:,.1f}" for each in bytes_of)
        rows.append((held.what, held.formula, *cells, *(fits if held.is_in_memory else ("", ""))))
    heads = (
        *("what", "bytes", "100 M: GiB", "1 B: GiB", "10 B: GiB"),
        *("fits 24 GiB to", "fits 256 GiB to"),
    )
    return table(heads, rows)


def largest_that_fits(held: Held, users: float, gib: int) -> float:
    """Return the most ratings, with so many users each, of which something takes so many GiB."""
    low, high = 0.0, 1e13
    while high - low > 1e4:
        middle = (low + high) / 2
        fits = held.size(middle, users * middle) <= gib * GIB
        low, high = (middle, high) if fits else (low, middle)
    return low
