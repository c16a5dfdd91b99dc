# SPDX-License-Identifier: MIT
"""Dot plots of estimators: how well they order systems, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from receval.figures.style import SeriesStyle

Columns = tuple[str, str, str]
"""Columns of a dot and of the ends of its line."""

_ROW, _AROUND, _APART = 0.17, 1.0, 0.16


def draw_rows(
    panels: Sequence[tuple[str, pd.DataFrame]],
    display: DisplayStyle,
    *,
    left: Columns,
    right: Columns,
    labels: tuple[str, str],
    unity: bool,
) -> Figure:
    """Draw two panels for each part of the results, with one row per estimator.

    Parameters
    ----------
    left, right : tuple of str
        The columns of both panels. The left one shows only the first metric, because all have the
        same values; the right one has a logarithmic scale.
    """
    from matplotlib.ticker import NullFormatter

    from receval.figures.curves import plain_numbers
    from receval.figures.finish import NOTE_COLOUR, legend_below, letter_panels
    from receval.figures.style import DOUBLE_COLUMN, new_figure

    metrics = list(dict.fromkeys(metric for _, rows in panels for metric in rows["metric"]))
    styles = display.metric_styles(metrics)
    heights = [rows["title"].nunique() for _, rows in panels]
    figure = new_figure(DOUBLE_COLUMN, _ROW * sum(heights) + _AROUND * len(panels))
    grid = figure.subplots(
        len(panels), 2, sharey="row", squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for axes_of_row, (title, rows) in zip(grid, panels, strict=True):
        names = list(dict.fromkeys(rows["title"]))
        first = {metrics[0]: styles[metrics[0]]}
        for axes, columns, label, shown in zip(
            axes_of_row, (left, right), labels, (first, styles), strict=True
        ):
            _dots(axes, rows, names, columns, shown)
            axes.set_xlabel(label)
            axes.set_title(title)
            axes.grid(visible=False, axis="y")
        axes_of_row[1].set_xscale("log")
        plain_numbers(axes_of_row[1].xaxis)
        axes_of_row[1].xaxis.set_minor_formatter(NullFormatter())
        if unity:
            axes_of_row[1].axvline(1, color=NOTE_COLOUR, linewidth=0.7)
        axes_of_row[0].set_yticks(range(len(names)), names)
        axes_of_row[0].set_ylim(len(names) - 0.5, -0.5)
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


def _dots(
    axes: Axes,
    rows: pd.DataFrame,
    names: Sequence[str],
    columns: Columns,
    styles: dict[str, SeriesStyle],
) -> None:
    middle, low, high = columns
    for number, (metric, style) in enumerate(styles.items()):
        own = rows[rows["metric"] == metric].set_index("title").reindex(names)
        shift = _APART * (number - (len(styles) - 1) / 2)
        places = np.arange(len(names)) + 2 * shift
        axes.hlines(places, own[low], own[high], color=style.colour, linewidth=1.0)
        axes.plot(
            own[middle],
            places,
            linestyle="none",
            marker=style.marker,
            color=style.colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            markersize=4.5,
            label=metric,
        )
