# SPDX-License-Identifier: MIT
"""Bars of the decisions that an interval scale changes, a panel for each test, scale and size."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, new_figure, ordered_styles
from reproduction.studies.followups._shared.interval_values import EVERYONE, SCALE_TITLES, SCALES

TEST_TITLES = {"t": "t-test", "wilcoxon": "Wilcoxon"}
"""The tests that are drawn, and how."""

KINDS = {
    "lost": "significant on the metric's own scale alone",
    "gained": "on the interval scale alone",
    "reversed": "on both, with the other system ahead",
}
"""Columns of changed decisions, and what the legend says of them."""

ROW_HEIGHT = 0.135
"""Inches of a metric's bar and of the room between two."""

BAR = 0.72


def draw_changes(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw shares of pairs in per cent, metrics down, few users above all of them."""
    metrics = list(dict.fromkeys(results["metric"]))
    sizes = (str(display.parameters["shown_users"]), EVERYONE)
    drawn_of = [results[results["drawn"].astype(str) == size] for size in sizes]
    rows = [part for part in drawn_of if len(part)]
    figure = new_figure(DOUBLE_COLUMN, 1.05 + len(rows) * (0.28 + ROW_HEIGHT * len(metrics)))
    columns = [(test, scale) for scale in SCALES for test in TEST_TITLES]
    grid = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for index, (part, panels) in enumerate(zip(rows, grid, strict=True)):
        for (test, scale), axes in zip(columns, panels, strict=True):
            own = part[(part["test"] == test) & (part["scale"] == scale)]
            _draw_bars(axes, own.set_index("metric").loc[metrics])
            if index == 0:
                axes.set_title(f"{TEST_TITLES[test]},\n{SCALE_TITLES[scale].lower()}")
        every = "All " if part["drawn"].iloc[0] == EVERYONE else ""
        panels[0].set_ylabel(f"{every}{int(part['users'].iloc[0]):,} users")
    for axes in grid[-1]:
        axes.set_xlabel("Pairs (%)")
    for axes in grid.flat:
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    grid[0, 0].set_yticks(range(len(metrics)), metrics)
    grid[0, 0].set_ylim(len(metrics) - 0.4, -0.6)
    drawn = pd.concat(rows)
    most = float(drawn.loc[drawn["test"].isin(TEST_TITLES), "changed"].max())
    # Of results without any change there is an axis, too.
    grid[0, 0].set_xlim(0, 100 * max(1.03 * most, 0.01))
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


def _draw_bars(axes: Axes, rows: pd.DataFrame) -> None:
    styles = ordered_styles(list(KINDS))
    ends = np.zeros(len(rows))
    for kind, label in KINDS.items():
        widths = 100 * rows[kind].to_numpy(dtype=np.float64)
        axes.barh(
            np.arange(len(rows)),
            widths,
            left=ends,
            height=BAR,
            color=styles[kind].colour,
            label=label,
        )
        ends += widths
