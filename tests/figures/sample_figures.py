# SPDX-License-Identifier: MIT
"""Figures like those of the studies; as a program, it saves the named ones into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.curves import cumulative_curve, line, plain_numbers
from receval.figures.finish import legend_below, note, save_figure, settle_layout
from receval.figures.point_labels import PointLabel, label_points
from receval.figures.specification_curve import Decision, MarkedUniverse, specification_curve
from receval.figures.style import (
    DOUBLE_COLUMN,
    SINGLE_COLUMN,
    figure_style,
    new_figure,
    series_styles,
)
from reproduction.studies._shared.bars import grouped_bars, stacked_shares
from reproduction.studies.multiverse.explained import triangle

SYSTEMS = ("pLSA", "MF", "kNN", "Popularity", "Random", "kNN (ranking)", "WRMF")
EXTRA = SYSTEMS[5:]
ABSENT = "Absent: Netflix, Last.fm 1K (README: how to get the datasets). " * 3


def bars() -> Figure:
    """Return panels of bars: configuration by system, with confidence intervals."""
    protocols = {"ar": "AR\nTI-AN", "ai": "AR\nAI-AN", "1r": "1R\nTI-NN"}
    frame = pd.DataFrame(
        [
            {"protocol": protocol, "system": system, "value": 0.15 - 0.02 * i, "half": 0.005}
            for protocol in protocols
            for i, system in enumerate(SYSTEMS)
        ]
    )
    frame.loc[3, "value"] = np.nan
    figure = new_figure(DOUBLE_COLUMN, 2.6)
    for axes, title in zip(figure.subplots(1, 2), ("MovieLens 1M", "CM100k"), strict=True):
        grouped_bars(
            axes,
            frame,
            group="protocol",
            series="system",
            value="value",
            error="half",
            styles=series_styles(SYSTEMS, EXTRA),
            group_labels=protocols,
        )
        axes.set_title(title)
        axes.set_ylabel("P@10")
    legend_below(figure)
    note(figure, ABSENT)
    return figure


def popularity() -> Figure:
    """Return one line in a single column."""
    figure = new_figure(SINGLE_COLUMN, 2.2)
    axes = figure.subplots()
    ranks = np.arange(18, 3706, 37)
    line(axes, ranks, 0.3 - 5e-5 * ranks, series_styles(["ratio"])["ratio"], error=ranks / 1e5)
    axes.set_xlabel("Popularity rank")
    axes.set_ylabel("Ratio of positive ratings")
    plain_numbers(axes.xaxis)
    note(figure, ABSENT)
    return figure


def distributions() -> Figure:
    """Return two panels of cumulative distributions."""
    figure = new_figure(DOUBLE_COLUMN, 2.4)
    styles = series_styles(["MovieLens 1M", "Netflix"])
    values = np.unique(np.geomspace(1, 20_000, 80).round())
    for axes, side in zip(figure.subplots(1, 2, sharey=True), ("user", "item"), strict=True):
        for shift, (name, style) in enumerate(styles.items()):
            shares = values**1.2 / (values**1.2 + 200 * (1 + shift))
            cumulative_curve(axes, values, shares, style, name)
        axes.set_xlabel(f"Ratings per {side}")
    figure.axes[0].set_ylabel("Cumulative share")
    note(figure, "Absent: Netflix (see README)")
    legend_below(figure)
    return figure


def named_points() -> Figure:
    """Return panels of points with their names, some in a knot and some at the edges."""
    figure = new_figure(DOUBLE_COLUMN, 2.6)
    panels = figure.subplots(1, 2)
    points = np.random.default_rng(5).random((2, 12, 2))
    points[0, :8] = 0.6 + 0.03 * points[0, :8]
    for axes, own in zip(panels, points, strict=True):
        axes.plot(*own.T, linestyle="none", marker="o", markersize=4.5)
        axes.set(xlabel="antiP@10", ylabel="P@10", xlim=(0, 1), ylim=(0, 1))
    note(figure, ABSENT)
    settle_layout(figure)
    for axes, own in zip(panels, points, strict=True):
        labels = [PointLabel(x, y, f"System {place}") for place, (x, y) in enumerate(own.tolist())]
        label_points(axes, labels, 4.5)
    return figure


def multiverse(n_universes: int = 400, shift: float = 0.0, marked: int = 0) -> Figure:
    """Return a specification curve in which the first decision matters and the second does not."""
    generator = np.random.default_rng(8)
    levels = {
        "A1 Data selection": ("all ratings", "users with 20 ratings", "half of the ratings"),
        "B1 Split": ("random", "temporal"),
        "C1 Cut-off": ("10",),
    }
    decisions = [
        Decision(title, titles, generator.integers(0, len(titles), n_universes))
        for title, titles in levels.items()
    ]
    values = generator.normal(size=n_universes) / 4 + (decisions[0].codes - 1) / 2 + shift
    figure = specification_curve(
        values,
        np.where(np.abs(values) < 0.3, 0, np.sign(values)),
        decisions,
        first="Item-based kNN",
        second="WRMF",
        value_label="Difference $d_z$",
        marked=MarkedUniverse(marked, "the paper's starting point"),
    )
    note(figure, ABSENT)
    return figure


def verdicts() -> Figure:
    """Return stacked shares of three pairs of systems."""
    figure = new_figure(SINGLE_COLUMN, 1.4)
    axes = figure.subplots()
    shares = [[0.2, 0.7, 0.1], [0.5, 0.0, 0.5], [np.nan] * 3]
    titles = ("first wins", "neither does", "second wins")
    stacked_shares(axes, shares, SYSTEMS[:3], SYSTEMS[3:6], titles, least=0.1)
    axes.set_xlabel("Share of the universes (%)")
    legend_below(figure)
    return figure


def explained() -> Figure:
    """Return the explained variance of eight decisions."""
    figure = new_figure(SINGLE_COLUMN, 3)
    names = [f"{letter}{number} Decision" for letter in "ABCD" for number in (1, 2)]
    remainders = {"alone": 0.7, "pairs": 0.2, "overlap": -0.01, "beyond pairs": 0.11}
    shares = np.linspace(0, 0.2, 36)
    squares = triangle(figure.subplots(), names, shares[28:], shares[:28], remainders)
    figure.colorbar(squares, ax=figure.axes, label="Explained variance (%)", shrink=0.6)
    return figure


SAMPLES = {
    "bars": bars,
    "popularity": popularity,
    "distributions": distributions,
    "named_points": named_points,
    "multiverse": multiverse,
    "verdicts": verdicts,
    "explained": explained,
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        with figure_style():
            drawn = SAMPLES[name]()
        save_figure(drawn, folder / f"{name}.svg", folder / f"{name}.pdf")
