"""One metric against another over the systems: the systems by their names, colours and markers."""

from __future__ import annotations

import re

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from receval.figures.display import DisplayStyle, coefficient_text, p_value_text
from receval.figures.finish import settle_layout
from receval.figures.point_labels import PointLabel, label_points
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.studies._shared.inputs import ArtifactInputs

TAU_SYMBOL = r"$\tau$"
MARKER_SIZE = 4.5
STROKE = 1.0
"""Width in points of the strokes of markers without an area, such as a cross."""

ROW_HEIGHT = 2.15
"""Inches of a row of panels."""

PANEL = ["y_metric", "x_metric", "experiment", "form"]
MARGIN = 0.13
"""Free share of an axis beyond the outermost points, for their names."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the coordinates of the systems.

    The columns are those of :func:`.metric_pairs`.
    """
    from receval.studies.menamaldonado2021._shared.metric_pairs import metric_pairs

    return metric_pairs(inputs)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for every experiment and pair of metrics, in the form of the text.

    The experiments stand beside each other; the panels of a single one stand in twos. Experiments
    that the parameter ``drawn_released`` names have panels in the released form beside those, with
    the parameter ``released_title`` in their titles.

    Parameters
    ----------
    results : DataFrame
        From :func:`receval.studies.menamaldonado2021._shared.metric_pairs.metric_pairs`.
    display : DisplayStyle
    """
    released = results["experiment"].isin(display.parameters.get("drawn_released", ()))
    shown = results[(results["form"] == "text") | released]
    panels = [rows for _, rows in shown.groupby(PANEL, sort=False)]
    columns = max(2, len(shown[["experiment", "form"]].drop_duplicates()))
    n_rows = -(-len(panels) // columns)
    figure = new_figure(DOUBLE_COLUMN, ROW_HEIGHT * n_rows)
    grid = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    for axes, rows in zip(grid, panels, strict=False):
        _draw_panel(axes, rows, display)
    settle_layout(figure)
    for axes, rows in zip(grid, panels, strict=False):
        labels = [
            PointLabel(float(x), float(y), display.short_titles[system])
            for system, x, y in zip(rows["system"], rows["x"], rows["y"], strict=True)
        ]
        label_points(axes, labels, MARKER_SIZE)
    return figure


def _draw_panel(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    styles = display.styles(rows["system"])
    for system, x, y in zip(rows["system"], rows["x"], rows["y"], strict=True):
        style = styles[system]
        axes.plot(
            x,
            y,
            linestyle="none",
            marker=style.marker,
            markersize=MARKER_SIZE,
            color=style.colour,
            # A marker that is all strokes has nothing but its edge.
            markeredgewidth=0 if style.marker in Line2D.filled_markers else STROKE,
            zorder=3,
        )
    axes.margins(MARGIN)
    first = rows.iloc[0]
    kinds = [display.experiments[first["experiment"]]]
    if first["form"] == "released":
        kinds.append(display.parameters["released_title"])
    axes.set_title(", ".join([display.datasets[first["dataset"]], *filter(None, kinds)]), pad=16)
    axes.annotate(
        tau_text(float(first["tau"]), float(first["p_value"])),
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        fontsize=7,
        va="bottom",
    )
    both = first["x_evaluation"] != first["y_evaluation"] or "real" in str(first["x_evaluation"])
    axes.set_xlabel(axis_title(str(first["x_evaluation"]), str(first["x_metric"]), told=both))
    axes.set_ylabel(axis_title(str(first["y_evaluation"]), str(first["y_metric"]), told=both))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))


def tau_text(tau: float, p_value: float) -> str:
    """Return Kendall's tau and its p-value as papers print them."""
    return f"{coefficient_text(TAU_SYMBOL, tau)}, {p_value_text(p_value)}"


def axis_title(evaluation: str, label: str, *, told: bool) -> str:
    """Return a metric's label without parameters, with the kind of evaluation if it is told."""
    plain = re.sub(r"\(.*\)", "", label)
    if "condensed=true" in label:
        plain += " (condensed)"
    return f"{evaluation} {plain}" if told else plain
