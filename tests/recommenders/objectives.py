# SPDX-License-Identifier: MIT
"""Objectives that systems step along, and their slopes by finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Dense = NDArray[np.float64]
Tables = list[Dense]


def ln_sigmoid(x: float) -> float:
    return -float(np.logaddexp(0, -x))


def gradient(value: Callable[[Dense], float], at: Dense) -> Dense:
    """Return the central differences of a function of one array."""
    table = at.copy()
    slopes = np.empty_like(table)
    for index in np.ndindex(table.shape):
        kept, reached = table[index], []
        for shift in (1e-5, -1e-5):
            table[index] = kept + shift
            reached.append(value(table))
        table[index] = kept
        slopes[index] = (reached[0] - reached[1]) / 2e-5
    return slopes
