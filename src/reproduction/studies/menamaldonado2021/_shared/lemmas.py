# SPDX-License-Identifier: MIT
r"""Predictions of the lemmas of menamaldonado2021 for a pair of items.

Every function works element by element on orders and on comparisons of steepness, for one pair or
for all cases of :class:`receval.theory.item_pairs.ItemPairs`:

- an order is 1 if the function is larger for the first item of the pair, -1 if it is larger for the
  second, and 0 if it is equal (flat) for both;
- a steepness is 1 if the odds of popularity are steeper than the function, 0 if they are equally
  steep, and -1 if they are less steep (definition 2).

"Relevance" is p(rel | train, i) in lemma 1 and p(rel | i) in lemma 3, "non-relevance" is 1 minus
that. The lemmas leave flat functions out; the results on them here are annex B.
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


def lemma4_predicts_agreement(
    first: ArrayLike, second: ArrayLike, steeper_than_second: ArrayLike
) -> Flags:
    r"""Return where the product of two positive functions agrees with the first.

    It agrees if and only if the first agrees with the second or is steeper (lemma 4).

    Examples
    --------
    The product of functions that disagree agrees with the first if that is steeper.

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
    """Return the outcome of checking a case, which holds if all pairs have its conclusion."""
    return str(ClaimVerdict.HOLDS if held == pairs else ClaimVerdict.DOES_NOT_HOLD)


def random_rated_items(rng: np.random.Generator, n_items: int) -> RatingProbabilities:
    """Return items of random popularity and average rating, independent and uniform."""
    popularity, relevance = rng.integers(1, SHARES, (2, n_items))
    return _items(popularity, relevance * popularity)


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
