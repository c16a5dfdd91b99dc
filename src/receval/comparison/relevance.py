# SPDX-License-Identifier: MIT
"""From which value on a test rating is relevant, where nobody says."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

MOST_GRADES = 20
"""Different values of a rating scale; of more than these values are taken for counts."""


def relevance_threshold(
    values: NDArray[np.floating] | NDArray[np.integer],
    relevant: float | Literal["auto"],
    *,
    are_grades: bool = False,
) -> float:
    """Return the value from which on test ratings are relevant, and refuse one that none reaches.

    The rule of ``auto``, in this order:

    ===============================  ========================================================
    values                           relevant
    ===============================  ========================================================
    all the same (implicit data)     all
    judgments of a TREC track        those of 1 or more
    at most 20 different ones        those above the middle of the lowest and the highest: from
                                     4 on of 1 to 5, 3.5 on of half stars to 5, 1 of 0 and 1
    more (counts, such as plays)     all that are positive
    ===============================  ========================================================

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Of the test ratings.
    relevant : float or "auto"
    are_grades : bool
        Whether the values are relevance judgments, of which 0 stands for not relevant.

    Raises
    ------
    ValueError
        There are no values, or none reaches the threshold.

    Examples
    --------
    >>> relevance_threshold(np.array([1.0, 2, 5, 4]), "auto")
    4.0
    >>> relevance_threshold(np.array([1.0, 1, 1]), 4)
    Traceback (most recent call last):
    ValueError: No test rating reaches 4, from which on they are relevant; the highest is 1. ...
    """
    if not len(values):
        raise ValueError("There are no test ratings: nothing can be evaluated.")
    highest = float(values.max())
    if relevant != "auto":
        if highest < relevant:
            raise ValueError(
                f"No test rating reaches {relevant:g}, from which on they are relevant; the "
                f"highest is {highest:g}. Say relevant={highest:g} or less, or relevant='auto'."
            )
        return float(relevant)
    different = np.unique(values)
    if len(different) == 1:
        return highest
    if are_grades:
        threshold = 1.0
    elif len(different) <= MOST_GRADES:
        middle = (float(different[0]) + highest) / 2
        threshold = float(different[different > middle][0])
    else:
        threshold = float(different[different > 0][0]) if highest > 0 else float(different[0])
    return relevance_threshold(values, threshold)
