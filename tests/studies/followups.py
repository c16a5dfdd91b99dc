# SPDX-License-Identifier: MIT
"""What the follow-ups share in tests: artifacts through their CSV, printed and drawn."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pandas as pd
from matplotlib.figure import Figure
from studies.prepared import display_of, drawn, inputs_of, problems_of, saved

from receval.figures.tables import to_markdown
from receval.storage.files import write_results


def summary(module: ModuleType, results: pd.DataFrame, source: ModuleType, folder: Path) -> str:
    """Return the table of an artifact that sums up the results of another, in Markdown."""
    return printed(module, summarised(module, results, source, folder), folder)


def summarised(
    module: ModuleType, results: pd.DataFrame, source: ModuleType, folder: Path
) -> pd.DataFrame:
    """Return the results of an artifact that sums up those of another."""
    name = artifact_of(source)
    path = folder / f"{name}.csv"
    write_results(results, path)
    table: pd.DataFrame = module.data(inputs_of(folder, results={name: path}))
    return table


def printed(module: ModuleType, results: pd.DataFrame, folder: Path) -> str:
    """Return the table of an artifact in Markdown."""
    display = display_of("followups", artifact_of(module))
    return to_markdown(module.tabulate(saved(results, folder), display))


def shown(module: ModuleType, results: pd.DataFrame, folder: Path, edition: str = "full") -> Figure:
    """Return the figure of an artifact, in which no text is in another's way."""
    display = display_of("followups", artifact_of(module), edition=edition)
    figure = drawn(module, saved(results, folder), display)
    assert problems_of(figure) == []
    return figure


def artifact_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]
