"""Figure 1: cumulative distribution of ratings per user and item."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import cumulative_curve
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, new_figure, series_styles
from receval.statistics.concentration import share_at_most
from receval.studies._shared.inputs import ArtifactInputs

POINTS = 150
ROUND_NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Always among the numbers of ratings shown: the paper's text quotes the shares at 100."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the share of users and of items with at most so many ratings.

    Columns: dataset; side (user or item); ratings; share.
    """
    tables = []
    for dataset in inputs.datasets:
        ratings = inputs.ratings(dataset)
        for side, codes, size in (
            ("user", ratings.users, ratings.n_users),
            ("item", ratings.items, ratings.n_items),
        ):
            counts = np.bincount(codes, minlength=size)
            limits = _limits(int(counts.max()))
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": dataset,
                        "side": side,
                        "ratings": limits,
                        "share": share_at_most(counts, limits),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _limits(most: int) -> NDArray[np.int64]:
    spread = np.geomspace(1, most, POINTS).round().astype(np.int64)
    return np.unique([*spread, *(number for number in ROUND_NUMBERS if number <= most)])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw two panels, users and items, with one curve a dataset."""
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    datasets = list(dict.fromkeys(results["dataset"]))
    styles = series_styles(datasets)
    for axes, side in zip(figure.subplots(1, 2), ("user", "item"), strict=True):
        for dataset in datasets:
            curve = results[(results["dataset"] == dataset) & (results["side"] == side)]
            cumulative_curve(
                axes, curve["ratings"], curve["share"], styles[dataset], display.datasets[dataset]
            )
        axes.set_title(f"Ratings per {side}")
        axes.set_xlabel(f"Number of ratings of the {side}")
        axes.set_ylabel(f"Cumulative share of {side}s")
    legend_below(figure)
    return figure
