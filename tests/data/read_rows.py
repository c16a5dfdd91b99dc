# SPDX-License-Identifier: MIT
"""What was read, row by row, to be compared with what was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.data.run import Run

Row = tuple[str, str, float]


def rows_of(ratings: Ratings) -> list[Row]:
    """Return user, item and value of each rating."""
    return [
        (str(ratings.user_ids[user]), str(ratings.item_ids[item]), round(float(value), 6))
        for user, item, value in zip(ratings.users, ratings.items, ratings.values, strict=True)
    ]


def entries_of(run: Run) -> list[Row]:
    """Return user, item and score of each entry."""
    return [
        (str(run.user_ids[user]), str(run.item_ids[item]), float(score))
        for user, item, score in zip(run.users, run.items, run.scores, strict=True)
    ]


def read_text(path: Path, text: str | bytes, **options: Any) -> Any:
    """Write a text, and return the ratings that are read from it."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_ratings(path, **options)
