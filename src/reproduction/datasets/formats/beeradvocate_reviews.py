# SPDX-License-Identifier: MIT
"""Reviews of BeerAdvocate, gathered in pieces whatever the form of the raw file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.repeats import IdentifierEncoder
from reproduction.datasets.formats.columns import (
    LAST_SECOND,
    ColumnFormat,
    HalfStars,
    Integer,
    Text,
)
from reproduction.datasets.formats.pairs import kept_rows
from reproduction.datasets.reports import ParseReport, RawDataError

NO_TIME = -1

_NAME = Text("profile name")
_BEER = Integer("beer id", 0, 2**31 - 1)
_OVERALL = HalfStars("overall rating", 0, 5)
_TIME = Integer("time", 0, LAST_SECOND)

Field = str | None


def decode(field: bytes) -> str:
    """Decode UTF-8 or, where a field is not UTF-8, Latin-1, which cannot fail."""
    try:
        return field.decode("utf-8")
    except UnicodeDecodeError:
        return field.decode("latin-1")


class Reviews:
    """Overall ratings of beers by users, added piece by piece."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._users = IdentifierEncoder()
        self._beers = IdentifierEncoder()
        self._pieces: list[tuple[NDArray, NDArray, NDArray, NDArray, NDArray]] = []
        self._report = ParseReport()

    def add_empty(self, records: int) -> None:
        """Count records that hold nothing at all."""
        self._report.drop("empty records", records)

    def add(
        self,
        names: Sequence[Field],
        beers: Sequence[Field],
        overall: Sequence[Field],
        times: Sequence[Field],
        lines: NDArray[np.int64],
    ) -> None:
        """Add reviews as they are written; None where a review lacks a field.

        Raises
        ------
        RawDataError
            If a rating is no half star from 0 to 5, a beer id or a time no whole number, or a
            name no usable text.
        """
        count = len(names)
        self._report.rows += count
        self._report.note("reviews without a profile name", sum(not name for name in names))
        with_beer = np.fromiter((bool(beer) for beer in beers), dtype=np.bool_, count=count)
        with_rating = np.fromiter((bool(value) for value in overall), dtype=np.bool_, count=count)
        self._report.drop("reviews without a beer id", int((~with_beer).sum()))
        self._report.drop(
            "reviews without an overall rating", int((with_beer & ~with_rating).sum())
        )
        values = self._values(_OVERALL, overall, "0", lines).to_numpy()
        self._report.note("reviews without a time", sum(not time for time in times))
        seconds = self._values(_TIME, times, "0", lines).to_numpy().astype(np.int64)
        seconds[[not time for time in times]] = NO_TIME
        numbers = self._values(_BEER, beers, "0", lines)
        kept = with_beer & with_rating
        users = self._users.encode(self._values(_NAME, names, "", lines).filter(kept))
        items = self._beers.encode(numbers.filter(kept))
        self._pieces.append((users, items, values[kept], seconds[kept], lines[kept]))

    def ratings(self, report: ParseReport) -> Ratings:
        """Collapse repeated reviews and return the ratings."""
        if not sum(len(piece[0]) for piece in self._pieces):
            raise RawDataError(self._path, None, "the file holds no reviews")
        users, items, values, seconds, lines = (
            np.concatenate(column) for column in zip(*self._pieces, strict=True)
        )
        rows, values = kept_rows(
            users,
            items,
            values,
            report,
            lambda row, reason: RawDataError(self._path, int(lines[row]), reason),
            by_default="last",
            lines=lines,
        )
        report.rows = self._report.rows
        report.dropped.update(self._report.dropped)
        report.notes.update(self._report.notes)
        user_ids = self._users.ids
        unnamed = np.flatnonzero(user_ids == "")
        named_pairs = int((users[rows] != unnamed[0]).sum()) if len(unnamed) else len(rows)
        report.notes["distinct (profile name, beer id) pairs"] = len(rows)
        report.notes["distinct pairs without the empty profile name"] = named_pairs
        return Ratings(
            users=users[rows],
            items=items[rows],
            values=values,
            user_ids=user_ids,
            item_ids=self._beers.ids,
            timestamps=seconds[rows],
        )

    def _values(
        self,
        column: ColumnFormat,
        fields: Sequence[Field],
        missing: str,
        lines: NDArray[np.int64],
    ) -> pa.Array:
        """Read a column in which a review may lack the field."""
        try:
            return column.values(pa.array([field or missing for field in fields], pa.string()))
        except (pa.ArrowInvalid, UnicodeEncodeError) as error:
            for row, field in enumerate(fields):
                # A lone surrogate has no encoding, and is no UTF-8 in this one.
                written = (field or missing).encode("utf-8", errors="surrogatepass")
                if complaint := column.complaint(written):
                    raise RawDataError(self._path, int(lines[row]), complaint) from error
            raise
