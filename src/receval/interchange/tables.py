# SPDX-License-Identifier: MIT
"""FoundColumns of a table, whatever holds it: text, Parquet, or a data frame in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from receval.interchange.columns import FoundColumns, WantedColumn, chosen_names
from receval.interchange.date_or_number import seconds_of_moments
from receval.interchange.errors import TableError
from receval.interchange.packed_files import bare_suffix, is_packed, opened
from receval.interchange.text_tables import read_text
from receval.storage.messages import quoted, shortened

PARQUET = (".parquet", ".pq")


def read_wanted(
    source: object,
    wanted: Collection[WantedColumn],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
) -> FoundColumns:
    """Read some columns of a table.

    Parameters
    ----------
    source : Path, str or data frame
        A text file or a Parquet file, also packed (:func:`.packed_files.opened`), a data frame of
        pandas or polars, an Arrow table, a mapping of names to columns, or what turns itself into
        an Arrow table. A column of lists of structures, as LensKit's collections have, gives each
        of their items a row.
    wanted : collection of WantedColumn
        In the order in which a file without a header has them.
    delimiter, header
        As for :func:`receval.interchange.layouts.layout_of`.

    Raises
    ------
    TableError
        A column is not there, or holds what it must not; the message says where.
    FileNotFoundError
        There is no such file.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        if bare_suffix(path) in PARQUET:
            try:
                return _of_parquet(path, wanted)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                told = shortened(str(error).removesuffix("."), 200)
                raise TableError(f"{path} is no Parquet file, or a damaged one: {told}.") from None
        return read_text(path, wanted, delimiter, header)
    return _of_table("the table", "the table", _in_memory(source), wanted)


def _of_parquet(path: Path, wanted: Collection[WantedColumn]) -> FoundColumns:
    """Read a Parquet file; one that is packed as a whole is first unpacked in memory."""
    with ExitStack() as stack:
        source: Any = path
        if is_packed(path):
            source = pa.BufferReader(stack.enter_context(opened(path)).read())
        parquet = stack.enter_context(pq.ParquetFile(source))
        schema = parquet.schema_arrow
        if any(map(_holds_lists, schema)):
            return _of_table(path.name, str(path), parquet.read(), wanted)
        found = chosen_names(path.name, schema.names, wanted)
        table = parquet.read(columns=[str(name) for name in found.values()])
    others = [name for name in schema.names if name not in found.values()]
    return _converted(str(path), found, table, wanted, others)


def _of_table(
    name: str, source: str, table: pa.Table, wanted: Collection[WantedColumn]
) -> FoundColumns:
    table = _without_lists(table)
    found = chosen_names(name, table.column_names, wanted)
    others = [own for own in table.column_names if own not in found.values()]
    return _converted(source, found, table, wanted, others)


def _in_memory(source: object) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, Mapping):
        return pa.table({str(name): pa.array(np.asarray(own)) for name, own in source.items()})
    if hasattr(source, "reset_index"):
        return pa.Table.from_pandas(source, preserve_index=False)
    if hasattr(source, "__arrow_c_stream__"):
        return pa.table(source)
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    raise TableError(
        f"A table of the type {type(source).__name__} cannot be read: give a file's path, a data "
        "frame of pandas or polars, an Arrow table, or a mapping of names to columns."
    )


def _holds_lists(field: pa.Field) -> bool:
    kind = field.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return is_list and pa.types.is_struct(kind.value_type)


def _without_lists(table: pa.Table) -> pa.Table:
    """Give each item a row of its own, where a table has a list in each row, as LensKit's have."""
    listed = [field.name for field in table.schema if _holds_lists(field)]
    if len(listed) != 1:
        return table
    column = table.column(listed[0])
    rows = table.drop_columns(listed).take(pc.list_parent_indices(column))
    entries = pc.list_flatten(column)
    for field in column.type.value_type:
        if field.name not in rows.column_names:
            rows = rows.append_column(field.name, pc.struct_field(entries, field.name))
    return rows


def _converted(
    source: str,
    found: Mapping[str, str],
    table: pa.Table,
    wanted: Collection[WantedColumn],
    unread: Collection[str],
) -> FoundColumns:
    arrays = {
        column.name: _as_wanted(source, column, own, table.column(own))
        for column in wanted
        if (own := found.get(column.name)) is not None
    }
    return FoundColumns(source, 1, "row", arrays, found, tuple(unread))


def _as_wanted(
    source: str, wanted: WantedColumn, own: str, column: pa.ChunkedArray
) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = _decoded(column)
        kind = column.type
    try:
        if wanted.is_time:
            return seconds_of_moments(column)
        if not wanted.is_text:
            return column.cast(pa.float64(), safe=False)
        if pa.types.is_floating(kind):
            # Whole numbers become floating when some row of a data frame has none.
            column = column.cast(pa.int64())
        return column.cast(pa.string()).dictionary_encode()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        what = "identifiers" if wanted.is_text else "moments" if wanted.is_time else "numbers"
        raise TableError(
            f"{source}: the column {quoted(own)} for {wanted.name} is of the type {kind}, whose "
            f"values are no {what} ({error})."
        ) from None


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a column of categories."""
    kind = column.type.value_type
    if pa.types.is_string_view(kind):  # As polars has them, which Arrow does not decode itself.
        kind = pa.string()
    chunks = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, kind)
