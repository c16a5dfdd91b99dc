# SPDX-License-Identifier: MIT
"""One anonymous row per item: popularity, ratings and optimal rankings, drawn as a dot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from reproduction.studies._shared.inputs import ArtifactInputs


def items_of_optima(inputs: ArtifactInputs, dataset: str) -> pd.DataFrame:
    """Return the items of a dataset with their probabilities and the values of optimal rankings.

    Columns: popularity_rank; popularity, p(train | i); average_rating, p(rel | train, i);
    precision, anti_precision: the functions whose orders are optimal for the observed values of
    these metrics.

    All ratings train. Items that no user or every user rated are left out, as they are when pairs
    are counted. Rows are in falling order of popularity, of equal popularity in that of the average
    rating: they do not say which items they are, since ratings must not be passed on.
    """
    from receval.theory.optimal_rankings import (
        observed_anti_precision_ranking,
        observed_precision_ranking,
    )
    from receval.theory.rating_probabilities import RatingProbabilities

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
    """Return a table in the falling order of its first column, then of the next ones.

    Its first column, popularity_rank, is the rank in this order, from 1: it tells rows apart.
    """
    table = pd.DataFrame(columns).sort_values(list(columns), ascending=False, ignore_index=True)
    table.insert(0, "popularity_rank", np.arange(1, len(table) + 1))
    return table


def with_statements(
    dataset: str, statements: Mapping[str, float], column: str, items: pd.DataFrame
) -> pd.DataFrame:
    """Put numbers that are of all items together above the rows of the items."""
    above = pd.DataFrame({"statement": list(statements), column: list(statements.values())})
    together = pd.concat([above, items.assign(statement="")], ignore_index=True)
    together.insert(0, "dataset", dataset)
    return together.astype({"popularity_rank": "Int64"})


def rows_of_items(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the rows of a dataset's items, without the statements above them."""
    return results[(results["dataset"] == dataset) & (results["statement"] == "")]


def stated(results: pd.DataFrame, dataset: str, statement: str, column: str) -> float:
    """Return a number that is stated of a dataset; NaN where its cell is empty."""
    chosen = (results["dataset"] == dataset) & (results["statement"] == statement)
    (cell,) = results.loc[chosen, column]
    return float("nan") if cell == "" else float(cell)


RESOLUTION = 300
"""Dots an inch of what is not drawn as vectors."""


def dots(
    axes: Axes, x: ArrayLike, y: ArrayLike, colour: str, label: str | None = None, size: float = 1.6
) -> None:
    """Draw one dot a point, overlaps darker than single dots.

    They are drawn as one picture within the vector figure: thousands of vector dots make a file
    that is slow to open, and as large as all others of a study together.
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
        label=label,
        rasterized=True,
    )
