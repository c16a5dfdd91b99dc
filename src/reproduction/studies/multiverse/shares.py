# SPDX-License-Identifier: MIT
"""In how many universes each system wins, by the level of each decision."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.multiverse.decisions import DECISION_NAMES
from receval.multiverse.description import NO_DIFFERENCE, decision_title, level_title
from receval.multiverse.verdicts import verdict_shares, with_verdicts
from receval.storage.files import read_results
from reproduction.studies._shared.bars import ROW_HEIGHT, stacked_shares
from reproduction.studies._shared.inputs import ArtifactInputs

LEAST = 0.09
"""Smaller parts have no space for their number."""

TITLE_HEIGHT, SURROUNDINGS_HEIGHT = 0.25, 0.6
"""Inches of the title of a panel, and of the margins around the panels."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the shares of universes that each system wins significantly, in total and by level.

    Columns: decision and level (empty for all universes); universes (their number); first, tie,
    second (shares of the universes).
    """
    universes = with_verdicts(read_results(inputs.results["universes"]))
    groups = [("", "", universes)]
    for decision in DECISION_NAMES:
        groups += [
            (decision, str(level), own) for level, own in universes.groupby(decision, sort=False)
        ]
    return pd.DataFrame(
        {"decision": decision, "level": level, "universes": len(own), **verdict_shares(own)}
        for decision, level, own in groups
    )


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one bar for all universes and one panel per decision, in two columns."""
    pair = display.parameters["pair"]
    first, second = (display.short_titles[name] for name in pair)
    styles = display.styles(pair)
    dataset = " and ".join(display.datasets.values())
    columns = _columns(
        [(str(name), group) for name, group in results.groupby("decision", sort=False)]
    )
    height = max(map(_height, columns)) + SURROUNDINGS_HEIGHT
    figure = new_figure(DOUBLE_COLUMN, height)
    places = figure.add_gridspec(1, len(columns))
    for index, groups in enumerate(columns):
        heights = [len(group) for _, group in groups]
        grid = places[index].subgridspec(len(groups), 1, height_ratios=heights)
        for row, (decision, group) in enumerate(groups):
            axes = figure.add_subplot(grid[row, 0])
            stacked_shares(
                axes,
                group[["first", "tie", "second"]],
                [level_title(decision, level) if decision else "all" for level in group["level"]],
                [f"{total:,}" for total in group["universes"]],
                (f"{first} wins", NO_DIFFERENCE, f"{second} wins"),
                LEAST,
                [(styles[pair[0]].colour, styles[pair[1]].colour)] * len(group),
            )
            axes.set_title(decision_title(decision) if decision else f"All universes, {dataset}")
            axes.tick_params(axis="x", length=0, labelbottom=False)
            if row == 0:
                above = (3, 4)
                axes.annotate("universes", (1, 1), above, "axes fraction", "offset points")
        axes.tick_params(axis="x", labelbottom=True)
        axes.set_xlabel("Share of the universes (%)")
    legend_below(figure)
    return figure


def _columns(groups: list[tuple[str, pd.DataFrame]]) -> list[list[tuple[str, pd.DataFrame]]]:
    """Divide the panels in order into two columns of most similar heights."""
    if len(groups) == 1:
        return [groups]
    cuts = range(1, len(groups))
    cut = min(cuts, key=lambda cut: max(_height(groups[:cut]), _height(groups[cut:])))
    return [groups[:cut], groups[cut:]]


def _height(groups: list[tuple[str, pd.DataFrame]]) -> float:
    return sum(ROW_HEIGHT * len(group) + TITLE_HEIGHT for _, group in groups)
