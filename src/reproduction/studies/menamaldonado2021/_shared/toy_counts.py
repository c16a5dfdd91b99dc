# SPDX-License-Identifier: MIT
"""What is counted in a toy example, as rows of a tidy CSV: cells, probabilities, values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from reproduction.studies.menamaldonado2021._shared.toy_matrices import ToyMatrix

PROBABILITIES = {
    "p(rel|i)": "p_relevant",
    "p(not rel|i)": "p_not_relevant",
    "p(train|i)": "p_train",
    "p(test|i)": "p_test",
    "p(rel|train,i)": "p_relevant_given_train",
    "p(not rel|train,i)": "p_not_relevant_given_train",
    "p(rel|test,i)": "p_relevant_given_test",
    "p(rel|not train,i)": "p_relevant_given_not_train",
    "p(rel,test|i)": "p_relevant_and_test",
    "p(train|rel,i)": "p_train_given_relevant",
}
"""Name in the CSV to the property of
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
    """Return one row: what is counted, of which item, user or ranking, and its number.

    ``fraction`` is a number as it was counted, such as 6/10; the column number then has its value.
    ``item`` is empty, or a,b for what is said of the pair, and ``ranking`` is printed as <a,b>.
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
    """Return for each pair of user and item whether it is rated, and its relevance if known."""
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
    """Return probabilities of every item, by their names in :data:`PROBABILITIES`."""
    return [
        row(quantity, fraction=fraction, item=item)
        for quantity in quantities
        for item, fraction in zip(
            matrix.items, matrix.fractions(PROBABILITIES[quantity]), strict=True
        )
    ]


def steepness_rows(matrix: ToyMatrix, quantities: Sequence[str]) -> list[Row]:
    """Return the odds of popularity, and how they and some probabilities compare over two items.

    For each of the quantities and for the odds their decrement rate; for each of the quantities,
    whether popularity agrees with it (1; -1 if they disagree, 0 for neither), and whether the
    odds are steeper (1 or 0).
    """
    from receval.theory.agreement_and_steepness import decrement_rate, is_steeper, odds

    pair = ",".join(matrix.items)
    popularity_odds = odds(matrix.probabilities.p_train)
    named = {name: getattr(matrix.probabilities, PROBABILITIES[name]) for name in quantities}
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

    They are averaged over the users who have a test rating. Two metrics agree (1) if the same
    ranking is better by both of them (P the higher, antiP the lower), and disagree (-1) if not.
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
    names = list(better)
    rows += [
        row(f"agreement: {one}, {other}", agreement(better[one], better[other]))
        for index, one in enumerate(names)
        for other in names[index + 1 :]
    ]
    return rows


def agreement(first: Iterable[float], second: Iterable[float]) -> int:
    """Return 1 where two functions agree over two items, -1 where they disagree, else 0."""
    from receval.theory.agreement_and_steepness import agree, disagree

    return int(agree(*first, *second)) - int(disagree(*first, *second))


def ranking_function_rows(matrix: ToyMatrix, kinds: Iterable[str]) -> list[Row]:
    """Return the optimal ranking functions of both items, and which of them agree."""
    from receval.theory import optimal_rankings

    functions = {
        ("observed", "P"): optimal_rankings.observed_precision_ranking,
        ("observed", "antiP"): optimal_rankings.observed_anti_precision_ranking,
        ("real", "P"): optimal_rankings.real_precision_ranking,
        ("real", "antiP"): optimal_rankings.real_anti_precision_ranking,
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
    names = list(values)
    rows += [
        row(f"agreement: {one}, {other}", agreement(values[one], values[other]))
        for index, one in enumerate(names)
        for other in names[index + 1 :]
    ]
    return rows
