"""Published values of named systems: tables in ``config/published``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

COLUMNS = ("study", "dataset", "split", "judgments", "system", "metric", "published")


def read_published(path: Path) -> pd.DataFrame:
    """Read a table of published values.

    Parameters
    ----------
    path : Path
        CSV, lines that begin with ``#`` are comments. Columns: study; dataset, split and system
        (our names); judgments (``test`` or ``unbiased``); metric (our label); published (value).

    Raises
    ------
    ValueError
        If columns differ, a value is no number, or the same value is given twice.
    """
    table = pd.read_csv(path, comment="#")
    if tuple(table.columns) != COLUMNS:
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}; it must have {', '.join(COLUMNS)}."
        )
    if not pd.api.types.is_float_dtype(table["published"]) or table["published"].isna().any():
        raise ValueError(f"{path}: every value in the column published must be a number.")
    keys = list(COLUMNS[:-1])
    repeated = table[table.duplicated(keys)]
    if len(repeated):
        names = " ".join(str(repeated.iloc[0][key]) for key in keys)
        raise ValueError(f"{path} gives a value twice: {names}.")
    return table
