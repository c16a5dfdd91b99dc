# SPDX-License-Identifier: MIT
"""Figure 3: steepness and agreement of two functions over a pair of items."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.line_labels import label_lines
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure, short_number
from reproduction.studies._shared.inputs import ArtifactInputs

CASES = {
    # f and g over the items a and b, from the caption of the paper's figure. Cases 1 and 3 have the
    # same maximum and a larger difference of f; cases 2 and 4 have the same difference and a larger
    # maximum of g.
    1: ((3, 1), (3, 2)),
    2: ((2, 1), (3, 2)),
    3: ((3, 1), (2, 3)),
    4: ((2, 1), (2, 3)),
}
ITEMS = ("a", "b")
FUNCTION_STYLES = {"f": (INK, "o", "-"), "g": ("#7A7A7A", "s", "--")}
"""Colour, marker and dash of each function; neither is a system or a metric."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the functions f and g in four cases, and how they compare.

    Columns: case; function (f, g); of_a, of_b (its values); decrement_rate (equation 11); steeper
    (yes for the steeper one of the two); agreement (whether f and g agree or disagree).
    """
    from receval.theory.item_pairs import agree, decrement_rate, is_steeper

    rows = []
    for case, (f, g) in CASES.items():
        for name, values, other in (("f", f, g), ("g", g, f)):
            rows.append(
                {
                    "case": f"({case})",
                    "function": name,
                    "of_a": values[0],
                    "of_b": values[1],
                    "decrement_rate": float(decrement_rate(*values)),
                    "steeper": "yes" if is_steeper(*values, *other) else "no",
                    "agreement": "agree" if agree(*f, *g) else "disagree",
                }
            )
    return pd.DataFrame(rows)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw both functions over the two items, with one panel per case."""
    cases = list(dict.fromkeys(results["case"]))
    figure = new_figure(DOUBLE_COLUMN, 2.1)
    panels = figure.subplots(1, len(cases), sharey=True, squeeze=False)[0]
    for axes, case in zip(panels, cases, strict=True):
        _draw_case(axes, results[results["case"] == case].set_index("function"))
        verdict = results.loc[results["case"] == case, "agreement"].iloc[0]
        axes.set_title(f"{case} $f$ and $g$ {verdict}")
    panels[0].set_ylabel("Value of the function")
    panels[0].set_ylim(0, 3.4)
    panels[0].set_yticks([0, 1, 2, 3])
    label_lines(panels)
    return figure


def _draw_case(axes: Axes, functions: pd.DataFrame) -> None:
    rates = []
    for name, (colour, marker, line) in FUNCTION_STYLES.items():
        function = functions.loc[name]
        axes.plot(
            (0, 1),
            function[["of_a", "of_b"]].astype(float),
            color=colour,
            marker=marker,
            linestyle=line,
            label=f"${name}$",
            clip_on=False,
        )
        rate = short_number(f"{function['decrement_rate']:.2f}")
        rates.append(f"$\\mathrm{{dr}}_{{a,b}}\\,{name}$ = {rate}")
    axes.text(0.5, 0.06, "\n".join(rates), transform=axes.transAxes, ha="center", fontsize=7)
    axes.set_xlim(-0.25, 1.1)
    axes.set_xticks([0, 1], ITEMS)
    axes.set_xlabel("Item")
