# SPDX-License-Identifier: MIT
"""Figure 10: how much the probability of rating an item depends on its relevance."""

from __future__ import annotations

from math import isnan

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.bar_table import percent
from receval.figures.display import DisplayStyle
from receval.figures.line_labels import with_named_lines
from receval.figures.style import INK, SINGLE_COLUMN, new_figure
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021.fig06 import (
    dots,
    in_falling_order,
    rows_of_items,
    stated,
    with_statements,
)

CONSTANT = "p(train | rel)"
ABOVE = "items with p(train | rel, i) > p(train | i)"

DOTS = "#7A7A7A"
"""Colour of the items, lighter than the lines."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return p(train | i) and p(train | rel, i), one row per item, and the nearer line.

    Columns: dataset; statement; probability (p(train | rel), or the share of items);
    popularity_rank (from 1, the row's rank); popularity, p(train | i); popularity_among_relevant,
    p(train | rel, i). A row has either a statement or an item. Items are not named; those that are
    relevant to no user are left out.

    The two lines are those of relevance-independent rating, p(train | rel, i) = p(train | i), and
    of item-independent rating, p(train | rel, i) = p(train | rel). The nearer line is found by
    distance, or by the difference in p(train | rel, i) alone.
    """
    from receval.theory.rating_probabilities import RatingProbabilities

    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        counts = RatingProbabilities.of_judgments(inputs.ratings(dataset), threshold)
        constant = float(counts.total.p_train_given_relevant)
        counts = counts.select(counts.known_relevant > 0)
        x, y = counts.p_train, counts.p_train_given_relevant
        to_diagonal, to_constant = np.abs(y - x), np.abs(y - constant)
        statements = {
            CONSTANT: constant,
            ABOVE: _share(y > x),
            "items with p(train | rel, i) = p(train | i)": _share(y == x),
            "items nearer to the line p(train | i)": _share(to_diagonal / np.sqrt(2) < to_constant),
            "items nearer to the line p(train | i), by the difference alone": _share(
                to_diagonal < to_constant
            ),
        }
        items = in_falling_order({"popularity": x, "popularity_among_relevant": y})
        tables.append(with_statements(dataset, statements, "probability", items))
    return pd.concat(tables, ignore_index=True)


def _share(which: np.ndarray) -> float:
    return float(which.mean()) if len(which) else float("nan")


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one dot per item, and the two lines."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(SINGLE_COLUMN, 2.5 * len(datasets))
    panels = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
    for axes, dataset in zip(panels, datasets, strict=True):
        items = rows_of_items(results, dataset)
        x = real_values(items["popularity"])
        y = real_values(items["popularity_among_relevant"])
        dots(axes, x, y, DOTS, size=2.5)
        axes.plot([0, 1], [0, 1], color=INK, label="$= p(\\mathrm{train}|i)$")
        constant = stated(results, dataset, CONSTANT, "probability")
        if not isnan(constant):
            label = "$= p(\\mathrm{train}|\\mathrm{rel})$"
            axes.plot([0, 1], [constant, constant], color=INK, linestyle="--", label=label)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        above = stated(results, dataset, ABOVE, "probability")
        share = "" if isnan(above) else f": {percent(above)} above the diagonal"
        axes.set_title(f"{display.datasets[dataset]}{share}")
        axes.set_xlabel("Popularity $p(\\mathrm{train}|i)$")
        axes.set_ylabel("Popularity if relevant $p(\\mathrm{train}|\\mathrm{rel},i)$")
    return with_named_lines(panels)
