# SPDX-License-Identifier: MIT
"""Figure 6: popularity and average rating of items, and how opposed the optimal rankings are.

Figures 7, 10 and 15 have their tables and dots of items from here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle, coefficient_text
from receval.figures.finish import beside, letter_panels, settle_layout
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.statistics.correlation import kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs


def items_of_optima(inputs: ArtifactInputs, dataset: str) -> pd.DataFrame:
    """Return the items of a dataset with their probabilities and optimal ranking functions.

    Columns: popularity_rank; popularity, p(train | i); average_rating, p(rel | train, i);
    precision, anti_precision: the functions whose orders are optimal for the observed values of
    these metrics.

    All ratings are in train. Items that no user or every user rated are left out, as in counts of
    pairs. Rows are sorted by falling popularity, then by average rating. They do not identify
    items, since ratings must not be redistributed.
    """
    from receval.theory.rating_probabilities import (
        RatingProbabilities,
        observed_anti_precision_ranking,
        observed_precision_ranking,
    )

    threshold = float(inputs.parameters["relevance_threshold"])
    counts = RatingProbabilities.of_ratings(inputs.ratings(dataset), threshold)
    counts = counts.select(counts.with_odds)
    return in_falling_order(
        {
            "popularity": counts.p_train,
            "average_rating": counts.p_relevant_given_train,
            "precision": observed_precision_ranking(counts),
            "anti_precision": observed_anti_precision_ranking(counts),
        }
    )


def in_falling_order(columns: Mapping[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Return a table sorted in falling order of its columns.

    Its first column, popularity_rank, is the rank in this order, from 1, and identifies rows.
    """
    table = pd.DataFrame(columns).sort_values(list(columns), ascending=False, ignore_index=True)
    table.insert(0, "popularity_rank", np.arange(1, len(table) + 1))
    return table


def with_statements(
    dataset: str, statements: Mapping[str, float], column: str, items: pd.DataFrame
) -> pd.DataFrame:
    """Put numbers on all items together above the rows of the items."""
    above = pd.DataFrame({"statement": list(statements), column: list(statements.values())})
    together = pd.concat([above, items.assign(statement="")], ignore_index=True)
    together.insert(0, "dataset", dataset)
    return together.astype({"popularity_rank": "Int64"})


def rows_of_items(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the rows of a dataset's items, without the statements."""
    return results[(results["dataset"] == dataset) & (results["statement"] == "")]


def stated(results: pd.DataFrame, dataset: str, statement: str, column: str) -> float:
    """Return the number of a statement on a dataset; NaN if its cell is empty."""
    chosen = (results["dataset"] == dataset) & (results["statement"] == statement)
    (cell,) = results.loc[chosen, column]
    return float("nan") if cell == "" else float(cell)


RESOLUTION = 300
"""Dots per inch of raster parts."""


def dots(axes: Axes, x: ArrayLike, y: ArrayLike, colour: str, size: float = 1.6) -> None:
    """Draw one dot per point; overlaps are darker than single dots.

    The dots are a raster image within the vector figure, because thousands of vector dots make a
    file large and slow to open.
    """
    axes.figure.set_dpi(RESOLUTION)
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="o",
        markersize=size,
        markeredgewidth=0,
        color=colour,
        alpha=0.5,
        rasterized=True,
    )


TAU_OF_OPTIMA = "Kendall's tau of the optimal rankings for precision and anti-precision"
CURVES = {
    "popularity": ("popularity $p(\\mathrm{train}|i)$", "--", 0.07),
    "average_rating": ("average rating $p(\\mathrm{rel}|\\mathrm{train},i)$", "-", 0.48),
}
"""Name and dash of each curve, and the position of its name as a share of the items."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return popularity, average rating and ranks in the optimal rankings, one row per item.

    Columns: dataset; statement; coefficient (its value: Kendall's tau-b of the optimal rankings for
    observed precision and anti-precision); popularity_rank (from 1, the row's rank in the falling
    order of popularity); popularity; average_rating; precision_rank, anti_precision_rank (ranks in
    the two rankings, the mean of their positions for items of equal value).

    A row has either a statement or an item. Items are not named; those without ratings or rated by
    all users are left out.
    """
    tables = []
    for dataset in inputs.datasets:
        items = items_of_optima(inputs, dataset)
        one, other = items["precision"], items["anti_precision"]
        ranked = pd.DataFrame(
            {
                "popularity_rank": items["popularity_rank"],
                "popularity": items["popularity"],
                "average_rating": items["average_rating"],
                "precision_rank": one.rank(ascending=False),
                "anti_precision_rank": other.rank(ascending=False),
            }
        )
        tau = float(kendall_tau_b(one, other)[0, 0]) if len(items) else float("nan")
        tables.append(with_statements(dataset, {TAU_OF_OPTIMA: tau}, "coefficient", ranked))
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the two distributions, each in its own order, and the items by their two ranks."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 2.6 * len(datasets))
    panels = figure.subplots(len(datasets), 2, squeeze=False)
    for (curves, ranks), dataset in zip(panels, datasets, strict=True):
        items = rows_of_items(results, dataset)
        _draw_curves(curves, items)
        curves.set_title(f"Probabilities of items, {display.datasets[dataset]}")
        dots(
            ranks,
            real_values(items["precision_rank"]),
            real_values(items["anti_precision_rank"]),
            INK,
        )
        margin = 1 + 0.02 * len(items)
        ranks.set_xlim(-margin, len(items) + margin)
        ranks.set_ylim(-margin, len(items) + margin)
        tau = stated(results, dataset, TAU_OF_OPTIMA, "coefficient")
        ranks.set_title("Optimal rankings, " + coefficient_text("$\\tau$", tau))
        ranks.set_xlabel("Rank in the optimum of precision")
        ranks.set_ylabel("Rank in the optimum of anti-precision")
        for axis in (curves.xaxis, ranks.xaxis, ranks.yaxis):
            plain_numbers(axis)
    letter_panels(panels.ravel())
    settle_layout(figure)
    return figure


def _draw_curves(axes: Axes, items: pd.DataFrame) -> None:
    """Draw each probability in falling order, with its name above the curve."""
    for name, (label, line, share) in CURVES.items():
        values = np.sort(real_values(items[name]))[::-1]
        axes.plot(np.arange(1, len(values) + 1), values, color=INK, linestyle=line)
        if len(values):
            at = share * len(values)
            beside(axes, label, (at, float(values[int(at)])), (6, 5), fontsize=7, va="bottom")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Rank of the item, by each probability")
    axes.set_ylabel("Probability")
