# SPDX-License-Identifier: MIT
"""Sums of doubles without rounding, so that their order and division into blocks never matter.

A sum is a whole number of :data:`UNITS`, the smallest positive double. Whole numbers of Python have
no largest value, so sums of blocks are added exactly, and are rounded once, when they are divided.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from receval.storage.kernel_cache import njit

UNITS = 1 << 1074
"""The number of units in 1: the smallest positive double is one unit."""

_EXPONENTS = 2047
_LOW_BITS = 26
_LOW = (1 << _LOW_BITS) - 1
_SPLITTER = 134_217_729.0  # 2 ** 27 + 1 divides a double into two halves (Veltkamp).


def exact_sum(values: NDArray[np.float64]) -> int:
    """Return the sum of finite doubles, in units.

    Examples
    --------
    >>> as_float(exact_sum(np.array([1e16, 1.0, -1e16])))
    1.0
    """
    parts = np.zeros((_EXPONENTS, 2), dtype=np.int64)
    _add(np.ascontiguousarray(values, dtype=np.float64).view(np.int64), parts)
    return _whole(parts)


def exact_products(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """Return the sum of the products of finite doubles, in units.

    Each product is the sum of two doubles, its rounded value and the rounding error (Dekker 1971,
    "A floating-point technique for extending the available precision", Numerische Mathematik 18).
    Parts of products below the smallest double are lost.

    Examples
    --------
    The product is 1 + 2 ** -29 + 2 ** -60, and its last part does not fit into a double:

    >>> x = np.array([1 + 2.0**-30, 1.0])
    >>> exact_products(x, np.array([1 + 2.0**-30, -1 - 2.0**-29])) == UNITS >> 60
    True
    """
    parts = np.zeros((_EXPONENTS, 2), dtype=np.int64)
    step = 1 << 15
    for start in range(0, len(one), step):
        both = _products(one[start : start + step], other[start : start + step])
        _add(both.view(np.int64), parts)
    return _whole(parts)


def as_float(units: int | Fraction) -> float:
    """Return a number of units as the nearest double."""
    return float(Fraction(units) / UNITS)


@njit(cache=True)
def _add(bits: NDArray[np.int64], parts: NDArray[np.int64]) -> None:
    """Add doubles, given by their bits, to the two halves of the sum of each exponent.

    The halves hold the sums of 2 ** 36 doubles.
    """
    for own in bits:
        exponent = (own >> 52) & 0x7FF
        digits = own & 0xFFFFFFFFFFFFF
        if exponent == _EXPONENTS:
            raise ValueError("A value is not finite. Only finite values can be added.")
        if exponent > 0:
            digits |= 1 << 52
        else:
            exponent = 1
        low, high = digits & _LOW, digits >> _LOW_BITS
        if own < 0:
            low, high = -low, -high
        parts[exponent, 0] += low
        parts[exponent, 1] += high


@njit(cache=True)
def _products(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rounded products and their rounding errors, one after the other."""
    found = np.empty(2 * len(one))
    for place in range(len(one)):
        a, b = one[place], other[place]
        product = a * b
        part = _SPLITTER * a
        a_high = part - (part - a)
        a_low = a - a_high
        part = _SPLITTER * b
        b_high = part - (part - b)
        b_low = b - b_high
        found[2 * place] = product
        rest = a_high * b_high - product
        found[2 * place + 1] = ((rest + a_high * b_low) + a_low * b_high) + a_low * b_low
    return found


def _whole(parts: NDArray[np.int64]) -> int:
    total = 0
    flat = parts.ravel()
    for place in np.flatnonzero(flat).tolist():
        exponent, is_high = divmod(place, 2)
        total += int(flat[place]) << (exponent - 1 + is_high * _LOW_BITS)
    return total
