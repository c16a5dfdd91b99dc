# SPDX-License-Identifier: MIT
"""Compare functions of items over pairs: agreement, steepness, and counts of pairs by both.

Agreement and steepness are those of Mena-Maldonado et al. (2021). The functions of pairs compare
floating-point values; :func:`item_pairs` compares counts, exactly, for all pairs of items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.storage.kernel_cache import njit
from receval.theory.rating_probabilities import RatingProbabilities


def odds(probability: ArrayLike) -> NDArray[np.float64]:
    """Return the odds :math:`p / (1 - p)`, infinite for a probability of 1; NaN stays NaN.

    Examples
    --------
    >>> odds([0, 0.5, 0.75, 1]).tolist()
    [0.0, 1.0, 3.0, inf]
    """
    p = np.asarray(probability, dtype=np.float64)
    if np.any((p < 0) | (p > 1)):
        wrong = np.ravel(p)[np.argmax(np.ravel((p < 0) | (p > 1)))]
        raise ValueError(f"{wrong:g} has no odds, because it is not a probability between 0 and 1.")
    ratio = np.full(p.shape, np.inf)
    np.divide(p, 1 - p, out=ratio, where=p != 1)
    return ratio


def decrement_rate(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    r"""Return the relative difference of a function between two items (decrement rate).

    .. math:: dr_{a,b} f = \frac{|f(a) - f(b)|}{\max(f(a), f(b))}

    Equation 11 of Mena-Maldonado et al. (2021), for functions without negative values. It is 0 if
    both values are 0 or both are infinite, and 1, its limit, if only one is infinite; NaN stays
    NaN.
    """
    a, b = np.broadcast_arrays(*(np.asarray(own, dtype=np.float64) for own in (first, second)))
    smaller, larger = np.minimum(a, b), np.maximum(a, b)
    if np.any(smaller < 0):
        raise ValueError(
            f"A function has the value {np.nanmin(smaller):g}, but only functions without negative "
            "values have a decrement rate. Compare non-relevance instead of relevance less 1."
        )
    # Only the ratio of the values counts: two zeros, or two infinite values, are equal.
    rate = np.where(np.isinf(larger) & ~np.isinf(smaller), 1.0, 0.0)
    finite = ~np.isinf(larger) & (larger != 0)
    np.subtract(larger, smaller, out=rate, where=finite)
    np.divide(rate, larger, out=rate, where=finite)
    return rate


def is_steeper(
    f_of_a: ArrayLike, f_of_b: ArrayLike, g_of_a: ArrayLike, g_of_b: ArrayLike
) -> NDArray[np.bool_]:
    """Tell whether f is steeper than g over a and b, by its decrement rate (definition 2).

    Rates are compared without a tolerance, so rounding errors count as differences. If a value
    is NaN, the result is False.

    Examples
    --------
    Between 4 and 1 a function loses three quarters of its larger value, between 4 and 2 a half:

    >>> bool(is_steeper(1, 4, 2, 4))
    True
    """
    return np.asarray(decrement_rate(f_of_a, f_of_b) > decrement_rate(g_of_a, g_of_b))


def agree(
    f_of_a: ArrayLike, f_of_b: ArrayLike, g_of_a: ArrayLike, g_of_b: ArrayLike
) -> NDArray[np.bool_]:
    """Tell whether f and g rank a and b in the same order (definition 1).

    If one of them has equal values, or none (NaN), they neither agree nor disagree.
    """
    return np.asarray(_order(f_of_a, f_of_b) * _order(g_of_a, g_of_b) > 0)


def disagree(
    f_of_a: ArrayLike, f_of_b: ArrayLike, g_of_a: ArrayLike, g_of_b: ArrayLike
) -> NDArray[np.bool_]:
    """Tell whether f and g rank a and b in opposite orders (definition 1, note 9)."""
    return np.asarray(_order(f_of_a, f_of_b) * _order(g_of_a, g_of_b) < 0)


def _order(first: ArrayLike, second: ArrayLike) -> NDArray[np.int8]:
    """Return 1 where a is ahead, -1 where b is, and 0 for neither; infinite values may be equal."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return (a > b).astype(np.int8) - (a < b).astype(np.int8)


Signs = NDArray[np.int8]
Relevance = Literal["rated", "all"]
Steepness = Literal["odds", "popularity"]


@dataclass(frozen=True)
class ItemPairs:
    """Numbers of item pairs by case, for the lemmas of Mena-Maldonado et al. (2021).

    A case is one combination of the signs below, so the share of any kind of pairs is a sum over
    cases, and the predictions of the lemmas (in
    :mod:`reproduction.studies.menamaldonado2021.lemma_cases`) apply to cases. The first item of a
    pair is the more popular one. If popularity is equal, it is the more relevant one, and then the
    one that an optimal ranking puts first. All but the number of items have shape (n_cases,):

    - ``popularity``, ``relevance``: order by p(train | i), and by p(rel | train, i) or p(rel | i):
      1 if the first item is ahead, -1 if the second is, 0 if neither is
    - ``steeper_than_relevance``, ``steeper_than_non_relevance``: whether the odds of popularity, or
      popularity itself if so chosen, are steeper (1), equally steep (0) or less steep (-1) than
      relevance, and than 1 - relevance
    - ``observed_precision``, ``observed_anti_precision``: order in the optimal rankings for these
    - ``real``: order in the optimal ranking for real values, the same for both metrics; None if the
      relevance of unrated pairs is not known
    - ``pairs``: number of pairs in each case; cases without pairs are left out
    """

    n_items: int
    popularity: Signs
    relevance: Signs
    steeper_than_relevance: Signs
    steeper_than_non_relevance: Signs
    observed_precision: Signs
    observed_anti_precision: Signs
    real: Signs | None
    pairs: NDArray[np.int64]

    @property
    def n_pairs(self) -> int:
        """Number of all pairs."""
        return self.n_items * (self.n_items - 1) // 2

    @property
    def real_ranking(self) -> Signs:
        """The signs ``real``; raises a ValueError if they are not known."""
        if self.real is None:
            raise ValueError(
                "The relevance of items to users who did not rate them is not known, so observed "
                "rankings cannot be compared with the real one. Count judgments of items that "
                "were drawn for users, or count complete matrices."
            )
        return self.real

    def count(self, cases: NDArray[np.bool_]) -> int:
        """Return the number of pairs in the selected cases, a mask of shape (n_cases,)."""
        return int(self.pairs[cases].sum())

    def share(self, cases: NDArray[np.bool_]) -> float:
        """Return the share of all pairs that are in the selected cases; NaN without pairs."""
        return self.count(cases) / self.n_pairs if self.n_pairs else float("nan")


def item_pairs(
    probabilities: RatingProbabilities, relevance: Relevance, steepness: Steepness = "odds"
) -> ItemPairs:
    """Count all pairs of items by case.

    All comparisons are exact, because they compare products of counts: rounding affects no tie. Its
    items ``with_odds`` form the pairs; the others are left out.

    Popularity is compared with p(rel | train, i) if the relevance is that of ``rated`` pairs, as in
    lemma 1 and figure 5 of Mena-Maldonado et al. (2021), and with p(rel | i) if it is that of
    ``all``, as in lemma 3 and figure 9. The steepness of relevance is compared with that of the
    ``odds`` of popularity, as the lemmas do, or with that of p(train | i) itself, which is never
    steeper than its odds.
    """
    counts = probabilities.select(probabilities.with_odds)
    if relevance == "rated":
        relevant, judged = counts.relevant_train, counts.train
    else:
        relevant, judged = counts.known_relevant, counts.sampled
    rankings = [counts.relevant_train, counts.relevant_train - counts.train]
    if counts.relevant is not None:
        rankings.append(counts.relevant - counts.relevant_train)
    n_signs = 4 + len(rankings)
    cases = np.zeros(3**n_signs, dtype=np.int64)
    below = counts.not_train if steepness == "odds" else counts.sampled
    popularity, others = (counts.train, below), counts.not_train
    _count_cases(*popularity, relevant, judged, np.stack(rankings), others, cases)
    codes = np.flatnonzero(cases)
    signs = [(codes // 3**index % 3 - 1).astype(np.int8) for index in range(n_signs)]
    return ItemPairs(
        n_items=len(counts.train),
        popularity=signs[0],
        relevance=signs[1],
        steeper_than_relevance=signs[2],
        steeper_than_non_relevance=signs[3],
        observed_precision=signs[4],
        observed_anti_precision=signs[5],
        real=None if counts.relevant is None else signs[6],
        pairs=cases[codes],
    )


@njit(cache=True)
def _count_cases(
    train: NDArray[np.int64],
    below: NDArray[np.int64],
    relevant: NDArray[np.int64],
    judged: NDArray[np.int64],
    rankings: NDArray[np.int64],
    not_train: NDArray[np.int64],
    cases: NDArray[np.int64],
) -> None:
    """Count every pair in its case, whose number has the signs as digits in base three.

    A function f = x / y is represented by its counts: x(a) y(b) and x(b) y(a) have its order, and
    their quotient is f(a) / f(b). Popularity or its odds is ``train / below``, relevance is
    ``relevant / judged``, and the functions of the rankings are counts over ``not_train``.
    """
    n_rankings, n_items = rankings.shape
    signs = np.zeros(4 + n_rankings, dtype=np.int64)
    for a in range(n_items):
        for b in range(a):
            often_a, often_b = train[a] * below[b], train[b] * below[a]
            liked_a, liked_b = relevant[a] * judged[b], relevant[b] * judged[a]
            both = judged[a] * judged[b]
            signs[0] = _sign(often_a - often_b)
            signs[1] = _sign(liked_a - liked_b)
            signs[2] = _steeper(often_a, often_b, liked_a, liked_b)
            signs[3] = _steeper(often_a, often_b, both - liked_a, both - liked_b)
            for index in range(n_rankings):
                signs[4 + index] = _sign(
                    rankings[index, a] * not_train[b] - rankings[index, b] * not_train[a]
                )
            # All signs except those of steepness are orders, reversed if the second item is ahead.
            sign = 1
            for index in range(4 + n_rankings):
                if (index < 2 or index > 3) and signs[index] != 0:
                    sign = signs[index]
                    break
            case, weight = 0, 1
            for index in range(4 + n_rankings):
                is_order = index < 2 or index > 3
                case += weight * (1 + (sign * signs[index] if is_order else signs[index]))
                weight *= 3
            cases[case] += 1


@njit(cache=True)
def _sign(value: int) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0


@njit(cache=True)
def _steeper(f_a: int, f_b: int, g_a: int, g_b: int) -> int:
    """Compare decrement rates: the steeper function has the smaller ratio of its two values."""
    f_low, f_high, g_low, g_high = min(f_a, f_b), max(f_a, f_b), min(g_a, g_b), max(g_a, g_b)
    if g_high == 0:
        # A function is flat if both of its values are 0.
        return _sign(f_high - f_low)
    return _compare_products(g_low, f_high, f_low, g_high)


@njit(cache=True)
def _compare_products(a: int, b: int, c: int, d: int) -> int:
    """Return the sign of a b - c d for factors up to 2^62, compared in two parts of 62 bits."""
    first_high, first_low = _wide_product(a, b)
    second_high, second_low = _wide_product(c, d)
    if first_high != second_high:
        return _sign(first_high - second_high)
    return _sign(first_low - second_low)


@njit(cache=True)
def _wide_product(a: int, b: int) -> tuple[int, int]:
    """Return a product as (high, low), with high 2^62 + low, by factors of 31 bits."""
    mask = 2147483647
    a_high, a_low, b_high, b_low = a >> 31, a & mask, b >> 31, b & mask
    lowest = a_low * b_low
    middle = a_high * b_low + a_low * b_high + (lowest >> 31)
    return a_high * b_high + (middle >> 31), ((middle & mask) << 31) | (lowest & mask)
