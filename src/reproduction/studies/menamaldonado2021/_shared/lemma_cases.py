# SPDX-License-Identifier: MIT
"""Random items under the premises of the lemmas of menamaldonado2021, and the cases of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from reproduction.claims.verdicts import ClaimVerdict

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs
    from receval.theory.rating_probabilities import RatingProbabilities

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
