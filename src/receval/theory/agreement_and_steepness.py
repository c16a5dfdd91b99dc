# SPDX-License-Identifier: MIT
"""Compare two functions of items over a pair of items: their agreement and steepness."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
        raise ValueError(f"{wrong:g} has no odds: a probability lies between 0 and 1.")
    ratio = np.full(p.shape, np.inf)
    np.divide(p, 1 - p, out=ratio, where=p != 1)
    return ratio


def decrement_rate(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    r"""Return the relative difference of a function between two items (decrement rate).

    .. math:: dr_{a,b} f = \frac{|f(a) - f(b)|}{\max(f(a), f(b))}

    Equation 11 of menamaldonado2021, for functions without negative values. It is 0 if both values
    are 0 or both are infinite, and 1, its limit, if only one is infinite; NaN stays NaN.
    """
    a, b = np.broadcast_arrays(
        np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    )
    smaller, larger = np.minimum(a, b), np.maximum(a, b)
    if np.any(smaller < 0):
        raise ValueError(
            f"A function has the value {np.nanmin(smaller):g}, but only functions without negative "
            "values have a decrement rate: compare non-relevance, not relevance less 1."
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

    Floating-point rates are compared without a tolerance, so rounding errors count as differences;
    :mod:`receval.theory.item_pairs` compares counts exactly. If a value is NaN, the result is
    False.

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
