# SPDX-License-Identifier: MIT
"""Values of each system, and of the systems as a set, beside the published values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels, note
from receval.figures.printed_numbers import fixed
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    NAMES_IN_PRINT,
    SeriesStyle,
    new_figure,
    plain_metric,
    short_number,
)
from receval.figures.tables import Table, printed
from receval.statistics.correlation import kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_and_ours

LINEAR_UP_TO = 1.0
"""Percent: the axis of differences is linear up to it and logarithmic beyond; a set of values
that are all nearer than it would be a column of zeros, and has a sentence instead of a panel."""

FARTHEST = 100.0
"""Percent: larger differences are drawn at the edge."""

TICKS = (-50, -10, -5, -1, 0, 1, 5, 10, 50)

CLOSE = 5.0
"""Percent: half the width of the grey band."""

APART = {2: 0.4, 3: 0.5, 4: 0.6}
"""Vertical spread in rows of a system's marks, by their number; without it the last of nearly
coinciding marks would hide the first."""

BETWEEN = (10,)
"""Ticks whose numbers have no space if panels are side by side."""

ROW_HEIGHT = 0.14
"""Height in inches of a system."""

PANEL = ["dataset", "judgments"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the published and our values for all systems and metrics.

    The columns are those of :func:`.published_and_ours`.
    """
    return published_and_ours(inputs)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw relative differences, one panel per study and set of its values that shows some.

    The largest difference of any other set is in a note. Systems are sorted by the published values
    of the first metric in the study's first panel.
    """
    # An empty cell is text, since a published 0 has no relative difference.
    relative = pd.to_numeric(results["relative_difference"], errors="coerce")
    results = results.assign(
        relative_difference=relative, metric=results["metric"].map(printed_metric)
    )
    styles = _styles(list(dict.fromkeys(results["metric"])), display)
    studies = {str(study): rows for study, rows in results.groupby("study", sort=False)}
    orders = {study: _best_first(rows, next(iter(styles))) for study, rows in studies.items()}
    drawn, near = _panels(studies, display)
    alone = len(drawn) == 1
    height = 1.1 + ROW_HEIGHT * max(len(orders[study]) for study, _, _ in drawn)
    figure = new_figure(DOUBLE_COLUMN, height)
    firsts = [place == 0 or drawn[place - 1][0] != one[0] for place, one in enumerate(drawn)]
    widths = [2 if first else 1 for first in firsts]
    panels = figure.subplots(1, len(drawn), squeeze=False, width_ratios=widths)[0]
    for axes, first, (study, title, rows) in zip(panels, firsts, drawn, strict=True):
        heights = {system: -rank for rank, system in enumerate(orders[study])}
        _draw_marks(axes, rows, styles, heights)
        _scale(axes, () if alone else BETWEEN)
        axes.set_ylim(1 - len(heights) - 0.6, 0.6)
        names = [display.titles[system] for system in heights]
        axes.set_yticks(list(heights.values()), names if first else [""] * len(names))
        between = " " if alone else "\n"
        axes.set_title(f"{display.parameters[study]},{between}{title}" if first else title)
    if (results["searched"] == "yes").any():
        panels[-1].plot([], [], "o", color=INK, mfc="white", label="hollow: seen by the search")
    letter_panels(panels)
    legend_below(figure)
    if near:
        note(figure, f"Largest differences without a panel: {'; '.join(near)}.")
    return figure


def _panels(
    studies: Mapping[str, pd.DataFrame], display: DisplayStyle
) -> tuple[list[tuple[str, str, pd.DataFrame]], list[str]]:
    """Return studies, titles and rows of the panels, and a text for each set without a panel."""
    drawn, near = [], []
    # If all sets are near, that of the largest difference is drawn.
    least = min(LINEAR_UP_TO, max(map(_farthest, studies.values())))
    for study, of_study in studies.items():
        said = []
        for (dataset, judgments), rows in of_study.groupby(PANEL, sort=False):
            title = display.datasets[str(dataset)] + ", unbiased" * (judgments == "unbiased")
            farthest = _farthest(rows)
            if farthest < least:
                # Two digits, never as a power of ten.
                largest = np.format_float_positional(farthest, precision=2, fractional=False)
                said.append(f"{title} ({short_number(largest)} %)")
            else:
                drawn.append((study, title, rows))
        if said:
            near.append(f"{display.parameters[study]}, {', '.join(said)}")
    return drawn, near


def _farthest(rows: pd.DataFrame) -> float:
    """Return the largest difference in per cent."""
    return float(100 * rows["relative_difference"].abs().max())


def printed_metric(metric: str) -> str:
    """Return the name of a mean over users, with its cut-off: MAP@100 for AP(depth=100)."""
    label = re.sub(r"\(depth=(\d+)\)$", r"@\1", metric)
    name, at, cutoff = label.partition("@")
    return NAMES_IN_PRINT.get(name, name) + at + cutoff


def _styles(metrics: list[str], display: DisplayStyle) -> dict[str, SeriesStyle]:
    """Return the style of each metric; metrics besides the papers' nine are in ink."""
    known = [metric for metric in metrics if plain_metric(metric) in display.metrics]
    styles = display.metric_styles(known)
    return {metric: styles.get(metric, SeriesStyle(INK, "x")) for metric in metrics}


def _best_first(rows: pd.DataFrame, metric: str) -> list[str]:
    first = rows[rows["metric"] == metric].drop_duplicates("system")
    ordered = first.sort_values("published", ascending=False, kind="stable")
    return list(dict.fromkeys([*ordered["system"], *rows["system"]]))


def _draw_marks(
    axes: Axes,
    rows: pd.DataFrame,
    styles: Mapping[str, SeriesStyle],
    heights: Mapping[str, int],
) -> None:
    here = [metric for metric in styles if (rows["metric"] == metric).any()]
    above = dict(
        zip(
            here,
            APART.get(len(here), 0.4) * np.linspace(0.5, -0.5, max(2, len(here))),
            strict=False,
        )
    )
    for metric in here:
        style = styles[metric]
        own = rows[(rows["metric"] == metric) & rows["relative_difference"].notna()]
        percent = np.clip(own["relative_difference"] * 100, -FARTHEST, FARTHEST)
        at = own["system"].map(heights) + above[metric]
        seen = own["searched"] == "yes"
        marks: dict[str, Any] = {"linestyle": "none", "marker": style.marker, "color": style.colour}
        if len(own):
            axes.plot([], [], label=metric, **marks)
        for chosen, face in ((seen, "white"), (~seen, style.colour)):
            axes.plot(
                percent[chosen],
                at[chosen],
                markersize=3,
                markeredgewidth=0.7,
                markerfacecolor=face,
                zorder=3,
                **marks,
            )


def _scale(axes: Axes, without: Sequence[int]) -> None:
    """Set the axis of differences, with its band."""
    axes.axvline(0, color="#999999", linewidth=0.6, zorder=1)
    axes.set_xlabel(f"Difference (%, log scale beyond {LINEAR_UP_TO:.0f})")
    axes.axvspan(-CLOSE, CLOSE, color="#EEEEEE", linewidth=0, zorder=0)
    axes.set_xscale("symlog", linthresh=LINEAR_UP_TO, linscale=0.5)
    axes.set_xlim(-1.3 * FARTHEST, 1.3 * FARTHEST)
    # A mark at each tick, and its number if there is space for it.
    names = [f"{tick}".replace("-", "\N{MINUS SIGN}") for tick in TICKS]
    shown = ["" if abs(tick) in without else name for tick, name in zip(TICKS, names, strict=True)]
    axes.set_xticks(TICKS, shown, fontsize=6.5)
    axes.xaxis.set_minor_locator(NullLocator())


def data_agreement(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the agreement with each set of published values, by metric.

    Optimal rankings are not systems and are left out. Columns: study; dataset; judgments; metric;
    searched (``yes`` if the searches for settings used the metric); systems (how many); tau
    (Kendall's tau-b between the published order and ours); median_difference and largest_difference
    (absolute relative differences); lists (the fewest that a value averages).
    """
    table = published_and_ours(inputs)
    table = table[~table["system"].str.startswith("optimal-")]
    rows = []
    for names, group in table.groupby(["study", "dataset", "judgments", "metric"], sort=False):
        differences = group["relative_difference"].abs()
        rows.append(
            {
                **dict(zip(["study", "dataset", "judgments", "metric"], names, strict=True)),
                "searched": "yes" if (group["searched"] == "yes").any() else "",
                "systems": len(group),
                "tau": float(kendall_tau_b(group["published"], group["ours"])[0, 0]),
                "median_difference": float(differences.median()),
                "largest_difference": float(differences.max()),
                "lists": int(group["lists"].min()),
            }
        )
    return pd.DataFrame(rows)


def tabulate_agreement(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per study, dataset, kind of judgments and metric."""
    texts = ("Values of", "Dataset", "Metric", "Seen by the search")
    numbers = ("Systems", "Kendall's tau", "Median (%)", "Largest (%)")
    rows = [
        (
            str(display.parameters[row["study"]]),
            display.datasets[row["dataset"]] + (", unbiased" * (row["judgments"] == "unbiased")),
            printed_metric(row["metric"]),
            row["searched"] or "no",
            str(row["systems"]),
            fixed(row["tau"], 3),
            fixed(100 * row["median_difference"], 2),
            fixed(100 * row["largest_difference"], 2),
        )
        for row in results.to_dict("records")
    ]
    return printed(display, texts, numbers, rows)
