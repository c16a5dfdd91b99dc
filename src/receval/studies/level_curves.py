"""Curves over the share of judgments that are kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from receval.figures.curves import line
from receval.figures.legend import legend_below, note
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure
from receval.studies.look import Look
from receval.studies.metric_styles import metric_styles
from receval.studies.numbers import real_numbers

YLABELS = {"tau": "Kendall's $\\tau$", "value": "mean over the systems"}


def draw_levels(numbers: pd.DataFrame, look: Look, column: str = "tau") -> Figure:
    """Draw a curve for each metric over the share kept, from all of it on, and its spread.

    Parameters
    ----------
    numbers : DataFrame
        With the columns of :mod:`receval.studies.self_correlation`. Geometric means have a G before
        the name of the metric, and a star behind it where users without a hit count as 1.
    look : Look
        Its parameters ``kept`` name what is kept; ``lowest``, where given, is the lower end of the
        y axis unless a curve goes below it.
    column : {"tau", "value"}
    """
    datasets = list(dict.fromkeys(numbers["dataset"]))
    numbers = numbers.assign(shown=_shown(numbers))
    styles = metric_styles(list(dict.fromkeys(numbers["shown"])))
    width = SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN
    figure = new_figure(width, 2.9)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = numbers[numbers["dataset"] == dataset]
        for name, style in styles.items():
            own = rows[rows["shown"] == name].sort_values("kept_percent")
            columns = ["kept_percent", column, f"{column}_low", f"{column}_high"]
            points = real_numbers(own[columns]).T
            line(axes, points[0], points[1], style, name, band=(points[2], points[3]))
        axes.set_title(look.datasets[dataset])
        axes.set_xlabel(f"{look.parameters['kept']} kept (%)")
        most, least = rows["kept_percent"].max(), rows["kept_percent"].min()
        axes.set_xlim(most, min(least, most - 1))
        axes.xaxis.set_major_locator(MultipleLocator(5 if most - least <= 25 else 20))
    panels[0].set_ylabel(YLABELS[column])
    if "lowest" in look.parameters:
        least = np.nanmin(real_numbers(numbers[column]), initial=np.inf)
        room = 0.02 if least < float(look.parameters["lowest"]) else 0.0
        panels[0].set_ylim(min(float(look.parameters["lowest"]), least - room), 1.005)
    legend_below(figure)
    if look.absence:
        note(figure, look.absence)
    return figure


def _shown(numbers: pd.DataFrame) -> pd.Series[str]:
    geometric = numbers["average"].str.startswith("geometric").map({True: "G", False: ""})
    star = numbers["average"].str.contains("zeros=one").map({True: "*", False: ""})
    return geometric + numbers["metric"] + star
