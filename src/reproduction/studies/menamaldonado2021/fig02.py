# SPDX-License-Identifier: MIT
"""Figure 2: a toy example of ratings and relevance, with probabilities counted in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.toy_matrices import (
    PROBABILITIES,
    Row,
    ToyMatrix,
    cell_rows,
    fractions,
    probability_rows,
    row,
)

TOY = {"a": "+++-0", "b": "+010-"}
"""Marks (:data:`.MARKS`) of users u1 to u5; u6 to u10 have the same.

The rated pairs follow from the printed probabilities and from section 5 on u6, u7 and u8, except
for the two non-relevant ratings: these might be swapped between u4 and u5.
"""

PRINTED = (
    "p(rel|i)",
    "p(train|i)",
    "p(test|i)",
    "p(rel|train,i)",
    "p(rel|test,i)",
    "p(rel|not train,i)",
    "p(rel,test|i)",
    "p(train|rel,i)",
)
EXAMPLES = ("u6", "u7", "u8")
CUTOFF = 2


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cells of the toy example, its probabilities, and the values of three users.

    Columns: quantity (rated and relevant, 1 or 0, of each pair; a probability; observed or real P@2
    and antiP@2 of a ranking); item; user; ranking; fraction (as counted); number (its value). A
    probability without an item is for all pairs.

    Notes
    -----
    The values are those of section 5, which writes them with the cut-off 1 although halves are
    possible with two items only.
    """
    matrix = ToyMatrix.mirrored(TOY)
    total = matrix.probabilities.total
    rows: list[Row] = [*cell_rows(matrix), *probability_rows(matrix, PRINTED)]
    rows += [
        row(_without_item(quantity), fraction=fractions(total, PROBABILITIES[quantity])[0])
        for quantity in PRINTED
    ]
    for kind in ("observed", "real"):
        for metric, hits in matrix.values(matrix.items, CUTOFF, real=kind == "real").items():
            rows += [
                row(
                    f"{kind} {metric}@{CUTOFF}",
                    fraction=f"{hits[matrix.users.index(user)]}/{CUTOFF}",
                    user=user,
                    ranking=matrix.items,
                )
                for user in EXAMPLES
            ]
    return pd.DataFrame(rows)


def _without_item(quantity: str) -> str:
    return quantity.replace("|i)", ")").replace(",i)", ")")


# Drawing of toy examples: the matrix of ratings and relevance, and small tables below it.

RATED, UNRATED, GRID = "#9CCBEB", "white", "#8C8C8C"
TEXT_SIZE = 7
RULE = 0.15
"""Height in lines of the rule below a heading."""

FORMULAS = {
    "p(rel|i)": r"$p(\mathrm{rel}|i)$",
    "p(not rel|i)": r"$p(\neg\mathrm{rel}|i)$",
    "p(train|i)": r"$p(\mathrm{train}|i)$",
    "p(test|i)": r"$p(\mathrm{test}|i)$",
    "p(rel|train,i)": r"$p(\mathrm{rel}|\mathrm{train},i)$",
    "p(not rel|train,i)": r"$p(\neg\mathrm{rel}|\mathrm{train},i)$",
    "p(rel|test,i)": r"$p(\mathrm{rel}|\mathrm{test},i)$",
    "p(rel|not train,i)": r"$p(\mathrm{rel}|\neg\mathrm{train},i)$",
    "p(rel,test|i)": r"$p(\mathrm{rel},\mathrm{test}|i)$",
    "p(train|rel,i)": r"$p(\mathrm{train}|\mathrm{rel},i)$",
    "p(rel)": r"$p(\mathrm{rel})$",
    "p(train)": r"$p(\mathrm{train})$",
    "p(test)": r"$p(\mathrm{test})$",
    "p(rel|train)": r"$p(\mathrm{rel}|\mathrm{train})$",
    "p(rel|test)": r"$p(\mathrm{rel}|\mathrm{test})$",
    "p(rel|not train)": r"$p(\mathrm{rel}|\neg\mathrm{train})$",
    "p(rel,test)": r"$p(\mathrm{rel},\mathrm{test})$",
    "p(train|rel)": r"$p(\mathrm{train}|\mathrm{rel})$",
    "odds of p(train|i)": r"odds of $p(\mathrm{train}|i)$",
    "phi of observed P": r"$\varphi_{\hat{P}}(i)$",
    "phi of observed antiP": r"$\varphi_{\mathrm{anti}\hat{P}}(i)$",
    "phi of real P": r"$\varphi_{P}(i)$",
    "phi of real antiP": r"$\varphi_{\mathrm{anti}P}(i)$",
    "observed P@1": r"observed $\hat{P}@1$",
    "observed antiP@1": r"observed $\mathrm{anti}\hat{P}@1$",
    "real P@1": r"real $P@1$",
    "real antiP@1": r"real $\mathrm{anti}P@1$",
    "<a,b>": r"$\langle a,b\rangle$",
    "<b,a>": r"$\langle b,a\rangle$",
}
"""Printed forms of quantities and rankings of :mod:`._shared.toy_matrices`."""


def draw_matrix(axes: Axes, results: pd.DataFrame, left: float, top: float = 0.0) -> float:
    """Draw the cells of a toy example, one row per item and one column per user."""
    cells = results[results["quantity"].isin(["rated", "relevant"])]
    state = cells.set_index(["quantity", "item", "user"])["number"]
    items, users = (list(dict.fromkeys(cells[name])) for name in ("item", "user"))
    half = len(users) / 2
    for start, name in ((0.0, "train"), (half, "test")):
        _print(axes, left + start + half / 2, top, name, style="italic")
    for index, user in enumerate(users):
        _print(axes, left + index + 0.5, top + 1, user.removeprefix("u"), color="#595959")
    _print(axes, left - 0.4, top + 1, "user", ha="right", color="#595959")
    for line, item in enumerate(items):
        _print(axes, left - 0.4, top + 2 + line, f"${item}$", ha="right")
        for index, user in enumerate(users):
            fill = RATED if state["rated", item, user] else UNRATED
            corner = (left + index, top + 1.5 + line)
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=fill, edgecolor=GRID, linewidth=0.5))
            relevance = state.get(("relevant", item, user))
            if relevance is not None:
                _print(axes, left + index + 0.5, top + 2 + line, f"{relevance:.0f}")
    middle = left + half
    bottom = top + 1.5 + len(items)
    axes.plot([middle, middle], [top - 0.4, bottom], color=INK, linewidth=1.2)
    return bottom + 0.7


def draw_lines(
    axes: Axes, rows: Sequence[Sequence[str]], centres: Sequence[float], top: float
) -> float:
    """Print a small table whose first row is its heading."""
    for line, (name, *cells) in enumerate(rows):
        height = top + line + (RULE if line else 0)
        _print(axes, 0, height, name, ha="left")
        for centre, cell in zip(centres, cells, strict=True):
            _print(axes, centre, height, cell)
    low, high = axes.get_xlim()
    axes.plot([low, high], [top + 0.57, top + 0.57], color=INK, linewidth=0.5)
    return top + len(rows) + RULE


def print_verdict(axes: Axes, height: float, text: str) -> float:
    """Print a line in bold, and return where the next one may begin."""
    _print(axes, 0, height, text, ha="left", weight="bold")
    return height + 1


def blank(axes: Axes, width: float, lines: float) -> None:
    """Set up an empty panel without axes, in the coordinates of the other functions."""
    axes.set_xlim(0, width)
    axes.set_ylim(lines - 0.4, -0.6)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.axis("off")


def key_to_cells(figure: Figure) -> None:
    """Explain the colours and digits of the cells below the panels."""
    axes = figure.axes[0]
    for fill, label in ((RATED, "rated"), (UNRATED, "not rated")):
        axes.add_patch(Rectangle((0, 0), 0, 0, facecolor=fill, edgecolor=GRID, label=label))
    for digit, label in ((1, "relevant"), (0, "not relevant")):
        axes.plot(
            [],
            [],
            linestyle="",
            marker=f"${digit}$",
            color=INK,
            markersize=4.5,
            markeredgewidth=0,
            label=label,
        )
    legend_below(figure)


def _print(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    chosen: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "fontsize": TEXT_SIZE,
        "color": INK,
        **style,
    }
    axes.text(x, y, text, **chosen)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the matrix, and below it the probabilities as fractions."""
    figure = new_figure(DOUBLE_COLUMN, 2.05)
    axes = figure.subplots()
    blank(axes, width=38, lines=10.4)
    bottom = draw_matrix(axes, results, left=14)
    shown = results[results["fraction"] != ""].set_index(["quantity", "item"])["fraction"]
    centres = [4.3 + 4.5 * column for column in range(len(PRINTED))]
    items = [item for item in shown.index.unique("item") if item]
    overall = [_without_item(quantity) for quantity in PRINTED]
    bottom = draw_lines(
        axes,
        [
            ("", *(FORMULAS[quantity] for quantity in PRINTED)),
            *((f"$i={item}$", *(shown[name, item] for name in PRINTED)) for item in items),
        ],
        centres,
        bottom + 0.4,
    )
    draw_lines(
        axes,
        [("", *map(FORMULAS.__getitem__, overall)), ("all", *(shown[n, ""] for n in overall))],
        centres,
        bottom + 0.4,
    )
    key_to_cells(figure)
    return figure
