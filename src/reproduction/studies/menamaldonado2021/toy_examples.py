# SPDX-License-Identifier: MIT
"""Figures 2, 4 and 8: toy examples of ratings and relevance, and everything counted in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure, short_number
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.toy_matrices import (
    ODDS,
    Row,
    ToyMatrix,
    cell_rows,
    fractions,
    probability_rows,
    ranking_function_rows,
    row,
    steepness_rows,
    value_rows,
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

WIDTH = 13.0
"""Width of a panel, in units of a cell of the matrix."""

CENTRES = (6.6, 9.1, 11.8)
"""Positions of the columns of the small tables below the matrix."""

RANKING_LABELS = ("<a,b>", "<b,a>")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cells of toy examples, and everything that the paper says about them.

    Parameters of the artifact, of which figure 2 has none: those of :func:`marks_of`;
    ``compared`` (probabilities,
    :data:`.PROBABILITIES`, whose steepness is compared with that of the odds of popularity);
    ``kinds`` (``observed`` and ``real``: which values of the metrics are computed). Values are
    averaged over the users with a test rating; the real ones know the relevance of all pairs
    outside of train.

    Columns: example (not of figure 2, which has only one); quantity (rated and relevant, 1 or 0, of
    each pair of user and item; a probability; a value of a ranking, ...); item (a, b, a,b for the
    pair, or empty for a probability of all pairs); user; ranking; fraction (as counted); number
    (its value).
    """
    if "examples" not in inputs.parameters:
        return _figure2()
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

    The parameters are ``examples`` (their names) and, aligned with it, ``marks_of_a`` and
    ``marks_of_b``, of the users in train; the users in test have the same.
    """
    aligned = (parameters[name] for name in ("examples", "marks_of_a", "marks_of_b"))
    return {name: {"a": of_a, "b": of_b} for name, of_a, of_b in zip(*aligned, strict=True)}


def _figure2() -> pd.DataFrame:
    """Return the cells of figure 2, its probabilities, and the values of three users.

    The values are those of section 5, which writes them with the cut-off 1 although halves are
    possible with two items only.
    """
    matrix = ToyMatrix.mirrored(TOY)
    total = matrix.probabilities.total
    rows: list[Row] = [*cell_rows(matrix), *probability_rows(matrix, PRINTED)]
    rows += [
        row(_without_item(quantity), fraction=fractions(total, quantity)[0]) for quantity in PRINTED
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


def printed_formula(name: str) -> str:
    """Return the printed form of a quantity or a ranking of :mod:`._shared.toy_matrices`."""
    if ranking := re.fullmatch(r"<(.*)>", name):
        return rf"$\langle {ranking[1]}\rangle$"
    if metric := re.fullmatch(r"(phi of )?(observed|real) (anti)?P(?:@1)?", name):
        phi, kind, anti = metric.groups()
        symbol = (r"\mathrm{anti}" if anti else "") + (r"\hat{P}" if kind == "observed" else "P")
        return rf"$\varphi_{{{symbol}}}(i)$" if phi else f"{kind} ${symbol}@1$"
    before, _, events = name.partition("p(")
    events = re.sub("rel|train|test", r"\\mathrm{\g<0>}", events.replace("not ", r"\neg"))
    return f"{before}$p({events}$"


def draw_matrix(axes: Axes, results: pd.DataFrame, left: float) -> float:
    """Draw the cells of a toy example, one row per item and one column per user."""
    cells = results[results["quantity"].isin(["rated", "relevant"])]
    state = cells.set_index(["quantity", "item", "user"])["number"]
    items, users = (list(dict.fromkeys(cells[name])) for name in ("item", "user"))
    half = len(users) / 2
    for start, name in ((0.0, "train"), (half, "test")):
        _print(axes, left + start + half / 2, 0, name, style="italic")
    for index, user in enumerate(users):
        _print(axes, left + index + 0.5, 1, user.removeprefix("u"), color="#595959")
    _print(axes, left - 0.4, 1, "user", ha="right", color="#595959")
    for line, item in enumerate(items):
        _print(axes, left - 0.4, 2 + line, f"${item}$", ha="right")
        for index, user in enumerate(users):
            fill = RATED if state["rated", item, user] else UNRATED
            corner = (left + index, 1.5 + line)
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=fill, edgecolor=GRID, linewidth=0.5))
            relevance = state.get(("relevant", item, user))
            if relevance is not None:
                _print(axes, left + index + 0.5, 2 + line, f"{relevance:.0f}")
    middle = left + half
    bottom = 1.5 + len(items)
    axes.plot([middle, middle], [-0.4, bottom], color=INK, linewidth=1.2)
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
    """Draw the matrix of each example, and below it what is counted in it."""
    if "example" not in results:
        return _draw_figure2(results)
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
        printed.append(
            (printed_formula(name), *(text.replace("-", "−") for text in of_items), shown)
        )
    return draw_lines(axes, printed, CENTRES, top)


def _print_values(axes: Axes, rows: pd.DataFrame, kinds: Sequence[str], top: float) -> float:
    values = rows.set_index(["quantity", "ranking"])
    printed: list[tuple[str, ...]] = [
        ("", *(printed_formula(ranking) for ranking in RANKING_LABELS), "better")
    ]
    for metric, sign in (("P", 1), ("antiP", -1)):
        for kind in kinds:
            name = f"{kind} {metric}@1"
            one, other = (sign * values["number"][name, ranking] for ranking in RANKING_LABELS)
            better = (
                "same" if one == other else printed_formula(RANKING_LABELS[0 if one > other else 1])
            )
            fractions = (values["fraction"][name, ranking] for ranking in RANKING_LABELS)
            printed.append((printed_formula(name), *fractions, better))
    return draw_lines(axes, printed, CENTRES, top)


def _draw_figure2(results: pd.DataFrame) -> Figure:
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
            ("", *(printed_formula(quantity) for quantity in PRINTED)),
            *((f"$i={item}$", *(shown[name, item] for name in PRINTED)) for item in items),
        ],
        centres,
        bottom + 0.4,
    )
    draw_lines(
        axes,
        [("", *map(printed_formula, overall)), ("all", *(shown[n, ""] for n in overall))],
        centres,
        bottom + 0.4,
    )
    key_to_cells(figure)
    return figure
