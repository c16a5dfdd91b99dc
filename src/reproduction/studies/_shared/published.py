# SPDX-License-Identifier: MIT
"""Read the published values of systems from the tables in ``config/published``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = ("study", "dataset", "split", "judgments", "system", "metric", "published")


def read_published(path: Path) -> pd.DataFrame:
    """Read a table of published values.

    Parameters
    ----------
    path : Path
        CSV; lines that begin with ``#`` are comments. Columns: study; dataset, split and system
        (our names); judgments (``test`` or ``unbiased``); metric (our label); published (value).

    Raises
    ------
    ValueError
        If columns differ, a value is not a number, or the same value is given twice.
    """
    return _read(path, COLUMNS)


def published_values(
    path: Path, names: tuple[str, str, str], metrics: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a system's published values on test ratings, the targets of a search."""
    dataset, split_name, system = names
    table = read_published(path)
    rows = table[
        (table["dataset"] == dataset)
        & (table["split"] == split_name)
        & (table["judgments"] == "test")
        & (table["system"] == system)
    ].set_index("metric")["published"]
    missing = [metric for metric in metrics if metric not in rows.index]
    if missing:
        raise ValueError(
            f"{path} has no {', '.join(missing)} of {system} on {dataset}, split {split_name}: "
            "a search needs the values to come close to."
        )
    return rows[list(metrics)].to_numpy(dtype=np.float64)


def _read(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    table = pd.read_csv(path, comment="#")
    if tuple(table.columns) != columns:
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}; it must have {', '.join(columns)}."
        )
    if not pd.api.types.is_float_dtype(table["published"]) or table["published"].isna().any():
        raise ValueError(f"{path}: every value in the column published must be a number.")
    keys = list(columns[:-1])
    repeated = table[table.duplicated(keys)]
    if len(repeated):
        names = " ".join(str(repeated.iloc[0][key]) for key in keys)
        raise ValueError(f"{path} gives a value twice: {names}.")
    return table
