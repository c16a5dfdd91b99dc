# SPDX-License-Identifier: MIT
"""What becomes of values and orders with more sampled negatives, up to all candidates."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.curves import line, logarithmic_x
from receval.figures.finish import legend_below
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    SINGLE_COLUMN,
    SeriesStyle,
    new_figure,
    number_axes,
    series_styles,
)

MOST_COLUMNS = 3
"""Panels beside each other."""

_HEIGHT = 2.2


def draw_negatives(curve: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the expected values over the number of negatives, a panel for each metric.

    Parameters
    ----------
    curve, values : DataFrame
        Of :class:`receval.sampling_audit.audit_result.SamplingAudit`.
    """
    styles = series_styles(list(dict.fromkeys(curve["system"])))

    def draw(axes: Axes, metric: str) -> None:
        own = curve[curve["metric"] == metric]
        for system, style in styles.items():
            rows = own[own["system"] == system]
            line(
                axes,
                rows["negatives"],
                rows["expected"],
                style,
                system,
                error=1.96 * rows["sd"].to_numpy(),
            )
        axes.set_ylabel(metric)
        axes.set_ylim(bottom=0)

    return _panels(values, draw)


def draw_swaps(swaps: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the probabilities of another order over the number of negatives.

    Parameters
    ----------
    swaps, values : DataFrame
        Of :class:`receval.sampling_audit.audit_result.SamplingAudit`. Of more than 28 pairs the
        first 28 are drawn.
    """
    pairs = list(dict.fromkeys(zip(swaps["first"], swaps["second"], strict=True)))[:28]
    names = [f"{first}, {second}" for first, second in pairs]
    styles: dict[str, SeriesStyle] = series_styles(names)

    def draw(axes: Axes, metric: str) -> None:
        own = swaps[swaps["metric"] == metric]
        for (first, second), name in zip(pairs, names, strict=True):
            rows = own[(own["first"] == first) & (own["second"] == second)]
            line(axes, rows["negatives"], rows["swap_probability"], styles[name], name)
        axes.axhline(0.05, color=INK, linewidth=0.6, linestyle=":")
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel(f"Pr(other order), {metric}")

    return _panels(values, draw)


def _panels(values: pd.DataFrame, draw: Callable[[Axes, str], None]) -> Figure:
    metrics = list(dict.fromkeys(values["metric"]))
    columns = min(MOST_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    width = SINGLE_COLUMN if columns == 1 else DOUBLE_COLUMN
    figure = new_figure(width, _HEIGHT * rows + 0.4)
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
