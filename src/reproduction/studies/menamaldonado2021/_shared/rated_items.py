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
