# SPDX-License-Identifier: MIT
"""Random words for compiled loops, from one seed a user."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def next_random(state: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Advance a SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    mixed = state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, mixed ^ (mixed >> np.uint64(31))
