# SPDX-License-Identifier: MIT
"""Toy examples: a few users and items, and everything that can be counted in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

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
    and 8 of menamaldonado2021. ``rated`` and ``relevant`` have the shape (n_users, n_items); a pair
    of unknown relevance is False in ``relevant``, and then the matrix is not ``is_complete``.
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
        (menamaldonado2021, section 5).
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
