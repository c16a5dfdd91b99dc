# SPDX-License-Identifier: MIT
"""Changed decisions: what another scale or test says of a pair of systems, and of which system."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.statistics.pairs import LEVEL

DecisionChange = Literal["same", "lost", "gained", "reversed"]

CHANGES: tuple[DecisionChange, ...] = ("same", "lost", "gained", "reversed")
"""Of two decisions on one pair: both say the same, the second finds nothing, the first found
nothing, or both find a difference and name another system."""


def decisions(statistics: ArrayLike, p_values: ArrayLike) -> NDArray[np.int8]:
    """Return which system of each pair is significantly ahead at the level .05.

    Examples
    --------
    >>> decisions([2.0, -3.0, 1.0], [0.01, 0.001, 0.3]).tolist()
    [1, -1, 0]
    """
    significant = np.asarray(p_values) < LEVEL
    return np.where(significant, np.sign(np.asarray(statistics)), 0).astype(np.int8)


def count_changes(before: ArrayLike, after: ArrayLike) -> dict[DecisionChange, int]:
    """Count the pairs on which two sets of decisions agree, and in which ways others differ.

    Examples
    --------
    >>> count_changes([1, 1, 0, 1, 0], [1, 0, -1, -1, 0])
    {'same': 2, 'lost': 1, 'gained': 1, 'reversed': 1}
    """
    one, other = np.asarray(before), np.asarray(after)
    if one.shape != other.shape:
        raise ValueError(
            f"The decisions are on {one.size} and {other.size} pairs: both must be on the same."
        )
    counts: dict[DecisionChange, NDArray[np.bool_]] = {
        "same": one == other,
        "lost": (one != 0) & (other == 0),
        "gained": (one == 0) & (other != 0),
        "reversed": one * other < 0,
    }
    return {change: int(counts[change].sum()) for change in CHANGES}
