# SPDX-License-Identifier: MIT
"""Chances of numbers among samples, as fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray


def hypergeometric(pool: int, above: int, size: int) -> list[Fraction]:
    """Return the chances that 0, 1, ... of so many drawn from a pool are among those above."""
    ways = [comb(above, n) * comb(pool - above, size - n) for n in range(size + 1)]
    return [Fraction(number, comb(pool, size)) for number in ways]


def binomial(share: Fraction, size: int) -> list[Fraction]:
    """Return the chances that 0, 1, ... of so many draws have what a share of all have."""
    return [comb(size, n) * share**n * (1 - share) ** (size - n) for n in range(size + 1)]


def assert_chances(found: NDArray[np.float64], expected: list[Fraction], rarest: float) -> None:
    """Check chances, of which those are 0 that are so many times rarer than the likeliest."""
    likeliest = max(expected)
    for own, chance in zip(found, expected, strict=True):
        share = float(chance / likeliest)
        if share < rarest * (1 - 1e-9):
            assert own == 0
        elif share > rarest * (1 + 1e-9):
            np.testing.assert_allclose(own, float(chance), rtol=1e-10)
