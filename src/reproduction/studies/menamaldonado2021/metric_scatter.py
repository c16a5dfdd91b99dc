# SPDX-License-Identifier: MIT
"""Scatter plots of one metric against another, with one labelled point per system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from receval.figures.display import DisplayStyle, coefficient_text, p_value_text
from receval.figures.finish import beside, letter_panels, settle_layout
from receval.figures.line_labels import readable
from receval.figures.point_labels import PointLabel, label_points
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs

TAU_SYMBOL = r"$\tau$"
MINUS = "\N{MINUS SIGN}"

TITLE_PAD, HEADING_PAD = 15, 27
"""Points between a panel and its title, and its heading; the coefficient is below both."""

ROW_HEIGHT, PAGE_HEIGHT = 2.8, 9.2
"""Height in inches of a row of panels, lower for many rows so that the figure fits on a page."""

PANEL = ["y_metric", "x_metric", "experiment", "form"]
MARGIN = 0.13
"""Margin of an axis beyond the outermost points for their names, as a share."""

NAMES_IN_PRINT = {"RR": "MRR", "antiRR": "anti-MRR"}
"""Names of the metrics per user, by the paper's names for their means."""

NAMES_IN_WORDS = {"P": "Precision", "antiP": "Anti-precision"}

FALSE_POSITIVE = ("antiP", "Fallout", "nDCL", "antiRR")
"""Metrics with lower values for better systems."""


# Scatter plots of two metrics over the systems, with Kendall's tau between them.

COVERAGE = {
    False: ("P@10", "antiP@10"),
    True: (
        "P(condensed=true,denominator=filled)@10",
        "antiP(condensed=true,denominator=filled)@10",
    ),
}
"""Metrics whose sum is the share of the first ten ranks with a judged item.

Keyed by whether lists are condensed. If so, the sum is the share of users with a judged item in
their list.
"""


class Axis(NamedTuple):
    """The evaluation (``observed`` or ``real``) and the label of the metric of one axis."""

    evaluation: str
    metric: str


class Panel(NamedTuple):
    """One panel: an experiment and its two axes."""

    experiment: str
    x: Axis
    y: Axis


def panels_of(parameters: Mapping[str, Any], experiments: Sequence[str]) -> list[Panel]:
    """Return the panels of a figure, by metric, then by experiment.

    Parameters of the artifact: ``x_metrics`` and ``y_metrics`` (labels, one pair per panel),
    ``x_evaluation`` and ``y_evaluation``.
    """
    x_axis, y_axis = parameters["x_evaluation"], parameters["y_evaluation"]
    return [
        Panel(experiment, Axis(x_axis, x), Axis(y_axis, y))
        for x, y in zip(parameters["x_metrics"], parameters["y_metrics"], strict=True)
        for experiment in experiments
    ]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the coordinates of every system in every panel of a figure.

    They are read from the results of the artifact ``values``. Parameters besides those of
    :func:`panels_of`: ``optimal``, the optimal rankings that are shown; ``optimal_released``, those
    shown in the released form instead, if they differ; ``optimal_with``, the y-axis metrics of the
    panels that show them.

    Columns: experiment; dataset; split; form (``text``, or ``released``: one or both axes as the
    released code computes them); x_evaluation, x_metric, y_evaluation, y_metric; system; role
    (``system`` or ``optimal``); x, y (means over folds); and, equal for all rows of a panel, tau
    (Kendall's tau-b over the systems without optimal rankings), p_value (two-sided, exact where
    there are no ties), systems (how many), x_coverage, y_coverage (share of the first ten ranks
    with a judged item, mean over the systems and the optimal rankings that the figure shows).
    """
    parameters = inputs.parameters
    values = read_results(inputs.results["values"])
    values = values[values["fold"] == "mean"]
    of_text = set(parameters.get("optimal", ()))
    optimal = {"text": of_text, "released": set(parameters.get("optimal_released", of_text))}
    optimal_with = parameters.get("optimal_with", ())
    rows = []
    for panel in panels_of(parameters, [name for name, there in inputs.shown.items() if there]):
        for form, shown in optimal.items():
            table = panel_values(values, panel, form)
            if table is None:
                continue
            _check_that_they_are_optimal(values, shown)
            counted = table[_ranked(table) | table["system"].isin(shown)]
            coverage = {
                f"{side}_coverage": _coverage(values, axis, form, panel.experiment, counted)
                for side, axis in (("x", panel.x), ("y", panel.y))
            }
            drawn = counted if panel.y.metric in optimal_with else counted[_ranked(counted)]
            rows.append(drawn.assign(**correlation(table), **coverage))
    return pd.concat(rows, ignore_index=True)


def panel_values(values: pd.DataFrame, panel: Panel, form: str) -> pd.DataFrame | None:
    """Return both coordinates of all systems in a panel, in the order of the experiment.

    There are none in the released form if both axes are the same as in the text.
    """
    found = [_axis_values(values, panel.experiment, axis, form) for axis in (panel.x, panel.y)]
    if form == "released" and all((axis["form"] == "text").all() for axis in found):
        return None
    names = ["experiment", "dataset", "split", "system", "role"]
    x, y = (
        axis.rename(columns={"value": side})[[*names, side]]
        for axis, side in zip(found, ("x", "y"), strict=True)
    )
    table = x.merge(y, on=names, validate="one_to_one")
    described = {
        "form": form,
        "x_evaluation": panel.x.evaluation,
        "x_metric": panel.x.metric,
        "y_evaluation": panel.y.evaluation,
        "y_metric": panel.y.metric,
    }
    columns = ["experiment", "dataset", "split", *described, "system", "role", "x", "y"]
    return table.assign(**described)[columns]


def correlation(table: pd.DataFrame) -> dict[str, float | int]:
    """Return Kendall's tau between the axes, its p-value, and the number of systems."""
    from scipy.stats import kendalltau

    ranked = table[_ranked(table)]
    found = kendalltau(ranked["x"], ranked["y"])
    return {
        "tau": float(found.statistic),
        "p_value": float(found.pvalue),
        "systems": len(ranked),
    }


def _ranked(table: pd.DataFrame) -> pd.Series:
    return table["role"] == "system"


def _axis_values(values: pd.DataFrame, experiment: str, axis: Axis, form: str) -> pd.DataFrame:
    own = values[(values["experiment"] == experiment) & (values["evaluation"] == axis.evaluation)]
    # The form of the text applies where the released code does not differ.
    for candidate in dict.fromkeys((form, "text")):
        names = own["metric"] if candidate == "text" else own["metric"].map(_name)
        wanted = axis.metric if candidate == "text" else _name(axis.metric)
        found = own[(own["form"] == candidate) & (names == wanted)]
        if len(found):
            return found
    raise ValueError(
        f"The artifact values has no {axis.evaluation} {axis.metric} of the experiment "
        f"{experiment}: name the metric in its parameters."
    )


def _name(label: str) -> str:
    """Return a metric's name, its cut-off, and whether it uses condensed lists.

    The released form of a metric may have other parameters, such as gains.
    """
    name, _, cutoff = label.partition("@")
    return f"{name.partition('(')[0]}@{cutoff} {'condensed=true' in label}"


def _check_that_they_are_optimal(values: pd.DataFrame, names: set[str]) -> None:
    known = set(values.loc[values["role"] == "optimal", "system"])
    if unknown := names - known:
        raise ValueError(
            f"The parameter optimal names {', '.join(sorted(unknown))}, but the optimal rankings "
            f"among the systems of the artifact values are {', '.join(sorted(known)) or 'none'}."
        )


def _coverage(
    values: pd.DataFrame, axis: Axis, form: str, experiment: str, counted: pd.DataFrame
) -> float:
    total = 0.0
    for label in COVERAGE["condensed=true" in axis.metric]:
        own = _axis_values(values, experiment, Axis(axis.evaluation, label), form)
        total += float(own.loc[own["system"].isin(counted["system"]), "value"].mean())
    return total


# Points of a scatter plot of systems: none hides another, and few are coloured.

MARKER_SIZE = 4.5
STROKE = 0.9
"""Line width in points of rings and of markers without an area, such as crosses."""

NEUTRAL = "#595959"
"""Colour of the systems that are identified only by their names."""

COLOURED = ("pop", "librec-avg", "librec-random", "random")
"""Systems that the paper names; only these and the optimal rankings are coloured."""

RING_GAP = 2.8
"""Points by which a ring is larger than the marker it surrounds."""

LEADER = 4.0
"""Margin in points around rings, for the lines that lead to their names."""

HIDING = 0.8
"""Share of the mean diameter of two markers; if centres are closer, one marker is hidden."""


class Mark(NamedTuple):
    """The diameter of a drawn marker in points, and whether it is a ring or lies in one."""

    size: float
    in_knot: bool


def draw_points(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    """Draw one marker per system, with optimal rankings on top and neutral ones below."""
    styles = display.styles(rows["system"])
    for row in rows.to_dict("records"):
        style, named = styles[row["system"]], is_coloured(row)
        marker = style.marker if named else "o"
        colour = style.colour if named else NEUTRAL
        filled = marker in Line2D.filled_markers
        axes.plot(
            row["x"],
            row["y"],
            linestyle="none",
            marker=marker,
            markersize=_size(row),
            color=colour,
            # A thin white edge separates touching markers; markers of strokes have no edge.
            markeredgecolor="white" if filled else colour,
            markeredgewidth=0.4 if filled else STROKE,
            label=display.short_titles[row["system"]],
            zorder=3 + _level(row) / 10,
        )


def is_coloured(row: Mapping[str, object]) -> bool:
    """Return whether a system has a colour: optimal rankings and those that the paper names."""
    return row["role"] == "optimal" or row["system"] in COLOURED


def _level(row: Mapping[str, object]) -> int:
    return 2 if row["role"] == "optimal" else int(row["system"] in COLOURED)


def _size(row: Mapping[str, object]) -> float:
    return MARKER_SIZE + (2.0 if row["role"] == "optimal" else 0.5 if is_coloured(row) else 0.0)


def ring_hidden_points(axes: Axes, rows: pd.DataFrame) -> list[Mark]:
    """Turn each marker that another covers into a ring around that one."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    centres = axes.transData.transform(rows[["x", "y"]].to_numpy(dtype=np.float64))
    centres = np.round(centres * 72 / figure.dpi, 3)
    records = rows.to_dict("records")
    plain = np.array([_size(row) for row in records])
    sizes = plain.tolist()
    in_knot = np.zeros(len(records), dtype=bool)
    # From the topmost down; within a level, markers drawn later are above.
    order = sorted(range(len(records)), key=lambda index: (-_level(records[index]), -index))
    for place, index in enumerate(order):
        others = order[:place]
        apart = np.hypot(*(centres[others] - centres[index]).T)
        hidden = apart < HIDING * (plain[others] + plain[index]) / 2
        above = [others[i] for i in np.flatnonzero(hidden)]
        if above:
            sizes[index] = max(sizes[i] for i in above) + RING_GAP
            in_knot[[index, *above]] = True
            marker = axes.lines[index]
            marker.set(marker="o", markersize=sizes[index], markeredgewidth=STROKE)
            marker.set(markeredgecolor=marker.get_color(), markerfacecolor="none")
    return [Mark(size, bool(knot)) for size, knot in zip(sizes, in_knot, strict=True)]


def labels_of(rows: pd.DataFrame, display: DisplayStyle, marks: Sequence[Mark]) -> list[PointLabel]:
    """Return the short titles of the systems, with their colours if they have any."""
    return [
        PointLabel(
            float(row["x"]),
            float(row["y"]),
            display.short_titles[row["system"]],
            colour=readable(display.systems[row["system"]].colour) if is_coloured(row) else INK,
            marker_size=mark.size,
            clearance=LEADER if mark.in_knot else 0.0,
        )
        for row, mark in zip(rows.to_dict("records"), marks, strict=True)
    ]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per experiment and pair of metrics, in the form of the text.

    Each experiment has a column; a single experiment has its panels in two columns. Experiments in
    the parameter ``drawn_released`` also have panels in the released form, with the parameter
    ``released_title`` in their titles. The parameter ``released_tau_<experiment>`` has the
    coefficients by the values that the authors released, which are shown beside ours for real
    datasets.
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
        bold = {"fontsize": 8, "fontweight": "bold", "va": "bottom"}
        beside(axes, heading, (0, 1), (0, HEADING_PAD), xycoords="axes fraction", **bold)
    letter_panels(grid[: len(panels)])
    for axes in grid[: len(panels)]:
        axes.set_title(axes.get_title(loc="left"), pad=TITLE_PAD)
    settle_layout(figure)
    for axes, rows in zip(grid, panels, strict=False):
        marks = ring_hidden_points(axes, rows)
        label_points(axes, labels_of(rows, display, marks), MARKER_SIZE)
    return figure


def _headings(panels: Sequence[pd.DataFrame], display: DisplayStyle) -> list[str]:
    """Return the heading of a panel: its data, only once, and the kind of lists."""
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


def _draw_panel(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    draw_points(axes, rows, display)
    # Lines of a grid would run through the names.
    axes.grid(visible=False)
    axes.margins(MARGIN)
    first = rows.iloc[0]
    tau = tau_text(float(first["tau"]), float(first["p_value"]), _released(first, display))
    beside(axes, tau, (0, 1), (0, 5), xycoords="axes fraction", va="baseline")
    x, y = (axis_title("", first[f"{side}_metric"], told=False).split("@")[0] for side in "xy")
    axes.set_title(f"{y} against {x}" if x != y else NAMES_IN_WORDS.get(x, x))
    both = first["x_evaluation"] != first["y_evaluation"] or "real" in str(first["x_evaluation"])
    for side, name in (("x", axes.set_xlabel), ("y", axes.set_ylabel)):
        metric = str(first[f"{side}_metric"])
        plain = axis_title(str(first[f"{side}_evaluation"]), metric, told=both)
        name(f"{plain} {better(metric)}", fontsize=7.5)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))


def _released(first: pd.Series, display: DisplayStyle) -> str:
    """Return the coefficient of a panel by the authors' values; empty if there is none."""
    released = display.parameters.get(f"released_tau_{first['experiment']}", ())
    if not released or not display.is_real(first["dataset"]):
        return ""
    pairs = list(zip(display.parameters["x_metrics"], display.parameters["y_metrics"], strict=True))
    return str(released[pairs.index((first["x_metric"], first["y_metric"]))])


def tau_text(tau: float, p_value: float, released: str = "") -> str:
    """Return Kendall's tau and its p-value as printed in papers, and tau by released values."""
    beside = f" (released {released.replace('-', MINUS)})" if released else ""
    p_text = p_value_text(p_value).replace("p", "$p$", 1)
    return f"{coefficient_text(TAU_SYMBOL, tau)}{beside}, {p_text}"


def axis_title(evaluation: str, label: str, *, told: bool) -> str:
    """Return a metric's label without parameters, with the kind of evaluation if it is given."""
    metric, cutoff = re.sub(r"\(.*\)", "", label).split("@")
    plain = f"{NAMES_IN_PRINT.get(metric, metric)}@{cutoff}"
    if "condensed=true" in label:
        plain += " (condensed)"
    return f"{evaluation.capitalize()} {plain}" if told else plain


def better(label: str) -> str:
    """Return the direction of better values along an axis, as an arrow and words in brackets."""
    low_is_good = re.sub(r"[@(].*", "", label) in FALSE_POSITIVE
    return "(\N{LEFTWARDS ARROW} better)" if low_is_good else "(better \N{RIGHTWARDS ARROW})"
