"""Toy examples side by side: a matrix, what is counted in it, and what follows for the metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.studies.menamaldonado2021._shared.toy_drawing import (
    FORMULAS,
    blank,
    draw_lines,
    draw_matrix,
    key_to_cells,
    print_verdict,
)
from receval.studies.menamaldonado2021._shared.toy_numbers import ODDS

WIDTH = 13.0
"""Of a panel, where a cell of the matrix is 1."""

PLACES = (6.6, 9.1, 11.8)
RANKINGS = ("<a,b>", "<b,a>")


def draw_examples(
    results: pd.DataFrame,
    compared: Sequence[str],
    kinds: Sequence[str],
    verdicts: Callable[[Mapping[str, float]], Sequence[str]],
) -> Figure:
    """Draw a panel for each example.

    Parameters
    ----------
    results : DataFrame
        From :func:`.example_numbers`, with the same ``compared`` and
        ``kinds``.
    compared, kinds : sequence of str
    verdicts : callable
        Takes by name whether two things agree (1), disagree (-1) or neither (0), and returns the
        lines that are printed of it.
    """
    examples = list(dict.fromkeys(results["example"]))
    names = dict.fromkeys(["p(train|i)", ODDS, *compared])
    lines = 7.5 + len(names) + 5 * len(kinds)
    figure = new_figure(DOUBLE_COLUMN, 0.45 + 0.155 * lines)
    panels = figure.subplots(1, len(examples), squeeze=False)[0]
    for axes, example in zip(panels, examples, strict=True):
        rows = results[results["example"] == example]
        blank(axes, WIDTH, lines)
        axes.set_title(f"Example {example}")
        below = draw_matrix(axes, rows, left=WIDTH - 10.1)
        below = _print_functions(axes, rows, list(names), kinds, below + 0.4)
        below = _print_values(axes, rows, kinds, below + 0.4)
        found = rows[rows["quantity"].str.startswith("agreement: ")]
        named = found["quantity"].str.removeprefix("agreement: ")
        agreements = dict(zip(named, found["number"], strict=True))
        below += 0.2
        for line in verdicts(agreements):
            below = print_verdict(axes, below, line)
    key_to_cells(figure)
    return figure


def _print_functions(
    axes: Axes, rows: pd.DataFrame, names: list[str], kinds: Sequence[str], top: float
) -> float:
    results = rows.set_index(["quantity", "item"])["number"]
    fractions = rows.set_index(["quantity", "item"])["fraction"]
    printed: list[tuple[str, ...]] = [("", "$a$", "$b$", r"$\mathrm{dr}_{a,b}$")]
    functions = [f"phi of {kind} {metric}" for kind in kinds for metric in ("P", "antiP")]
    for name in (*names, *functions):
        of_items = [fractions[name, item] or f"{results[name, item]:.3g}" for item in ("a", "b")]
        rate = results.get((f"decrement rate: {name}", "a,b"))
        shown = "" if rate is None else f"{rate:.2f}"
        printed.append((FORMULAS[name], *(text.replace("-", "−") for text in of_items), shown))
    return draw_lines(axes, printed, PLACES, top)


def _print_values(axes: Axes, rows: pd.DataFrame, kinds: Sequence[str], top: float) -> float:
    values = rows.set_index(["quantity", "ranking"])
    printed: list[tuple[str, ...]] = [("", *(FORMULAS[ranking] for ranking in RANKINGS), "better")]
    for metric, sign in (("P", 1), ("antiP", -1)):
        for kind in kinds:
            name = f"{kind} {metric}@1"
            one, other = (sign * values["number"][name, ranking] for ranking in RANKINGS)
            better = "same" if one == other else FORMULAS[RANKINGS[0 if one > other else 1]]
            fractions = (values["fraction"][name, ranking] for ranking in RANKINGS)
            printed.append((FORMULAS[name], *fractions, better))
    return draw_lines(axes, printed, PLACES, top)
