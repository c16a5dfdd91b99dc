"""BeerAdvocate (McAuley et al.): one review per record, in three forms.

Source: https://cseweb.ucsd.edu/~jmcauley/datasets.html. Records are Python dict literals, blocks of
``key: value`` lines, or rows of a CSV file. Only the overall rating (half stars, rare zeros), the
beer, the author and the time are read.

Users are profile names, and reviews without one count as one user with an empty name. Of repeated
reviews of a beer by a user the last of the file stays. The hypothesis for the 1,571,808 ratings
in print: they are the distinct (profile name, beer id) pairs among 1,586,614 reviews, the empty
name included. It is checked when the real file is prepared; any rule that keeps one review per
pair gives the same count, so the count decides on pairs, not on which review of a pair stays.
"""

from __future__ import annotations

import ast
import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from receval.datasets.formats.archives import damage_reported
from receval.datasets.formats.beeradvocate_reviews import Field, Reviews, decode
from receval.datasets.reports import ParseReport, RawDataError
from receval.ratings import Ratings

COLUMNS = ("review_profilename", "beer_beerid", "review_overall", "review_time")
REVIEW_KEYS = ("review/profileName", "beer/beerId", "review/overall", "review/time")

# Read at a time: bytes of the CSV file, bytes of blocks, records that become columns.
_CSV_BYTES = 1 << 23
_BLOCK_BYTES = 1 << 24
_PIECE = 1 << 15

_STRING = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
_VALUE = rf"(?>{_STRING}|-?\d[\d.]*)"
_WANTED = "|".join(rf"'{key}': ({_VALUE})" for key in REVIEW_KEYS)
# One pass over a usual line: wanted pairs are captured, others skipped. Atomic groups keep an
# unusual line from being tried in many ways.
_LITERAL = re.compile(
    rf"\{{(?>(?>{_WANTED}|{_STRING}: {_VALUE})(?:, |(?=\}})))*\}}\s*", flags=re.DOTALL
)
_LINE_OF_BLOCK = re.compile(rb"^([A-Za-z]+/[A-Za-z]+):[ \t]*(.*?)[ \t]*$", flags=re.MULTILINE)


def parse_literals(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.json.gz``: one Python dict literal (not JSON) per line.

    Parameters
    ----------
    files : sequence of one Path
        The file.
    report : ParseReport or None
        Filled with the account of the parse.

    Returns
    -------
    Ratings
        Float32 half stars 0..5 and int64 timestamps (-1 for a review without time); the last
        review of each pair, where it is; codes by first appearance among complete reviews.

    Raises
    ------
    RawDataError
        If the file is damaged or a record does not fit.
    """
    return _parse(read_literals(files[0]), report)


def parse_blocks(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.txt.gz``: ``key: value`` lines, a blank line after each review.

    Parameters and results are those of :func:`parse_literals`.
    """
    return _parse(read_blocks(files[0]), report)


def parse_csv(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the CSV variant, with a header.

    Parameters and results are those of :func:`parse_literals`.
    """
    return _parse(read_csv(files[0]), report)


def _parse(reviews: Reviews, report: ParseReport | None) -> Ratings:
    return reviews.ratings(report or ParseReport())


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


def read_literals(path: Path) -> Reviews:
    """Read one Python dict literal per line.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is no dict literal with usable values.
    """
    reviews = Reviews(path)
    with damage_reported(path), gzip.open(path, "rb") as file:
        numbered = enumerate(file, start=1)
        while piece := list(islice(numbered, _PIECE)):
            records = [(number, _literal(line, path, number)) for number, line in piece]
            _add(reviews, records)
    return reviews


def read_blocks(path: Path) -> Reviews:
    """Read blocks of ``key: value`` lines with blank lines between.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is not ``key: value`` with usable values.
    """
    reviews = Reviews(path)
    with damage_reported(path):
        blocks = _blocks(path)
        while piece := list(islice(blocks, _PIECE)):
            records = [(number, _block(block, path, number)) for number, block in piece]
            _add(reviews, records)
    return reviews


def _add(reviews: Reviews, records: Sequence[tuple[int, tuple[Field, ...] | None]]) -> None:
    full = [(number, record) for number, record in records if record is not None]
    reviews.add_empty(len(records) - len(full))
    if full:
        lines = np.array([number for number, _ in full])
        names, beers, overall, times = zip(*(record for _, record in full), strict=True)
        reviews.add(names, beers, overall, times, lambda row: int(lines[row]))


def _literal(line: bytes, path: Path, number: int) -> tuple[Field, ...] | None:
    text = decode(line)
    match = _LITERAL.fullmatch(text)
    if match is not None and None not in (found := match.groups()):
        return tuple(_value(literal) for literal in found)
    # Unusual spelling, order of quotes or a missing key: the full and slower way.
    try:
        record = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise RawDataError(path, number, f"the line is no Python dict literal ({error})") from error
    if not isinstance(record, dict):
        raise RawDataError(path, number, f"the line is a {type(record).__name__}, not a dict")
    if not record:
        return None
    return tuple(None if record.get(key) is None else str(record[key]) for key in REVIEW_KEYS)


def _value(literal: str) -> str:
    if literal[0] not in "'\"":
        return literal
    return str(ast.literal_eval(literal)) if "\\" in literal else literal[1:-1]


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each block and the number of its first line."""
    number = 1
    rest = b""
    with gzip.open(path, "rb") as file:
        while True:
            data = file.read(_BLOCK_BYTES)
            # A carriage return at the end waits in the rest for its line feed.
            *blocks, rest = (rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
            if not data:
                blocks.append(rest)
            for block in blocks:
                content = block.lstrip(b"\n")
                first = number + len(block) - len(content)
                if content:
                    yield first, content.rstrip(b"\n")
                number += block.count(b"\n") + 2
            if not data:
                return


def _block(block: bytes, path: Path, number: int) -> tuple[Field, ...]:
    fields = _LINE_OF_BLOCK.findall(block)
    lines = block.count(b"\n") + 1
    if len(fields) != lines:
        for offset, line in enumerate(block.split(b"\n")):
            if _LINE_OF_BLOCK.fullmatch(line) is None:
                shown = decode(line[:60])
                raise RawDataError(path, number + offset, f"expected 'key: value', found {shown!r}")
    record = dict(fields)
    values = (record.get(key.encode()) for key in REVIEW_KEYS)
    return tuple(None if value is None else decode(value) for value in values)
