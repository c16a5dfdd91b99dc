# SPDX-License-Identifier: MIT
"""Convert tables in memory to Arrow: data frames of several libraries, mappings of columns."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from receval.data.column_roles import are_numbered, refuse_late_values, refuse_parts, roles_of
from receval.data.columns import FoundColumns, WantedColumn
from receval.data.layouts import (
    FIRST_LINES,
    advice_on_number,
    doubts_on_thousands,
    has_decimal_commas,
    is_number,
)
from receval.data.moments import joined_moments, seconds_of_moments
from receval.data.reading import AS_FOUND, NO_NUMBER, ReadingOptions, TableError
from receval.data.roles_by_values import CLOCK
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted, shortened

MOST_EXACT = 2**53
"""Beyond this, not every whole number can be stored as a double."""

_MOST_EXACT_BY_BITS = {16: 2**11, 32: 2**24, 64: MOST_EXACT}
"""The same for floating-point numbers by their bits."""

_UNFIT = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError)


SHAPE = b"receval: shape of the matrix"
"""The metadatum of a table that has the shape of the matrix whose entries it has."""

_INDEX = b"receval: index"
"""The metadatum of a table that counts its last columns that come from an index with names."""

_UNREAD = b"receval: unread"
"""The metadatum of a table that names what else is not read: an index of times."""


def table_in_memory(source: object) -> pa.Table:
    """Return a data frame, an Arrow table or a mapping of names to columns as an Arrow table.

    Columns of values of several types, such as text beside numbers, become text. Columns that
    differ in length or in their rows are refused.
    """
    if isinstance(source, pa.Table):
        return source
    # Imported late: files are read without pandas, and its import takes half as long as reading a
    # million ratings.
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        given = source
        named = [name for name in given.index.names if name is not None]
        levels, metadata = 0, {}
        if named and not {*named} & {*given.columns}:
            levels, given = given.index.nlevels, given.reset_index()  # As after groupby.
            metadata = {_INDEX: str(levels)}
        elif (
            len(given)
            and given.index.dtype.kind not in "iuM"
            and are_numbered([*map(str, given.columns)])
        ):
            raise TableError(
                f"The rows of the table have names, such as {quoted(str(given.index[0]))}, but "
                "its columns have none. If the names are users, write a row per user and item. "
                "Otherwise, leave them out: reset_index(drop=True)."
            )
        twice = sorted({str(name) for name in given.columns[given.columns.duplicated()]})
        if twice:
            raise TableError(
                f"The table has several columns with the name {enumerated(twice)}. Rename them, so "
                "that each has its own."
            )
        table = pa.table({str(name): _array(str(name), column) for name, column in given.items()})
        if not named and given.index.dtype.kind == "M" and "index" not in table.column_names:
            metadata = {_UNREAD: "index"}
        # Positions are those of the other columns.
        names = table.column_names[levels:] + table.column_names[:levels]
        return table.select(names).replace_schema_metadata(metadata)
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if isinstance(source, pd.Series):
        raise TableError(
            "A Series has only one column. Give a data frame of users and items (of a Series with "
            "users and items as its index: reset_index())."
        )
    if hasattr(source, "to_df"):  # LensKit's collections of lists and its item lists
        return table_in_memory(source.to_df())
    # Imported late: other libraries' frames are rare, and the import takes as long as reading
    # 100,000 ratings.
    import narwhals as nw

    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        try:
            return frame.to_arrow()
        except pa.ArrowInvalid as error:
            raise TableError(
                f"The table cannot be converted to Arrow ({shortened(str(error), 200)}). Convert "
                "columns of rare types to text."
            ) from None
    if hasattr(source, "__arrow_c_stream__"):
        return pa.table(source)
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    raise TableError(
        f"A table of the type {type(source).__name__} cannot be read. Give the path of a file, a "
        "data frame of pandas or polars, an Arrow table, or a mapping from names to columns."
    )


def columns_of_table(
    name: str,
    source: str,
    table: pa.Table,
    wanted: Collection[WantedColumn],
    options: ReadingOptions = AS_FOUND,
    form: str = "table in memory",
) -> FoundColumns:
    """Return the wanted columns of an Arrow table; lists in a row become one row per entry.

    Messages have the name and the source, which are a file's name and path, or another description.
    """
    table = _as_counted(_with_usual_types(table), options.columns, wanted)
    names = names_of(table)
    roles = roles_of(name, names, first_cells(table, names), wanted, options)
    for part in roles.parts:
        if part in table.column_names and not holds_lists(table.schema.field(part)):
            # The first rows may all be of one part.
            refuse_parts(name, part, different_texts(table.column(part)))
    for place in roles.empty:
        later = table.column(names[place]).slice(FIRST_LINES).drop_null()
        refuse_late_values(name, place, different_texts(later) or map(_cell, _values_of(later)))
    found = {role: names[place] for role, place in roles.places.items()}
    words = {**roles.words}
    lists = {field.name for field in table.schema if holds_lists(field)}
    if found.get("user") in lists and found.get("item") in {*table.column_names} - lists:
        # Such as tuples that identify a user, which would become several users.
        user = next(own for own in wanted if own.name == "user")
        _refuse_objects(source, user, found["user"], table.schema.field(found["user"]).type)
    _refuse_unnamed_parts(source, table.schema, found)
    metadata = table.schema.metadata or {}
    shape = metadata.get(SHAPE, b"")
    table, notes = _with_a_row_an_item(source, table, set(found.values()))
    arrays, types, rewritten = {}, {}, {}
    dates = ""
    there = {*table.column_names}
    for column in wanted:
        own = found.get(column.name)
        if own is not None:
            values, words[column.name] = _without_marks_of_type(
                words[column.name], table.column(own)
            )
            if column.is_time and CLOCK in found:
                values = joined_moments(values, table.column(found[CLOCK]))
            types[column.name] = _type_in_words(values.type)
            _refuse_objects(source, column, own, values.type)
            arrays[column.name], own_dates = _as_wanted(
                source, column, own, values, options.decimal
            )
            dates = dates or own_dates
            if column.is_text and pa.types.is_floating(values.type):
                ids = arrays[column.name].chunk(0).dictionary if len(values) else []
                if len(ids) and "." not in (first := str(ids[0].as_py())):
                    rewritten[column.name] = (
                        f"{column.name}s such as {first}.0 were read as whole numbers ({first})"
                    )
            elif not (column.is_text or column.is_time or options.decimal):
                notes += doubts_on_thousands(name, own, different_texts(values))
            found.pop(column.name)
            # So that others can take their memory.
            table = table.drop_columns([*{own}.difference(found.values())])
    # A list whose parts were read was read.
    unread = tuple(own for own in roles.unread if own in there or own not in names)
    if _UNREAD in metadata:
        unread += (metadata[_UNREAD].decode(),)
    return FoundColumns(
        *(source, 1, "row", arrays, words, unread, form, dates, tuple(notes)),
        are_guessed=roles.are_guessed,
        rewritten=rewritten,
        types=types,
        shape=tuple(map(int, shape.split(b","))) if shape else (),
    )


def _as_counted(
    table: pa.Table, columns: Sequence[str] | None, wanted: Collection[WantedColumn]
) -> pa.Table:
    """Return the columns that a list counts: those of an index come first, or are left out.

    Positions, which do not count them, may not be theirs.
    """
    levels = int((table.schema.metadata or {}).get(_INDEX, b"0"))
    if not levels:
        return table
    own, index = table.column_names[:-levels], table.column_names[-levels:]
    if columns is None:
        for column in wanted:
            if isinstance(column.asked, int) and column.asked >= len(own):
                raise TableError(
                    f"The table has {how_many(len(own), 'column')} beside its index "
                    f"({enumerated(index)}), and none has the number {column.asked}, which was "
                    f"given for {column.name}. The first has the number 0. Give columns of the "
                    "index by their names."
                )
        return table
    if len(columns) == len(own):
        needed = [column.name for column in wanted if column.is_needed]
        if missing := [role for role in needed if role not in columns]:
            raise TableError(
                f"The list of columns {','.join(columns)} has as many names as the table has "
                f"columns beside its index ({enumerated(index)}), but no "
                f"{' and no '.join(missing)}. Name every column, those of the index first."
            )
        return table.select(own).replace_schema_metadata({_UNREAD: ", ".join(index)})
    return table.select([*index, *own])


def _type_in_words(kind: pa.DataType) -> str:
    """Return how a column is typed, as far as it matters for returning its values."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return "integer"
    return "float" if pa.types.is_floating(kind) else "text"


def first_cells(table: pa.Table, names: Sequence[str]) -> list[list[str]]:
    """Return the cells of the first rows by column as text; none for lists and their parts."""
    first = table.slice(0, FIRST_LINES)
    return [
        []
        if name not in first.column_names or holds_lists(first.schema.field(name))
        else [_cell(own) for own in _values_of(first.column(name))]
        for name in names
    ]


def _values_of(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column; equal entries of a dictionary share one long text."""
    if not pa.types.is_dictionary(column.type):
        return column.to_pylist()
    values: list[Any] = []
    for chunk in column.chunks:
        codes = chunk.indices.dictionary_encode()
        kept = chunk.dictionary
        if pa.types.is_string_view(kept.type):  # As polars has them, which Arrow cannot take.
            kept = kept.cast(pa.string())
        entries = kept.take(codes.dictionary).to_pylist()
        places = codes.indices.to_pylist()
        values += [None if place is None else entries[place] for place in places]
    return values


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < MOST_EXACT:
        return str(int(value))
    return str(value)


def holds_lists(field: pa.Field) -> bool:
    """Tell whether a column has a list in each row."""
    return isinstance(field.type, (pa.ListType, pa.LargeListType, *_RARE_LISTS))


_RARE_LISTS = (pa.FixedSizeListType, pa.ListViewType, pa.LargeListViewType)


def _with_usual_types(table: pa.Table) -> pa.Table:
    """Return a table whose lists are of the usual type, and whose values are not run-lengths."""
    for place, field in enumerate(table.schema):
        chunks = table.column(place).chunks
        if pa.types.is_run_end_encoded(field.type):
            column = pa.chunked_array(map(pc.run_end_decode, chunks), field.type.value_type)
        elif isinstance(field.type, _RARE_LISTS):
            lists = pa.large_list(field.type.value_type)
            column = pa.chunked_array(map(_usual_lists, chunks), lists)
        else:
            continue
        table = table.set_column(place, field.name, column)
    return table


def _usual_lists(chunk: pa.Array) -> pa.LargeListArray:
    """Return lists of one size, or views of values, as usual lists; missing ones are empty."""
    # Arrow's own conversion of views has given invalid arrays.
    lengths = pc.fill_null(pc.list_value_length(chunk), 0).to_numpy(zero_copy_only=False)
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), chunk.flatten())


def holds_objects(field: pa.Field) -> bool:
    """Tell whether a column has a list of objects in each row."""
    return holds_lists(field) and pa.types.is_struct(field.type.value_type)


def _without_marks_of_type(name: str, column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str]:
    """Return the values in MongoDB's ``{"$oid": ...}`` and ``{"$date": ...}``, and their name."""
    while pa.types.is_struct(column.type) and len(column.type) == 1:
        mark = column.type[0].name
        if not mark.startswith("$"):
            break
        column, name = pc.struct_field(column, mark), f"{name}.{mark}"
    return column, name


def _refuse_objects(source: str, wanted: WantedColumn, own: str, kind: pa.DataType) -> None:
    """Refuse a column with several values in a row where there must be one."""
    if not pa.types.is_nested(kind):
        return
    what = "objects" if pa.types.is_struct(kind) else "lists"
    raise TableError(
        f"{source}: the column {quoted(own)} for {wanted.name} has {what} of several values in a "
        "row, but must have one. Name another column "
        f"({wanted.name}=..., in a command: --{wanted.name} ...), or write lists of items and "
        'scores as {"user": "ann", "items": ["book"], "scores": [1.5]}.'
    )


def _refuse_unnamed_parts(source: str, schema: pa.Schema, found: Mapping[str, str]) -> None:
    """Refuse a wanted column of lists of objects, none of whose parts has a known name."""
    for role, own in found.items():
        if own not in schema.names or not holds_objects(schema.field(own)):
            continue
        parts = [inner.name for inner in schema.field(own).type.value_type]
        if own not in parts:
            raise TableError(
                f"{source}: the column {quoted(own)} for {role} has lists of objects, which have "
                f"no column with a known name for the {role}. Their columns are "
                f"{enumerated(parts)}. Name the right one: {role}=... (in a command: --{role} ...)."
            )


def _of_mapping(source: Mapping[Any, Any]) -> pa.Table:
    import pandas as pd

    series = [own for own in source.values() if isinstance(own, pd.Series)]
    if any(not own.index.equals(series[0].index) for own in series[1:]):
        raise TableError(
            "The columns are Series with different indices, so their rows may not belong "
            "together. Give a data frame, or only the values (to_numpy())."
        )
    inner = [list(own) for own in source.values() if isinstance(own, Mapping)]
    if inner and (len(inner) < len(source) or any(keys != inner[0] for keys in inner)):
        raise TableError(
            "The columns are mappings with different keys, so their rows may not belong together. "
            "Give lists (from a data frame: to_dict('list'))."
        )
    arrays = {
        str(name): _array(str(name), list(own.values()) if isinstance(own, Mapping) else own)
        for name, own in source.items()
    }
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = enumerated([f"{name} has {length:,}" for name, length in lengths.items()])
        raise TableError(f"The columns have different lengths: {told}.")
    return pa.table(arrays)


def _array(name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    import pandas as pd

    try:
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return values
        if isinstance(values, pd.Series | pd.Index):
            if isinstance(values.dtype, pd.PeriodDtype):
                values = pd.PeriodIndex(values).to_timestamp()
            return pa.array(values, from_pandas=True)
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise TableError(f"The column {shortened(name)} must be a list or an array of values.")
        array = values if isinstance(values, np.ndarray) else list(values)
        if isinstance(array, np.ndarray) and array.ndim != 1:
            raise TableError(
                f"The column {shortened(name)} has the shape {array.shape}. It must have one value "
                "per row."
            )
        return pa.array(array, from_pandas=True)
    except _UNFIT:
        return pa.array([_as_text(own) for own in values], pa.string())


def _as_text(value: Any) -> str | None:
    import pandas as pd

    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def names_of(table: pa.Table) -> list[str]:
    """Return the names of a table's columns, and those of objects within lists."""
    names: list[str] = []
    for field in table.schema:
        names.append(field.name)
        if holds_objects(field):
            names += [inner.name for inner in field.type.value_type if inner.name not in names]
    return names


def _with_a_row_an_item(
    source: str, table: pa.Table, wanted: set[str]
) -> tuple[pa.Table, list[Note]]:
    """Give each item its own row, if a wanted column has a list in each row.

    The column is a list of structures, as in LensKit's collections, or there are several lists of
    equal lengths. Lists in other columns are left alone, also those of structures with nothing
    wanted that rows do not have themselves, such as the comments on a review with their users.
    """
    in_lists = wanted.difference(field.name for field in table.schema if not holds_objects(field))
    listed = [
        field.name
        for field in table.schema
        if (holds_lists(field) and field.name in wanted)
        or (
            holds_objects(field)
            and in_lists.intersection(inner.name for inner in field.type.value_type)
        )
    ]
    if not listed:
        return table, []
    first = table.column(listed[0])
    lengths = pc.fill_null(pc.list_value_length(first), 0)
    for name in listed[1:]:
        if not pc.fill_null(pc.list_value_length(table.column(name)), 0).equals(lengths):
            raise TableError(
                f"{source}: in some rows, the lists {enumerated([listed[0], name])} have different "
                "lengths. Give each item its score."
            )
    rows, parents = table.drop_columns(listed), pc.list_parent_indices(first)
    # Arrow takes no rows of a table without columns.
    rows = rows.take(parents) if rows.num_columns else pa.table([parents], [""])
    for name in listed:
        entries = pc.list_flatten(table.column(name))
        if not pa.types.is_struct(entries.type):
            rows = rows.append_column(name, entries)
            continue
        for field in entries.type:
            if field.name not in rows.column_names:
                rows = rows.append_column(field.name, pc.struct_field(entries, field.name))
            elif field.name in wanted:
                raise TableError(
                    f"{source}: the column {quoted(field.name)} is in the objects of the list "
                    f"{quoted(name)} and also outside of them. Rename or leave out the wrong one."
                )
    empty = pc.sum(pc.equal(lengths, 0)).as_py() or 0
    text = f"{Path(source).name}: {empty:,} of {len(table):,} lists are empty."
    return rows, [Note("empty-lists", text)] if empty else []


def _as_wanted(
    source: str, wanted: WantedColumn, own: str, column: pa.ChunkedArray, decimal: str | None
) -> tuple[pa.ChunkedArray, str]:
    """Return a column in the wanted type, and in words that it has dates."""
    if pa.types.is_dictionary(column.type):
        if wanted.is_text and _is_text(column.type.value_type):
            return _with_own_entries(column), ""
        column = _decoded(column)
    kind = column.type
    try:
        if wanted.is_time:
            return seconds_of_moments(column)
        if not wanted.is_text:
            if _is_text(kind) and not pa.types.is_string_view(kind):
                column = _with_points(source, wanted, column, decimal)
            return _numbers(column), ""
        return _identifiers(column).dictionary_encode(), ""
    except TableError:
        raise
    except (ValueError, pa.ArrowNotImplementedError) as error:
        if _is_text(kind) and not (wanted.is_text or wanted.is_time):
            for row, text in enumerate(column.to_pylist(), 1):
                if text not in _NO_TEXTS and not is_number(text):
                    raise TableError(
                        f"{source}, row {row}: the {wanted.name} is {quoted(text)}. It must be a "
                        f"number.{advice_on_number(text)}"
                    ) from None
        what = "identifiers" if wanted.is_text else "times" if wanted.is_time else "numbers"
        raise TableError(
            f"{source}: the column {quoted(own)} for {wanted.name} has the type "
            f"{shortened(str(kind))}, and its values are not {what} ({shortened(str(error), 200)})."
        ) from None


_NO_TEXTS = (None, *NO_NUMBER)


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers, also from texts, some of which may stand for a missing number."""
    try:
        return column.cast(pa.float64(), safe=False)
    except pa.ArrowInvalid:
        if not _is_text(column.type):
            raise
    is_missing = pc.is_in(column, pa.array(NO_NUMBER, column.type))
    return pc.if_else(is_missing, pa.scalar(None, column.type), column).cast(pa.float64())


def different_texts(column: pa.ChunkedArray) -> list[str]:
    """Return the different texts of a column; none if it has other values."""
    kind = column.type
    if not _is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
        return []
    if not pa.types.is_dictionary(kind):
        column = column.cast(pa.string()).dictionary_encode()
    entries = [chunk.dictionary.to_pylist() for chunk in _with_own_entries(column).chunks]
    return [text for text in dict.fromkeys(chain(*entries)) if text is not None]


def _identifiers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return identifiers as text."""
    kind = column.type
    if pa.types.is_floating(kind):
        if pa.types.is_float16(kind):  # Arrow cannot compute with them.
            column = column.cast(pa.float32())
        # Whole numbers become floats if some row of a data frame has none.
        largest = pc.max(pc.abs(column)).as_py()
        if largest is not None and largest >= _MOST_EXACT_BY_BITS[kind.bit_width]:
            raise ValueError(
                f"{largest:.0f} is so large that floating-point numbers cannot tell it from the "
                "next number: write such identifiers as text or as whole numbers"
            )
        is_whole = pc.all(pc.equal(pc.floor(column), column)).as_py()
        column = column.cast(pa.int64() if is_whole is not False else pa.string())
        kind = column.type
    if pa.types.is_integer(kind):
        # Each number is written once: texts of every row would take gigabytes.
        codes = column.dictionary_encode().unify_dictionaries()
        texts = codes.chunk(0).dictionary.cast(pa.string()) if codes.num_chunks else None
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(own.indices, texts) for own in codes.chunks],
            pa.dictionary(pa.int32(), pa.string()),
        )
    if isinstance(kind, pa.BaseExtensionType):
        column = column.cast(kind.storage_type)
        kind = column.type
    if pa.types.is_fixed_size_binary(kind) and kind.byte_width == 16:
        texts = [None if own is None else str(uuid.UUID(bytes=own)) for own in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return column.cast(pa.string())


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _with_own_entries(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as a dictionary of the entries in use, each once, in the order of the rows.

    Repeated in every row, one long text would take gigabytes.
    """
    chunks = []
    for chunk in column.chunks:
        codes = chunk.indices.dictionary_encode()
        texts = chunk.dictionary.cast(pa.string()).take(codes.dictionary).dictionary_encode()
        chunks.append(
            pa.DictionaryArray.from_arrays(texts.indices.take(codes.indices), texts.dictionary)
        )
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a column of categories."""
    kind = column.type.value_type
    if pa.types.is_string_view(kind):  # As polars has them, which Arrow does not decode itself.
        kind = pa.string()
    chunks = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, kind)


def _with_points(
    source: str, wanted: WantedColumn, column: pa.ChunkedArray, decimal: str | None
) -> pa.ChunkedArray:
    """Return the numbers in texts with decimal points."""
    if decimal == ",":
        if pc.any(pc.match_substring(column, ".")).as_py():
            raise ValueError("there are points, although the decimal mark is a comma")
        return pc.replace_substring(column, ",", ".")
    if decimal == ".":
        return column
    texts = [text for text in column.unique().to_pylist() if text is not None]
    if not has_decimal_commas(texts, f"{source}: the {wanted.name}"):
        return column
    return pc.replace_substring(column, ",", ".")
