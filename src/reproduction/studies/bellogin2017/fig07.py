# SPDX-License-Identifier: MIT
"""Figure 7: the share of positive ratings of an item grows with its popularity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.line_labels import label_lines
from receval.figures.style import INK, LINE_STYLES, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.statistics.inequality import popularity_segments
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return the mean positive ratio :math:`|PR(i)| / |R(i)|` of segments of the popularity order.

    Columns: dataset; segment (from 1, the most popular); first_rank, last_rank (popularity ranks
    of the items in it); items; mean_ratings (per item); positive_ratio (mean over the items).
    Items of equal popularity are in the order of their codes.
    """
    segments = int(inputs.parameters["segments"])
    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        ratings = inputs.ratings(dataset)
        counts = np.bincount(ratings.items, minlength=ratings.n_items)
        positive = np.bincount(
            ratings.items[ratings.values >= threshold], minlength=ratings.n_items
        )
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        # Items without ratings are left out of the order.
        ratio = positive / np.maximum(counts, 1)
        table = popularity_segments(order, segments, mean_ratings=counts, positive_ratio=ratio)
        table.insert(0, "dataset", dataset)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the positive ratio of each segment against its popularity rank.

    The parameter ``positive`` describes in words which ratings reach the threshold.
    """
    figure = new_figure(SINGLE_COLUMN, 2.3)
    axes = figure.subplots()
    datasets = list(dict.fromkeys(results["dataset"]))
    for dataset, dash in zip(datasets, LINE_STYLES, strict=False):
        segments = results[results["dataset"] == dataset]
        middle = (segments["first_rank"] + segments["last_rank"]) / 2
        style = SeriesStyle(INK, line=dash)
        title = display.datasets[dataset]
        line(axes, middle, segments["positive_ratio"], style, title, markers=False)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    plain_numbers(axes.xaxis)
    axes.set_xlabel("Popularity rank of the item (1 = most ratings)")
    axes.set_ylabel("Positive ratio $|PR(i)|\\,/\\,|R(i)|$")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_title(f"Share of positive ratings ({display.parameters['positive']})")
    label_lines([axes])
    return figure
