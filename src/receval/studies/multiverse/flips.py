"""Which single change of a decision makes another system the winner: a page of sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.escaping import escape_markdown
from receval.multiverse.decisions import Configuration
from receval.multiverse.description import decision_title, describe, level_title
from receval.multiverse.verdicts import single_changes, with_verdicts
from receval.statistics.pairs import LEVEL
from receval.storage.files import real_values
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the starting configuration and all universes that are one decision away from it.

    Columns: decision, level (what was changed; empty for the start); then those of ``universes``.
    """
    from receval.storage.files import read_results

    return single_changes(read_results(inputs.results["universes"]))


def write(results: pd.DataFrame, display: DisplayStyle) -> str:
    """Return the page as Markdown, every sentence made from the results.

    The parameter ``pair`` of the artifact has the names of the two systems.
    """
    results = with_verdicts(results)
    first, second = (display.short_titles[name] for name in display.parameters["pair"])
    start, changes = results.iloc[0], results.iloc[1:]
    dataset = " and ".join(display.datasets.values())
    lines = [
        f"# {escape_markdown(display.title)}",
        "",
        f"*Starting point, on {dataset}.* {escape_markdown(describe(Configuration()))}",
        "",
        escape_markdown(_standing(start, first, second)),
        "",
        escape_markdown(_summary(start, changes, first, second)),
        "",
        *_flips(start, changes, first, second),
        *_table(results, first, second),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _standing(universe: pd.Series, first: str, second: str) -> str:
    """Say who is ahead in a universe, and how surely."""
    value, other = float(universe["value"]), float(universe["other_value"])
    if value == other:
        return f"There both systems have {value:.4f}."
    ahead, behind = (first, second) if value > other else (second, first)
    high, low = max(value, other), min(value, other)
    sure = "significantly" if universe["verdict"] != "tie" else "not significantly"
    return (
        f"There {ahead} is ahead of {behind}, {high:.4f} to {low:.4f}, {sure} ({_test(universe)})."
    )


def _test(universe: pd.Series) -> str:
    p, rejected = (float(number) for number in real_values(universe[["p_value", "rejected"]]))
    if p == p:
        return f"p = {p:.2g}"
    return f"{rejected:.0%} of the bootstrap samples reject"


def _winner(universe: pd.Series) -> int:
    difference = float(universe["difference"])
    return int(difference > 0) - int(difference < 0)


def _flipped(start: pd.Series, changes: pd.DataFrame) -> list[bool]:
    before = _winner(start)
    return [_winner(universe) * before < 0 for _, universe in changes.iterrows()]


def _summary(start: pd.Series, changes: pd.DataFrame, first: str, second: str) -> str:
    flipped = changes[_flipped(start, changes)]
    sure = flipped[flipped["verdict"] != "tie"]
    wins = {
        name: int((changes["verdict"] == side).sum())
        for name, side in ((first, "first"), (second, "second"))
    }
    counted = ", ".join(f"{name} in {number}" for name, number in wins.items())
    return (
        f"One decision is changed at a time (another aggregation brings its own test), in "
        f"{len(changes)} ways. "
        f"{_number(len(flipped))} of them put the other system ahead, {len(sure)} of these "
        f"significantly. Counting significant differences alone, the winner is {counted}, and "
        f"nobody in {int((changes['verdict'] == 'tie').sum())}."
    )


def _flips(start: pd.Series, changes: pd.DataFrame, first: str, second: str) -> Sequence[str]:
    flipped = changes[_flipped(start, changes)]
    if flipped.empty:
        return ["No single change puts the other system ahead.", ""]
    lines = ["Changes that put the other system ahead:", ""]
    for _, universe in flipped.iterrows():
        decision, level = str(universe["decision"]), str(universe["level"])
        text = (
            f"{decision_title(decision)}: {level_title(decision, str(start[decision]))} → "
            f"{level_title(decision, level)}. {_standing(universe, first, second)}"
        )
        lines.append(f"- {escape_markdown(text)}")
    return [*lines, ""]


def _table(results: pd.DataFrame, first: str, second: str) -> Sequence[str]:
    heading = ["Decision", "Changed to", first, second, "Difference", "p", "Winner"]
    winners = {"first": first, "second": second, "tie": "–"}
    rows = [
        f"| {' | '.join(heading)} |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for _, universe in results.iterrows():
        decision, level = str(universe["decision"]), str(universe["level"])
        names = (
            [decision_title(decision), level_title(decision, level)]
            if decision
            else ["(starting point)", ""]
        )
        p, rejected = (float(number) for number in real_values(universe[["p_value", "rejected"]]))
        cells = [
            *names,
            f"{float(universe['value']):.4f}",
            f"{float(universe['other_value']):.4f}",
            f"{float(universe['difference']):+.4f}",
            f"{p:.2g}" if p == p else f"({rejected:.0%})",
            winners[str(universe["verdict"])],
        ]
        rows.append(f"| {' | '.join(escape_markdown(cell) for cell in cells)} |")
    return [
        *rows,
        "",
        escape_markdown(
            f"Winner: with p < {LEVEL:g}, or, for the bootstrap, where most samples reject "
            "(their share in brackets)."
        ),
    ]


def _number(count: int) -> str:
    return "None" if count == 0 else str(count)
