"""Every system against the values published for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import COLOURS, DOUBLE_COLUMN, INK, MARKERS, new_figure
from receval.studies._shared.inputs import ArtifactInputs

LINEAR_UP_TO = 1.0
"""Percent: the axis of differences is linear up to it and logarithmic beyond."""

FARTHEST = 200.0
"""Percent: larger differences are drawn at the edge."""

TICKS = (-100, -5, 0, 5, 100)

ROW_HEIGHT = 0.15
"""Inches of a system."""

PANEL = ["study", "dataset", "judgments"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return published and own value of every system and metric.

    The columns are those of :func:`.published_and_ours`.
    """
    from receval.studies.systems._shared.published_and_ours import published_and_ours

    return published_and_ours(inputs)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the relative differences, a panel for each set of published values.

    The panels of a study share the systems, from the best to the worst by the first metric as
    published for the first of the panels.
    """
    # An empty cell is text: there is no relative difference from a published 0.
    relative = pd.to_numeric(results["relative_difference"], errors="coerce")
    results = results.assign(relative_difference=relative)
    metrics = list(dict.fromkeys(results["metric"]))
    orders = {
        str(study): _best_first(rows, metrics[0])
        for study, rows in results.groupby("study", sort=False)
    }
    most = max(map(len, orders.values()))
    panels = [(str(names[0]), names, rows) for names, rows in results.groupby(PANEL, sort=False)]
    figure = new_figure(DOUBLE_COLUMN, 1.3 + ROW_HEIGHT * most)
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    labelled: set[str] = set()
    for axes, (study, (_, dataset, judgments), rows) in zip(all_axes, panels, strict=True):
        heights = {system: -rank for rank, system in enumerate(orders[study])}
        _panel(axes, rows, metrics, heights)
        titles = [display.titles[system] for system in heights] if study not in labelled else []
        axes.set_yticks(list(heights.values()), titles or [""] * len(heights))
        axes.set_ylabel("" if study in labelled else study)
        axes.set_title(display.datasets[str(dataset)] + "\nunbiased" * (judgments == "unbiased"))
        labelled.add(study)
    if (results["searched"] == "yes").any():
        all_axes[-1].plot([], [], "o", color=INK, mfc="white", label="hollow: seen by the search")
    legend_below(figure)
    return figure


def _best_first(rows: pd.DataFrame, metric: str) -> list[str]:
    first = rows[rows["metric"] == metric].drop_duplicates("system")
    ordered = first.sort_values("published", ascending=False, kind="stable")
    return list(dict.fromkeys([*ordered["system"], *rows["system"]]))


def _panel(axes: Axes, rows: pd.DataFrame, metrics: list[str], heights: dict[str, int]) -> None:
    axes.axvspan(-5, 5, color="#EEEEEE", linewidth=0, zorder=0)
    axes.axvline(0, color="#999999", linewidth=0.6, zorder=1)
    for index, metric in enumerate(metrics):
        own = rows[(rows["metric"] == metric) & rows["relative_difference"].notna()]
        percent = np.clip(own["relative_difference"] * 100, -100, FARTHEST)
        at = own["system"].map(heights)
        seen = own["searched"] == "yes"
        colour, marker = COLOURS[index], MARKERS[index]
        if len(own):
            axes.plot([], [], linestyle="none", marker=marker, color=colour, label=metric)
        for chosen, face in ((seen, "white"), (~seen, colour)):
            axes.plot(
                percent[chosen],
                at[chosen],
                linestyle="none",
                marker=marker,
                markersize=3,
                color=colour,
                markerfacecolor=face,
                zorder=3,
            )
    axes.set_xscale("symlog", linthresh=LINEAR_UP_TO, linscale=0.5)
    axes.set_xlabel("difference (%)")
    # Room for the marks at the edge, which would be cut in half.
    axes.set_xlim(-150, 1.3 * FARTHEST)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylim(1 - len(heights) - 0.6, 0.6)
