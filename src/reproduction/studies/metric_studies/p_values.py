# SPDX-License-Identifier: MIT
"""P-values of all pairs of systems under several metrics: their curves, and their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from receval.figures.curves import line, mute
from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import NOTE_COLOUR, NOTE_SIZE, beside, letter_panels, settle_layout
from receval.figures.line_labels import label_lines, readable, spaced_positions
from receval.figures.point_labels import draw_leader, lines_meet_boxes
from receval.figures.printed_numbers import fixed
from receval.figures.style import (
    DOUBLE_COLUMN,
    SINGLE_COLUMN,
    SeriesStyle,
    new_figure,
    short_number,
)
from receval.figures.tables import Table, printed
from receval.statistics.multiple_comparisons import discriminative_power, p_value_curve
from reproduction.studies._shared.inputs import ArtifactInputs

SIGNIFICANT = 0.05

HEIGHT = 3.0
"""Height of the figure, in inches."""

PANEL_POINTS = 56.0
"""Points per inch of the figure's height that the panels take."""

STRIP = "#f6f6f6"
"""Colour of the strip below the least p-value, which has names only."""

_LEADER = 12.0  # points that a leader and the space at its ends take


def data_curves(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the p-values of all pairs of systems under all metrics.

    The parameter ``permutations`` of the artifact is the number of samples of signs. The columns
    are those of :func:`reproduction.experiments.values.p_values`.
    """
    from reproduction.experiments.values import p_values

    return p_values(
        inputs.experiments.values(),
        inputs.named_metrics(),
        inputs.seed,
        int(inputs.parameters["permutations"]),
    )


# Names of curves that end at the lower edge of a panel: upright, below their ends.

_LABEL_LEADER = 8.0  # points between the floor and the names
_SPACING = 8.5  # points between two names


def label_floor(axes: Axes, ends: Mapping[str, tuple[float, str]], floor: float) -> None:
    """Print names below the points where curves end at the lower edge of a panel.

    The ends have the place on the x axis and the colour of each curve, by name. Names keep a
    distance, in the order of these ends; a leader connects each name to its end.
    """
    if not ends:
        return
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    settle_layout(figure)
    scale = 72 / figure.dpi
    frame = axes.get_window_extent()
    wide, tall = figure.get_size_inches() * 72
    points = axes.transData.transform([(x, floor) for x, _ in ends.values()]) * scale
    # Curves that end at the same point keep the order of their names.
    ordered = points[:, 0] + 0.01 * np.arange(len(points))
    places = spaced_positions(ordered, _SPACING, frame.x0 * scale + 3, frame.x1 * scale)
    for (name, (_, colour)), point, place in zip(ends.items(), points, places, strict=True):
        ground = point[1] - _LABEL_LEADER
        draw_leader(figure, [(point[0], point[1] - 1), (float(place), ground)], colour)
        figure.text(
            round(float(place) / wide, 6),
            round(float(ground - 1) / tall, 6),
            name,
            rotation=90,
            fontsize=NOTE_SIZE,
            color=readable(colour),
            ha="center",
            va="top",
        )


def draw_curves(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the largest p-values of each metric in descending order, one panel per dataset.

    A curve ends at the least p-value that the samples of signs can give, and is named in the strip
    below it or at the edge of the panel. The parameter ``largest_pairs`` is the number of p-values
    that are drawn. If ``named`` is given, only these metrics have names, and all others are thin
    lines.
    """
    datasets = list(dict.fromkeys(results["dataset"]))
    styles = display.metric_styles(list(dict.fromkeys(results["metric"])))
    largest = int(display.parameters["largest_pairs"])
    unnamed = set(styles) - set(display.parameters.get("named", styles))
    floor = 1 / float(results["permutations"].max())
    width = SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN
    figure = new_figure(width, HEIGHT)
    panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
    panels[0].set_yscale("log")
    _mark_levels(panels, floor)
    arrivals = {}
    for axes, dataset in zip(panels, datasets, strict=True):
        rows = results[results["dataset"] == dataset]
        ends = _draw_curves(axes, rows, styles, largest, floor)
        for curve in axes.lines:
            if str(curve.get_label()).removeprefix("_") in unnamed:
                mute(curve)
        arrivals[axes] = {name: end for name, end in ends.items() if name not in unnamed}
        shown = "$p$-values of pairs of systems"
        axes.set_title(panel_title(display.datasets[dataset], shown, alone=len(datasets) == 1))
        axes.set_xlabel("Rank of the pair by $p$-value")
        axes.set_xlim(0.5, largest + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        # No line crosses the names below.
        axes.grid(visible=False, axis="x")
    _name_level(panels, largest)
    lowest = floor / _room_below(figure, list(chain(*arrivals.values())), floor)
    panels[0].set_ylim(lowest, 1.6)
    for axes in panels:
        axes.axhspan(lowest, floor, color=STRIP, linewidth=0, zorder=0)
    panels[0].set_ylabel("$p$-value (log scale)")
    letter_panels(panels)
    named = [axes for axes in panels if len(arrivals[axes]) < len(styles) - len(unnamed)]
    if named:
        label_lines(named)
    for axes, ends in arrivals.items():
        label_floor(axes, ends, floor)
    return figure


def _room_below(figure: Figure, names: Sequence[str], floor: float) -> float:
    """Return the ratio of the least p-value to the panel's end that leaves space for names."""
    points = PANEL_POINTS * HEIGHT
    printed = [figure.text(0, 0, name, fontsize=NOTE_SIZE) for name in names]
    longest = max((name.get_window_extent().width for name in printed), default=0)
    for name in printed:
        name.remove()
    needed = _LEADER + longest * 72 / figure.dpi if names else 2.0
    decades: float = np.log10(1.6 / floor) * needed / (points - needed)
    return float(10**decades)


def _draw_curves(
    axes: Axes,
    rows: pd.DataFrame,
    styles: Mapping[str, SeriesStyle],
    largest: int,
    floor: float,
) -> dict[str, tuple[float, str]]:
    """Draw the curves of a panel; return the ends of those that reach the least p-value."""
    arrivals = {}
    for name, style in styles.items():
        p_values = rows.loc[rows["metric"] == name, "p_value"]
        if not len(p_values):
            continue
        curve = p_value_curve(p_values, largest)
        on_floor = np.flatnonzero(curve <= floor * 1.5)
        shown = curve[: on_floor[0] + 1] if len(on_floor) else curve
        # These are named below the lower edge, not at the right edge of the panel.
        label = f"_{name}" if len(on_floor) else name
        line(axes, np.arange(1, len(shown) + 1), shown, style, label, markers=False)
        if len(on_floor):
            arrivals[name] = (float(len(shown)), style.colour)
    return arrivals


def _mark_levels(panels: Sequence[Axes], floor: float) -> None:
    """Mark the usual level of significance and the least possible p-value."""
    decades = 10.0 ** np.arange(int(np.floor(np.log10(floor))), 1)
    panels[0].yaxis.set_major_locator(FixedLocator(decades.tolist()))
    panels[0].yaxis.set_minor_locator(NullLocator())
    panels[0].yaxis.set_major_formatter(
        FuncFormatter(lambda p, _: short_number(f"{p:.12f}".rstrip("0").rstrip(".")))
    )
    for axes in panels:
        axes.axhline(SIGNIFICANT, color=NOTE_COLOUR, linewidth=0.7, linestyle="--", label="_level")
        axes.axhline(floor, color=NOTE_COLOUR, linewidth=0.7, label="_floor")


def _name_level(panels: Sequence[Axes], largest: int) -> None:
    """Label the usual level at the right of the first panel with enough free space."""
    # More panels are narrower; the words take about 24 points.
    left = (0.91 - 0.03 * len(panels)) * largest
    room = np.array([[left, SIGNIFICANT, largest + 0.5, 2.2 * SIGNIFICANT]])
    room[:, 1::2] = np.log10(room[:, 1::2])

    def is_free(axes: Axes) -> bool:
        curves = [
            np.column_stack([curve.get_xdata(), np.log10(np.asarray(curve.get_ydata()))])
            for curve in axes.lines
        ]
        return not any(lines_meet_boxes(curve[:-1], curve[1:], room).any() for curve in curves)

    axes = next(filter(is_free, panels), panels[0])
    style = {"ha": "right", "va": "bottom", "color": NOTE_COLOUR}
    right_edge = ("axes fraction", "data")
    beside(axes, "$p$ = .05", (1, SIGNIFICANT), (0, 1.5), xycoords=right_edge, **style)


def data_sums(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the discriminative power of every metric on every dataset.

    Columns: dataset; metric; dp (sum over unordered pairs); dp_ordered (over ordered pairs, as
    released with Valcarce et al. 2018); dp_released (over ordered pairs, of the released form of
    the metric); pairs; permutations; users.
    """
    from reproduction.experiments.values import p_values

    def tested(labels_in: str) -> pd.DataFrame:
        metrics = inputs.named_metrics(labels_in)
        permutations = int(inputs.parameters["permutations"])
        return p_values(inputs.experiments.values(), metrics, inputs.seed, permutations)

    keys = ["dataset", "metric"]
    table = (
        tested("metrics")
        .groupby(keys, sort=False)
        .agg(
            dp=("p_value", discriminative_power),
            pairs=("p_value", "size"),
            permutations=("permutations", "first"),
            users=("users", "first"),
        )
    )
    released = tested("released").groupby(keys, sort=False)["p_value"]
    table.insert(1, "dp_ordered", 2 * table["dp"])
    table.insert(2, "dp_released", released.agg(lambda p: discriminative_power(p, "ordered")))
    return table.reset_index()


def tabulate_sums(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print discriminative power over ordered pairs, by dataset and metric.

    Parameters of the artifact: ``down`` says what the rows are, ``metrics`` or ``datasets``;
    ``published_<dataset>`` has the paper's printed values, which are shown beside ours if datasets
    are the rows and are not twins; ``note`` is a remark below the table.
    """
    metrics = list(dict.fromkeys(results["metric"]))
    found = results.set_index(["dataset", "metric"])["dp_ordered"]
    cells = {
        str(dataset): [fixed(found[dataset, metric], 2) for metric in metrics]
        for dataset in dict.fromkeys(results["dataset"])
    }
    notes = [str(display.parameters[name]) for name in ("note",) if name in display.parameters]
    if display.parameters["down"] == "metrics":
        by_metric = list(zip(metrics, *cells.values(), strict=True))
        return printed(display, ["Metric"], [display.datasets[n] for n in cells], by_metric, notes)
    rows = []
    for dataset, own in cells.items():
        rows.append((display.datasets[dataset], "ours", *own))
        published = display.parameters.get(f"published_{dataset}")
        if published and display.is_real(dataset):
            rows.append((display.datasets[dataset], "paper", *published))
    return printed(display, ("Dataset", "From"), metrics, rows, notes)
