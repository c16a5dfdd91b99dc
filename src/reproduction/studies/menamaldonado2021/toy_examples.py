# SPDX-License-Identifier: MIT
"""Figures 2, 4 and 8: toy examples of ratings and relevance, and everything counted in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure, short_number
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.theory.rating_probabilities import RatingProbabilities


MARKS = {"+": (True, True), "-": (True, False), "1": (False, True), "0": (False, False)}
"""Maps the mark of a pair to whether it is rated and whether the item is relevant; a pair that
is not rated and has unknown relevance is a dot."""

# Counts in a toy example, as rows of a tidy CSV: cells, probabilities, values.

PROBABILITIES = {
    "p(rel|i)": ("p_relevant", "sampled"),
    "p(not rel|i)": ("p_not_relevant", "sampled"),
    "p(train|i)": ("p_train", "sampled"),
    "p(test|i)": ("p_test", "sampled"),
    "p(rel|train,i)": ("p_relevant_given_train", "train"),
    "p(not rel|train,i)": ("p_not_relevant_given_train", "train"),
    "p(rel|test,i)": ("p_relevant_given_test", "test"),
    "p(rel|not train,i)": ("p_relevant_given_not_train", "not_train"),
    "p(rel,test|i)": ("p_relevant_and_test", "sampled"),
    "p(train|rel,i)": ("p_train_given_relevant", "known_relevant"),
}
"""Maps names in the CSV to a probability and its denominator, as properties of
:class:`receval.theory.rating_probabilities.RatingProbabilities`."""

ODDS = "odds of p(train|i)"
RANKINGS = (("a", "b"), ("b", "a"))

Row = dict[str, Any]


def row(
    quantity: str,
    number: float | None = None,
    *,
    fraction: str = "",
    item: str = "",
    user: str = "",
    ranking: Sequence[str] = (),
) -> Row:
    """Return one row: the quantity, its item, user or ranking, and its number.

    ``fraction`` is a number as counted, such as 6/10; the column number then has its value.
    ``item`` may be empty, or a,b for a pair, and ``ranking`` is printed as <a,b>.
    """
    return {
        "quantity": quantity,
        "item": item,
        "user": user,
        "ranking": f"<{','.join(ranking)}>" if ranking else "",
        "fraction": fraction,
        "number": float(Fraction(fraction)) if number is None else float(number),
    }


def cell_rows(matrix: ToyMatrix) -> list[Row]:
    """Return whether each pair of user and item is rated, and its relevance if known."""
    rows = []
    for column, item in enumerate(matrix.items):
        for index, user in enumerate(matrix.users):
            rated = bool(matrix.rated[index, column])
            rows.append(row("rated", rated, item=item, user=user))
            if rated or matrix.is_complete:
                relevant = matrix.relevant[index, column]
                rows.append(row("relevant", relevant, item=item, user=user))
    return rows


def probability_rows(matrix: ToyMatrix, quantities: Iterable[str]) -> list[Row]:
    """Return probabilities of all items, by their names in :data:`PROBABILITIES`."""
    return [
        row(quantity, fraction=fraction, item=item)
        for quantity in quantities
        for item, fraction in zip(matrix.items, matrix.fractions(quantity), strict=True)
    ]


def steepness_rows(matrix: ToyMatrix, quantities: Sequence[str]) -> list[Row]:
    """Return the odds of popularity, and how they compare with probabilities over two items.

    There are decrement rates of the odds and of each quantity. For each quantity, there is also
    whether popularity agrees with it (1; -1 if they disagree, 0 for neither), and whether the odds
    are steeper (1 or 0).
    """
    from receval.theory.item_pairs import decrement_rate, is_steeper, odds

    pair = ",".join(matrix.items)
    popularity_odds = odds(matrix.probabilities.p_train)
    named = {name: getattr(matrix.probabilities, PROBABILITIES[name][0]) for name in quantities}
    rows = [
        row(ODDS, odds_of_item, item=item)
        for item, odds_of_item in zip(matrix.items, popularity_odds, strict=True)
    ]
    rows += [
        row(f"decrement rate: {name}", float(decrement_rate(*function)), item=pair)
        for name, function in ({ODDS: popularity_odds} | named).items()
    ]
    for name, function in named.items():
        together = agreement(popularity_odds, function)
        rows.append(row(f"agreement: p(train|i), {name}", together, item=pair))
    for name, function in named.items():
        steeper = is_steeper(*popularity_odds, *function)
        rows.append(row(f"steeper: {ODDS} than {name}", bool(steeper), item=pair))
    return rows


def value_rows(matrix: ToyMatrix, kinds: Iterable[str]) -> list[Row]:
    """Return P@1 and antiP@1 of both rankings of two items, and whether the two agree.

    Values are averaged over the users with a test rating. Two metrics agree (1) if the same ranking
    is better by both (higher P, lower antiP), and disagree (-1) if not.
    """
    targets = matrix.targets
    rows, better = [], {}
    for kind in kinds:
        for metric, sign in (("P", 1), ("antiP", -1)):
            sums = []
            for ranking in RANKINGS:
                hits = matrix.values(ranking, 1, real=kind == "real")[metric][targets].sum()
                sums.append(sign * int(hits))
                fraction = f"{hits}/{targets.sum()}"
                rows.append(row(f"{kind} {metric}@1", fraction=fraction, ranking=ranking))
            better[f"{kind} {metric}@1"] = sums
    return [*rows, *_agreement_rows(better)]


def _agreement_rows(functions: Mapping[str, Iterable[float]]) -> list[Row]:
    """Return whether each pair of functions over two items agrees."""
    return [
        row(f"agreement: {one}, {other}", agreement(functions[one], functions[other]))
        for one, other in combinations(functions, 2)
    ]


def agreement(first: Iterable[float], second: Iterable[float]) -> int:
    """Return 1 if two functions agree over two items, -1 if they disagree, else 0."""
    from receval.theory.item_pairs import agree, disagree

    return int(agree(*first, *second)) - int(disagree(*first, *second))


def ranking_function_rows(matrix: ToyMatrix, kinds: Iterable[str]) -> list[Row]:
    """Return the optimal ranking functions for both items, and which functions agree."""
    from receval.theory import rating_probabilities

    functions = {
        ("observed", "P"): rating_probabilities.observed_precision_ranking,
        ("observed", "antiP"): rating_probabilities.observed_anti_precision_ranking,
        ("real", "P"): rating_probabilities.real_precision_ranking,
        ("real", "antiP"): rating_probabilities.real_anti_precision_ranking,
    }
    values = {
        f"phi of {kind} {metric}": np.asarray(functions[kind, metric](matrix.probabilities))
        for kind in kinds
        for metric in ("P", "antiP")
    }
    rows = [
        row(name, value, item=item)
        for name, function in values.items()
        for item, value in zip(matrix.items, function, strict=True)
    ]
    return [*rows, *_agreement_rows(values)]


@dataclass(frozen=True)
class ToyMatrix:
    """Ratings and relevance of a few items for a few users, with half of the users in train.

    All ratings of the first half are in train and those of the others in test, as in figures 2, 4
    and 8 of Mena-Maldonado et al. (2021). ``rated`` and ``relevant`` have the shape (n_users,
    n_items); a pair of unknown relevance is False in ``relevant``, and then the matrix is not
    ``is_complete``.
    """

    items: tuple[str, ...]
    rated: NDArray[np.bool_]
    relevant: NDArray[np.bool_]
    is_complete: bool

    @classmethod
    def of_marks(cls, rows: Mapping[str, str]) -> Self:
        """Read one row of marks for each item, one mark (:data:`MARKS`) for each user.

        Spaces are ignored, so they may separate the halves.
        """
        marks = {item: row.replace(" ", "") for item, row in rows.items()}
        lengths = {len(row) for row in marks.values()}
        if len(lengths) != 1 or lengths.pop() % 2:
            raise ValueError(
                f"The rows of marks {dict(rows)} differ in length or have no two halves: give one "
                "mark for each user, an even number of users."
            )
        if unknown := set("".join(marks.values())) - {*MARKS, "."}:
            raise ValueError(
                f"The rows of marks hold {', '.join(sorted(unknown))}: a pair is one of "
                f"{' '.join(MARKS)} or a dot."
            )
        flags = np.array(
            [[MARKS.get(mark, (False, False)) for mark in row] for row in marks.values()]
        )
        return cls(
            items=tuple(marks),
            rated=flags[:, :, 0].T,
            relevant=flags[:, :, 1].T,
            is_complete=not any("." in row for row in marks.values()),
        )

    @classmethod
    def mirrored(cls, rows: Mapping[str, str]) -> Self:
        """Read the marks of the users in train; those in test have the same."""
        return cls.of_marks({item: row + row for item, row in rows.items()})

    @property
    def users(self) -> tuple[str, ...]:
        """Names of the users, from u1."""
        return tuple(f"u{number}" for number in range(1, len(self.rated) + 1))

    @property
    def train(self) -> NDArray[np.bool_]:
        """Ratings of the first half of the users, shape (n_users, n_items)."""
        return self.rated & (np.arange(len(self.rated)) < len(self.rated) // 2)[:, None]

    @property
    def test(self) -> NDArray[np.bool_]:
        """Ratings of the second half of the users, shape (n_users, n_items)."""
        return self.rated & ~self.train

    @property
    def targets(self) -> NDArray[np.bool_]:
        """Users with at least one test rating, over whom values are averaged, shape (n_users,)."""
        return np.asarray(self.test.any(axis=1))

    @property
    def probabilities(self) -> RatingProbabilities:
        """The probabilities of the items, without those of relevance if it is not known."""
        from receval.theory.rating_probabilities import RatingProbabilities

        counted = RatingProbabilities.of_matrices(self.relevant, self.train, self.test)
        return counted if self.is_complete else replace(counted, relevant=None)

    def fractions(self, quantity: str) -> list[str]:
        """Return a probability (:data:`PROBABILITIES`) of each item as a fraction of users."""
        return fractions(self.probabilities, quantity)

    def values(
        self, ranking: Sequence[str], cutoff: int, *, real: bool
    ) -> dict[str, NDArray[np.int64]]:
        r"""Count the true and false positives in the first ranks of a ranking.

        Every user gets the items in the same order, without the user's training items. Observed
        values use only the relevance of test pairs, real values that of all pairs
        (Mena-Maldonado et al. 2021, section 5).
        """
        if real and not self.is_complete:
            raise ValueError(
                "Real values need the relevance of all pairs of users and items, but the toy "
                "example does not say it of some: mark them 1 or 0 instead of with a dot."
            )
        order = [self.items.index(item) for item in ranking]
        candidates = ~self.train[:, order]
        shown = candidates & (np.cumsum(candidates, axis=1) <= cutoff)
        judged = shown if real else shown & self.test[:, order]
        relevant = self.relevant[:, order]
        return {
            "P": (judged & relevant).sum(axis=1, dtype=np.int64),
            "antiP": (judged & ~relevant).sum(axis=1, dtype=np.int64),
        }


def fractions(probabilities: RatingProbabilities, quantity: str) -> list[str]:
    """Return a probability as a list of fractions, also for a single value."""
    shares, wholes = (getattr(probabilities, name) for name in PROBABILITIES[quantity])
    return [
        f"{round(share * whole)}/{whole}"
        for share, whole in zip(np.ravel(shares), np.ravel(wholes), strict=True)
    ]


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
    """Return the printed form of a quantity or a ranking."""
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
