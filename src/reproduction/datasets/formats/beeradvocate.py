# SPDX-License-Identifier: MIT
"""Parse BeerAdvocate (McAuley et al.): one review per record, in three formats.

Source: https://cseweb.ucsd.edu/~jmcauley/datasets.html. Records are Python dict literals, blocks of
``key: value`` lines, or rows of a CSV file. Only the overall rating (half stars, rare zeros), the
beer, the author and the time are read.

Users are profile names, and reviews without one count as one user with an empty name. The last of a
user's repeated reviews of a beer is kept. We assume that the published 1,571,808 ratings are the
distinct (profile name, beer id) pairs among 1,586,614 reviews, including the empty name. This is
checked when the real file is prepared, but the count does not tell which review of a pair was kept.
"""

from __future__ import annotations

import ast
import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.repeats import IdentifierEncoder
from reproduction.datasets.formats.archives import LONGEST_RECORD, damage_reported, unpacked
from reproduction.datasets.formats.columns import (
    LAST_SECOND,
    ColumnFormat,
    HalfStars,
    Integer,
    Text,
    kept_rows,
)
from reproduction.datasets.reports import ParseReport, RawDataError, shown

REVIEW_KEYS = ("review/profileName", "beer/beerId", "review/overall", "review/time")

# Sizes of pieces, which limit the memory of a file in Python: bytes of blocks, and records that
# become columns.
_BLOCK_BYTES = 1 << 24
_PIECE = 1 << 15

_STRING = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
_NUMBER = r"-?\d[\d.]*"
_VALUE = rf"(?>{_STRING}|{_NUMBER})"
# Without escapes, because an escaped key might be a wanted one.
_OTHER_KEY = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_WANTED = "|".join(rf"'{key}': ({_VALUE})" for key in REVIEW_KEYS)
# One pass over a usual line, which captures wanted pairs and skips others. Atomic groups prevent
# backtracking on an unusual line.
_LITERAL = re.compile(
    rf"\{{(?>(?>{_WANTED}|{_OTHER_KEY}: {_VALUE})(?:, |(?=\}})))*\}}\s*", flags=re.DOTALL
)
_LINE_OF_BLOCK = re.compile(rb"^([A-Za-z]+/[A-Za-z]+):(.*)$", flags=re.MULTILINE)
_HIDDEN_LINE = re.compile(rb"\r[A-Za-z]+/[A-Za-z]+:")


def parse_literals(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.json.gz``: one Python dict literal (not JSON) per line.

    Values are half stars 0..5, and the time of a review without one is -1. The last review of each
    pair is kept in its position. Codes are in the order of first appearance among complete reviews.
    """
    report = report or ParseReport()
    return read_literals(files[0], report.unpacked_limit).ratings(report)


def parse_blocks(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.txt.gz``: ``key: value`` lines, a blank line after each review."""
    report = report or ParseReport()
    return read_blocks(files[0], report.unpacked_limit).ratings(report)


# The CSV variant of BeerAdvocate: a header, and one row per line.
#
# Arrow accepts much that is not valid CSV: an open quotation mark may hide the rest of the file. So
# lines and quotation marks are counted, too.

COLUMNS = ("review_profilename", "beer_beerid", "review_overall", "review_time")

# Bytes read at a time, as for files without quotation marks.
_CSV_BYTES = 1 << 23
# Characters that are not next to an opening or closing quotation mark.
_IN_A_FIELD = np.ones(256, dtype=np.bool_)
_IN_A_FIELD[list(b',"\r\n')] = False


# Reviews of BeerAdvocate, collected in pieces from any format.

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
        self.report = ParseReport()

    def add(
        self,
        names: Sequence[Field],
        beers: Sequence[Field],
        overall: Sequence[Field],
        times: Sequence[Field],
        lines: NDArray[np.int64],
    ) -> None:
        """Add reviews as text; None where a review lacks a field."""
        count = len(names)
        self.report.rows += count
        self.report.note("reviews without a profile name", sum(not name for name in names))
        with_beer = np.fromiter((bool(beer) for beer in beers), dtype=np.bool_, count=count)
        with_rating = np.fromiter((bool(value) for value in overall), dtype=np.bool_, count=count)
        self.report.drop("reviews without a beer id", int((~with_beer).sum()))
        self.report.drop("reviews without an overall rating", int((with_beer & ~with_rating).sum()))
        values = self._values(_OVERALL, overall, "0", lines).to_numpy()
        self.report.note("reviews without a time", sum(not time for time in times))
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
        report.rows = self.report.rows
        report.dropped.update(self.report.dropped)
        report.notes.update(self.report.notes)
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
                # A lone surrogate becomes invalid UTF-8, which is refused.
                written = (field or missing).encode("utf-8", errors="surrogatepass")
                if complaint := column.complaint(written):
                    raise RawDataError(self._path, int(lines[row]), complaint) from error
            raise


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
    # An open quotation mark hides the lines up to the next one.
    if rows + 1 != (lines := _count_lines(path)):
        raise _error(path, len(header), f"there are {rows:,} rows in {lines:,} lines")
    return reviews


def _header(path: Path) -> list[str]:
    with damage_reported(path), path.open("rb") as file:
        line = file.readline(LONGEST_RECORD).removeprefix(b"\xef\xbb\xbf")
    try:
        return next(csv.reader([line.decode("latin-1")]), [])
    except csv.Error as error:
        raise RawDataError(path, 1, f"the header is not a valid line of CSV ({error})") from error


def _count_lines(path: Path) -> int:
    """Count lines, and refuse quotation marks that arrow overlooks."""
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
                        path, line, "a quotation mark is inside a field or is not closed"
                    )
            lines += len(ends) - 1
    return lines


def _decoded(column: pa.Array) -> list[str]:
    try:
        return list(column.cast(pa.string()).to_pylist())
    except pa.ArrowInvalid:
        return [decode(field) for field in column.to_pylist()]


def _error(path: Path, fields: int, otherwise: str) -> RawDataError:
    """Return the error for the first line with a wrong number of fields or an open quote."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                found = len(next(csv.reader([line.decode("latin-1")], strict=True), []))
            except csv.Error as error:
                return RawDataError(path, number, f"the line is not a valid row of CSV ({error})")
            if found != fields:
                return RawDataError(path, number, f"expected {fields} fields, found {found}")
    return RawDataError(path, None, otherwise)


def parse_csv(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the CSV variant, with a header."""
    return read_csv(files[0]).ratings(report or ParseReport())


def read_literals(path: Path, unpacked_limit: int | None = None) -> Reviews:
    """Read one Python dict literal per line."""
    reviews = Reviews(path)
    with unpacked(path, unpacked_limit) as file:
        numbered = enumerate(iter(partial(file.readline, LONGEST_RECORD + 1), b""), start=1)
        while piece := list(islice(numbered, _PIECE)):
            _add(reviews, [(number, _literal(line, path, number)) for number, line in piece])
    return reviews


def read_blocks(path: Path, unpacked_limit: int | None = None) -> Reviews:
    """Read blocks of ``key: value`` lines with blank lines between."""
    reviews = Reviews(path)
    blocks = _blocks(path, unpacked_limit)
    while piece := list(islice(blocks, _PIECE)):
        _add(reviews, [(number, _block(block, path, number)) for number, block in piece])
    return reviews


def _add(reviews: Reviews, records: Sequence[tuple[int, tuple[Field, ...] | None]]) -> None:
    full = [(number, record) for number, record in records if record is not None]
    reviews.report.drop("empty records", len(records) - len(full))
    if full:
        lines = np.array([number for number, _ in full])
        names, beers, overall, times = zip(*(record for _, record in full), strict=True)
        reviews.add(names, beers, overall, times, lines)


def _literal(line: bytes, path: Path, number: int) -> tuple[Field, ...] | None:
    if len(line) > LONGEST_RECORD:
        raise RawDataError(path, number, f"the line has more than {LONGEST_RECORD:,} bytes")
    if line.rstrip() == b"{}":
        # A small archive can have millions of these, and evaluating them would take minutes.
        return None
    text = decode(line)
    match = _LITERAL.fullmatch(text)
    # The expression only finds the last of repeated keys.
    once = match is not None and all(text.count(key) == 1 for key in REVIEW_KEYS)
    if match is not None and once and None not in (found := match.groups()):
        return tuple(_value(literal, path, number) for literal in found)
    # The slower full parser, for unusual spelling or quotes, or a missing key.
    text = text.strip()
    node, record = _evaluate(text, path, number)
    if not isinstance(record, dict) or not isinstance(node, ast.Dict):
        raise RawDataError(path, number, f"the line is a {type(record).__name__}, not a dict")
    if not record:
        return None
    nodes: dict[object, ast.expr] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = ast.literal_eval(key_node) if key_node else None
        if key in nodes:
            # Keys that are not text are shown as written, because Python refuses to print long
            # numbers.
            spelled = (
                key if isinstance(key, str) else ast.get_source_segment(text, key_node or node)
            )
            raise RawDataError(path, number, f"the key {shown(spelled or '')} is repeated")
        nodes[key] = value_node
    fields: list[Field] = []
    for key in REVIEW_KEYS:
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            # Take the source text, because Python also reads 0x1F, 1_000 and 4.00000000000000001.
            value = ast.get_source_segment(text, nodes[key]) or ""
            if not re.fullmatch(_NUMBER, value):
                reason = (
                    f"the value of {key} is {shown(value)}, which is neither text nor a plain "
                    "number"
                )
                raise RawDataError(path, number, reason)
        fields.append(value)
    return tuple(fields)


def _value(literal: str, path: Path, number: int) -> str:
    if literal[0] not in "'\"":
        return literal
    return str(_evaluate(literal, path, number)[1]) if "\\" in literal else literal[1:-1]


def _evaluate(text: str, path: Path, number: int) -> tuple[ast.expr, object]:
    """Evaluate a literal; warnings of Python are errors."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            node = ast.parse(text, mode="eval").body
            return node, ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, Warning, MemoryError, RecursionError) as error:
        # The position of a syntax error is that in the literal, not in the file.
        told = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise RawDataError(
            path, number, f"the line is not a Python dict literal ({told})"
        ) from error


def _blocks(path: Path, unpacked_limit: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield each block and the number of its first line."""
    number = 1
    rest = b""
    with unpacked(path, unpacked_limit) as file:
        while True:
            data = file.read(_BLOCK_BYTES)
            # A carriage return at the end is kept in the rest until its line feed is read.
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
            if len(rest) > LONGEST_RECORD:
                yield number, rest


def _block(block: bytes, path: Path, number: int) -> tuple[Field, ...]:
    if len(block) > LONGEST_RECORD:
        raise RawDataError(
            path, number, f"there is no blank line in the next {LONGEST_RECORD:,} bytes"
        )
    fields = _LINE_OF_BLOCK.findall(block)
    record = dict(fields)
    hidden = _HIDDEN_LINE.search(block) if b"\r" in block else None
    if len(record) != block.count(b"\n") + 1 or hidden is not None:
        raise _error_in_block(block, path, number)
    values = (record.get(key.encode()) for key in REVIEW_KEYS)
    return tuple(None if value is None else decode(value.strip(b" \t")) for value in values)


def _error_in_block(block: bytes, path: Path, number: int) -> RawDataError:
    lines: dict[bytes, int] = {}
    for line_number, line in enumerate(block.split(b"\n"), start=number):
        match = _LINE_OF_BLOCK.fullmatch(line)
        if match is None or _HIDDEN_LINE.search(line):
            return RawDataError(path, line_number, f"expected 'key: value', found {shown(line)}")
        if match[1] in lines:
            return RawDataError(
                path,
                line_number,
                f"the key {shown(match[1])} is already in line {lines[match[1]]}. Two reviews "
                "need a blank line between them",
            )
        lines[match[1]] = line_number
    raise AssertionError("one of the lines does not fit")
