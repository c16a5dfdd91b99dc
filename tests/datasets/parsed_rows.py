# SPDX-License-Identifier: MIT
"""Ratings as rows of raw identifiers, which is what tests compare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from receval.data.ratings import Ratings
from reproduction.datasets.reports import RawDataError


def rows_of(ratings: Ratings) -> list[tuple[object, ...]]:
    """Return (user, item, value[, timestamp][, known]) per row."""
    columns: list[list[object]] = [
        ratings.user_ids[ratings.users].tolist(),
        ratings.item_ids[ratings.items].tolist(),
        ratings.values.tolist(),
    ]
    for column in (ratings.timestamps, ratings.known):
        if column is not None:
            columns.append(column.tolist())
    return list(zip(*columns, strict=True))


def refused(
    parse: Callable[[list[Path]], Ratings], *files: Path, line: int | None, reason: str
) -> RawDataError:
    """Check that files are refused at a line with a reason, and return the error."""
    with pytest.raises(RawDataError) as caught:
        parse(list(files))
    error = caught.value
    assert error.line == line, str(error)
    assert reason in error.reason
    assert any(file.name in error.path or error.path == str(file.parent) for file in files)
    if line is not None:
        assert str(error).startswith(f"{error.path}, line {line}: ")
    return error
