# SPDX-License-Identifier: MIT
"""Determine the format of a file from the options, its name, its first bytes or its first lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from receval.data.layouts import first_lines, is_number
from receval.data.packed_files import bare_suffix, opened
from receval.data.reading import AS_FOUND, FORMATS, UNREAD, ReadingOptions
from receval.data.text_lines import encoding_of

COLUMNS = {
    "qrels": ("user", UNREAD, "item", "rating"),
    "trec": ("user", UNREAD, "item", "rank", "score", UNREAD),
}
"""The columns of the TREC formats."""

SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".npz": "npz", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".qrels": "qrels", ".qrel": "qrels", ".run": "trec", ".res": "trec",
    ".csv": "table", ".tsv": "table", ".inter": "table", ".dat": "table",
}  # fmt: skip
"""File extensions that determine the format; other files are inspected."""

_PARQUET = b"PAR1"
_CONSTANT = {"0", "Q0", "q0"}
_ITERATIONS = {"1", "2", "3"}
_LARGEST_GRADE = 100
_MOVIE = re.compile(r"\d+:")


@dataclass(frozen=True)
class Format:
    """The format of a file.

    Attributes
    ----------
    name : str
        One of :data:`receval.data.reading.FORMATS`.
    why : str
        How the format was determined, in words; empty if it is evident from the file.
    """

    name: str
    why: str = ""

    @property
    def words(self) -> str:
        """The format, and how it was determined."""
        return f"{FORMATS[self.name]}{f' ({self.why})' if self.why else ''}"


def format_of(path: Path, options: ReadingOptions = AS_FOUND) -> Format:
    """Return the format of a file.

    Parameters
    ----------
    options : ReadingOptions
        If they give a delimiter, a header or columns, the format is a text table.
    """
    if options.format is not None:
        return Format(options.format, "as was said")
    if options.delimiter or options.columns or options.header is not None:
        return Format("table")
    suffix = bare_suffix(path)
    named = SUFFIXES.get(suffix)
    if named is not None and named != "table":
        return Format(named, f"by its name, {suffix}")
    with opened(path) as file:
        start = file.read(8)
    if start.startswith(_PARQUET):
        return Format("parquet", "by its first bytes")
    lines = first_lines(path, encoding_of(path, options.encoding))
    first = lines[0].lstrip() if lines else ""
    if first.startswith(("{", "[")) and (known := _of_json(lines, suffix)) is not None:
        return known
    known = _of_lines(lines)
    # Ratings of one item may look like judgments although the name says that they are a table.
    is_known = known.name == "netflix" or (known.name == "qrels" and suffix == ".tsv")
    return Format("table") if named == "table" and not is_known else known


def _of_json(lines: Sequence[str], suffix: str) -> Format | None:
    first = lines[0].strip()
    try:
        is_object = isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        is_object = False
    others = [line for line in lines[1:] if line.strip()]
    if is_object and others and all(line.lstrip().startswith("{") for line in others):
        return Format("jsonl", "an object in each line")
    if suffix in SUFFIXES:
        return None
    return Format("json", "by its first sign" if suffix != ".json" else "by its name, .json")


def _of_lines(lines: Sequence[str]) -> Format:
    """Return the format of a text, determined from all of its first lines."""
    rows = [cells for cells in map(str.split, lines) if cells]
    if rows and _MOVIE.fullmatch(lines[0].strip()):
        return Format("netflix", "an item and a colon in line 1")
    if _all_have(rows, 4) and all(_is_grade(row[3]) for row in rows):
        return Format("qrels", f"four columns, the second always {rows[0][1]}")
    if _all_have(rows, 6) and all(is_number(row[3]) and is_number(row[4]) for row in rows):
        return Format("trec", f"six columns, the second always {rows[0][1]}")
    return Format("table")


def _all_have(rows: Sequence[Sequence[str]], cells: int) -> bool:
    """Tell whether all rows have this number of cells, and TREC's constant in the second."""
    return (
        bool(rows)
        and all(len(row) == cells for row in rows)
        and len({row[1].upper() for row in rows}) == 1
        # Any other number may be an item that all rows share, unless the third column has names.
        and (
            rows[0][1] in _CONSTANT
            or (rows[0][1] in _ITERATIONS and not any(is_number(row[2]) for row in rows))
        )
    )


def _is_grade(cell: str) -> bool:
    whole = cell.removesuffix(".0").lstrip("+-")
    return whole.isdecimal() and int(whole) <= _LARGEST_GRADE
