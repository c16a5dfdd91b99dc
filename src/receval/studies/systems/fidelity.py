"""Every system against the values published for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from receval.figures.legend import legend_below, note
from receval.figures.style import COLOURS, DOUBLE_COLUMN, MARKERS, new_figure
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.published_and_ours import published_and_ours

LINEAR_UP_TO = 1.0
"""Percent: the axis of differences is linear up to it and logarithmic beyond."""

FARTHEST = 300.0
"""Percent: larger differences are drawn at the edge."""

TICKS = (-100, -10, -1, 0, 1, 10, 100)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return published and own value of every system and metric.

    The columns are those of :func:`receval.studies.published_and_ours.published_and_ours`.
    """
    return published_and_ours(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw the relative differences, a row a system: a panel for each set of published values."""
    # An empty cell is text: there is no relative difference from a published 0.
    relative = pd.to_numeric(numbers["relative_difference"], errors="coerce")
    numbers = numbers.assign(relative_difference=relative)
    panels = [
        ((study, dataset, judgments), rows)
        for (study, dataset, judgments), rows in numbers.groupby(
            ["study", "dataset", "judgments"], sort=False
        )
    ]
    metrics = list(dict.fromkeys(numbers["metric"]))
    looks = {
        metric: {"color": COLOURS[position], "marker": MARKERS[position]}
        for position, metric in enumerate(metrics)
    }
    figure = new_figure(DOUBLE_COLUMN, 1.2 + 0.145 * max(r["system"].nunique() for _, r in panels))
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, ((study, dataset, judgments), rows) in zip(all_axes, panels, strict=True):
        _panel(axes, rows, looks, look)
        kind = "" if judgments == "test" else ", unbiased"
        axes.set_title(f"{study}\n{look.datasets[str(dataset)]}{kind}")
    legend_below(figure)
    if look.absence:
        note(figure, look.absence)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict[str, str]], look: Look) -> None:
    systems = list(dict.fromkeys(rows["system"]))
    heights = {system: -position for position, system in enumerate(systems)}
    axes.axvspan(-5, 5, color="#EEEEEE", linewidth=0, zorder=0)
    axes.axvline(0, color="#999999", linewidth=0.6, zorder=1)
    for metric, marks in looks.items():
        own = rows[(rows["metric"] == metric) & rows["relative_difference"].notna()]
        percent = np.clip(own["relative_difference"] * 100, -100, FARTHEST)
        filled = own["searched"] == ""
        for chosen, face in ((filled, marks["color"]), (~filled, "white")):
            axes.plot(
                percent[chosen],
                own["system"].map(heights)[chosen],
                linestyle="none",
                marker=marks["marker"],
                color=marks["color"],
                markerfacecolor=face,
                label=metric + ("" if face != "white" else " (seen by the search)"),
                zorder=3,
            )
    axes.set_xlabel("difference from published (%)")
    axes.set_xscale("symlog", linthresh=LINEAR_UP_TO, linscale=0.5)
    axes.set_xlim(-150, FARTHEST * 1.3)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_yticks(list(heights.values()), [look.titles[system] for system in systems])
    axes.set_ylim(-len(systems) + 0.4, 0.6)
