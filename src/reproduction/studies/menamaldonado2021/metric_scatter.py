# SPDX-License-Identifier: MIT
"""One metric against another over the systems, every one of them by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from receval.figures.display import DisplayStyle, coefficient_text, p_value_text
from receval.figures.finish import letter_panels, settle_layout
from receval.figures.point_labels import label_points
from receval.figures.style import DOUBLE_COLUMN, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.system_points import (
    MARKER_SIZE,
    draw_points,
    labels_of,
    ring_hidden_points,
)

TAU_SYMBOL = r"$\tau$"
MINUS = "\N{MINUS SIGN}"

LETTER_WIDTH = 16.0
"""Points that the letter of a panel takes before its coefficient."""

ROW_HEIGHT, PAGE_HEIGHT = 2.45, 8.5
"""Inches of a row of panels, lower where there are many, for the figure to fit on a page."""

PANEL = ["y_metric", "x_metric", "experiment", "form"]
MARGIN = 0.13
"""Free share of an axis beyond the outermost points, for their names."""

NAMES_IN_PRINT = {"RR": "MRR", "antiRR": "anti-MRR"}
"""Metrics of one user by the names that the paper has for their means."""

FALSE_POSITIVE = ("antiP", "Fallout", "nDCL", "antiRR")
"""Metrics of which low values are good."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the coordinates of the systems.

    The columns are those of :func:`.metric_pairs`.
    """
    from reproduction.studies.menamaldonado2021._shared.metric_pairs import metric_pairs

    return metric_pairs(inputs)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for every experiment and pair of metrics, in the form of the text.

    The experiments stand beside each other; the panels of a single one stand in twos. Experiments
    that the parameter ``drawn_released`` names have panels in the released form beside those, with
    the parameter ``released_title`` in their titles. The parameter ``released_tau_<experiment>``
    has the coefficient of each pair of metrics by the values that the authors released, which real
    datasets have beside ours.
    """
    released = results["experiment"].isin(display.parameters.get("drawn_released", ()))
    shown = results[(results["form"] == "text") | released]
    panels = [rows for _, rows in shown.groupby(PANEL, sort=False)]
    columns = max(2, len(shown[["experiment", "form"]].drop_duplicates()))
    n_rows = -(-len(panels) // columns)
    figure = new_figure(DOUBLE_COLUMN, min(ROW_HEIGHT * n_rows, PAGE_HEIGHT))
    grid = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    for axes, rows, heading in zip(grid, panels, _headings(panels, display), strict=False):
        _draw_panel(axes, rows, display)
        _print_heading(axes, heading)
    letter_panels(grid[: len(panels)])
    settle_layout(figure)
    for axes, rows in zip(grid, panels, strict=False):
        marks = ring_hidden_points(axes, rows)
        label_points(axes, labels_of(rows, display, marks), MARKER_SIZE)
    return figure


def _headings(panels: Sequence[pd.DataFrame], display: DisplayStyle) -> list[str]:
    """Return what tells a panel from those before it: its data, once, and the kind of lists."""
    firsts = [rows.iloc[0] for rows in panels]
    condensed = ["condensed=true" in first["y_metric"] for first in firsts]
    headings: list[str] = []
    seen: set[tuple[object, ...]] = set()
    for first, is_condensed in zip(firsts, condensed, strict=True):
        data = (first["experiment"], first["form"])
        parts = [] if data in seen else _names_of_data(first, display)
        if any(condensed) and (*data, is_condensed) not in seen:
            parts.append("condensed lists" if is_condensed else "full lists")
        seen |= {data, (*data, is_condensed)}
        text = ", ".join(parts)
        headings.append(text[:1].upper() + text[1:])
    return headings


def _names_of_data(first: pd.Series, display: DisplayStyle) -> list[str]:
    named = [display.datasets[first["dataset"]], display.experiments[first["experiment"]]]
    if first["form"] == "released":
        named.append(display.parameters["released_title"])
    return [name for name in named if name]


def _print_heading(axes: Axes, text: str) -> None:
    axes.annotate(
        text,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, 15),
        textcoords="offset points",
        fontsize=8,
        fontweight="bold",
        va="bottom",
    )


def _draw_panel(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    draw_points(axes, rows, display)
    axes.margins(MARGIN)
    first = rows.iloc[0]
    tau = tau_text(float(first["tau"]), float(first["p_value"]), _released(first, display))
    axes.annotate(
        tau,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(LETTER_WIDTH, 5),
        textcoords="offset points",
        fontsize=6.5,
        va="baseline",
    )
    both = first["x_evaluation"] != first["y_evaluation"] or "real" in str(first["x_evaluation"])
    for side, name in (("x", axes.set_xlabel), ("y", axes.set_ylabel)):
        metric = str(first[f"{side}_metric"])
        plain = axis_title(str(first[f"{side}_evaluation"]), metric, told=both)
        name(f"{plain} {better(metric)}", fontsize=7.5)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))


def _released(first: pd.Series, display: DisplayStyle) -> str:
    """Return the coefficient of a panel by the authors' values; empty where there is none."""
    released = display.parameters.get(f"released_tau_{first['experiment']}", ())
    if not released or not display.is_real(first["dataset"]):
        return ""
    pairs = list(zip(display.parameters["x_metrics"], display.parameters["y_metrics"], strict=True))
    return str(released[pairs.index((first["x_metric"], first["y_metric"]))])


def tau_text(tau: float, p_value: float, released: str = "") -> str:
    """Return Kendall's tau and its p-value as papers print them, and tau by released values."""
    beside = f" (released {released.replace('-', MINUS)})" if released else ""
    p_text = p_value_text(p_value).replace("p", "$p$", 1)
    return f"{coefficient_text(TAU_SYMBOL, tau)}{beside}, {p_text}"


def axis_title(evaluation: str, label: str, *, told: bool) -> str:
    """Return a metric's label without parameters, with the kind of evaluation if it is told."""
    metric, cutoff = re.sub(r"\(.*\)", "", label).split("@")
    plain = f"{NAMES_IN_PRINT.get(metric, metric)}@{cutoff}"
    if "condensed=true" in label:
        plain += " (condensed)"
    return f"{evaluation.capitalize()} {plain}" if told else plain


def better(label: str) -> str:
    """Return an arrow along an axis to the better values of its metric, in words and brackets."""
    low_is_good = re.sub(r"[@(].*", "", label) in FALSE_POSITIVE
    return "(\N{LEFTWARDS ARROW} better)" if low_is_good else "(better \N{RIGHTWARDS ARROW})"
