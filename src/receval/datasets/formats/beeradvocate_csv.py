"""BeerAdvocate's CSV form, with a header and quoted fields."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from receval.datasets.errors import RawDataError
from receval.datasets.formats.beeradvocate_reviews import Reviews, decode

COLUMNS = ("review_profilename", "beer_beerid", "review_overall", "review_time")

_BLOCK = 1 << 23


def read_csv(path: Path) -> Reviews:
    """Read the columns of profile names, beer ids, overall ratings and times.

    Raises
    ------
    RawDataError
        If the header lacks a column or a row does not fit.
    """
    reviews = Reviews(path)
    header = _header(path)
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise RawDataError(path, 1, f"the header has no column {', '.join(missing)}")
    rows_before = 0
    try:
        batches = pa.csv.open_csv(
            path,
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=_BLOCK),
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
            first_line = rows_before + 2
            reviews.add(names, beers, overall, times, first_line.__add__)
            rows_before += batch.num_rows
    except pa.ArrowInvalid as error:
        raise _error(path, len(header), str(error)) from error
    return reviews


def _header(path: Path) -> list[str]:
    with path.open(encoding="latin-1", newline="") as file:
        return next(csv.reader(file), [])


def _decoded(column: pa.Array) -> list[str]:
    try:
        return list(column.cast(pa.string()).to_pylist())
    except pa.ArrowInvalid:
        return [decode(field) for field in column.to_pylist()]


def _error(path: Path, fields: int, otherwise: str) -> RawDataError:
    """Find the row with another number of fields than the header."""
    with path.open(encoding="latin-1", newline="") as file:
        rows = csv.reader(file)
        for row in rows:
            if len(row) != fields:
                return RawDataError(
                    path, rows.line_num, f"expected {fields} fields, found {len(row)}"
                )
    return RawDataError(path, None, otherwise)
