# SPDX-License-Identifier: MIT
"""Draw accuracy against coverage, popularity and diversity, a panel for each, with intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd
from matplotlib.figure import Figure

from receval.evaluation.formatting import (
    MOST_COLUMNS,
    MOST_NAMED,
    MOST_PANELS,
    axis_label,
    best_first,
)
from receval.figures.finish import legend_below, number_axes
from receval.figures.style import (
    DOUBLE_COLUMN,
    MOST_COLOURED,
    NO_WINNER,
    legend_name,
    new_figure,
    series_styles,
)
from receval.storage.messages import enumerated

_WIDTH, _HEIGHT = 2.3, 2.1
"""The size of a panel, in inches."""


def tradeoff_metrics(
    metrics: Sequence[str],
    of_lists: Collection[str],
    accuracy: str | None,
    against: Sequence[str] | None,
) -> tuple[str, tuple[str, ...]]:
    """Return the metric of accuracy, and those that it is drawn against.

    By default these are the first metric that is not of whole lists, and all that are. Unknown ones
    are refused, and results that lack one of the two kinds.

    Examples
    --------
    >>> tradeoff_metrics(["nDCG@10", "Gini@10"], {"Gini@10"}, None, None)
    ('nDCG@10', ('Gini@10',))
    """
    for name in [*([] if accuracy is None else [accuracy]), *(against or ())]:
        if name not in metrics:
            raise ValueError(
                f"{name} was not measured. The metrics of the result are {enumerated(metrics)}."
            )
    across = accuracy or next((name for name in metrics if name not in of_lists), None)
    up = tuple(against or (name for name in metrics if name in of_lists and name != across))
    if across is None or not up:
        raise ValueError(
            "The figure shows a metric of accuracy against metrics of whole lists, such as "
            f"nDCG@10 against Gini@10, but the result has only {enumerated(metrics)}. Measure "
            "more metrics, or name those to draw with against=."
        )
    return across, up


_LONGEST_LABEL = 24
"""Longer labels of vertical axes have two lines."""


def draw_tradeoffs(
    summary: pd.DataFrame,
    accuracy: str,
    against: Sequence[str],
    less_is_better: Collection[str] = (),
) -> Figure:
    """Draw averages of systems under pairs of metrics, with their 95 % intervals as crosses.

    There is a panel for each protocol and metric, at most :data:`MOST_PANELS`. With more than
    :data:`MOST_NAMED` systems, the most accurate have colours, and the others are grey.
    """
    panels = [
        (protocol, name) for protocol in dict.fromkeys(summary["protocol"]) for name in against
    ]
    several = len(panels) > len(against)
    shown = panels[:MOST_PANELS]
    means = summary.set_index(["protocol", "metric", "system"])
    is_first = (summary["protocol"] == shown[0][0]) & (summary["metric"] == accuracy)
    systems = list(best_first(summary[is_first], less_is_better)["system"])
    named = systems if len(systems) <= MOST_NAMED else systems[:MOST_COLOURED]
    styles = series_styles([str(name) for name in named])
    columns = min(MOST_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = new_figure(min(DOUBLE_COLUMN, _WIDTH * columns + 0.3), _HEIGHT * rows + 0.5)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (protocol, name) in zip(grid, shown, strict=False):
        # The named ones last, above the others.
        for system in [*(own for own in systems if own not in named), *named]:
            left, x, right = means.loc[(protocol, accuracy, system), ["low", "mean", "high"]]
            bottom, y, top = means.loc[(protocol, name, system), ["low", "mean", "high"]]
            style = styles.get(str(system))
            colour = NO_WINNER if style is None else style.colour
            axes.plot([left, right], [y, y], color=colour, linewidth=0.9)
            axes.plot([x, x], [bottom, top], color=colour, linewidth=0.9)
            axes.plot(
                x, y, marker="." if style is None else style.marker, color=colour, markersize=4,
                linestyle="none", label=None if style is None else legend_name(str(system)),
            )  # fmt: skip
        axes.set_xlabel(axis_label(accuracy, less_is_better))
        label = axis_label(name, less_is_better)
        label = f"{label} ({protocol})" if several else label
        # A label with parameters is longer than the axis, unless they have a line of their own.
        is_long = len(label) > _LONGEST_LABEL
        axes.set_ylabel(label.replace("(", "\n(", 1) if is_long else label)
        axes.grid(linewidth=0.4, color="#E4E4E4")
        axes.set_axisbelow(True)
    for axes in grid[len(shown) :]:
        axes.remove()
    number_axes(grid[: len(shown)])
    legend_below(figure)
    return figure


def tradeoffs_caption(summary: pd.DataFrame, accuracy: str, against: Sequence[str]) -> str:
    """Return what the figure shows, and what it leaves out."""
    told = (
        f"Averages under {accuracy} against {enumerated(list(against))}; crosses are their 95 % "
        "intervals over users, one metric at a time"
    )
    n_panels = summary["protocol"].nunique() * len(against)
    if n_panels > MOST_PANELS:
        told += f"; the first {MOST_PANELS} of {n_panels} metrics and protocols"
    if summary["system"].nunique() > MOST_NAMED:
        told += f"; the {MOST_COLOURED} most accurate systems have colours"
    return told
