# SPDX-License-Identifier: MIT
"""FoundColumns of a text file: a fast reader, and a slow one that finds the line that is wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from receval.interchange.columns import FoundColumns, WantedColumn, chosen_names
from receval.interchange.date_or_number import (
    KINDS_OF_MOMENTS,
    kind_of_moment,
    seconds_of_moments,
)
from receval.interchange.errors import TableError
from receval.interchange.layouts import (
    Layout,
    is_number,
    layout_of,
    split_line,
)
from receval.interchange.packed_files import opened
from receval.interchange.plain_lines import BLOCK, lines_with_one_delimiter
from receval.storage.messages import quoted

NO_NUMBER = ("", "NA", "NaN", "nan", "null", "None", "NULL")
"""What stands in a column of numbers where there is none."""

QUOTED = (",", ";", "\t")
"""Delimiters of files whose cells may stand in quotes."""

_TEXT = pa.dictionary(pa.int32(), pa.string())
_NUMBER = pa.float64()


def read_text(
    path: Path, wanted: Collection[WantedColumn], delimiter: str | None, header: bool | None
) -> FoundColumns:
    """Read some columns of a text file; see :func:`receval.interchange.tables.read_wanted`."""
    asked = [str(column.asked) for column in wanted if isinstance(column.asked, str)]
    known = {column.name: column.known for column in wanted}
    layout = layout_of(path, known, asked, delimiter, header)
    if layout.header is not None:
        names = list(layout.header)
        found = chosen_names(path.name, names, wanted)
    else:
        names, found = _by_position(path, layout, wanted)
    kinds = {found[c.name]: _TEXT if c.is_text else _NUMBER for c in wanted if c.name in found}
    times = [column.name for column in wanted if column.is_time and column.name in found]
    wrong = ""
    for kind in KINDS_OF_MOMENTS[: None if times else 1]:
        kinds |= {found[name]: kind for name in times}
        try:
            table = _parsed(path, layout, names, kinds)
        except pa.ArrowInvalid as error:
            wrong = wrong or str(error)
            continue
        arrays = {name: table.column(own) for name, own in found.items()}
        arrays |= {name: seconds_of_moments(arrays[name]) for name in times}
        return FoundColumns(
            str(path), layout.first_row, "line", arrays, *_read_and_not(layout, found)
        )
    raise _first_wrong_line(path, layout, names, found, wanted, wrong)


def _read_and_not(
    layout: Layout, found: Mapping[str, str]
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the names of the columns that are read, and of the others, if there are names."""
    if layout.header is None:
        return {}, ()
    return found, tuple(name for name in layout.header if name not in found.values())


def _by_position(
    path: Path, layout: Layout, wanted: Collection[WantedColumn]
) -> tuple[list[str], dict[str, str]]:
    """Return names for the columns of a file without a header, and which of them are wanted."""
    names = [str(number) for number in range(layout.n_columns)]
    if any(isinstance(column.asked, str) for column in wanted):
        raise TableError(
            f"{path.name} has no header, so that columns have no names: say their positions, such "
            "as user=0, item=1."
        )
    found: dict[str, str] = {}
    for position, column in enumerate(wanted):
        own = column.asked if column.asked is not None else position
        if int(own) < layout.n_columns:
            found[column.name] = names[int(own)]
        elif column.is_needed or column.asked is not None:
            raise TableError(
                f"{path.name} has {layout.n_columns} columns in its first line, and needs one for "
                f"{column.name} at position {own} (the first is 0)."
            )
    return names, found


def _parsed(
    path: Path, layout: Layout, names: list[str], kinds: Mapping[str, pa.DataType]
) -> pa.Table:
    delimiter = layout.delimiter
    with opened(path) as file:
        source: Any = file
        if len(delimiter) > 1 or delimiter == " ":
            source, delimiter = lines_with_one_delimiter(file, delimiter)
        return pa.csv.read_csv(
            source,
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                block_size=BLOCK,
                column_names=names,
                skip_rows=0 if layout.header is None else 1,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if layout.delimiter in QUOTED else False,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(kinds),
                null_values=list(NO_NUMBER),
                strings_can_be_null=False,
            ),
        )


def _first_wrong_line(
    path: Path,
    layout: Layout,
    names: list[str],
    found: Mapping[str, str],
    wanted: Collection[WantedColumn],
    otherwise: str,
) -> TableError:
    """Return the error for the first line that does not fit, looking at one after the other."""
    numbers = [
        (column, names.index(found[column.name]))
        for column in wanted
        if column.name in found and not column.is_text
    ]
    times: dict[str, tuple[int, str]] = {}
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if number < layout.first_row or not line.strip():
                continue
            try:
                cells = split_line(line.decode("utf-8").rstrip("\r\n"), layout.delimiter)
            except UnicodeDecodeError:
                return TableError(f"{path}, line {number} is no text in UTF-8.")
            if len(cells) != layout.n_columns and b'"' not in line:
                return TableError(
                    f"{path}, line {number} has {len(cells)} cells between "
                    f"{quoted(layout.delimiter)}, but the first line has {layout.n_columns}."
                )
            for column, position in numbers:
                cell = cells[position] if position < len(cells) else ""
                if cell in NO_NUMBER:
                    continue
                kind = kind_of_moment(cell) if column.is_time else "" if is_number(cell) else None
                if kind is None:
                    wished = (
                        "seconds since 1970, or a date such as 2003-02-28 or 2003-02-28 23:59:59"
                        if column.is_time
                        else "a number"
                    )
                    return TableError(
                        f"{path}, line {number}: the {column.name} is {quoted(cell)}, and must be "
                        f"{wished}."
                    )
                first, before = times.setdefault(column.name, (number, kind))
                if kind != before:
                    return TableError(
                        f"{path}, line {number}: the {column.name} is {kind}, but that of line "
                        f"{first} is {before}: write all of them in the same way."
                    )
    told = " ".join(otherwise.split()).removesuffix(".")
    return TableError(f"{path} cannot be read: {told}.")
