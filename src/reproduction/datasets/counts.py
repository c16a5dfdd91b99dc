# SPDX-License-Identifier: MIT
"""Counting ratings in bounded memory, and comparing counts with what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from reproduction.datasets.spec import ExpectedCounts, PartCounts

# Counting widens a column to 64 bits: piece by piece, so that 100 M ratings do not take 800 MB.
_PIECE = 1 << 22

Selection = Callable[[slice], NDArray[np.bool_]]


def count_ratings(ratings: Ratings, selection: Selection | None = None) -> PartCounts:
    """Count ratings, distinct users, distinct items and the ratings of each value."""
    users = np.zeros(ratings.n_users, dtype=np.bool_)
    items = np.zeros(ratings.n_items, dtype=np.bool_)
    by_value: dict[float, int] = {}
    for rows in _pieces(len(ratings)):
        chosen = slice(None) if selection is None else selection(rows)
        users[ratings.users[rows][chosen]] = True
        items[ratings.items[rows][chosen]] = True
        found, counts = np.unique(ratings.values[rows][chosen], return_counts=True)
        for value, count in zip(found.tolist(), counts.tolist(), strict=True):
            by_value[float(value)] = by_value.get(float(value), 0) + count
    return PartCounts(
        ratings=sum(by_value.values()),
        users=int(users.sum()),
        items=int(items.sum()),
        values=dict(sorted(by_value.items())),
    )


def fewest_and_most(codes: NDArray[np.int32], size: int) -> tuple[int, int]:
    """Return the fewest and the most rows of any code in ``0..size-1``."""
    counts = np.zeros(size, dtype=np.int64)
    for rows in _pieces(len(codes)):
        counts += np.bincount(codes[rows], minlength=size)
    return int(counts.min(initial=len(codes))), int(counts.max(initial=0))


def _pieces(length: int) -> list[slice]:
    return [slice(start, start + _PIECE) for start in range(0, length, _PIECE)]


@dataclass(frozen=True)
class Difference:
    """One count that is not what was expected."""

    name: str
    expected: object
    found: object

    def __str__(self) -> str:
        return f"{self.name}: {_shown(self.expected)} expected, {_shown(self.found)} found"


def differences(expected: ExpectedCounts, found: ExpectedCounts) -> list[Difference]:
    """Compare all counts that are expected with those that were found."""
    result = _part_differences("", expected, found)
    result += [
        Difference(name, wanted, there)
        for name, wanted, there in (
            ("rows of the raw files", expected.rows, found.rows),
            ("fewest and most ratings per user", expected.per_user, found.per_user),
            ("fewest and most ratings per item", expected.per_item, found.per_item),
        )
        if wanted is not None and wanted != there
    ]
    nothing = PartCounts()
    for name, wanted_part, there_part in (
        ("known ", expected.known, found.known),
        ("unknown ", expected.unknown, found.unknown),
    ):
        if wanted_part is not None:
            result += _part_differences(name, wanted_part, there_part or nothing)
    for part, counts in expected.files.items():
        result += _part_differences(f"{part} file: ", counts, found.files.get(part, nothing))
    return result


def _part_differences(prefix: str, expected: PartCounts, found: PartCounts) -> list[Difference]:
    compared: dict[str, tuple[object, object]] = {
        "ratings": (expected.ratings, found.ratings),
        "users": (expected.users, found.users),
        "items": (expected.items, found.items),
    }
    if expected.values:
        for value in sorted({*expected.values, *found.values}):
            compared[f"ratings of {value:g}"] = (
                expected.values.get(value, 0),
                found.values.get(value, 0),
            )
    return [
        Difference(prefix + name, wanted, there)
        for name, (wanted, there) in compared.items()
        if wanted is not None and wanted != there
    ]


def as_json(counts: PartCounts) -> Mapping[str, object]:
    """Return counts as plain JSON values, with the rating values as short strings."""
    return {
        "ratings": counts.ratings,
        "users": counts.users,
        "items": counts.items,
        "values": {f"{value:g}": count for value, count in counts.values.items()},
    }


def _shown(count: object) -> str:
    if isinstance(count, tuple):
        return " to ".join(_shown(end) for end in count)
    return f"{count:,}" if isinstance(count, int) else "none"
