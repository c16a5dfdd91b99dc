# SPDX-License-Identifier: MIT
"""Tables and dot plots of estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.storage.files import real_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from receval.figures.style import SeriesStyle


def printed_by_metric(
    results: pd.DataFrame,
    display: DisplayStyle,
    keys: Mapping[str, str],
    numbers: Mapping[str, tuple[str, Callable[[float], str]]],
) -> Table:
    """Print one row for each combination of keys, with the numbers of all metrics side by side.

    `keys` has the columns of names by their headings. `numbers` has a column and how its numbers
    are written, by their heading below each metric. A metric without a row has dashes.
    """
    named = [*keys.values(), "metric"]
    values = {column: real_values(results[column]) for column, _ in numbers.values()}
    cells = results.assign(**values).set_index(named)[list(values)].to_dict("index")
    metrics = dict.fromkeys(results["metric"])
    rows = [
        (
            *name,
            *(
                write(cells[*name, metric][column]) if (*name, metric) in cells else "–"
                for metric in metrics
                for column, write in numbers.values()
            ),
        )
        for name in dict.fromkeys(results[list(keys.values())].itertuples(index=False, name=None))
    ]
    columns = [
        *map(Column, keys),
        *(Column(f"{metric}, {heading}", "right") for metric in metrics for heading in numbers),
    ]
    return printed(display, columns, rows)


# Dot plots of estimators: how well they order systems, and their errors.

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

    The left one shows only the first metric, because all have the same values there; the right one
    has a logarithmic scale.
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
