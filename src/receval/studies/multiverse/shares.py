"""In how many universes each system wins, by the levels of every decision."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.bars import ROW_HEIGHT, stacked_shares
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import SINGLE_COLUMN, new_figure
from receval.multiverse.decisions import DECISION_NAMES
from receval.multiverse.description import decision_title, level_title
from receval.multiverse.verdicts import verdict_shares, with_verdicts
from receval.storage.files import read_results
from receval.studies._shared.inputs import ArtifactInputs

TITLE_HEIGHT, SURROUNDINGS_HEIGHT = 0.27, 0.6
"""Inches of the title of a panel, and of what is around the panels."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the shares of universes that each system wins significantly, of all and by level.

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
    """Draw a bar for all universes, and a panel for each decision with a bar for each level."""
    first, second = (display.short_titles[name] for name in display.parameters["pair"])
    groups = list(results.groupby("decision", sort=False))
    heights = [len(group) for _, group in groups]
    height = ROW_HEIGHT * sum(heights) + TITLE_HEIGHT * len(groups) + SURROUNDINGS_HEIGHT
    figure = new_figure(1.5 * SINGLE_COLUMN, height)
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=heights)
    for axes, (name, group) in zip(panels[:, 0], groups, strict=True):
        decision = str(name)
        stacked_shares(
            axes,
            group[["first", "tie", "second"]],
            [level_title(decision, level) if decision else "all" for level in group["level"]],
            [f"{total:,}" for total in group["universes"]],
            (f"{first} wins", "neither", f"{second} wins"),
        )
        axes.set_title(decision_title(decision) if decision else "Worlds")
        axes.tick_params(axis="x", length=0)
    axes.set_xlabel("Share of the worlds, whose number is on the right")
    legend_below(figure)
    return figure
