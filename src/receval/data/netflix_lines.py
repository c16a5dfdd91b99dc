# SPDX-License-Identifier: MIT
"""Read Netflix's format: a line with an item and a colon, followed by lines of its ratings."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from receval.data.columns import FoundColumns, WantedColumn
from receval.data.memory_tables import columns_of_table
from receval.data.reading import ReadingOptions, TableError
from receval.data.text_lines import check_encoding, opened_text
from receval.storage.messages import shortened

_ITEM = re.compile(r"\d+:\s*")

MOST_ITEMS = 1_000_000
"""The most items of such a file; Netflix has 17,770 films."""

_NAMES = {"user": pa.string(), "rating": pa.float64(), "timestamp": pa.string()}


def read_netflix_lines(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions
) -> FoundColumns:
    """Read lines of ``user,rating,date`` that follow a line ``item:``."""
    check_encoding(path, options.encoding)
    items: list[str] = []
    places: list[int] = []
    wrong: list[str] = []

    def begun(line: pa.csv.InvalidRow) -> str:
        if _ITEM.fullmatch(line.text) is None:
            wrong.append(
                f"{path}, line {line.number} is {shortened(line.text)}, and must be a rating such "
                "as 1488844,3,2005-09-06, or an item such as 1:"
            )
            return "error"
        if len(items) == MOST_ITEMS:
            wrong.append(f"{path} has more than {MOST_ITEMS:,} items: is it Netflix's file?")
            return "error"
        items.append(line.text.strip()[:-1])
        places.append(line.number)
        return "skip"

    with opened_text(path, options.encoding) as file:
        try:
            table = pa.csv.read_csv(
                file,
                read_options=pa.csv.ReadOptions(use_threads=False, column_names=list(_NAMES)),
                parse_options=pa.csv.ParseOptions(quote_char=False, invalid_row_handler=begun),
                convert_options=pa.csv.ConvertOptions(column_types=_NAMES),
            )
        except pa.ArrowInvalid as error:
            told = (
                wrong[0]
                if wrong
                else f"{path}: a rating must be a number, as in 1488844,3,2005-09-06 "
                f"({shortened(str(error), 200)})."
            )
            raise TableError(told) from None
    if not items or places[0] != 1:
        raise TableError(f"{path}, line 1 must be an item such as 1:")
    # Each item line takes one line number; the rows up to the next one are its ratings.
    starts = np.array(places) - 1 - np.arange(len(places))
    lengths = np.diff(starts, append=table.num_rows)
    owners = pa.DictionaryArray.from_arrays(
        np.repeat(np.arange(len(items), dtype=np.int32), lengths), pa.array(items)
    )
    return columns_of_table(path.name, str(path), table.append_column("item", owners), wanted)
