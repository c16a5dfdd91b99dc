# SPDX-License-Identifier: MIT
r"""Predictions of the lemmas of menamaldonado2021 for a pair of items.

Every function works on orders and on comparisons of steepness, element by element, so on one pair
as on all cases of :class:`receval.theory.item_pairs.ItemPairs`:

- an order is 1 where the function in question is larger for the first item of the pair, -1 where it
  is larger for the second, and 0 where it is equal (flat) for both;
- a steepness is 1 where the odds of popularity are steeper than the function in question, 0 where
  they are equally steep, and -1 where they are less steep (definition 2).

"Relevance" is p(rel | train, i) in lemma 1 and p(rel | i) in lemma 3, "non-relevance" 1 less that.
The lemmas leave flat functions out; what is said of them here is annex B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.claims.verdicts import ClaimVerdict

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs
    from receval.theory.rating_probabilities import RatingProbabilities


Flags = NDArray[np.bool_]


def lemma1_predicts_disagreement(
    popularity: ArrayLike,
    relevance: ArrayLike,
    steeper_than_relevance: ArrayLike,
    steeper_than_non_relevance: ArrayLike,
) -> Flags:
    r"""Tell where the optimal rankings of observed precision and anti-precision disagree.

    They do if and only if the odds of popularity (a) are steeper than relevance and disagree with
    it, or (b) are steeper than non-relevance and disagree with that (lemma 1, table 3). Where
    relevance is flat and popularity is not they do as well; where popularity is flat they do not
    (annex B). One exception of flat relevance shows in no sign: where it is 0 for both items, or 1,
    one of the two functions is 0 for both, and has a tie.
    """
    together = _together(popularity, relevance)
    first = (together < 0) & (np.asarray(steeper_than_relevance) > 0)
    second = (together > 0) & (np.asarray(steeper_than_non_relevance) > 0)
    flat_relevance = (np.asarray(relevance) == 0) & (np.asarray(popularity) != 0)
    return np.asarray(first | second | flat_relevance)


def lemma3_predicts_consistent_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_relevance: ArrayLike
) -> Flags:
    r"""Tell where the optimal rankings of observed and real precision agree.

    If rating is independent of relevance given an item, they do where popularity and relevance
    agree, and where they disagree if and only if relevance is steeper than the odds of popularity
    (lemma 3, table 4). Where popularity alone is flat they do too; where relevance is flat the real
    ranking has a tie, and does not agree (annex B).
    """
    less_steep = np.asarray(steeper_than_relevance) < 0
    return np.asarray((_together(popularity, relevance) > 0) | less_steep)


def lemma3_predicts_consistent_anti_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_non_relevance: ArrayLike
) -> Flags:
    r"""Tell where the optimal rankings of observed and real anti-precision agree.

    If rating is independent of relevance given an item, they do where popularity and relevance
    disagree, and where they agree if and only if non-relevance is steeper than the odds of
    popularity (lemma 3, table 4). Where popularity alone is flat they do too; where relevance is
    flat the real ranking has a tie, and does not agree (annex B).
    """
    less_steep = np.asarray(steeper_than_non_relevance) < 0
    return np.asarray((_together(popularity, relevance) < 0) | less_steep)


def lemma4_predicts_agreement(
    first: ArrayLike, second: ArrayLike, steeper_than_second: ArrayLike
) -> Flags:
    r"""Tell where the product of two positive functions agrees with the first of them.

    It does if and only if the first agrees with the second, or is steeper (lemma 4).

    Examples
    --------
    Functions that disagree: their product goes with the first where that is the steeper one.

    >>> lemma4_predicts_agreement([1, 1], [-1, -1], steeper_than_second=[1, -1]).tolist()
    [True, False]
    """
    return np.asarray((_together(first, second) > 0) | (np.asarray(steeper_than_second) > 0))


def _together(first: ArrayLike, second: ArrayLike) -> NDArray[np.signedinteger]:
    """Return 1 where two functions agree, -1 where they disagree, 0 where one is flat."""
    return np.asarray(first) * np.asarray(second)


# Random items under the premises of the lemmas of menamaldonado2021, and the cases of pairs.

SHARES = 1000
"""Probabilities of random items are multiples of 1 / SHARES, so that premises hold exactly."""

SIGNS = {1: "agree", -1: "disagree"}
STEEPNESS = {1: "steeper", -1: "less steep"}
"""What tables 3 and 4 call the two signs of a case."""

Conclusion = Literal["agree", "disagree", "either"]


def outcome(held: int, pairs: int) -> str:
    """Say what came of checking a case: it holds if its conclusion is true of every pair."""
    return str(ClaimVerdict.HOLDS if held == pairs else ClaimVerdict.DOES_NOT_HOLD)


def random_rated_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    """Return items of random popularity and average rating, all independent and uniform."""
    popularity, relevance = rng.integers(1, SHARES, (2, n_items))
    return _items(popularity, relevance * popularity)


def relevance_dependent_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    r"""Return items that are rated by one probability if relevant, and by another if not.

    :math:`p(train|rel,i)` and :math:`p(train|\neg rel,i)` are random, and the same for all items:
    the premise of lemma 2.
    """
    if_relevant, if_not = rng.integers(1, SHARES, 2)
    relevance = rng.integers(1, SHARES, n_items)
    relevant_train = relevance * if_relevant
    train = relevant_train + (SHARES - relevance) * if_not
    return _counted(train, relevant_train, SHARES * relevance)


def item_dependent_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    """Return items that are rated alike by those who like them and by those who do not.

    p(rel | train, i) = p(rel | i), of random items: the premise of lemma 3.
    """
    popularity, relevance = rng.integers(1, SHARES, (2, n_items))
    return _items(popularity, relevance * popularity, SHARES * relevance)


def _items(
    popularity: NDArray[np.int64],
    relevant_train: NDArray[np.int64],
    relevant: NDArray[np.int64] | None = None,
) -> RatingProbabilities:
    return _counted(SHARES * popularity, relevant_train, relevant)


def _counted(
    train: NDArray[np.int64],
    relevant_train: NDArray[np.int64],
    relevant: NDArray[np.int64] | None,
) -> RatingProbabilities:
    from receval.theory.rating_probabilities import RatingProbabilities

    sampled = np.full(len(train), SHARES**2, dtype=np.int64)
    return RatingProbabilities(sampled, train, relevant_train, relevant)


def in_case(
    pairs: ItemPairs, together: int, steepness: NDArray[np.int8], sign: int
) -> NDArray[np.bool_]:
    """Tell which pairs are in a case of table 3 or 4, a mask of shape (n_cases,)."""
    return (pairs.popularity * pairs.relevance == together) & (steepness == sign)


def conclusion_of(predictions: NDArray[np.bool_]) -> Conclusion:
    """Return what predictions of agreement say of a case: the same of all its pairs, or either."""
    if predictions.all():
        return "agree"
    return "either" if predictions.any() else "disagree"


def held(
    orders: NDArray[np.int8], others: NDArray[np.int8], expected: Conclusion
) -> NDArray[np.bool_]:
    """Tell of which pairs two rankings agree or disagree as expected, a mask (n_cases,)."""
    return orders * others == (1 if expected == "agree" else -1)
