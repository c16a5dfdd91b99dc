# SPDX-License-Identifier: MIT
"""Orders of systems under splits that ignore time and under splits that respect it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.values_by_split import (
    RANDOM,
    SPLIT_TITLES,
    in_order,
    systems_by_split,
    taus_between_folds,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means of all systems under all splits of the same ratings, by fold.

    Means are over the users with both training and test ratings. Others have no ratings to learn
    from, and a time cut leaves many of them.

    Parameters of the artifact: ``names`` and ``metrics``; those of :func:`.tested_by`; ``shown``,
    the metric that is drawn.

    Columns: dataset; protocol; split; tested (which ratings test); fold; metric; system; value;
    users (how many are averaged).
    """
    from receval.metrics.registry import parse_named

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    tables = [
        pd.DataFrame(
            {
                "dataset": split.dataset,
                "protocol": split.protocol,
                "split": split.split,
                "tested": split.tested,
                "fold": number,
                "metric": name,
                "system": compared.systems,
                "value": fold[index].mean(axis=1),
                "users": fold.shape[-1],
            }
        )
        for compared in systems_by_split(inputs, metrics)
        for split in compared.splits
        for number, fold in enumerate(split.folds)
        for index, name in enumerate(metrics)
    ]
    return pd.concat(tables, ignore_index=True)


def taus_with_random(results: pd.DataFrame) -> dict[str, float]:
    """Return the mean tau with a random fold, by split; for random splits, between two folds."""
    tables = {
        str(tested): own.pivot_table("value", "fold", "system", sort=False).to_numpy()
        for tested, own in results.groupby("tested")
    }
    own = tables[RANDOM]
    return {
        tested: float(taus_between_folds(own, other, same_split=tested == RANDOM).mean())
        for tested, other in tables.items()
        if tested != RANDOM or len(own) > 1
    }


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the position of every system, one panel per dataset and protocol."""
    from receval.figures.finish import letter_panels
    from receval.figures.line_labels import label_lines
    from receval.figures.style import DOUBLE_COLUMN, new_figure

    shown = results[results["metric"] == display.parameters["shown"]]
    panels = [own for _, own in shown.groupby(["dataset", "protocol"], sort=False)]
    rows = [panels[start : start + 2] for start in range(0, len(panels), 2)]
    figure = new_figure(DOUBLE_COLUMN, 3.4 * len(rows))
    drawn = []
    # The width is in proportion to the number of splits, whose names must fit.
    for part, row in zip(figure.subfigures(len(rows), 1, squeeze=False)[:, 0], rows, strict=True):
        widths = [own["tested"].nunique() + 1 for own in row]
        grid = part.subplots(1, len(row), squeeze=False, width_ratios=widths)[0]
        for axes, own in zip(grid, row, strict=True):
            _draw_places(axes, own, display)
        grid[0].set_ylabel(f"Place by mean {display.parameters['shown']}")
        drawn += list(grid)
    letter_panels(drawn)
    label_lines(drawn)
    return figure


def _draw_places(axes: Axes, results: pd.DataFrame, display: DisplayStyle) -> None:
    from receval.figures.curves import line

    tested = in_order(results["tested"])
    means = results.pivot_table("value", "tested", "system", sort=False)
    places = means.loc[tested].rank(axis=1, ascending=False, method="average")
    styles = display.styles(places.columns)
    for system in places:
        line(
            axes,
            np.arange(len(tested)),
            places[system],
            styles[str(system)],
            display.short_titles[str(system)],
        )
    taus = taus_with_random(results)
    axes.set_xticks(
        range(len(tested)),
        [
            f"{SPLIT_TITLES[name]}\n$\\tau$ {two_decimals(taus[name])}"
            if name in taus
            else SPLIT_TITLES[name]
            for name in tested
        ],
    )
    axes.set_xlim(-0.15, len(tested) - 0.85)
    n_systems = places.shape[1]
    axes.set_ylim(n_systems + 0.6, 0.4)
    axes.set_yticks([1, *range(5, n_systems + 1, 5)])
    axes.grid(visible=False, axis="x")
    axes.set_title(f"{display.datasets[str(results['dataset'].iloc[0])]}, {n_systems} systems")
