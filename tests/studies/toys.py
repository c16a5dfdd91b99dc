# SPDX-License-Identifier: MIT
"""The toy examples of menamaldonado2021 and their numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from studies.prepared import display_of, family_of, inputs_of, saved

from reproduction.studies.menamaldonado2021.toy_examples import marks_of

STUDY = "menamaldonado2021"
EXAMPLES = {
    artifact: marks_of(display_of(STUDY, artifact).parameters) for artifact in ("fig04", "fig08")
}


def results_of(artifact: str, folder: Path) -> pd.DataFrame:
    """Return an artifact's results as they are read from its CSV."""
    inputs = inputs_of(folder, **display_of(STUDY, artifact).parameters)
    return saved(family_of(STUDY, artifact).data(inputs), folder)


def number(results: pd.DataFrame, quantity: str, **where: str) -> float:
    found = results[results["quantity"] == quantity]
    for column, value in where.items():
        found = found[found[column] == value]
    assert len(found) == 1, (quantity, where)
    return float(found["number"].iloc[0])
