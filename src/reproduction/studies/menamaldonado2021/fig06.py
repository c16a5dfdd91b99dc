# SPDX-License-Identifier: MIT
"""Figure 6: popularity and average rating of items, and how opposed the optimal rankings are."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle, coefficient_text
from receval.figures.finish import letter_panels, settle_layout
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.item_pairs import (
    dots,
    items_of_optima,
    rows_of_items,
    stated,
    with_statements,
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
    from receval.statistics.correlation import kendall_tau_b

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
        curves.set_title(display.datasets[dataset])
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
            place = share * len(values)
            axes.annotate(
                label,
                xy=(place, float(values[int(place)])),
                xytext=(6, 5),
                textcoords="offset points",
                fontsize=7,
                va="bottom",
            )
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Rank of the item, by each probability")
    axes.set_ylabel("Probability")
