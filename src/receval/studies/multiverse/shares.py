"""In how many worlds each system wins, by the levels of every decision."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.legend import legend_below
from receval.figures.stacked_shares import stacked_shares
from receval.figures.style import SINGLE_COLUMN, new_figure
from receval.studies.decision_titles import decision_title, level_title
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.numbers import read_numbers

BAR_HEIGHT, SURROUNDINGS_HEIGHT = 0.16, 0.9
"""Inches of a bar, and of what is around them."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the worlds that each system wins significantly, all and by level.

    Columns: decision and level (empty for all worlds); first, tie, second (numbers of worlds).
    """
    from receval.studies.world_verdicts import DECISION_NAMES, verdict_counts

    worlds = read_numbers(inputs.numbers["worlds"])
    rows: list[dict[str, object]] = [{"decision": "", "level": "", **verdict_counts(worlds)}]
    for decision in DECISION_NAMES:
        rows += [
            {"decision": decision, "level": level, **verdict_counts(of_level)}
            for level, of_level in worlds.groupby(decision, sort=False)
        ]
    return pd.DataFrame(rows)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw one bar for all worlds and one for each level of every decision."""
    first, second = (look.short_titles[name] for name in look.parameters["pair"])
    counts = numbers[["first", "tie", "second"]]
    figure = new_figure(1.5 * SINGLE_COLUMN, BAR_HEIGHT * len(numbers) + SURROUNDINGS_HEIGHT)
    axes = figure.subplots()
    stacked_shares(
        axes,
        counts.div(counts.sum(axis=1), axis=0),
        [_title(row["decision"], row["level"]) for row in numbers.to_dict("records")],
        [f"{total:,}" for total in counts.sum(axis=1)],
        (f"{first} wins", "neither", f"{second} wins"),
    )
    axes.set_xlabel("Share of the worlds (their number on the right)")
    legend_below(figure)
    return figure


def _title(decision: str, level: str) -> str:
    if not decision:
        return "All worlds"
    return f"{decision_title(decision).partition(' ')[0]} {level_title(decision, level)}"
