"""Table of dataset statistics: counts, density, inequality, and chosen and drawn ratings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from receval.datasets.statistics import dataset_statistics
from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the statistics of every dataset.

    The parameter ``columns`` of the artifact names those of
    :func:`receval.datasets.statistics.dataset_statistics` that are wanted, in their order.
    """
    return dataset_statistics(inputs.all_ratings())[["dataset", *inputs.parameters["columns"]]]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics as the paper does.

    Parameters of the artifact: ``printed`` names the columns that are printed (all of ``columns``
    by default; the others are in the CSV alone), ``headings`` their headings.
    """
    names = display.parameters.get("printed", display.parameters["columns"])
    headings = dict(zip(names, display.parameters["headings"], strict=True))
    columns = [Column("Dataset"), *(Column(text, "right") for text in headings.values())]
    rows = [
        (display.datasets[row["dataset"]], *(_cell(row, name) for name in headings))
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows)


def _cell(row: Mapping[Hashable, Any], name: str) -> str:
    if name == "density_percent":
        return f"{row[name]:.3f} %"
    if name.endswith("_gini"):
        return f"{row[name]:.3f}"
    if name == "known_ratings":
        # Where the data does not say it, users chose whatever they rated.
        return f"{row[name] or row['ratings']:,}"
    if name == "unknown_ratings":
        return f"{row[name]:,}" if row[name] else "none"
    return f"{row[name]:,}"
