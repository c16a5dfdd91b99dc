"""Writing and reading the tidy CSV of an artifact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.atomic import write_atomically


def write_results(numbers: pd.DataFrame, path: Path) -> None:
    """Write one row an observation, real numbers with ten significant digits, in one step."""
    text = numbers.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    write_atomically(path, text)


def read_results(path: Path) -> pd.DataFrame:
    """Read an artifact's CSV; empty cells stay empty text."""
    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def real_values(columns: pd.DataFrame | pd.Series) -> NDArray[np.float64]:
    """Return columns as real numbers: an empty cell, as which NaN is written, is NaN again."""
    cells = columns.to_numpy(dtype=object)
    return np.where(cells == "", np.nan, cells).astype(np.float64)
