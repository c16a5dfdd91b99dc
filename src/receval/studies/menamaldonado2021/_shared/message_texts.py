# SPDX-License-Identifier: MIT
"""Words and numbers of the messages of figures."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

import pandas as pd

from receval.storage.files import real_values
from receval.studies._shared.message import DATASETS


def in_percent(share: float) -> str:
    """Print a share, such as 61.2 %; a dash where there is nothing to share."""
    return "\N{EN DASH}" if isnan(share) else f"{100 * share:.1f} %"


def datasets_of(results: pd.DataFrame) -> list[str]:
    """Return the datasets of a table, in its order."""
    return list(dict.fromkeys(results["dataset"]))


def number_of(results: pd.DataFrame, statement: str, column: str, **where: str) -> float:
    """Return the number of a statement, from the one row that has it."""
    chosen = results["statement"] == statement
    for name, value in where.items():
        chosen &= results[name] == value
    (number,) = real_values(results.loc[chosen, column])
    return float(number)


def on_each(texts: Iterable[tuple[str, str]]) -> str:
    """Say what is true of each dataset: one sentence, the dataset before its clause."""
    return "; ".join(f"on {DATASETS.get(dataset, dataset)} {text}" for dataset, text in texts)
