# SPDX-License-Identifier: MIT
"""Which system wins, by the level of each decision, and which changes of one decision flip it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle, p_value_text
from receval.figures.finish import legend_below
from receval.figures.printed_numbers import fixed, in_text, p_value, significant
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.figures.tables import escape_markdown, printed, to_markdown
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.description import NO_DIFFERENCE, decision_title, describe, level_title
from receval.multiverse.verdicts import single_changes, verdict_shares, with_verdicts
from receval.statistics.pairs import LEVEL
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.bars import ROW_HEIGHT, stacked_shares
from reproduction.studies._shared.inputs import ArtifactInputs

LEAST = 0.09
"""Smaller parts have no space for their number."""

TITLE_HEIGHT, SURROUNDINGS_HEIGHT = 0.25, 0.6
"""Inches of the title of a panel, and of the margins around the panels."""


def data_shares(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw_shares(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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


def data_flips(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the starting configuration and all universes that differ in one decision.

    Columns: decision, level (what was changed; empty for the start); then those of ``universes``.
    """
    return single_changes(read_results(inputs.results["universes"]))


def write_flips(results: pd.DataFrame, display: DisplayStyle) -> str:
    """Return the page as Markdown, with all sentences made from the results.

    The parameter ``pair`` of the artifact has the names of the two systems.
    """
    results = with_verdicts(results)
    first, second = (display.short_titles[name] for name in display.parameters["pair"])
    start, changes = results.iloc[0], results.iloc[1:]
    dataset = " and ".join(display.datasets.values())
    lines = [
        f"# {escape_markdown(display.title)}",
        "",
        f"*Starting point, on {dataset}.* {escape_markdown(in_text(describe(Configuration())))}",
        "",
        escape_markdown(_standing(start, first, second)),
        "",
        escape_markdown(_summary(start, changes, first, second)),
        "",
        *_flips(start, changes, first, second),
        _table(results, display, first, second),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _standing(universe: pd.Series, first: str, second: str) -> str:
    """Say which system is ahead in a universe, and how surely."""
    value, other = float(universe["value"]), float(universe["other_value"])
    if value == other:
        return f"There both systems have {significant(value)}."
    ahead, behind = (first, second) if value > other else (second, first)
    high, low = max(value, other), min(value, other)
    sure = "significantly" if universe["verdict"] != "tie" else "not significantly"
    values = f"{significant(high)} to {significant(low)}"
    return f"There {ahead} is ahead of {behind}, {values}, {sure} ({_test(universe)})."


def _test(universe: pd.Series) -> str:
    p, rejected = (float(number) for number in real_values(universe[["p_value", "rejected"]]))
    if p == p:
        return p_value_text(p)
    return f"{fixed(100 * rejected, 0)} % of the bootstrap samples reject"


def _winner(universe: pd.Series) -> int:
    difference = float(universe["difference"])
    return int(difference > 0) - int(difference < 0)


def _flipped(start: pd.Series, changes: pd.DataFrame) -> list[bool]:
    before = _winner(start)
    return [_winner(universe) * before < 0 for _, universe in changes.iterrows()]


def _summary(start: pd.Series, changes: pd.DataFrame, first: str, second: str) -> str:
    """Summarise how many changes put the other system ahead, and how many each system wins."""
    flipped = changes[_flipped(start, changes)]
    sure = int((flipped["verdict"] != "tie").sum())
    ahead = "None of them puts the other system ahead."
    if len(flipped):
        verb = "puts" if len(flipped) == 1 else "put"
        surely = f"{sure or 'none'} of these significantly"
        if len(flipped) == sure <= 2:
            surely = ("significantly", "both significantly")[sure - 1]
        ahead = f"{len(flipped)} of them {verb} the other system ahead, {surely}."
    counts = {
        f"{first} wins": int((changes["verdict"] == "first").sum()),
        f"{second} wins": int((changes["verdict"] == "second").sum()),
        f"there is {NO_DIFFERENCE}": int((changes["verdict"] == "tie").sum()),
    }
    everywhere = "all " if max(counts.values()) == len(changes) else ""
    verdicts = [f"{what} in {everywhere}{number}" for what, number in counts.items() if number]
    return (
        f"One decision is changed at a time (another aggregation brings its own test), in "
        f"{len(changes)} ways. {ahead} Counting significant differences alone, "
        f"{' and '.join(filter(None, [', '.join(verdicts[:-1]), verdicts[-1]]))}."
    )


def _flips(start: pd.Series, changes: pd.DataFrame, first: str, second: str) -> Sequence[str]:
    flipped = changes[_flipped(start, changes)]
    if flipped.empty:
        return []
    lines = ["Changes that put the other system ahead:", ""]
    for _, universe in flipped.iterrows():
        decision, level = str(universe["decision"]), str(universe["level"])
        text = (
            f"{decision_title(decision)}: {level_title(decision, str(start[decision]))} → "
            f"{level_title(decision, level)}. {_standing(universe, first, second)}"
        )
        lines.append(f"- {escape_markdown(in_text(text))}")
    return [*lines, ""]


def _table(results: pd.DataFrame, display: DisplayStyle, first: str, second: str) -> str:
    """Return all universes as a table, with the winner first."""
    texts = ("Winner", "Decision", "Changed to")
    numbers = (first, second, "Difference", "p")
    winners = {"first": first, "second": second, "tie": NO_DIFFERENCE}
    rows = []
    for _, universe in results.iterrows():
        decision, level = str(universe["decision"]), str(universe["level"])
        names = (
            [decision_title(decision), in_text(level_title(decision, level))]
            if decision
            else ["(starting point)", ""]
        )
        p, rejected = (float(number) for number in real_values(universe[["p_value", "rejected"]]))
        rows.append(
            [
                winners[str(universe["verdict"])],
                *names,
                significant(float(universe["value"])),
                significant(float(universe["other_value"])),
                significant(float(universe["difference"]), signed=True),
                p_value(p) if p == p else f"({fixed(100 * rejected, 0)} %)",
            ]
        )
    note = (
        f"Winner: with p < {fixed(LEVEL, 2)}, or, for the bootstrap, where most samples reject "
        "(their share in brackets)."
    )
    # The text of the page already gives its title and datasets.
    untitled = replace(display, title="", caption="", absence="")
    return to_markdown(printed(untitled, texts, numbers, rows, [note]))
