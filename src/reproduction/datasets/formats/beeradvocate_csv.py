# SPDX-License-Identifier: MIT
"""The CSV variant of BeerAdvocate: a header, and a row of text in each line.

Arrow reads it, and takes much for CSV that is none: the rest of the file may hide behind a
quotation mark that is not closed. So lines and quotation marks are counted, too.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from reproduction.datasets.formats.archives import LONGEST_RECORD, damage_reported
from reproduction.datasets.formats.beeradvocate_reviews import Reviews, decode
from reproduction.datasets.reports import RawDataError

COLUMNS = ("review_profilename", "beer_beerid", "review_overall", "review_time")

# Bytes that are read at a time, as of files of lines without quotation marks.
_CSV_BYTES = 1 << 23
# Not beside a quotation mark that opens a field or closes it.
_IN_A_FIELD = np.ones(256, dtype=np.bool_)
_IN_A_FIELD[list(b',"\r\n')] = False


def read_csv(path: Path) -> Reviews:
    """Read the columns of profile names, beer ids, overall ratings and times."""
    reviews = Reviews(path)
    header = _header(path)
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise RawDataError(path, 1, f"the header has no column {', '.join(missing)}")
    repeated = [column for column in COLUMNS if header.count(column) > 1]
    if repeated:
        raise RawDataError(path, 1, f"the header has the column {repeated[0]} more than once")
    rows = 0
    try:
        batches = pa.csv.open_csv(
            path,
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=_CSV_BYTES),
            parse_options=pa.csv.ParseOptions(ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(
                include_columns=list(COLUMNS),
                column_types=dict.fromkeys(COLUMNS, pa.binary()),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
        for batch in batches:
            names, beers, overall, times = (_decoded(batch.column(name)) for name in COLUMNS)
            numbers = np.arange(rows + 2, rows + 2 + batch.num_rows)
            reviews.add(names, beers, overall, times, numbers)
            rows += batch.num_rows
    except pa.ArrowInvalid as error:
        raise _error(path, len(header), str(error)) from error
    # A quotation mark that is not closed in its line hides the lines up to the next one.
    if rows + 1 != (lines := _count_lines(path)):
        raise _error(path, len(header), f"there are {rows:,} rows in {lines:,} lines")
    return reviews


def _header(path: Path) -> list[str]:
    with damage_reported(path), path.open("rb") as file:
        line = file.readline(LONGEST_RECORD).removeprefix(b"\xef\xbb\xbf")
    try:
        return next(csv.reader([line.decode("latin-1")]), [])
    except csv.Error as error:
        raise RawDataError(path, 1, f"the header is no line of CSV ({error})") from error


def _count_lines(path: Path) -> int:
    """Count lines, and refuse those with quotation marks that arrow overlooks."""
    lines = 0
    with path.open("rb") as file:
        while data := file.read(_CSV_BYTES) + file.readline():
            characters = np.frombuffer(b"\n" + data + b"\n"[: not data.endswith(b"\n")], np.uint8)
            ends = np.flatnonzero(characters == ord("\n"))
            if b'"' in data:
                marks = np.flatnonzero(characters == ord('"'))
                opened = np.diff(np.searchsorted(marks, ends)) % 2
                within = marks[
                    _IN_A_FIELD[characters[marks - 1]] & _IN_A_FIELD[characters[marks + 1]]
                ]
                opened[np.searchsorted(ends, within) - 1] = 1
                if opened.any():
                    line = lines + int(np.argmax(opened)) + 1
                    raise RawDataError(
                        path, line, "a quotation mark is within a field or left open"
                    )
            lines += len(ends) - 1
    return lines


def _decoded(column: pa.Array) -> list[str]:
    try:
        return list(column.cast(pa.string()).to_pylist())
    except pa.ArrowInvalid:
        return [decode(field) for field in column.to_pylist()]


def _error(path: Path, fields: int, otherwise: str) -> RawDataError:
    """Find the line with another number of fields than the header, or a quote left open."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                found = len(next(csv.reader([line.decode("latin-1")], strict=True), []))
            except csv.Error as error:
                return RawDataError(path, number, f"the line is no row of CSV ({error})")
            if found != fields:
                return RawDataError(path, number, f"expected {fields} fields, found {found}")
    return RawDataError(path, None, otherwise)
