# SPDX-License-Identifier: MIT
"""The CSV of an artifact, read as text, and what each of its columns is for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.messages import quoted, shortened
from reproduction.drift.spec import DriftSpec

SYSTEM = "system"
"""The column of the systems whose values an artifact has."""

VALUE = "value"
"""The column of the values, one a row."""

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns of an artifact's CSV are for.

    Attributes
    ----------
    keys : tuple of str
        Columns that say which row it is.
    counts : tuple of str
        Columns of whole numbers, which must be equal.
    values : tuple of str
        Columns of real numbers, which have a tolerance.
    texts : tuple of str
        Columns of words, with numbers between them that have the tolerance of the column.
    """

    keys: tuple[str, ...]
    counts: tuple[str, ...]
    values: tuple[str, ...]
    texts: tuple[str, ...] = ()


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV with every cell as the text that it is.

    Raises
    ------
    ValueError
        If the file has no header, a line longer than the header, or two columns of one name.
    """
    try:
        rows = pd.read_csv(
            path, header=None, dtype=str, keep_default_na=False, na_values=[], encoding="utf-8"
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is not a CSV with a header: {shortened(str(error), 200)}."
        ) from error
    header = rows.iloc[0].tolist()
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{path} has several columns named {quoted(repeated[0])}: rename all but one."
        )
    return rows.iloc[1:].set_axis(header, axis="columns").reset_index(drop=True)


def numbers(cells: pd.Series[str]) -> NDArray[np.float64]:
    """Return the numbers of a column; NaN for empty cells, for ``nan`` and for other text."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def numeric(cells: pd.Series[str]) -> NDArray[np.bool_]:
    """Tell which cells are numbers, empty, or ``nan``."""
    stands_for_nothing = cells.str.lower().isin(["", "nan"]).to_numpy(dtype=bool)
    return stands_for_nothing | ~np.isnan(numbers(cells))


def whole(cells: pd.Series[str]) -> NDArray[np.bool_]:
    """Tell which cells are written as whole numbers."""
    return cells.str.fullmatch(r"[+-]?\d+").to_numpy(dtype=bool)


def roles_of_columns(table: pd.DataFrame, config: DriftSpec) -> ColumnRoles:
    """Decide what the columns of an accepted table are for.

    The configuration names the texts, and the digests, which have no role. Other columns that are
    not all numbers are keys, and so are those that it names as keys. Where these do not tell all
    rows apart, columns of whole numbers become keys as well, from the left, until they do. The
    other columns of whole numbers are counts, the rest are values.
    """
    keys: list[str] = []
    counts: list[str] = []
    values: list[str] = []
    texts = [column for column in table.columns if config.is_text(column)]
    for column in table.columns:
        if column in texts or config.is_digest(column):
            continue
        cells = table[column].drop_duplicates()
        empty = (cells == "").to_numpy(dtype=bool)
        if config.is_key(column) or not numeric(cells).all() or empty.all():
            keys.append(column)
        elif (whole(cells) | empty).all():
            counts.append(column)
        else:
            values.append(column)
    while counts and not _tells_rows_apart(table, keys):
        keys.append(counts.pop(0))
    in_order = [column for column in table.columns if column in keys]
    return ColumnRoles(tuple(in_order), tuple(counts), tuple(values), tuple(texts))


def _tells_rows_apart(table: pd.DataFrame, keys: list[str]) -> bool:
    """Tell whether no two rows have the same keys."""
    return not table.duplicated(keys).any() if keys else len(table) < 2


def row_labels(table: pd.DataFrame, keys: tuple[str, ...]) -> pd.Index[str]:
    """Name each row by its keys, as in ``system=pop, cutoff=10``; 5 and 5.0 are the same key."""
    labels = np.full(len(table), "", dtype=object)
    for position, key in enumerate(keys):
        # A key has few distinct cells.
        codes, cells = pd.factorize(table[key].to_numpy(dtype=object))
        before = f"{'' if position == 0 else ', '}{key}="
        names = np.array([before + _key_text(cell) for cell in cells], dtype=object)
        labels = labels + names[codes]
    return pd.Index(labels, dtype=object)


def _key_text(cell: str) -> str:
    # Leading zeros and signs belong to identifiers; only plain numbers are rewritten.
    return f"{float(cell):.15g}" if _PLAIN_NUMBER.fullmatch(cell) else cell
