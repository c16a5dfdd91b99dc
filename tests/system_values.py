# SPDX-License-Identifier: MIT
"""Values of systems on users, drawn or generated, for tests of comparisons.

Beside tests/statistics, not in it: `statistics` is a module of the standard library.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray


def tied_values(seed: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return eighths, so that differences are exact and many of them are tied or 0."""
    rng = np.random.default_rng(seed)
    shift = np.arange(shape[-2])[:, np.newaxis] / 8
    return rng.integers(0, 9, shape) / 8 + shift * (rng.random(shape) < 0.3)


def few_eighths(min_users: int = 2, max_users: int = 12) -> st.SearchStrategy[NDArray[np.float64]]:
    """Two metrics, up to four systems; sums and differences of eighths have no rounding."""
    shapes = st.tuples(st.just(2), st.integers(2, 4), st.integers(min_users, max_users))
    eighths = st.integers(-16, 16).map(lambda number: number / 8)
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=eighths))


def all_pairs(n_systems: int) -> list[tuple[int, int]]:
    """Return pairs by two loops, independently of the library's."""
    return [(i, j) for i in range(n_systems) for j in range(i + 1, n_systems)]
