"""The toy examples of menamaldonado2021 and their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from studies.prepared import inputs_of

from receval.storage.tidy_csv import read_results, write_results
from receval.studies.menamaldonado2021 import fig02, fig03, fig04, fig08

STUDY = "menamaldonado2021"
FIGURES: dict[str, Any] = {"fig02": fig02, "fig03": fig03, "fig04": fig04, "fig08": fig08}


def results_of(artifact: str, folder: Path) -> pd.DataFrame:
    """Return an artifact's numbers as they are read from its CSV."""
    write_results(FIGURES[artifact].data(inputs_of(folder)), folder / "numbers.csv")
    return read_results(folder / "numbers.csv")


def number(numbers: pd.DataFrame, quantity: str, **where: str) -> float:
    found = numbers[numbers["quantity"] == quantity]
    for column, value in where.items():
        found = found[found[column] == value]
    assert len(found) == 1, (quantity, where)
    return float(found["number"].iloc[0])
