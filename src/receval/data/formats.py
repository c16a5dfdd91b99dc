# SPDX-License-Identifier: MIT
"""Determine the format of a file, and read two rare ones: Netflix's lines and sparse matrices."""

from __future__ import annotations

import json
import math
import re
import zipfile
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from receval.data.columns import FoundColumns, WantedColumn
from receval.data.layouts import delimiter_of, first_lines, is_number, split_line
from receval.data.memory_tables import SHAPE, columns_of_table, table_in_memory
from receval.data.moments import kind_of_moment
from receval.data.packed_files import (
    bare_suffix,
    is_of_system,
    most_unpacked,
    opened,
    refuse_joined,
    refuse_rare_packing,
    too_much_unpacked,
)
from receval.data.reading import AS_FOUND, FORMATS, UNREAD, ReadingOptions, TableError
from receval.data.text_lines import check_encoding, encoding_of, line_of_row, opened_text
from receval.storage.messages import quoted, shortened

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
_CONSTANT = {"0", "Q0"}
_ITERATIONS = {"1", "2", "3"}
_LARGEST_GRADE = 100
_FEW_LINES = 10
_MOVIE = re.compile(r"\d+:\s*")


@dataclass(frozen=True)
class Format:
    """The name of a file's format, and in words how it was determined, if that is not evident.

    TREC's formats have a delimiter; a space stands for any white space.
    """

    name: str
    why: str = ""
    delimiter: str = " "

    @property
    def words(self) -> str:
        """The format, and how it was determined."""
        return f"{FORMATS[self.name]}{f' ({self.why})' if self.why else ''}"


def format_of(path: Path, options: ReadingOptions = AS_FOUND) -> Format:
    """Return the format of a file."""
    suffix = bare_suffix(path)
    named = SUFFIXES.get(suffix)
    known = Format(named, f"by its name, {suffix}") if named not in (None, "table") else None
    if options.format is not None:
        known = Format(options.format, "as given")
    if known is not None and known.name not in COLUMNS:
        return known
    with opened(path) as file:
        start = file.read(8)
    if known is None and start.startswith(_PARQUET):
        return Format("parquet", "by its first bytes")
    lines = first_lines(path, encoding_of(path, options.encoding))
    if known is not None:
        delimiter = options.delimiter or _delimiter_of_trec(path, lines, len(COLUMNS[known.name]))
        return replace(known, delimiter=delimiter)
    first = lines[0].lstrip() if lines else ""
    if first.startswith(("{", "[")) and (known := _of_json(lines, suffix)) is not None:
        return known
    if lines and _MOVIE.fullmatch(lines[0].strip()):
        return Format("netflix", "an item and a colon in line 1")
    has_names = options.header or options.columns is not None
    return Format("table") if has_names else _of_lines(path, lines, named, options.delimiter)


def _of_json(lines: Sequence[str], suffix: str) -> Format | None:
    first = lines[0].strip()
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        value = None
    is_object = isinstance(value, dict)
    others = [line for line in lines[1:] if line.strip()]
    if is_object and others and all(line.lstrip().startswith("{") for line in others):
        return Format("jsonl", "an object in each line")
    is_whole = isinstance(value, dict | list) and not others
    if suffix in SUFFIXES and not is_whole and first not in ("{", "["):
        return None
    return Format("json", "by its first character" if suffix != ".json" else "by its name, .json")


def _of_lines(path: Path, lines: Sequence[str], named: str | None, asked: str | None) -> Format:
    """Return the format of a text, determined from all of its first lines."""
    # A run of five columns is found to be refused: as a table, all its items would be the constant.
    for cells, name, words in ((4, "qrels", "four"), (6, "trec", "six"), (5, "trec", "five")):
        # A few lines tell most tables, which are split only once they are read.
        delimiter = asked or _delimiter_of_trec(path, lines[:_FEW_LINES], cells)
        few = [split_line(line, delimiter) for line in lines[:_FEW_LINES] if line.strip()]
        if not _all_have(few, cells):
            continue
        rows = [row for row in (split_line(line, delimiter) for line in lines if line) if row]
        if not _all_have(rows, cells):
            continue
        # Of a file whose name says that it is a table, a single row proves nothing.
        if named == "table" and (len(rows) < 2 or rows[0][1].upper() not in _CONSTANT):
            continue
        are_numbers = (
            all(_is_grade(row[3]) for row in rows)
            if name == "qrels"
            else all(is_number(row[3]) and is_number(row[4]) for row in rows)
            # Without ranks, the last is the tag. A single user may be 0, after an index.
            if cells == 6
            else rows[0][1] == "Q0" or not any(is_number(row[2]) for row in rows)
        )
        if are_numbers:
            return Format(name, f"{words} columns, the second always {rows[0][1]}", delimiter)
    return Format("table")


def _delimiter_of_trec(path: Path, lines: Sequence[str], cells: int) -> str:
    """Return white space if most lines have so many cells between it, otherwise the likeliest."""
    given = [line for line in lines if line.strip()]
    if not given or sum(len(line.split()) == cells for line in given) > len(given) / 2:
        return " "
    try:
        return delimiter_of(path, given)
    except TableError:
        return " "


def _all_have(rows: Sequence[Sequence[str]], cells: int) -> bool:
    """Tell whether all rows have this number of cells, and TREC's constant in the second."""
    return (
        bool(rows)
        and all(len(row) == cells for row in rows)
        and len({row[1].upper() for row in rows}) == 1
        # Any other number may be an item that all rows share, unless the third column has names.
        and (
            rows[0][1].upper() in _CONSTANT
            or (rows[0][1] in _ITERATIONS and not any(is_number(row[2]) for row in rows))
        )
    )


def are_judged(cells: Sequence[str]) -> bool:
    """Tell whether the cells of a line may be those of TREC's judgments."""
    return len(cells) == len(COLUMNS["qrels"]) and cells[1] in _CONSTANT and _is_grade(cells[3])


def _is_grade(cell: str) -> bool:
    whole = cell.removesuffix(".0").lstrip("+-")
    return whole.isdecimal() and int(whole) <= _LARGEST_GRADE


# Netflix's lines: an item and a colon, followed by the lines of its ratings.

MOST_ITEMS = 1_000_000
"""The most items of such a file; Netflix has 17,770 films."""

_NETFLIX = {"user": pa.string(), "rating": pa.float64(), "timestamp": pa.string()}


def read_netflix_lines(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read lines of ``user,rating,date`` that follow a line ``item:``."""
    if options.columns is not None:
        raise TableError(
            f"{path} has Netflix's lines, whose columns are known. Leave out the list of columns "
            "(columns=..., in a command: --columns), or set format='table' (--format table)."
        )
    check_encoding(path, options.encoding)
    items: list[str] = []
    places: list[int] = []
    wrong: list[str] = []

    def begun(line: pa.csv.InvalidRow) -> str:
        if _MOVIE.fullmatch(line.text) is None:
            wrong.append(
                f"{path}, line {line.number} is {shortened(line.text)}. It must be a rating such "
                "as 1488844,3,2005-09-06, or an item such as 1:"
            )
            return "error"
        if len(items) == MOST_ITEMS:
            wrong.append(
                f"{path} has more than {MOST_ITEMS:,} items. Check whether it is Netflix's file."
            )
            return "error"
        items.append(line.text.strip()[:-1])
        places.append(line.number)
        return "skip"

    with opened_text(path, options.encoding) as file:
        try:
            table = pa.csv.read_csv(
                file,
                read_options=pa.csv.ReadOptions(use_threads=False, column_names=list(_NETFLIX)),
                parse_options=pa.csv.ParseOptions(quote_char=False, invalid_row_handler=begun),
                convert_options=pa.csv.ConvertOptions(column_types=_NETFLIX),
            )
        except pa.ArrowInvalid as error:
            if wrong:
                raise TableError(wrong[0]) from None
            raise _wrong_cell(path, options, "rating", str(error)) from None
    if not items or places[0] != 1:
        raise TableError(f"{path}, line 1 is not an item. It must be an item such as 1:")
    # Each item line takes one line number; the rows up to the next one are its ratings.
    starts = np.array(places) - 1 - np.arange(len(places))
    lengths = np.diff(starts, append=table.num_rows)
    owners = pa.DictionaryArray.from_arrays(
        np.repeat(np.arange(len(items), dtype=np.int32), lengths), pa.array(items)
    )
    try:
        whole = table.append_column("item", owners)
        found = columns_of_table(path.name, str(path), whole, wanted, options)
        line_of = partial(line_of_row, path, options.encoding, lambda line: b"," in line)
        return replace(found, line_of=line_of)
    except TableError as error:
        raise _wrong_cell(path, options, "timestamp", str(error)) from None


def _wrong_cell(path: Path, options: ReadingOptions, what: str, told: str) -> TableError:
    """Return the error for the first line whose rating or time is none, found line by line."""
    place = list(_NETFLIX).index(what)
    with opened_text(path, options.encoding) as file:
        for number, line in enumerate(file, 1):
            cells = line.decode().rstrip("\r\n").split(",")
            if len(cells) != len(_NETFLIX):
                continue
            cell = cells[place]
            is_right = is_number if what == "rating" else kind_of_moment
            if cell and not is_right(cell):
                return TableError(
                    f"{path}, line {number}: the {what} is {quoted(cell)}. A line must look like "
                    "1488844,3,2005-09-06."
                )
    return TableError(told)


# Sparse matrices that scipy has saved.

# zipfile raises a RuntimeError for passwords, and one of its subclasses for unknown methods.
_UNREADABLE = (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError)


def read_matrix(path: Path) -> pa.Table:
    """Read a scipy sparse matrix; identifiers are row and column numbers from 0."""
    try:
        return table_of_matrix(_loaded_matrix(path))
    except TableError:
        raise
    except (*_UNREADABLE, OSError) as error:
        if isinstance(error, OSError) and is_of_system(error):
            raise
        raise TableError(
            f"{path} does not hold a sparse matrix of scipy "
            f"({shortened(str(error) or 'it ends too early', 200)})."
        ) from None


def _loaded_matrix(path: Path) -> Any:
    """Return a scipy sparse matrix of a file."""
    from scipy.sparse import load_npz  # which no other format needs

    _check_members(path)
    matrix = load_npz(path)
    if matrix.format == "dia":
        # Reading takes memory for its whole shape, however few entries it has.
        raise TableError(
            f"{path} is a matrix stored by diagonals, a form that does not suit ratings. Save "
            "it by rows (tocsr())."
        )
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)
    return matrix


def table_of_matrix(matrix: Any) -> pa.Table:
    """Return the entries of a scipy sparse matrix of users by items."""
    entries = matrix.tocoo()
    codes = [entries.row, entries.col]
    if any(
        len(own) and not 0 <= own.min() <= own.max() < most
        for own, most in zip(codes, entries.shape, strict=True)
    ):
        raise ValueError("an entry is outside its shape")
    # Entries are taken as they are stored: a sum would hide a pair that is stored twice.
    order = np.argsort(codes[0], kind="stable")
    users, items = (own[order].astype(np.int64) for own in codes)
    table = table_in_memory({"user": users, "item": items, "value": entries.data[order]})
    return table.replace_schema_metadata({SHAPE: ",".join(map(str, entries.shape))})


def _check_members(path: Path) -> None:
    """Refuse arrays that are larger than the file size or their header allows."""
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        refuse_joined(archive, str(path))
        if sum(entry.file_size for entry in entries) > most_unpacked(size):
            raise too_much_unpacked(path, size)
        for entry in entries:
            refuse_rare_packing(entry)
            with archive.open(entry) as member:
                version = np.lib.format.read_magic(member)
                if version not in ((1, 0), (2, 0)):
                    raise ValueError(f"its arrays have the version {version}")
                known = np.lib.format
                read = (
                    known.read_array_header_1_0 if version[0] == 1 else known.read_array_header_2_0
                )
                lengths, _, dtype = read(member)
                if dtype.hasobject or math.prod(lengths) * dtype.itemsize > entry.file_size:
                    raise ValueError(
                        f"{entry.filename} does not have the size that its header states"
                    )
