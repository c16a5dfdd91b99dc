"""P-value curves, and discriminative power as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from receval.figures.curves import line
from receval.figures.legend import legend_below, note
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure
from receval.figures.tables import Column, Table
from receval.statistics.discriminative_power import p_value_curve
from receval.studies.look import Look
from receval.studies.metric_styles import metric_styles
from receval.studies.text_tables import printed


def draw_curves(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw the largest p-values of each metric by descending size, a panel for each dataset."""
    datasets = list(dict.fromkeys(numbers["dataset"]))
    styles = metric_styles(list(dict.fromkeys(numbers["metric"])))
    largest = int(look.parameters["largest_pairs"])
    width = SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN
    figure = new_figure(width, 2.9)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = numbers[numbers["dataset"] == dataset]
        for name, style in styles.items():
            curve = p_value_curve(rows.loc[rows["metric"] == name, "p_value"], largest)
            line(axes, np.arange(1, len(curve) + 1), curve, style, name)
        axes.set_title(look.datasets[dataset])
        axes.set_xlabel("pairs of systems by p-value")
        axes.set_xlim(0.5, largest + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    panels[0].set_ylabel("p-value")
    panels[0].set_ylim(bottom=0)
    legend_below(figure)
    if look.absence:
        note(figure, look.absence)
    return figure


def tabulate_power(numbers: pd.DataFrame, look: Look, column: str, *, metrics_down: bool) -> Table:
    """Print discriminative power, datasets against metrics.

    Parameters
    ----------
    numbers : DataFrame
        From :func:`power`.
    look : Look
    column : {"dp", "dp_ordered"}
    metrics_down : bool
        Whether the metrics are the rows.
    """
    datasets = list(dict.fromkeys(numbers["dataset"]))
    metrics = list(dict.fromkeys(numbers["metric"]))
    found = numbers.set_index(["dataset", "metric"])[column]
    values = np.array([[found[dataset, metric] for metric in metrics] for dataset in datasets])
    titles = [look.datasets[name] for name in datasets]
    down, across, corner = (metrics, titles, "Metric") if metrics_down else (titles, metrics, "")
    cells = values.T if metrics_down else values
    columns = [Column(corner or "Dataset"), *(Column(name, "right") for name in across)]
    rows = [(name, *(f"{v:.2f}" for v in row)) for name, row in zip(down, cells, strict=True)]
    return printed(look, columns, rows)
