# SPDX-License-Identifier: MIT
"""Read columns of any table: text, JSON, Parquet, folders of these, or a data frame."""

from __future__ import annotations

import os
import select
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.column_roles import are_numbered
from receval.data.columns import FoundColumns, WantedColumn, chosen_names
from receval.data.formats import COLUMNS, format_of, read_matrix, read_netflix_lines
from receval.data.json_tables import (
    Scores,
    are_columns,
    read_json,
    read_json_lines,
    scores_of,
)
from receval.data.layouts import layout_of
from receval.data.memory_tables import columns_of_table, holds_lists, table_in_memory
from receval.data.packed_files import (
    is_packed,
    most_unpacked,
    opened,
    parts_of_a_table,
    too_much_unpacked,
)
from receval.data.reading import AS_FOUND, FORMATS, UNREAD, ReadingOptions, TableError
from receval.data.text_lines import BLOCK
from receval.data.text_tables import read_text
from receval.storage.messages import enumerated, quoted, shortened


def read_wanted(
    source: object,
    wanted: Collection[WantedColumn],
    options: ReadingOptions = AS_FOUND,
) -> FoundColumns | Scores:
    """Read some columns of a table, or scores of items by user if a mapping or JSON has these.

    The source is a file of any format of :data:`receval.data.reading.FORMATS`, possibly packed
    (:func:`.packed_files.opened`), or a pipe; a folder of such files, whose names may give columns
    (``year=2020``); a pandas or polars data frame; an Arrow table; a mapping of names to columns; a
    list of rows or a two-dimensional array; or an object that can be converted to an Arrow table.
    Columns are wanted in the order that they have in rows and in a file without a header.

    A :class:`TableError` says where a column is missing or has an invalid value.
    """
    if isinstance(source, Mapping) and source and not are_columns(source, wanted):
        lists = (Mapping, list, tuple, set, frozenset)
        if all(isinstance(own, lists) for own in source.values()):
            _refuse_list_of_columns("the table", options)
            return scores_of("the table", source, wanted)
    if isinstance(source, list | tuple | np.ndarray):
        source = _of_rows(source, [column.name for column in wanted], options)
    as_written = options.identifiers == "as-written"
    if not isinstance(source, str | Path):
        table = table_in_memory(source)
        found = columns_of_table("the table", "the table", table, wanted, options)
        return replace(found, are_as_written=as_written)
    path = Path(source)
    if path.is_dir():
        return replace(_of_folder(path, wanted, options), are_as_written=as_written)
    with regular_file(path) as file:
        try:
            columns = _of_file(file, wanted, options)
        except TableError as error:
            raise TableError(str(error).replace(str(file), str(path))) from None
    if not isinstance(columns, FoundColumns):
        return columns
    return replace(columns, source=str(path), are_as_written=as_written)


def _refuse_list_of_columns(source: str | Path, options: ReadingOptions) -> None:
    if options.columns is not None:
        raise TableError(
            f"{source} has lists of users instead of columns, so a list of columns does not fit. "
            "Leave it out (columns=..., in a command: --columns)."
        )


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
            parts = (own for own in sorted(path.rglob("*")) if own.is_file())
            path = next((own for own in parts if not own.name.startswith((".", "_"))), path)
        with regular_file(path) as file:
            return _names_in_file(file, known, options)
    if isinstance(source, list | tuple | np.ndarray):
        raise TableError(
            "Rows of features need the names of their columns. Give a data frame, or a mapping of "
            "names to columns."
        )
    return _names_in_table(table_in_memory(source))


def _names_in_table(table: pa.Table) -> ColumnNames:
    return ColumnNames(tuple(table.column_names), have_lists=any(map(holds_lists, table.schema)))


def _names_in_file(path: Path, known: Collection[str], options: ReadingOptions) -> ColumnNames:
    name = format_of(path, options).name
    if name == "parquet":
        with _sentences_for_damage(path), opened(path) as file:
            schema = pq.read_schema(pa.BufferReader(file.read()))
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
    rows: Sequence[Any] | NDArray[Any], names: Sequence[str], options: ReadingOptions
) -> dict[str, Sequence[Any] | NDArray[Any]]:
    """Return the columns of rows such as (user, item, rating) by number, or by name if named."""
    own = None
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        columns: list[Any] = list(rows.T)
    else:
        widths = [len(row) if isinstance(row, list | tuple) else 0 for row in rows]
        if not widths or len(set(widths)) > 1 or not widths[0]:
            wrong = next((n for n, width in enumerate(widths) if width != widths[0]), 0)
            raise TableError(
                f"Row {wrong + 1} is not a valid row. All rows must be lists or tuples of the same "
                f"length, such as ({', '.join(names[:3])})."
            )
        columns = [list(column) for column in zip(*rows, strict=True)]
        own = getattr(rows[0], "_fields", None)
    # One column more may be an index.
    most = len(names) + 1
    if len(columns) < 2 or (len(columns) > most and own is None and options.columns is None):
        raise TableError(
            f"Rows have {len(columns)} columns. They must have {enumerated(names)}, in this order. "
            "Only the first two are required. For others, say what each column is (columns=...)."
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
    known = format_of(path, options)
    if known.name == "parquet":
        with _sentences_for_damage(path):
            found = _of_parquet(path, wanted, options)
    elif known.name in ("json", "jsonl"):
        read = read_json if known.name == "json" else read_json_lines
        table = read(path, wanted, options)
        if not isinstance(table, pa.Table):
            _refuse_list_of_columns(path, options)
            return table
        found = columns_of_table(path.name, str(path), table, wanted, options)
    elif known.name == "npz":
        found = columns_of_table(path.name, str(path), read_matrix(path), wanted, options)
    elif known.name == "netflix":
        found = read_netflix_lines(path, wanted, options)
    elif known.name in COLUMNS:
        roles = {column.name for column in wanted}
        if not roles.issuperset({*COLUMNS[known.name]} - {UNREAD, "rank"}):
            raise TableError(
                f"{path} was read as {known.words}, but the columns {enumerated(sorted(roles))} "
                "were asked for. If it is another table, set format='table' (in a command: "
                "--format table)."
            )
        columns = [name if name in roles else UNREAD for name in COLUMNS[known.name]]
        columns[1] = _CONSTANT.name
        read_so = replace(
            options,
            delimiter=known.delimiter,
            columns=options.columns or tuple(columns),
            header=options.header or False,
        )
        found = read_text(path, [*wanted, _CONSTANT], read_so)
        if options.columns is None:
            _check_constant(found, known.words)
            found = replace(found, names={}, unread=())
    else:
        return read_text(path, wanted, options)
    return replace(found, form=known.words)


_CONSTANT = WantedColumn("constant", (), True, is_needed=False)


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
def _sentences_for_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        told = shortened(str(error).removesuffix("."), 200)
        raise TableError(f"{path} is not a Parquet file, or is damaged: {told}.") from None


def _of_parquet(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read a Parquet file; one that is packed as a whole is first unpacked in memory."""
    with ExitStack() as stack:
        source: Any = path
        if is_packed(path):
            source = pa.BufferReader(stack.enter_context(opened(path)).read())
        parquet = stack.enter_context(_parquet_file(path, source))
        schema = parquet.schema_arrow
        is_read_whole = options.columns is not None or are_numbered(schema.names)
        if is_read_whole or any(map(holds_lists, schema)):
            return columns_of_table(path.name, str(path), parquet.read(), wanted, options)
        found = chosen_names(path.name, schema.names, wanted)
        table = parquet.read(columns=[str(name) for name in found.values()])
    others = [name for name in schema.names if name not in found.values()]
    columns = columns_of_table(path.name, str(path), table, _as_found(wanted, found), options)
    return replace(columns, unread=tuple(others))


_MORE_IN_PARQUET = 4
"""How many times more than other packed files a Parquet file may unpack to."""


def _parquet_file(path: Path, source: Any) -> pq.ParquetFile:
    """Open a Parquet file, and refuse it if it would unpack to too much."""
    size = path.stat().st_size
    metadata = pq.ParquetFile(source).metadata
    columns = [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]
    # A file stores equal values once, with their number.
    unpacked = sum(max(own.total_uncompressed_size, 8 * own.num_values) for own in columns)
    # Runs with the same lists for many users are as repetitive, and such values take little memory.
    most = _MORE_IN_PARQUET * most_unpacked(size)
    if unpacked > most:
        raise too_much_unpacked(path, size, most)
    texts = {own.path_in_schema for own in columns if own.physical_type == "BYTE_ARRAY"}
    # Texts are read as dictionaries too: each once, with codes in the rows.
    return pq.ParquetFile(source, read_dictionary=sorted(texts))


def _as_found(wanted: Collection[WantedColumn], found: dict[str, str]) -> list[WantedColumn]:
    """Return the columns that were found, with their names in the table as asked for."""
    return [replace(column, asked=found[column.name]) for column in wanted if column.name in found]


def _of_folder(
    folder: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read all files of a folder as one table, except names that begin with a dot or ``_``."""
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.stat().st_size
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    if not files:
        raise TableError(f"{folder} is a folder without files. Name a file, or a folder of files.")
    names = [format_of(path, options).name for path in files]
    if "parquet" in names and set(names) > {"parquet"}:
        other = files[next(n for n, name in enumerate(names) if name != "parquet")]
        raise TableError(
            f"{folder} holds both Parquet and {other.name}. Name the file that you mean."
        )
    form = f"folder of {len(files):,} file{'s' * (len(files) != 1)}"
    if names[0] == "parquet":
        with parts_of_a_table(len(files)):
            table = _of_parquet_parts(folder, files)
        return columns_of_table(
            folder.name, str(folder), table, wanted, options, f"{form}, Parquet"
        )
    parts = []
    for path in files:
        with parts_of_a_table(len(files)):
            part = _of_file(path, wanted, options)
        if not isinstance(part, FoundColumns):
            raise TableError(f"{path} holds lists of users, so it is not part of a table.")
        parts.append(part)
    return _joined(folder, parts, form)


def _of_parquet_parts(folder: Path, files: Sequence[Path]) -> pa.Table:
    """Read Parquet files with the same columns; columns from folder names become text."""
    tables: list[pa.Table] = []
    for path in files:
        with _sentences_for_damage(path), _parquet_file(path, path) as parquet:
            table = parquet.read()
        for part in path.relative_to(folder).parts[:-1]:
            name, equals, value = part.partition("=")
            if equals:
                table = table.append_column(name, pa.array([value] * len(table), pa.string()))
        if tables and set(table.column_names) != set(tables[0].column_names):
            raise TableError(
                f"{path} and {files[0]} have different columns ({enumerated(table.column_names)}; "
                f"{enumerated(tables[0].column_names)}). The files of a folder must be parts of "
                "one table."
            )
        tables.append(table)
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"{folder}: its files are not parts of one table ({shortened(str(error), 200)})."
        ) from None


def _joined(folder: Path, parts: Sequence[FoundColumns], form: str) -> FoundColumns:
    first = parts[0]
    for part in parts[1:]:
        if part.has_dates != first.has_dates:
            raise TableError(
                f"{part.source} and {first.source} write times differently: one as dates, the "
                "other as numbers. Write all times in one way."
            )
        if part.arrays.keys() != first.arrays.keys() or part.names != first.names:
            raise TableError(
                f"{part.source} and {first.source} have different columns "
                f"({enumerated(part.names.values() or part.arrays)}; "
                f"{enumerated(first.names.values() or first.arrays)}). The files of a folder must "
                "be parts of one table."
            )
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
        form=f"{form}, {enumerated(forms)}",
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        are_guessed=any(part.are_guessed for part in parts),
    )
