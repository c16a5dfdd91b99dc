# SPDX-License-Identifier: MIT
"""Figure 2: a toy example of ratings and relevance, and the probabilities counted in it."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.style import DOUBLE_COLUMN, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.toy_counts import (
    PROBABILITIES,
    Row,
    cell_rows,
    probability_rows,
    row,
)
from reproduction.studies.menamaldonado2021._shared.toy_drawing import (
    FORMULAS,
    blank,
    draw_lines,
    draw_matrix,
    key_to_cells,
)
from reproduction.studies.menamaldonado2021._shared.toy_matrices import ToyMatrix, fractions

TOY = {"a": "+++-0", "b": "+010-"}
"""Marks (:data:`.MARKS`) of users u1 to u5; u6 to u10 have the same.

Which pairs are rated follows from the probabilities that the paper prints and from what section 5
says of u6, u7 and u8, but for the two ratings that are not relevant: each might be that of u4
instead of u5, or the other way round.
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
    """Return the cells of the toy example, its probabilities, and values of three users.

    Columns: quantity (rated and relevant, 1 or 0, of each pair; a probability; observed or real
    P@2 and antiP@2 of a ranking); item; user; ranking; fraction (as counted); number (its value).
    A probability without an item is that of all pairs.

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
