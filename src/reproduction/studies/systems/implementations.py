# SPDX-License-Identifier: MIT
"""The same algorithm with the same hyper-parameters in several packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from reproduction.studies._shared.figures.published_marks import PUBLISHED_GREY
from reproduction.studies._shared.inputs import ArtifactInputs

MARKS = {
    "receval": (INK, "o"),
    "implicit": ("#808080", "s"),
    "scikit-learn": ("#808080", "^"),
    "LibRec": (PUBLISHED_GREY, "D"),
}
"""Marker and grey of each package, since hues mean systems. LibRec's values are
published ones, and hollow like these everywhere."""

PACKAGES = tuple(MARKS)
"""Packages in the order of the legend."""

APART = {"receval": -0.2, "implicit": 0.05, "scikit-learn": 0.05, "LibRec": 0.2}
"""Offset in rows between the marks of an algorithm, so that they do not hide each other."""

APART_IF_EXACT = 0.2

ROW_HEIGHT = 0.24
"""Height in inches of an algorithm."""

KEYS = ["algorithm", "system", "package", "metric"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of every algorithm in all packages, and the overlap of their lists.

    The parameter ``algorithms`` names further parameters, each of which lists the systems that
    should compute the same, with receval's first. ``published_systems`` are receval's systems with
    published values for LibRec, with other hyper-parameters.

    Columns: algorithm; system; package (whose implementation); dataset; split; fold (its number, or
    ``mean`` over the folds of all splits, which have the same folds with other seeds); metric (of
    the parameters, or ``overlap@10``: the share of the list that is also in receval's list, or for
    receval's own system in its list with the next seed); value; half_interval (of the means: half
    the 95 % interval over seeds on fixed folds; empty for a single seed, and for receval's overlap
    with itself, whose pairs of seeds are not independent); difference (of value from receval's on
    the same fold and split); half_interval_of_difference; lists (how many the value averages; empty
    if published). Cells that do not apply are empty.
    """
    from reproduction.studies.systems._shared.package_values import values_of_packages, with_means

    return with_means(values_of_packages(inputs), KEYS)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per metric, with one row per algorithm and one mark per package."""
    means = results[results["fold"] == "mean"]
    # Coverage is about 1 everywhere; the results table has it.
    labels = dict.fromkeys(means["metric"])
    shown = [label for label in labels if not label.startswith("Coverage")]
    algorithms = list(dict.fromkeys(results["algorithm"]))
    figure = new_figure(DOUBLE_COLUMN, 1.1 + ROW_HEIGHT * len(algorithms))
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for axes, label in zip(panels, shown, strict=True):
        _panel(axes, means[means["metric"] == label], algorithms)
        overlap = label.startswith("overlap")
        what, right = ("Share", "more alike") if overlap else (label, "better")
        axes.set_xlabel(f"{what} ({right} \N{RIGHTWARDS ARROW})")
        named = f", {' and '.join(display.datasets.values())}" * (label == shown[0])
        axes.set_title("In receval's list" if overlap else label + named)
    titles = [display.titles.get(algorithm, algorithm) for algorithm in algorithms]
    panels[0].set_yticks(range(len(algorithms)), titles)
    panels[0].set_ylim(len(algorithms) - 0.5, -0.5)
    for package in PACKAGES:
        if (means["package"] == package).any():
            published = " (published)" * (package == "LibRec")
            panels[0].plot([], [], label=package + published, **_mark(package))
    exact = means[means["system"].str.endswith("-exact")]
    for package in dict.fromkeys(exact["package"]):
        mark = _mark(str(package), hollow=True)
        panels[0].plot([], [], label=f"{package}, exact solver", **mark)
    letter_panels(panels)
    legend_below(figure)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, algorithms: Sequence[str]) -> None:
    for height, algorithm in enumerate(algorithms):
        own = rows[rows["algorithm"] == algorithm]
        for row in own.to_dict("records"):
            package = str(row["package"])
            exact = str(row["system"]).endswith("-exact")
            half = pd.to_numeric(row["half_interval"], errors="coerce")
            axes.errorbar(
                float(row["value"]),
                height + APART[package] + APART_IF_EXACT * exact,
                xerr=None if np.isnan(half) else half,
                elinewidth=0.8,
                capsize=1.5,
                **_mark(package, hollow=exact),
            )
    for between in range(1, len(algorithms)):
        axes.axhline(between - 0.5, color="#DDDDDD", linewidth=0.5, zorder=0)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _mark(package: str, *, hollow: bool = False) -> Mapping[str, Any]:
    colour, marker = MARKS[package]
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 3.5,
        "color": colour,
        "markerfacecolor": "white" if hollow or package == "LibRec" else colour,
    }
