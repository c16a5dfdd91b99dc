# SPDX-License-Identifier: MIT
"""Texts whose quotes do more than enclose cells of one line: looked through record by record.

Arrow takes all that stands behind a quote at a cell's begin for one cell, to the next quote however
many lines below. So a quote that was forgotten would hide rows; here its line is found.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

from receval.data.errors import TableError
from receval.data.layouts import Layout, cells_of_any_length, is_number, split_line
from receval.data.text_lines import opened_text
from receval.storage.messages import shortened


def checked_records(
    path: Path,
    layout: Layout,
    texts: Collection[tuple[str, int]],
    numbers: Collection[int],
    encoding: str | None = None,
) -> int:
    """Return how many records a text has, without its header, and refuse quotes that hide rows.

    Parameters
    ----------
    texts : collection of tuple
        What columns of identifiers are and where, from 0.

    Raises
    ------
    TableError
        A quoted cell is not closed, or something stands behind its closing quote; an identifier
        goes over several lines; a record has other cells than the first line; or lines within
        quotes look like rows. The message names the line.
    """
    records = 0
    with opened_text(path, encoding) as file, cells_of_any_length():
        for first, last, cells in _records(path, file, layout.delimiter):
            if layout.header is not None and first == 1:
                continue
            records += 1
            if len(cells) != layout.n_columns:
                raise TableError(
                    f"{path}, line {first} has {len(cells)} cells between "
                    f"{layout.delimiter_in_words}, but the first line has {layout.n_columns}. "
                    f"{_ADVICE}"
                )
            if first == last:
                continue
            for what, place in texts:
                if "\n" in cells[place]:
                    raise TableError(
                        f"{path}, line {first}: the {what} begins with a quote and goes on to line "
                        f"{last}. {_ADVICE}"
                    )
            hidden = cells[max(range(len(cells)), key=lambda place: cells[place].count("\n"))]
            within = hidden.split("\n")[1:-1]
            if first + 1 == last:
                within = [_joined(hidden, cells, layout.delimiter)]
            if any(_is_like_a_row(line, layout, numbers) for line in within):
                raise TableError(
                    f"{path}: the quote in line {first} is closed in line {last}, and what lies "
                    f"between looks like rows. {_ADVICE}"
                )
    return records


_ADVICE = (
    "Is a quote mark missing, or one too many? Within a quoted cell write a quote twice, and put "
    "quotes around a cell that begins with one."
)


def _records(path: Path, file: BinaryIO, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the first and the last line of each record, from 1, and its cells."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    first = 1
    try:
        for cells in reader:
            if cells:
                yield first, reader.line_num, cells
            first = reader.line_num + 1
    except csv.Error as error:
        raise TableError(
            f"{path}, line {first}: a cell is quoted in part, or its quote is not closed "
            f"({shortened(str(error))}). {_ADVICE}"
        ) from None
    finally:
        # Closed with it, the file could not be read on.
        text.detach()


def _is_like_a_row(line: str, layout: Layout, numbers: Collection[int]) -> bool:
    cells = split_line(line.replace('"', ""), layout.delimiter)
    return len(cells) == layout.n_columns and all(is_number(cells[place]) for place in numbers)


def _joined(hidden: str, cells: list[str], delimiter: str) -> str:
    """Return the last line of a record, as far as it was written."""
    behind = cells[cells.index(hidden) + 1 :]
    return delimiter.join([hidden.rpartition("\n")[2], *behind])
