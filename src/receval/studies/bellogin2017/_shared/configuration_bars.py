"""Bars of a metric: a group for each configuration of the evaluation, a bar for each system."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from receval.figures.bars import grouped_bars
from receval.figures.display import DisplayStyle


def draw_configurations(axes: Axes, bars: pd.DataFrame, display: DisplayStyle) -> None:
    """Draw the bars of one metric on one dataset.

    Parameters
    ----------
    axes : Axes
    bars : DataFrame
        What :func:`receval.statistics.confidence.means_with_intervals` returns, with the column
        ``configuration``: the label of the group.
    display : Look
    """
    grouped_bars(
        axes,
        bars,
        group="configuration",
        series="system",
        value="value",
        error="half_interval",
        styles=display.styles(bars["system"].unique()),
        series_labels=display.titles,
    )
    lowest = (bars["value"] - bars["half_interval"].fillna(0)).min()
    if lowest < 0:
        axes.set_ylim(bottom=1.05 * lowest)
        axes.axhline(0, color="black", linewidth=0.6)


def configurations(bars: pd.DataFrame) -> pd.Series[str]:
    """Name the protocol of each row, and below it the number of sampled candidates."""
    sampled = bars["sampled"].astype(str)
    return bars["protocol"] + "\n" + sampled.where(sampled == "", "$|N_u|$ = " + sampled)
