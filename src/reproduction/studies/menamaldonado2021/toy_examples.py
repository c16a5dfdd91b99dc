# SPDX-License-Identifier: MIT
"""Toy examples side by side: a matrix, the counts in it, and the consequences for metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.style import DOUBLE_COLUMN, new_figure, short_number
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.toy_matrices import (
    ODDS,
    ToyMatrix,
    cell_rows,
    probability_rows,
    ranking_function_rows,
    steepness_rows,
    value_rows,
)
from reproduction.studies.menamaldonado2021.fig02 import (
    FORMULAS,
    blank,
    draw_lines,
    draw_matrix,
    key_to_cells,
    print_verdict,
)

WIDTH = 13.0
"""Width of a panel, in units of a cell of the matrix."""

CENTRES = (6.6, 9.1, 11.8)
"""Positions of the columns of the small tables below the matrix."""

RANKING_LABELS = ("<a,b>", "<b,a>")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cells of the examples, and everything that the paper says about them.

    Parameters of the artifact: those of :func:`marks_of`; ``compared`` (probabilities,
    :data:`.PROBABILITIES`, whose steepness is compared with that of the odds of popularity);
    ``kinds`` (``observed`` and ``real``: which values of the metrics are computed). Values are
    averaged over the users with a test rating; the real ones know the relevance of all pairs
    outside of train.

    Columns: example; quantity; item (a, b, or a,b for the pair); user; ranking; fraction (as
    counted); number.
    """
    compared, kinds = inputs.parameters["compared"], inputs.parameters["kinds"]
    tables = []
    for name, marks in marks_of(inputs.parameters).items():
        matrix = ToyMatrix.mirrored(marks)
        rows = [
            *cell_rows(matrix),
            *probability_rows(matrix, dict.fromkeys(["p(train|i)", *compared])),
            *steepness_rows(matrix, compared),
            *ranking_function_rows(matrix, kinds),
            *value_rows(matrix, kinds),
        ]
        table = pd.DataFrame(rows)
        table.insert(0, "example", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def marks_of(parameters: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the marks (:data:`.MARKS`) of the two items of each example, by its name.

    They are those of the users in train; the users in test have the same.

    Parameters
    ----------
    parameters : mapping
        With ``examples`` (their names) and, aligned with it, ``marks_of_a`` and ``marks_of_b``.
    """
    aligned = (parameters[name] for name in ("examples", "marks_of_a", "marks_of_b"))
    return {name: {"a": of_a, "b": of_b} for name, of_a, of_b in zip(*aligned, strict=True)}


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per example, with the parameters of :func:`data`."""
    compared, kinds = display.parameters["compared"], display.parameters["kinds"]
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
        for line in _verdicts(agreements, kinds):
            below = print_verdict(axes, below, line)
    key_to_cells(figure)
    return figure


def _verdicts(agreements: Mapping[str, float], kinds: Sequence[str]) -> Sequence[str]:
    """Say whether each metric is consistent with its real values, or whether the metrics agree."""
    if "real" not in kinds:
        agree = agreements["observed P@1, observed antiP@1"] > 0
        return [f"The two metrics {'agree' if agree else 'disagree'}."]
    lines = []
    for metric, title in (("P", "precision"), ("antiP", "anti-precision")):
        consistent = agreements[f"observed {metric}@1, real {metric}@1"] > 0
        lines.append(f"Observed {title} is {'' if consistent else 'not '}consistent.")
    return lines


def _print_functions(
    axes: Axes, rows: pd.DataFrame, names: list[str], kinds: Sequence[str], top: float
) -> float:
    results = rows.set_index(["quantity", "item"])["number"]
    fractions = rows.set_index(["quantity", "item"])["fraction"]
    printed: list[tuple[str, ...]] = [("", "$a$", "$b$", r"$\mathrm{dr}_{a,b}$")]
    functions = [f"phi of {kind} {metric}" for kind in kinds for metric in ("P", "antiP")]
    for name in (*names, *functions):
        of_items = [
            fractions[name, item] or short_number(f"{results[name, item]:.3g}")
            for item in ("a", "b")
        ]
        rate = results.get((f"decrement rate: {name}", "a,b"))
        shown = "" if rate is None else short_number(f"{rate:.2f}")
        printed.append((FORMULAS[name], *(text.replace("-", "−") for text in of_items), shown))
    return draw_lines(axes, printed, CENTRES, top)


def _print_values(axes: Axes, rows: pd.DataFrame, kinds: Sequence[str], top: float) -> float:
    values = rows.set_index(["quantity", "ranking"])
    printed: list[tuple[str, ...]] = [
        ("", *(FORMULAS[ranking] for ranking in RANKING_LABELS), "better")
    ]
    for metric, sign in (("P", 1), ("antiP", -1)):
        for kind in kinds:
            name = f"{kind} {metric}@1"
            one, other = (sign * values["number"][name, ranking] for ranking in RANKING_LABELS)
            better = "same" if one == other else FORMULAS[RANKING_LABELS[0 if one > other else 1]]
            fractions = (values["fraction"][name, ranking] for ranking in RANKING_LABELS)
            printed.append((FORMULAS[name], *fractions, better))
    return draw_lines(axes, printed, CENTRES, top)
