# SPDX-License-Identifier: MIT
"""What the follow-ups share in tests: artifacts through their CSV, printed and drawn."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from studies.prepared import display_of, drawn_alone, family_of, inputs_of, saved

from receval.figures.tables import to_markdown
from receval.storage.files import write_results


def summary(artifact: str, results: pd.DataFrame, source: str, folder: Path) -> str:
    """Return the table of an artifact that sums up the results of another, in Markdown."""
    return printed(artifact, summarised(artifact, results, source, folder), folder)


def summarised(artifact: str, results: pd.DataFrame, source: str, folder: Path) -> pd.DataFrame:
    """Return the results of an artifact that sums up those of another."""
    path = folder / f"{source}.csv"
    write_results(results, path)
    inputs = inputs_of(folder, results={source: path})
    table: pd.DataFrame = family_of("followups", artifact).data(inputs)
    return table


def printed(artifact: str, results: pd.DataFrame, folder: Path) -> str:
    """Return the table of an artifact in Markdown."""
    display = display_of("followups", artifact)
    tabulate = family_of("followups", artifact).tabulate
    return to_markdown(tabulate(saved(results, folder), display))


def shown(artifact: str, results: pd.DataFrame, folder: Path, edition: str = "full") -> Figure:
    """Return the figure of an artifact."""
    display = display_of("followups", artifact, edition=edition)
    return drawn_alone(family_of("followups", artifact), saved(results, folder), display)
