# SPDX-License-Identifier: MIT
"""Tables 3 and 4: lemmas 1 to 3, and their cases, checked on random pairs of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.seeds import generator
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs
    from receval.theory.rating_probabilities import RatingProbabilities

# The lemmas, which predict how orders of a pair of items compare.
#
# The functions of lemmas work element by element on orders and on comparisons of steepness, for one
# pair or for all cases of :class:`receval.theory.item_pairs.ItemPairs`:
#
# - an order is 1 if the function is larger for the first item of the pair, -1 if it is larger for
#   the second, and 0 if it is equal (flat) for both;
# - a steepness is 1 if the odds of popularity are steeper than the function, 0 if they are equally
#   steep, and -1 if they are less steep (definition 2).
#
# "Relevance" is p(rel | train, i) in lemma 1 and p(rel | i) in lemma 3, "non-relevance" is 1 minus
# that. The lemmas leave flat functions out; the results on them here are annex B.

Flags = NDArray[np.bool_]


def lemma1_predicts_disagreement(
    popularity: ArrayLike,
    relevance: ArrayLike,
    steeper_than_relevance: ArrayLike,
    steeper_than_non_relevance: ArrayLike,
) -> Flags:
    r"""Return where the optimal rankings of observed precision and anti-precision disagree.

    They disagree if and only if the odds of popularity (a) are steeper than relevance and disagree
    with it, or (b) are steeper than non-relevance and disagree with that (lemma 1, table 3). If
    only relevance is flat, they disagree; if popularity is flat, they do not (annex B). One
    exception cannot be seen from the signs: if relevance is 0 or 1 for both items, one of the two
    functions is 0 for both and has a tie.
    """
    together = _together(popularity, relevance)
    first = (together < 0) & (np.asarray(steeper_than_relevance) > 0)
    second = (together > 0) & (np.asarray(steeper_than_non_relevance) > 0)
    flat_relevance = (np.asarray(relevance) == 0) & (np.asarray(popularity) != 0)
    return np.asarray(first | second | flat_relevance)


def lemma3_predicts_consistent_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance agree, or if these disagree and relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_relevance) < 0
    return np.asarray((_together(popularity, relevance) > 0) | less_steep)


def lemma3_predicts_consistent_anti_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_non_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real anti-precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance disagree, or if these agree and non-relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_non_relevance) < 0
    return np.asarray((_together(popularity, relevance) < 0) | less_steep)


def _together(first: ArrayLike, second: ArrayLike) -> NDArray[np.signedinteger]:
    """Return 1 where two functions agree, -1 where they disagree, 0 where one is flat."""
    return np.asarray(first) * np.asarray(second)


STUDY = "menamaldonado2021"

SHARES = 1000
"""Probabilities of random items are multiples of 1 / SHARES, so that premises hold exactly."""

SIGNS = {1: "agree", -1: "disagree"}
STEEPNESS = {1: "steeper", -1: "less steep"}
"""What the tables call the two signs of a case."""

COMPARED = {1: "p(not rel|{}i)", -1: "p(rel|{}i)"}
"""The function whose steepness decides, by whether popularity and relevance agree; lemma 1 has it
among the ratings in train."""

Conclusion = Literal["agree", "disagree", "either"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the conclusions of lemmas in each case, and for how many random pairs they hold.

    Parameters of the artifact: ``lemmas``, the lemmas of the table (1, or 2 and 3); ``items``, the
    number of random items; ``worlds``, in which lemma 2 has them.

    Columns for lemma 1: popularity_and_average_rating (agree, disagree); compared (the function
    whose steepness decides); odds_are (steeper or less steep than it); conclusion (of the lemma:
    whether the optimal rankings of observed precision and anti-precision agree or disagree); pairs
    (in the case); held (pairs among them with this conclusion); drawn (all pairs of the random
    items). Pairs with equal popularity, average rating or steepness are in no case.

    Columns for lemmas 2 and 3: lemma; rating_depends_on (relevance or item: the premise, under
    which items are drawn); popularity_and_relevance, compared and odds_are as above; precision,
    anti_precision (whether the optimal rankings of observed and of real values agree or disagree);
    pairs; precision_held, anti_precision_held, both_held; drawn. For lemma 2 several worlds are
    drawn, each with its own p(train|rel) and p(train|not rel). Pairs of equal relevance are in no
    case; for lemma 3, neither are pairs of equal popularity or steepness.
    """
    of_lemma = {1: _lemma1, 2: _lemma2, 3: _lemma3}
    return pd.DataFrame(
        row for lemma in inputs.parameters["lemmas"] for row in of_lemma[lemma](inputs)
    )


def _lemma1(inputs: ArtifactInputs) -> Iterator[dict[str, Any]]:
    from receval.theory.item_pairs import item_pairs

    rng = generator(inputs.seed, STUDY, "table3")
    pairs = item_pairs(random_rated_items(rng, int(inputs.parameters["items"])), "rated")
    orders = pairs.observed_precision, pairs.observed_anti_precision
    for together, sign, against, case in _cases(pairs):
        conclusion = conclusion_of(~lemma1_predicts_disagreement(1, together, *against))
        yield {
            "popularity_and_average_rating": SIGNS[together],
            "compared": COMPARED[together].format("train,"),
            "odds_are": STEEPNESS[sign],
            "conclusion": conclusion,
            "pairs": pairs.count(case),
            "held": pairs.count(case & held(*orders, conclusion)),
            "drawn": pairs.n_pairs,
        }


def _lemma2(inputs: ArtifactInputs) -> Iterator[dict[str, Any]]:
    from receval.theory.item_pairs import item_pairs

    items, worlds = (int(inputs.parameters[name]) for name in ("items", "worlds"))
    counts = np.zeros(5, dtype=np.int64)
    for world in range(worlds):
        rng = generator(inputs.seed, STUDY, "table4", "lemma2", world)
        pairs = item_pairs(relevance_dependent_items(rng, items // worlds), "all")
        counts += _counts(pairs, pairs.relevance != 0, ("agree", "agree"))
    yield _row("2", "relevance", ("", "", ""), ("agree", "agree"), counts.tolist())


def _lemma3(inputs: ArtifactInputs) -> Iterator[dict[str, Any]]:
    from receval.theory.item_pairs import item_pairs

    rng = generator(inputs.seed, STUDY, "table4", "lemma3")
    pairs = item_pairs(item_dependent_items(rng, int(inputs.parameters["items"])), "all")
    for together, sign, against, case in _cases(pairs):
        conclusions = (
            conclusion_of(lemma3_predicts_consistent_precision(1, together, against[0])),
            conclusion_of(lemma3_predicts_consistent_anti_precision(1, together, against[1])),
        )
        condition = SIGNS[together], COMPARED[together].format(""), STEEPNESS[sign]
        yield _row("3", "item", condition, conclusions, _counts(pairs, case, conclusions))


def _counts(
    pairs: ItemPairs, case: NDArray[np.bool_], conclusions: tuple[Conclusion, Conclusion]
) -> list[int]:
    """Count the pairs of a case, those with one conclusion, the other, and both, and all pairs."""
    precision = case & held(pairs.observed_precision, pairs.real_ranking, conclusions[0])
    anti_precision = case & held(pairs.observed_anti_precision, pairs.real_ranking, conclusions[1])
    masks = (case, precision, anti_precision, precision & anti_precision)
    return [*map(pairs.count, masks), pairs.n_pairs]


def _row(
    lemma: str,
    premise: str,
    condition: tuple[str, str, str],
    conclusions: tuple[Conclusion, Conclusion],
    counts: list[int],
) -> dict[str, Any]:
    columns = ("popularity_and_relevance", "compared", "odds_are", "precision", "anti_precision")
    results = ("pairs", "precision_held", "anti_precision_held", "both_held", "drawn")
    return {
        "lemma": f"lemma {lemma}",
        "rating_depends_on": premise,
        **dict(zip(columns, (*condition, *conclusions), strict=True)),
        **dict(zip(results, counts, strict=True)),
    }


# Random items under the premises of the lemmas.


def random_rated_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    """Return items of random popularity and average rating, independent and uniform."""
    popularity, relevance = rng.integers(1, SHARES, (2, n_items))
    return _counted(SHARES * popularity, relevance * popularity, None)


def relevance_dependent_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    r"""Return items rated with one probability if relevant, and with another if not.

    :math:`p(train|rel,i)` and :math:`p(train|\neg rel,i)` are random and the same for all items,
    the premise of lemma 2.
    """
    if_relevant, if_not = rng.integers(1, SHARES, 2)
    relevance = rng.integers(1, SHARES, n_items)
    relevant_train = relevance * if_relevant
    train = relevant_train + (SHARES - relevance) * if_not
    return _counted(train, relevant_train, SHARES * relevance)


def item_dependent_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    """Return items that are rated equally by users who like them and users who do not.

    Random items with p(rel | train, i) = p(rel | i), the premise of lemma 3.
    """
    popularity, relevance = rng.integers(1, SHARES, (2, n_items))
    return _counted(SHARES * popularity, relevance * popularity, SHARES * relevance)


def _counted(
    train: NDArray[np.int64],
    relevant_train: NDArray[np.int64],
    relevant: NDArray[np.int64] | None,
) -> RatingProbabilities:
    from receval.theory.rating_probabilities import RatingProbabilities

    sampled = np.full(len(train), SHARES**2, dtype=np.int64)
    return RatingProbabilities(sampled, train, relevant_train, relevant)


# The cases of pairs.


def _cases(
    pairs: ItemPairs,
) -> Iterator[tuple[int, int, tuple[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]]:
    """Yield the cases of tables 3 and 4.

    Each has whether popularity and relevance agree, whether the odds of popularity are steeper than
    the function that decides, what their steepness against relevance and non-relevance may be, and
    the pairs of the case.
    """
    # A case leaves the steepness against the other function open.
    anything = np.array([-1, 0, 1])
    for together in SIGNS:
        steepness = (
            pairs.steeper_than_non_relevance if together == 1 else pairs.steeper_than_relevance
        )
        for sign in STEEPNESS:
            known = np.full(3, sign)
            against = (anything, known) if together == 1 else (known, anything)
            yield together, sign, against, in_case(pairs, together, steepness, sign)


def in_case(
    pairs: ItemPairs, together: int, steepness: NDArray[np.int8], sign: int
) -> NDArray[np.bool_]:
    """Return which pairs are in a case of table 3 or 4, as a mask of shape (n_cases,)."""
    return (pairs.popularity * pairs.relevance == together) & (steepness == sign)


def conclusion_of(predictions: NDArray[np.bool_]) -> Conclusion:
    """Return the predicted agreement of a case: the same for all its pairs, or either."""
    if predictions.all():
        return "agree"
    return "either" if predictions.any() else "disagree"


def held(
    orders: NDArray[np.int8], others: NDArray[np.int8], expected: Conclusion
) -> NDArray[np.bool_]:
    """Return for which pairs two rankings agree or disagree as expected, as a mask (n_cases,)."""
    return orders * others == (1 if expected == "agree" else -1)


# The printed tables.

FORMULAS = {
    "p(not rel|train,i)": r"$`p(\neg\mathrm{rel}|\mathrm{train},\cdot)`$",
    "p(rel|train,i)": r"$`p(\mathrm{rel}|\mathrm{train},\cdot)`$",
    "p(not rel|i)": r"$`p(\neg\mathrm{rel}|\cdot)`$",
    "p(rel|i)": r"$`p(\mathrm{rel}|\cdot)`$",
    "relevance": r"$`p(\mathrm{train}|\mathrm{rel},\cdot) \sim p(\mathrm{train}|\mathrm{rel})`$",
    "item": r"$`p(\mathrm{train}|\mathrm{rel},\cdot) \sim p(\mathrm{train}|\cdot)`$",
}

NOTE_OF_TABLE_3 = (
    r"Probabilities: $`p(\mathrm{train}|\cdot)`$ and $`p(\mathrm{rel}|\mathrm{train},\cdot)`$. "
    r"Odds: those of $`p(\mathrm{train}|\cdot)`$. Optimal rankings: "
    r"$`\varphi_{\mathrm{anti}\hat{P}}`$ and $`\varphi_{\hat{P}}`$. So concluded: the pairs of "
    "which the lemma's conclusion is true; it holds if they are all."
)

NOTE_OF_TABLE_4 = (
    r"Probabilities: $`p(\mathrm{train}|\cdot)`$ and $`p(\mathrm{rel}|\cdot)`$. Odds: those of "
    r"$`p(\mathrm{train}|\cdot)`$. Precision: the optimal rankings $`\varphi_{\hat{P}}`$ and "
    r"$`\varphi_{P}`$. Anti-precision: $`\varphi_{\mathrm{anti}\hat{P}}`$ and "
    r"$`\varphi_{\mathrm{anti}P}`$. Both concluded: the pairs of which both conclusions are true; "
    "the lemma holds if they are all."
)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the cases as the paper does, with the random pairs."""
    if "lemma" in results:
        return _table4(results, display)
    texts = ("Outcome", "Probabilities", Column("Odds", width=0.34), "Optimal rankings")
    rows = [
        (
            _outcome(row["held"], row["pairs"]),
            row["popularity_and_average_rating"],
            f"{row['odds_are']} than {FORMULAS[row['compared']]}",
            row["conclusion"],
            f"{row['pairs']:,}",
            f"{row['held']:,}",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, texts, ("Random pairs", "So concluded"), rows, [NOTE_OF_TABLE_3])


def _table4(results: pd.DataFrame, display: DisplayStyle) -> Table:
    widths = {"Outcome": None, "Premise": 0.17, "Probabilities": None, "Odds": 0.15}
    texts = [Column(head, width=width) for head, width in widths.items()]
    texts += [Column("Precision"), Column("Anti-precision")]
    rows = [
        (
            _outcome(row["both_held"], row["pairs"]),
            FORMULAS[row["rating_depends_on"]],
            row["popularity_and_relevance"] or "any",
            f"{row['odds_are']} than {FORMULAS[row['compared']]}" if row["compared"] else "any",
            row["precision"],
            row["anti_precision"],
            f"{row['pairs']:,}",
            f"{row['both_held']:,}",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, texts, ("Random pairs", "Both concluded"), rows, [NOTE_OF_TABLE_4])


def _outcome(held: int, pairs: int) -> str:
    """Return the outcome of checking a case, which holds if all pairs have its conclusion."""
    return str(ClaimVerdict.HOLDS if held == pairs else ClaimVerdict.DOES_NOT_HOLD)
