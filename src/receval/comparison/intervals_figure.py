# SPDX-License-Identifier: MIT
"""Averages of systems with their intervals: a panel for each metric, a row for each protocol."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.style import DOUBLE_COLUMN, new_figure, number_axes, series_styles

_PANEL = 2.3
_ROW = 0.17
_HEAD = 0.55

MOST_COLUMNS = 3
"""Panels beside each other."""


def draw_intervals(summary: pd.DataFrame) -> Figure:
    """Draw the averages of all systems; call it inside :func:`receval.figures.style.figure_style`.

    Parameters
    ----------
    summary : DataFrame
        From :meth:`receval.comparison.result.EvaluationResult.summary`.

    Returns
    -------
    Figure
        Systems from the best (above) to the worst by the first panel; each has its hue.
    """
    panels = list(dict.fromkeys(zip(summary["protocol"], summary["metric"], strict=True)))
    several = len(dict.fromkeys(protocol for protocol, _ in panels)) > 1
    first = _of(summary, *panels[0]).sort_values("mean", ascending=False, kind="stable")
    systems = list(first["system"])
    names = list(dict.fromkeys(summary["system"]))
    styles = series_styles(names)
    columns = min(MOST_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    height = rows * (_HEAD + _ROW * max(3, len(systems)))
    figure = new_figure(min(DOUBLE_COLUMN, _PANEL * columns + 0.8), height)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axes, (protocol, metric) in zip(grid, panels, strict=False):
        own = _of(summary, protocol, metric).set_index("system")
        for place, system in enumerate(systems):
            row = own.loc[system]
            style = styles[system]
            axes.plot([row["low"], row["high"]], [place, place], color=style.colour, linewidth=1.4)
            axes.plot(row["mean"], place, marker=style.marker, color=style.colour, markersize=4)
        axes.set_yticks(range(len(systems)), systems)
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.set_xlabel(f"{metric} ({protocol})" if several else metric)
        axes.grid(axis="x", linewidth=0.4, color="#E4E4E4")
        axes.set_axisbelow(True)
    for axes in grid[len(panels) :]:
        axes.remove()
    number_axes(grid[: len(panels)])
    return figure


def _of(summary: pd.DataFrame, protocol: str, metric: str) -> pd.DataFrame:
    return summary[(summary["protocol"] == protocol) & (summary["metric"] == metric)]
