# SPDX-License-Identifier: MIT
"""Read columns of any table: text, JSON, Parquet, folders of these, or a data frame."""

from __future__ import annotations

import os
import re
import select
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.column_roles import COLUMNS_OF_PARTS, are_numbered, days_and_clocks, parts_in
from receval.data.columns import FoundColumns, WantedColumn, chosen_names
from receval.data.formats import (
    COLUMNS,
    Format,
    are_judged,
    format_of,
    read_matrix,
    read_netflix_lines,
    table_of_matrix,
)
from receval.data.json_tables import (
    Scores,
    are_columns,
    are_numbered_columns,
    are_scores_of_pairs,
    read_json,
    read_json_lines,
    scores_of,
    table_of_frame,
    table_of_objects,
)
from receval.data.layouts import (
    COMMENTS,
    WORDS,
    first_lines,
    is_number,
    layout_of,
    plain_name,
    split_line,
)
from receval.data.memory_tables import columns_of_table, holds_lists, table_in_memory
from receval.data.packed_files import (
    files_in,
    is_of_system,
    is_packed,
    most_unpacked,
    opened,
    parts_of_a_table,
    refuse_other_kinds,
    too_much_unpacked,
)
from receval.data.reading import (
    AS_FOUND,
    FORMATS,
    OF_TEXTS,
    UNREAD,
    MissingRowsError,
    ReadingOptions,
    TableError,
    UnknownColumnError,
    half_of_a_character,
    refuse_foreign_options,
)
from receval.data.text_lines import BLOCK, line_of_row, other_encoding
from receval.data.text_tables import read_text
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted, shortened


def read_wanted(
    source: object,
    wanted: Collection[WantedColumn],
    options: ReadingOptions = AS_FOUND,
) -> FoundColumns | Scores:
    """Read some columns of a table, or scores of items by user if a mapping or JSON has these.

    The source is a file of any format of :data:`receval.data.reading.FORMATS`, possibly packed
    (:func:`.packed_files.opened`), or a pipe; a folder of such files, whose names may give columns
    (``year=2020``); a pandas or polars data frame; an Arrow table; a mapping of names to columns; a
    sparse matrix of scipy; a list of rows or a two-dimensional array; or an object that can be
    converted to an Arrow table. Columns are wanted in the order that they have in rows and in a
    file without a header.

    A :class:`TableError` says where a column is missing or has an invalid value.
    """
    try:
        return _of_any(source, wanted, options)
    except UnicodeEncodeError as error:
        where = str(source) if isinstance(source, str | Path) else "the table"
        raise half_of_a_character(where, error) from None
    except UnicodeDecodeError as error:
        if isinstance(source, str | Path):
            raise
        raise half_of_a_character("the table", error) from None


def _of_any(
    source: object, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns | Scores:
    form = "table in memory"
    if hasattr(source, "tocoo"):
        # Some of scipy's matrices are mappings, too.
        source, form = table_of_matrix(source), FORMATS["npz"]
    if isinstance(source, Mapping) and source and are_scores_of_pairs(source):
        pairs = list(zip(*source, strict=True))
        names = [column.name for column in wanted]
        source = dict(zip(names, [*pairs, list(map(float, source.values()))], strict=False))
    if isinstance(source, Mapping) and source and not are_columns(source, wanted):
        frame = table_of_frame("the table", source, wanted)
        source = source if frame is None else frame
    if isinstance(source, Mapping) and source and not are_columns(source, wanted):
        lists = (Mapping, list, tuple, set, frozenset)
        if _are_arrays_of_users(source):
            source = {user: own.tolist() for user, own in source.items()}
        are_lists = all(isinstance(own, lists) for own in source.values())
        if are_lists and not are_numbered_columns(source):
            _refuse_options_of_columns("the table", wanted, options)
            return scores_of("the table", source, wanted)
    if isinstance(source, list | tuple | np.ndarray):
        source = _of_rows(source, wanted, options)
    as_written = options.identifiers == "as-written"
    if not isinstance(source, str | Path):
        _refuse_options_of_files(options)
        table = table_in_memory(source)
        found = columns_of_table("the table", "the table", table, wanted, options, form)
        return replace(found, are_as_written=as_written)
    _refuse_other_texts(str(source))
    path = Path(source)
    if path.is_dir():
        return replace(_of_folder(path, wanted, options), are_as_written=as_written)
    with regular_file(path) as file:
        try:
            columns = _of_file(file, wanted, options)
        except TableError as error:
            error.args = (str(error).replace(str(file), str(path)),)
            raise
    if not isinstance(columns, FoundColumns):
        return columns
    return replace(columns, source=str(path), are_as_written=as_written)


_ADDRESS = re.compile(r"[a-z][a-z0-9+]+:/", re.IGNORECASE)


def _refuse_other_texts(source: str) -> None:
    """Refuse an address, and the content of a file in the place of its name."""
    if Path(source).exists():
        return
    if _ADDRESS.match(source):
        raise TableError(
            f"{shortened(source)} is an address rather than a file. Download it, and name the file."
        )
    if "\n" in source:
        raise TableError(
            f"{quoted(source)} has several lines, so it seems to be the content of a file. Name a "
            "file, or give the rows as a list."
        )


_MOST_COLUMNS = 10


def _are_arrays_of_users(source: Mapping[Any, Any]) -> bool:
    """Tell whether a mapping has an array of items for each user, rather than columns."""
    arrays = list(source.values())
    if not all(isinstance(own, np.ndarray) and own.ndim == 1 for own in arrays):
        return False
    return len(arrays) > _MOST_COLUMNS or len(set(map(len, arrays))) > 1


def _refuse_options_of_columns(
    source: str | Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> None:
    """Refuse options that say which column of a table is what, and how cells are written."""
    asked = [
        column.name
        for column in wanted
        # Lists of users have no other columns anyway, such as times.
        if column.asked is not None and (column.asked != UNREAD or column.name in _OF_LISTS)
    ]
    names = [*options.given("columns"), *asked, *options.given(*OF_TEXTS, "decimal", "time_unit")]
    refuse_foreign_options(source, "has lists of users instead of columns", names)
    if not isinstance(source, Path):
        _refuse_options_of_files(options)


_OF_LISTS = ("user", "item", "rating", "score")


def _refuse_options_of_files(options: ReadingOptions) -> None:
    names = options.given(*OF_TEXTS, "encoding")
    # Parts of Parquet files are tables in memory.
    names += options.given("format") if options.format not in ("table", "parquet") else []
    refuse_foreign_options("the table", "is in memory instead of in a file", names)


@dataclass(frozen=True)
class ColumnNames:
    """The names of a table's columns, or their positions if it has none, such as ``0``.

    ``have_names`` tells which; ``have_lists`` says that some column has a list in each row.
    """

    names: tuple[str, ...]
    have_names: bool = True
    have_lists: bool = False


def column_names(
    source: object, known: Collection[str], options: ReadingOptions = AS_FOUND
) -> ColumnNames:
    """Return the names of the columns of a table that :func:`read_wanted` can read.

    ``known`` are plain names (:func:`receval.data.layouts.plain_name`) that show that the first
    line of a text is a header. A :class:`TableError` tells that the source is not a table.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_dir():
            path = next(iter(files_in(path)[1]), path)
        with regular_file(path) as file:
            return _names_in_file(file, known, options)
    if isinstance(source, list | tuple | np.ndarray):
        raise TableError(
            "Rows of features need the names of their columns. Give a data frame, or a mapping of "
            "names to columns."
        )
    return _names_in_table(table_in_memory(source))


def _names_in_table(table: pa.Table) -> ColumnNames:
    # A column of objects, such as Yelp's attributes, has no single value.
    names = tuple(own.name for own in table.schema if not pa.types.is_struct(own.type))
    return ColumnNames(names, have_lists=any(map(holds_lists, table.schema)))


def _names_in_file(path: Path, known: Collection[str], options: ReadingOptions) -> ColumnNames:
    name = format_of(path, options).name
    if name == "parquet":
        schema = _schema_of(path)
        return ColumnNames(tuple(schema.names), have_lists=any(map(holds_lists, schema)))
    if name in ("json", "jsonl"):
        column = WantedColumn("identifier", tuple(known), True)
        read = read_json if name == "json" else read_json_lines
        table = read(path, [column], options)
        if isinstance(table, pa.Table):
            return _names_in_table(table)
        raise TableError(f"{path} holds lists of users, not a table of features.")
    if name != "table":
        raise TableError(
            f"{path} was read as {FORMATS[name]}, which has no features. If it is a table, set "
            "format='table'."
        )
    layout = layout_of(path, {"identifier": known}, (), options)
    if layout.header is None:
        return ColumnNames(tuple(map(str, range(layout.n_columns))), have_names=False)
    return ColumnNames(layout.header)


def _of_rows(
    rows: Sequence[Any] | NDArray[Any], wanted: Collection[WantedColumn], options: ReadingOptions
) -> dict[str, Sequence[Any] | NDArray[Any]] | pa.Table:
    """Return the columns of rows such as (user, item, rating) by number, or by name if named."""
    names = [column.name for column in wanted]
    if isinstance(rows, np.ndarray) and rows.dtype.names is not None:
        return {name: rows[name] for name in rows.dtype.names}
    if len(rows) and all(isinstance(row, Mapping) for row in rows):
        return table_of_objects("the table", list(rows), wanted, options)
    own = None
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        columns: list[Any] = list(rows.T)
    else:
        widths = [len(row) if isinstance(row, list | tuple) else 0 for row in rows]
        if not widths or len(set(widths)) > 1 or not widths[0]:
            wrong = next((n for n, width in enumerate(widths) if width != widths[0]), 0)
            raise TableError(
                f"Row {wrong + 1} is not a valid row. All rows must be lists or tuples of the same "
                f"length, such as ({', '.join(names[:3])}), or all be mappings of names to values."
            )
        columns = [list(column) for column in zip(*rows, strict=True)]
        if len({type(row) for row in rows}) == 1:
            # Named tuples, as data frames give their rows, perhaps after the index.
            own = getattr(rows[0], "_fields", None)
    # One column more may be an index.
    most = len(names) + 1
    if len(columns) < 2 or (len(columns) > most and own is None and options.columns is None):
        raise TableError(
            f"Rows have {how_many(len(columns), 'column')}. They must have {enumerated(names)}, in "
            "this order. Only the first two are required. For others, say what each column is "
            "(columns=...)."
        )
    return dict(zip(own or map(str, range(len(columns))), columns, strict=True))


@contextmanager
def regular_file(path: Path) -> Iterator[Path]:
    """Provide a file that can be read several times: the file itself, or a copy of a pipe.

    Refused are devices, which may never end, pipes that no process writes to, and content that
    would take more than half of the free disk space.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / (path.name or "pipe")
        room = shutil.disk_usage(folder).free // 2
        with copy.open("wb") as file:
            for block in _sent_through(path, mode):
                room -= file.write(block)
                if room < 0:
                    raise TableError(
                        f"{path} has sent {file.tell() / 1e9:.1f} GB and has not ended. This fills "
                        "half of the disk for temporary files. Write it to a file first."
                    )
        if not copy.stat().st_size:
            raise TableError(f"{path} is empty: it sent no data.")
        yield copy


_WAITED = 2
"""Seconds to wait for a process to open the pipe for writing."""


def _sent_through(path: Path, mode: int) -> Iterator[bytes]:
    """Yield the content of a pipe that a process writes to, or of a terminal."""
    # Opened without blocking: a pipe that no process writes to would block for ever.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or pipe.isatty()):
            raise TableError(f"{path} is a device, which may never end. Name a file or a pipe.")
        select.select([pipe], [], [], _WAITED)
        # None means that a process has opened the pipe, but has not written anything yet.
        yield pipe.raw.read(1) or b""
        os.set_blocking(pipe.fileno(), True)
        yield from iter(lambda: pipe.read(BLOCK), b"")


def _of_file(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns | Scores:
    refuse_other_kinds(path)
    known = format_of(path, options)
    _refuse_options_of_texts(path, known, options)
    if known.name == "parquet":
        with sentences_for_damage(path):
            found = _of_parquet(path, [path], wanted, options)
    elif known.name in ("json", "jsonl"):
        read = read_json if known.name == "json" else read_json_lines
        table = read(path, wanted, options)
        if not isinstance(table, pa.Table):
            _refuse_options_of_columns(path, wanted, options)
            return table
        found = columns_of_table(path.name, str(path), table, wanted, options)
        if known.name == "jsonl" and not any(map(holds_lists, table.schema)):
            line_of = partial(line_of_row, path, options.encoding, bytes.strip)
            found = replace(found, line_of=line_of)
    elif known.name == "npz":
        found = columns_of_table(path.name, str(path), read_matrix(path), wanted, options)
    elif known.name == "netflix":
        found = read_netflix_lines(path, wanted, options)
    elif known.name in COLUMNS:
        roles = {column.name for column in wanted}
        if not roles.issuperset({*COLUMNS[known.name]} - {UNREAD, "rank"}):
            example = ",".join((*COLUMNS[known.name][:3], "rank")) if "rank" in roles else "..."
            lines = first_lines(path, options.encoding)
            if known.name == "trec" and lines and are_judged(split_line(lines[0], known.delimiter)):
                advice = _SEEMS_JUDGED
            elif known.name == "trec":
                advice = "This is a run. Give it as a run, not as ratings or test data."
            else:
                advice = "These are judgments. Give them as test data, not as a run."
            raise TableError(
                f"{path} was read as {known.words}, but the columns {enumerated(sorted(roles))} "
                f"were asked for. {advice} If it is another table, set format='table' (in a "
                "command: --format table) and say what each column is (columns=..., "
                f"--columns {example})."
            )
        if options.columns is None:
            _check_first_line(path, known, options)
        columns = [name if name in roles else UNREAD for name in COLUMNS[known.name]]
        columns[1] = _CONSTANT.name
        if known.name == "trec":
            columns[-1] = _TAG.name
        read_so = replace(
            options,
            delimiter=known.delimiter,
            columns=options.columns or tuple(columns),
            header=options.header or False,
        )
        found = read_text(path, [*wanted, _CONSTANT, _TAG], read_so)
        if options.columns is None:
            _check_constant(found, known.words)
            notes = (*found.notes, *_doubts_on_tags(found))
            found = replace(found, names={}, unread=(), notes=notes)
    else:
        return read_text(path, wanted, options)
    encoding = "" if known.name in ("parquet", "npz") else other_encoding(path, options.encoding)
    return replace(found, form=f"{known.words}{encoding}")


def _refuse_options_of_texts(path: Path, known: Format, options: ReadingOptions) -> None:
    """Refuse options of texts for a file without cells or, if it is binary, without characters."""
    are_binary = known.name in ("parquet", "npz")
    if are_binary or known.name in ("json", "jsonl"):
        names = options.given(*OF_TEXTS, *(["encoding"] if are_binary else []))
        refuse_foreign_options(path, f"was read as {FORMATS[known.name]}", names)


_CONSTANT = WantedColumn("constant", (), True, is_needed=False)
_TAG = WantedColumn("tag", (), True, is_needed=False)


def _doubts_on_tags(found: FoundColumns) -> list[Note]:
    """Return a note if a run of TREC has several tags, as several runs in one file have."""
    if _TAG.name not in found:
        return []
    counted = found.arrays[_TAG.name].unify_dictionaries().value_counts()
    if len(counted) < 2:
        return []
    told = [f"{quoted(o['values'])} ({o['counts']:,} rows)" for o in counted[:2].to_pylist()]
    text = (
        f"{Path(found.source).name}: the last column has {len(counted):,} tags, such as "
        f"{enumerated(told)}. If several runs are in this file, write a file for each."
    )
    return [Note("several-tags", text)]


_COLUMNS_IN_WORDS = {
    "qrels": "query iteration document grade",
    "trec": "query Q0 document rank score tag",
}
_NUMBERS = {"qrels": (3,), "trec": (3, 4)}


_SEEMS_JUDGED = (
    "These seem to be judgments (set format='qrels', in a command: --format qrels, or name the "
    "file .qrels)."
)


def _check_first_line(path: Path, known: Format, options: ReadingOptions) -> None:
    """Refuse a file whose first line does not have the columns of a TREC format."""
    lines = first_lines(path, options.encoding)
    cells = split_line(lines[0], known.delimiter) if lines else []
    columns = _COLUMNS_IN_WORDS[known.name]
    number = len(columns.split())
    way_out = "If it is another table, set format='table' (in a command: --format table)."
    if cells and len(cells) != number:
        advice = "No column may have white space."
        if lines[0].startswith(COMMENTS):
            advice = "It seems to be a comment. Remove it."
        elif known.name == "trec" and are_judged(cells):
            advice = f"{_SEEMS_JUDGED} Give them as test data, not as a run."
        elif len(cells) < number:
            tag = ", such as the tag of a run at its end" if known.name == "trec" else ""
            advice = f"Add what is missing{tag}."
        between = WORDS.get(known.delimiter, quoted(known.delimiter))
        raise TableError(
            f"{path} was read as {known.words}, which has {number} columns between {between} "
            f"({columns}), but line 1 has {len(cells)} ({shortened(lines[0])}). {advice} {way_out}"
        )
    has_numbers = any(is_number(cells[place]) for place in _NUMBERS[known.name] if cells)
    if cells and not options.header and not has_numbers:
        raise TableError(
            f"{path} was read as {known.words}, which has no header, but line 1 seems to be one "
            f"({shortened(lines[0])}). Remove it. {way_out}"
        )


def _check_constant(found: FoundColumns, form: str) -> None:
    """Refuse a table whose first lines look like TREC's but whose other lines do not."""
    codes, values = found.codes(_CONSTANT.name)
    names = values.tolist()
    if len({name.upper() for name in names}) > 1:
        row = int(np.argmax(codes != codes[0]))
        raise TableError(
            f"{found.where(row)}: the second column is {quoted(names[codes[row]])}, but before it "
            f"was {quoted(names[codes[0]])}, so this is not {form}. Set the format: format='table' "
            "(in a command: --format table), or another one."
        )


@contextmanager
def sentences_for_damage(path: Path) -> Iterator[None]:
    """Turn the errors of Arrow for damaged Parquet files into sentences."""
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and is_of_system(error):
            raise
        told = shortened(str(error).removesuffix("."), 200)
        raise TableError(f"{path} is not a Parquet file, or is damaged: {told}.") from None


def _of_parquet(
    source: Path,
    files: Sequence[Path],
    wanted: Collection[WantedColumn],
    options: ReadingOptions,
    form: str = "table in memory",
) -> FoundColumns:
    """Read Parquet files of the same columns as one table; errors name the file of a folder.

    Only columns that are wanted by their names are read, unless values decide or there are lists.
    """
    folder = source if source.is_dir() else source.parent
    schemas = [_schema_in(folder, path) for path in files]
    names = schemas[0].names
    for path, own in zip(files, schemas, strict=True):
        if {*own.names} != {*names}:
            raise TableError(
                f"{path} and {files[0]} have different columns ({enumerated(own.names)}; "
                f"{enumerated(names)}). The files of a folder must be parts of one table."
            )
    have_lists = any(holds_lists(own) for schema in schemas for own in schema)
    by_values = options.columns is not None or are_numbered(names)
    by_values |= not COLUMNS_OF_PARTS.isdisjoint(map(plain_name, names))
    read = {*names}
    if not (have_lists or by_values):
        found = chosen_names(source.name, names, wanted)
        read = {*found.values()}
        is_found = any(column.is_time and column.asked is None for column in wanted)
        wanted = _as_found(wanted, found)
        if is_found:
            # What was found by its name may be a date, or its time of the day.
            wanted = [replace(own, asked=None) if own.is_time else own for own in wanted]
            pairs = [{names[day], names[clock]} for day, clock in days_and_clocks(names)]
            read = read.union(*(pair for pair in pairs if found.get("timestamp") in pair))
    begins = [0]
    parts = _parts_of_parquet(folder, files, read, begins)
    # No name is given to the table, whose columns are dropped as soon as they are converted.
    columns = columns_of_table(
        source.name, str(source), _in_one_table(folder, parts), wanted, options, form
    )
    if read < {*names}:
        read.difference_update(columns.unread)
        columns = replace(columns, unread=tuple(name for name in names if name not in read))
    if source != folder or have_lists:
        return columns  # Lists have other rows than the files.
    of_each = [FoundColumns(str(path), 1, "row", {}) for path in files]
    return replace(columns, parts=tuple(zip(begins, of_each, strict=False)))


def _schema_in(folder: Path, path: Path) -> pa.Schema:
    """Return the columns of a Parquet file, and then those that its folders name."""
    schema = _schema_of(path)
    named = named_by_folders(folder, path, 0)
    if twice := named.keys() & {*schema.names}:
        raise _named_twice(path, twice)
    for name, own in named.items():
        schema = schema.append(pa.field(name, own.type))
    return schema


def _schema_of(path: Path) -> pa.Schema:
    """Return the columns of a Parquet file without reading it, unless it is packed as a whole."""
    with sentences_for_damage(path):
        if not is_packed(path):
            return pq.read_schema(path)
        with opened(path) as file:
            return pq.read_schema(pa.BufferReader(file.read()))


def _parts_of_parquet(
    folder: Path, files: Sequence[Path], read: set[str], begins: list[int]
) -> Iterator[pa.Table]:
    """Yield some columns of each file, and add the row where it ends."""
    for path in files:
        with sentences_for_damage(path), _parquet_file(path) as parquet:
            names, rows = parquet.schema_arrow.names, parquet.metadata.num_rows
            own = None if read >= {*names} else [name for name in names if name in read]
            table = checked_table(parquet.read(columns=own))
        for name, values in named_by_folders(folder, path, rows).items():
            table = table.append_column(name, values) if name in read else table
        begins.append(begins[-1] + rows)
        yield table


def _in_one_table(folder: Path, parts: Iterator[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"{folder}: its files are not parts of one table ({shortened(str(error), 200)})."
        ) from None


_MORE_IN_PARQUET = 4
"""How many times more than other packed files a Parquet file may unpack to."""


def _parquet_file(path: Path) -> pq.ParquetFile:
    """Open a Parquet file, perhaps packed as a whole; refuse it if it would unpack to too much."""
    size = path.stat().st_size
    source: Any = path
    if is_packed(path):
        with opened(path) as file:
            source = pa.BufferReader(file.read())
    parquet = pq.ParquetFile(source)
    metadata = parquet.metadata
    columns = [metadata.schema.column(number) for number in range(metadata.num_columns)]
    have_lists = any(own.max_repetition_level for own in columns)
    unpacked = sum(
        _unpacked_rows(parquet, number, have_lists=have_lists)
        for number in range(metadata.num_row_groups)
    )
    # Runs with the same lists for many users are as repetitive, and such values take little memory.
    most = _MORE_IN_PARQUET * most_unpacked(size)
    if unpacked > most:
        raise too_much_unpacked(path, size, most)
    texts = {own.path for own in columns if own.physical_type == "BYTE_ARRAY"}
    # Texts are read as dictionaries too: each once, with codes in the rows.
    return pq.ParquetFile(source, read_dictionary=sorted(texts))


def _unpacked_rows(parquet: pq.ParquetFile, number: int, *, have_lists: bool) -> int:
    """Return the bytes that a row group takes; a file stores equal values only once."""
    if not have_lists:
        group = parquet.metadata.row_group(number)
        return max(group.total_byte_size, 8 * group.num_rows * group.num_columns)
    group = checked_group(parquet, number)
    columns = map(group.column, range(group.num_columns))
    return sum(max(own.total_uncompressed_size, 8 * own.num_values) for own in columns)


def checked_group(parquet: pq.ParquetFile, number: int) -> pq.RowGroupMetaData:
    """Return the description of a row group, or raise Arrow's error if it is damaged.

    Asked for a column of a damaged one, or for its ends, Arrow would end the process. Its reader
    checks all columns before it reads any, and here reads none.
    """
    next(parquet.reader.iter_batches(0, [number]), None)
    group, schema = parquet.metadata.row_group(number), parquet.metadata.schema
    for place in range(group.num_columns):
        kind, own = schema.column(place).physical_type, group.column(place).physical_type
        if kind != own:
            raise pa.ArrowInvalid(f"{kind} beside {own}")
    return group


def checked_table(table: pa.Table) -> pa.Table:
    """Return a table, or raise an error if it has texts or codes that damage has made invalid."""
    table.validate(full=True)
    return table


def _as_found(wanted: Collection[WantedColumn], found: dict[str, str]) -> list[WantedColumn]:
    """Return the columns that were found, with their names in the table as asked for."""
    return [replace(column, asked=found[column.name]) for column in wanted if column.name in found]


def _of_folder(
    folder: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read all files of a folder as one table, and say which are left out.

    Left out are empty files, also those with a header alone, as Spark writes for parts without
    rows, and those that :func:`.packed_files.files_in` leaves out.
    """
    every, named = files_in(folder)
    files = [path for path in named if path.stat().st_size]
    if not files:
        raise TableError(
            f"{folder} is a folder without files{_without(folder, every)}. Name a file, or a "
            "folder of files."
        )
    _refuse_parts_of_a_split(folder, files)
    names = [format_of(path, options).name for path in files]
    if "parquet" in names and set(names) > {"parquet"}:
        other = files[next(n for n, name in enumerate(names) if name != "parquet")]
        raise TableError(
            f"{folder} holds both Parquet and {other.name}. Name the file that you mean."
        )
    if names[0] == "parquet":
        _refuse_options_of_texts(folder, Format("parquet"), options)
        with parts_of_a_table(len(files)):
            form = f"{_folder_of(folder, files, every)}, Parquet"
            form += _said_of_names(named_by_folders(folder, files[0], 0))
            return _of_parquet(folder, files, wanted, options, form)
    read: dict[Path, FoundColumns] = {}
    for path in files:
        with parts_of_a_table(len(files)):
            try:
                part = _of_part(folder, path, wanted, options)
            except MissingRowsError:
                if path == files[-1] and not read:
                    raise
                continue
            except UnknownColumnError as error:
                if len(files) == 1:
                    raise
                raise TableError(
                    f"{error} If this file is no part of the table, name the table's file instead "
                    f"of {folder}."
                ) from None
            # Programs write all numbers of a part as floats if one is missing there alone.
            read[path] = part if options.identifiers == "as-written" else part.with_whole_numbers()
    joined = _joined(folder, list(read.values()), _folder_of(folder, list(read), every))
    return replace(joined, notes=tuple(dict.fromkeys((*joined.notes, *_doubts_on_tags(joined)))))


def _folder_of(folder: Path, files: Sequence[Path], every: Sequence[Path]) -> str:
    return f"folder of {how_many(len(files), 'file')}{_without(folder, every, files)}"


def _without(folder: Path, every: Sequence[Path], files: Collection[Path] = ()) -> str:
    left_out = [str(path.relative_to(folder)) for path in every if path not in files]
    return f" (left out: {enumerated(left_out, most=60)})" if left_out else ""


def _refuse_parts_of_a_split(folder: Path, files: Sequence[Path]) -> None:
    """Refuse training data beside test or validation data, which are not one table."""
    of_each = {parts: path for path in reversed(files) if (parts := parts_in(path, folder))}
    if len(set().union(*of_each)) > 1:
        names = [str(path.relative_to(folder)) for path in reversed(of_each.values())]
        raise TableError(
            f"{folder} seems to hold the parts of a split ({enumerated(names)}), which would be "
            "read as one table. Name the file or folder of each part (train=... and test=..., in "
            "a command: --train, --test, --validation). If they are one table, rename them."
        )


# Names of folders such as ``year=2020`` give columns, as Hive and Spark write them.

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def named_by_folders(folder: Path, path: Path, rows: int) -> dict[str, pa.Array]:
    """Return the columns that the names of the folders of a file give: one value in all rows."""
    columns: dict[str, pa.Array] = {}
    for part in path.relative_to(folder).parts[:-1]:
        name, equals, value = part.partition("=")
        if equals:
            codes = pa.array(np.zeros(rows, np.int32), mask=np.full(rows, value == _NO_VALUE))
            columns[unquote(name)] = pa.DictionaryArray.from_arrays(codes, [unquote(value)])
    return columns


def _of_part(
    folder: Path, path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read a file of a folder, with the columns that the names of its folders give."""
    named = list(named_by_folders(folder, path, 0))
    by_plain = {plain_name(name): name for name in reversed(named)}
    given: dict[str, str] = {}
    within = []
    for column in wanted:
        known = column.known if column.asked is None else ()
        named_so = [column.asked] if column.asked in named else []
        if own := [*named_so, *(by_plain[plain] for plain in known if plain in by_plain)]:
            given[column.name] = str(own[0])
            column = replace(column, asked=UNREAD if named_so else None, is_needed=False)
        within.append(column)
    part = _of_file(path, within, options)
    if not isinstance(part, FoundColumns):
        raise TableError(f"{path} holds lists of users, so it is not part of a table.")
    if not named:
        return part
    names = {**part.names}
    for column in wanted:
        name = given.get(column.name)
        if name is None or column.name not in part:
            continue
        if options.columns is not None:
            del given[column.name]
            continue
        there = names.get(column.name)
        if there is None or part.are_guessed:
            raise TableError(
                f"{path} may have the {column.name} in a column without a name, or in the name of "
                f"its folder ({quoted(name)}). Say what its columns are: columns=... (in a "
                "command: --columns ...)."
            )
        if _comes_first(column, there, name):
            del given[column.name]
    rows = len(part) if part.arrays else 0
    table = pa.table(named_by_folders(folder, path, rows))
    if twice := {*part.unread, *names.values()}.intersection(named):
        raise _named_twice(path, twice)
    taken = [replace(own, asked=given[own.name]) for own in wanted if own.name in given]
    within_names = replace(options, columns=None)
    more = columns_of_table(path.name, str(path), table, taken, within_names)
    replaced = [own for role, own in names.items() if role in given]
    return replace(
        part,
        arrays={**part.arrays, **more.arrays},
        names={**names, **given},
        unread=(*part.unread, *replaced, *(name for name in named if name not in given.values())),
        form=f"{part.form}{_said_of_names(named)}",
        dates=part.dates or more.dates,
        types={**part.types, **more.types} if part.types else {},
    )


def _said_of_names(names: Collection[str]) -> str:
    return f", {enumerated(list(names))} in the names of folders" if names else ""


def _comes_first(column: WantedColumn, there: str, named: str) -> bool:
    """Tell whether a column in a file is taken rather than one of the names of folders."""
    whole = there.partition(".$")[0]  # Without a mark of its type.
    return column.known.index(plain_name(whole)) <= column.known.index(plain_name(named))


def _named_twice(path: Path, names: Collection[str]) -> TableError:
    return TableError(
        f"{path} has {enumerated(sorted(names))} both as a column and in the name of its folder. "
        "Rename the folder, so that it is clear which one counts."
    )


def _roles_in_words(part: FoundColumns) -> str:
    told = (shortened(part.names.get(role, "there"), 40) for role in part.arrays)
    return enumerated([f"{role} is {own}" for role, own in zip(part.arrays, told, strict=True)])


def _joined(folder: Path, parts: Sequence[FoundColumns], form: str) -> FoundColumns:
    first = parts[0]
    for part in parts[1:]:
        if bool(part.dates) != bool(first.dates):
            raise TableError(
                f"{part.source} and {first.source} write times differently: one as dates, the "
                "other as numbers. Write all times in one way."
            )
        if part.arrays.keys() != first.arrays.keys() or part.names != first.names:
            advice = ""
            if part.are_guessed or first.are_guessed:
                advice = (
                    " They have no header, so their values decide. Say what each column is "
                    "(columns=..., in a command: --columns user,item,rating)."
                )
            raise TableError(
                f"{part.source} and {first.source} have different columns: in the one, "
                f"{_roles_in_words(part)}; in the other, {_roles_in_words(first)}. The files of a "
                f"folder must be parts of one table.{advice}"
            )
    begins = np.cumsum([0, *map(len, parts)]).tolist()
    arrays = {
        name: pa.chunked_array(
            [chunk for part in parts for chunk in part.arrays[name].chunks], own.type
        )
        for name, own in first.arrays.items()
    }
    forms, unread = (
        dict.fromkeys(own for part in parts for own in found(part))
        for found in (lambda part: [part.form], lambda part: part.unread)
    )
    return replace(
        first,
        source=str(folder),
        unit="row",
        first_row=1,
        arrays=arrays,
        unread=tuple(unread),
        form=", ".join([form, *forms]),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        are_guessed=any(part.are_guessed for part in parts),
        parts=tuple((n, replace(own, arrays={})) for n, own in zip(begins, parts, strict=False)),
        line_of=None,
        rewritten={role: told for part in parts for role, told in part.rewritten.items()},
    )
