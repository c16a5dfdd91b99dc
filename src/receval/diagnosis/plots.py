# SPDX-License-Identifier: MIT
"""Draw the figures of a diagnosis, inside :func:`receval.figures.style.figure_style`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from receval.figures.finish import beside, legend_below, settle_layout
from receval.figures.point_labels import PointLabel, label_points
from receval.figures.style import COLOURS, DOUBLE_COLUMN, INK, SeriesStyle, new_figure, short_number

_MARKER = 5.0
_TWO_DECADES = 100.0


def draw_popularity(curve: pd.DataFrame) -> Figure:
    """Draw the number of ratings of items by popularity rank, on logarithmic scales."""
    figure = new_figure(DOUBLE_COLUMN * 0.72, 2.7)
    axes = figure.subplots()
    axes.plot(curve["rank"], curve["ratings"], color=COLOURS[0])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(0.9, curve["rank"].max() * 1.1)
    axes.set_xlabel("Rank of the item by its number of ratings (log scale)")
    axes.set_ylabel("Ratings of the item (log scale)")
    _plain_logarithms(axes)
    for share in (0.5, 0.9):
        row = curve.iloc[int(np.searchsorted(curve["cumulative_share"], share))]
        axes.plot(row["rank"], row["ratings"], "o", color=COLOURS[3], markersize=4)
        text = f"{share:.0%} of the ratings: {row['rank']:,.0f} items".replace("%", " %")
        style = {"ha": "right", "va": "top", "color": INK, "fontsize": 7}
        beside(axes, text, (row["rank"], row["ratings"]), (-6, -3), **style)
    return figure


def draw_designs(designs: pd.DataFrame) -> Figure:
    """Draw the precision of Random and Pop under each design, on a logarithmic scale."""
    figure = new_figure(DOUBLE_COLUMN, 2.9)
    axes = figure.subplots()
    styles = {
        "Random (expected)": SeriesStyle(colour="#9A9A9A", marker="s"),
        "Pop": SeriesStyle(colour=COLOURS[0], marker="o"),
    }
    places = np.arange(len(designs))
    for column, (label, style) in zip(("random_expected", "pop"), styles.items(), strict=True):
        values = designs[column].where(designs[column] > 0)
        axes.plot(
            places, values, linestyle="none", marker=style.marker, color=style.colour,
            markersize=6, label=label,
        )  # fmt: skip
    for place, row in zip(places, designs.itertuples(), strict=True):
        if row.random_expected > 0 and row.pop > 0:
            both = [row.random_expected, row.pop]
            axes.plot([place, place], both, color="#B8B8B8", linewidth=1.0, zorder=1)
            text = short_number(f"{row.ratio:.2g}" if row.ratio < 10 else f"{row.ratio:.0f}")
            middle = (float(place), float(np.sqrt(row.random_expected * row.pop)))
            beside(axes, f"{text} ×", middle, (5, 0), va="center", fontsize=7)
    axes.set_yscale("log")
    axes.set_xticks(places, [name.replace(" ", "\n", 1) for name in designs["design"]])
    axes.set_xlim(-0.5, len(designs) - 0.3)
    axes.set_xlabel("Design: which items are ranked (protocol), U: as many test ratings per item")
    axes.set_ylabel("P@10 (log scale)")
    _plain_logarithms(axes, x=False)
    axes.grid(axis="x", visible=False)
    legend_below(figure)
    return figure


def draw_metrics(metrics: pd.DataFrame, percent: float) -> Figure:
    """Draw the robustness of metrics against their discriminative power."""
    figure = new_figure(DOUBLE_COLUMN * 0.72, 3.3)
    axes = figure.subplots()
    shown = metrics[metrics["tau"].notna()]
    pairs = int(metrics["pairs"].iloc[0])
    axes.plot(
        shown["p_value_sum"], shown["tau"], "o", color=COLOURS[0], markersize=_MARKER,
    )  # fmt: skip
    axes.set_xscale("log")
    low, high = shown["p_value_sum"].min(), shown["p_value_sum"].max()
    axes.set_xlim(low / 1.6, high * 1.6)
    bottom, top = shown["tau"].min(), shown["tau"].max()
    margin = max(0.02, 0.12 * (top - bottom))
    axes.set_ylim(bottom - margin, min(1.02, top + margin) if top + margin < 1 else 1.02)
    axes.set_xlabel(f"Sum of p-values over {pairs} pairs of systems (log scale; less is better)")
    axes.set_ylabel(f"Kendall's τ with {percent:g} % of the test ratings")
    _plain_logarithms(axes, y=False)
    settle_layout(figure)
    label_points(
        axes,
        [PointLabel(row.p_value_sum, row.tau, str(row.metric)) for row in shown.itertuples()],
        _MARKER,
    )
    return figure


def _plain_logarithms(axes: Axes, *, x: bool = True, y: bool = True) -> None:
    for axis, is_wanted in ((axes.xaxis, x), (axes.yaxis, y)):
        if is_wanted:
            low, high = axis.get_view_interval()
            if high / low < _TWO_DECADES:
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: _printed(value)))
            axis.set_minor_locator(NullLocator())


def _printed(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else short_number(f"{value:.6f}".rstrip("0"))
