# SPDX-License-Identifier: MIT
"""Draw how metric values and swap probabilities depend on the number of sampled negatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.curves import line, logarithmic_x
from receval.figures.finish import legend_below, number_axes
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    NO_WINNER,
    SINGLE_COLUMN,
    legend_name,
    new_figure,
    series_styles,
    styles_of_many,
)

MOST_COLUMNS = 3
"""Maximum number of panels in a row."""

MOST_PAIRS = 15
"""Maximum number of pairs of systems with a curve."""

_HEIGHT = 2.2
_LETTER, _HANDLE, _LINE = 0.07, 0.45, 0.17
"""Sizes in inches: a letter of the legend, the space around its labels, and a line."""


def draw_negatives(curve: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the expected values over the number of negatives, one panel per metric.

    Parameters
    ----------
    curve, values : DataFrame
        From :class:`receval.sampled_metrics.audit_result.SamplingAudit`. If there are more systems
        than styles, the best by the first metric have colours and the others are grey.
    """
    first = values[values["metric"] == values["metric"].iloc[0]]
    best = first.sort_values("full", ascending=False, kind="stable")["system"].tolist()
    styles = styles_of_many(best)

    def draw(axes: Axes, metric: str) -> None:
        own = curve[curve["metric"] == metric]
        # Draw the grey curves first, so that they are below the others.
        for system in sorted(best, key=lambda name: styles[name].colour != NO_WINNER):
            rows = own[own["system"] == system]
            is_named = styles[system].colour != NO_WINNER
            line(
                axes,
                rows["negatives"],
                rows["expected"],
                styles[system],
                legend_name(system) if is_named else None,
                error=1.96 * rows["sd"].to_numpy() if is_named else None,
            )
        axes.set_ylabel(metric)
        axes.set_ylim(bottom=0)

    named = [legend_name(name) for name in best if styles[name].colour != NO_WINNER]
    return _panels(values, draw, named)


def draw_swaps(swaps: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the probability of swapped systems over the number of negatives."""
    pairs = list(dict.fromkeys(zip(swaps["first"], swaps["second"], strict=True)))
    pairs = pairs[:MOST_PAIRS]
    names = [f"{legend_name(first)}, {legend_name(second)}" for first, second in pairs]
    styles = series_styles([str(number) for number in range(len(names))])

    def draw(axes: Axes, metric: str) -> None:
        own = swaps[swaps["metric"] == metric]
        for (first, second), name, style in zip(pairs, names, styles.values(), strict=True):
            rows = own[(own["first"] == first) & (own["second"] == second)]
            line(axes, rows["negatives"], rows["swap_probability"], style, name)
        axes.axhline(0.05, color=INK, linewidth=0.6, linestyle=":")
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel(f"Pr(other order), {metric}")

    return _panels(values, draw, names)


def _panels(
    values: pd.DataFrame, draw: Callable[[Axes, str], None], labels: Sequence[str]
) -> Figure:
    metrics = list(dict.fromkeys(values["metric"]))
    columns = min(MOST_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    width = SINGLE_COLUMN if columns == 1 else DOUBLE_COLUMN
    # The longest label decides how many rows the legend has.
    in_a_row = max(1, int(width / (_LETTER * max(map(len, labels)) + _HANDLE)))
    figure = new_figure(width, _HEIGHT * rows + 0.25 + _LINE * -(-len(labels) // in_a_row))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, metric in zip(panels, metrics, strict=False):
        draw(axes, metric)
        axes.axvline(values["negatives"].iloc[0], color=INK, linewidth=0.6, linestyle="--")
        logarithmic_x(axes)
        axes.set_xlabel("Sampled negatives")
    for axes in panels[len(metrics) :]:
        axes.remove()
    number_axes(panels[: len(metrics)])
    legend_below(figure)
    return figure
