"""Rank stability: metrics with ever fewer judgments, against themselves under all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure
from receval.storage.files import real_values
from receval.studies._shared.inputs import ArtifactInputs

YLABELS = {"tau": "Kendall's $\\tau$", "value": "mean over the systems"}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability of every metric at every level, or its values.

    Parameters of the artifact: ``names`` and ``metrics``; ``average`` (label of the average over
    users, arithmetic by default); ``released_average`` (label of the released tool's, of which
    there are rows for the metrics that were measured so); ``statistic``, ``tau`` or ``value``
    (averaged over the systems).

    The columns are those of :func:`receval.robustness.rank_stability.rank_stability` or
    :func:`receval.robustness.rank_stability.mean_values`.
    """
    from receval.metrics.registry import parse_named
    from receval.robustness.rank_stability import mean_values, rank_stability, read_samplings

    parameters = inputs.parameters
    metrics = parse_named(parameters["names"], parameters["metrics"])
    average = str(parameters.get("average", "arithmetic"))
    found = [
        values for path in inputs.judgment_samplings.values() for values in read_samplings(path)
    ]
    found.sort(key=lambda values: inputs.datasets.index(values.dataset))
    if parameters.get("statistic") == "value":
        return mean_values(found, metrics, average)
    return rank_stability(found, metrics, average, parameters.get("released_average"))


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a curve for each metric over the share kept, from all of it on, and its spread.

    Parameters
    ----------
    results : DataFrame
        With the columns of :mod:`.rank_stability`. Geometric means have a G before
        the name of the metric, and a star behind it where users without a hit count as 1.
    display : DisplayStyle
        Its parameters ``kept`` name what is kept; ``lowest``, where given, is the lower end of the
        y axis unless a curve goes below it.
    """
    column = "value" if display.parameters.get("statistic") == "value" else "tau"
    datasets = list(dict.fromkeys(results["dataset"]))
    results = results.assign(shown=_shown(results))
    styles = display.metric_styles(list(dict.fromkeys(results["shown"])))
    width = SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN
    figure = new_figure(width, 2.9)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = results[results["dataset"] == dataset]
        for name, style in styles.items():
            own = rows[rows["shown"] == name].sort_values("kept_percent")
            columns = ["kept_percent", column, f"{column}_low", f"{column}_high"]
            points = real_values(own[columns]).T
            line(axes, points[0], points[1], style, name, band=(points[2], points[3]))
        axes.set_title(display.datasets[dataset])
        axes.set_xlabel(f"{display.parameters['kept']} kept (%)")
        most, least = rows["kept_percent"].max(), rows["kept_percent"].min()
        axes.set_xlim(most, min(least, most - 1))
        axes.xaxis.set_major_locator(MultipleLocator(5 if most - least <= 25 else 20))
    panels[0].set_ylabel(YLABELS[column])
    if "lowest" in display.parameters:
        least = np.nanmin(real_values(results[column]), initial=np.inf)
        room = 0.02 if least < float(display.parameters["lowest"]) else 0.0
        panels[0].set_ylim(min(float(display.parameters["lowest"]), least - room), 1.005)
    legend_below(figure)
    return figure


def _shown(results: pd.DataFrame) -> pd.Series[str]:
    geometric = results["average"].str.startswith("geometric").map({True: "G", False: ""})
    star = results["average"].str.contains("zeros=one").map({True: "*", False: ""})
    return geometric + results["metric"] + star
