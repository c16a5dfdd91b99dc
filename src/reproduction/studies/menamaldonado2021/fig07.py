# SPDX-License-Identifier: MIT
"""Figure 7: the optimal ranking functions against popularity and against the average rating."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle, coefficient_text
from receval.figures.finish import letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.statistics.correlation import pearson_r
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021.fig06 import (
    dots,
    items_of_optima,
    rows_of_items,
    stated,
    with_statements,
)

FUNCTIONS = {
    "precision": "Precision optimum $\\varphi_{\\hat{P}}$",
    "anti_precision": "Anti-precision optimum $\\varphi_{\\mathrm{anti}\\hat{P}}$",
}
COMPONENTS = {
    "popularity": "Popularity $p(\\mathrm{train}|i)$",
    "average_rating": "Average rating $p(\\mathrm{rel}|\\mathrm{train},i)$",
}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the optimal ranking functions and their components, one row per item.

    Columns: dataset; statement; coefficient (its value: Pearson's r of two columns);
    popularity_rank (from 1, the row's rank); popularity; average_rating; precision, anti_precision
    (functions whose orders are optimal for observed values).

    A row has either a statement or an item. Items are not named; those without ratings or rated by
    all users are left out.
    """
    tables = []
    for dataset in inputs.datasets:
        items = items_of_optima(inputs, dataset)
        pairs = [(one, other) for one in FUNCTIONS for other in COMPONENTS]
        pairs.append(("popularity", "average_rating"))
        correlations = {
            _statement(one, other): pearson_r(items[one], items[other]) for one, other in pairs
        }
        tables.append(with_statements(dataset, correlations, "coefficient", items))
    return pd.concat(tables, ignore_index=True)


def _statement(one: str, other: str) -> str:
    return f"Pearson's r of {one} and {other}"


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per function (down) and component (across), with their correlation."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 4.4 * len(datasets))
    panels = figure.subplots(2 * len(datasets), 2, sharex="col", sharey="row", squeeze=False)
    for row, (dataset, function) in zip(
        panels, ((dataset, function) for dataset in datasets for function in FUNCTIONS), strict=True
    ):
        items = rows_of_items(results, dataset)
        for axes, component in zip(row, COMPONENTS, strict=True):
            x, y = real_values(items[component]), real_values(items[function])
            dots(axes, x, y, INK)
            r = stated(results, dataset, _statement(function, component), "coefficient")
            axes.set_title(coefficient_text("Pearson's $r$", r))
        if function == next(iter(FUNCTIONS)):
            row[0].set_title(f"{display.datasets[dataset]}, {row[0].get_title(loc='left')}")
        row[0].set_ylabel(FUNCTIONS[function])
    for axes, component in zip(panels[-1], COMPONENTS, strict=True):
        axes.set_xlabel(COMPONENTS[component])
        # Items of popularity 0 have whole dots.
        axes.set_xlim(left=-0.01)
    letter_panels(panels.ravel())
    return figure
