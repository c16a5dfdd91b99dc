# SPDX-License-Identifier: MIT
"""From which value on a test rating is relevant, where nobody says."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

MOST_GRADES = 20
"""Different values of a rating scale; of more than these values are taken for counts."""

MOST_STEPS = 20
"""Steps from the lowest to the highest value of a scale; counts have gaps."""


def relevance_threshold(
    values: NDArray[np.floating] | NDArray[np.integer],
    relevant: float | Literal["auto"],
    *,
    are_grades: bool = False,
    are_counts: bool = False,
) -> float:
    """Return the value from which on test ratings are relevant, and refuse one that none reaches.

    The rule of ``auto``, in this order:

    ===============================  ========================================================
    values                           relevant
    ===============================  ========================================================
    none above 0                     none: they are refused
    all the same (implicit data)     all
    judgments of a TREC track        those of 1 or more
    a scale: at most 20 different    those above the middle of the lowest and the highest: from
    ones, without large gaps         4 on of 1 to 5, 3.5 on of half stars to 5, 1 of 0 and 1
    others (counts, such as plays)   all that are positive
    ===============================  ========================================================

    A scale has at most 20 steps of its smallest difference between the lowest and the highest
    value, or at least half of them are there, so that 1, 2, 3 and 8,000 are counts.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Of the test ratings.
    relevant : float or "auto"
    are_grades : bool
        Whether the values are relevance judgments, of which 0 stands for not relevant.
    are_counts : bool
        Whether the values are counts of plays or the like, whatever they are.

    Raises
    ------
    ValueError
        There are no values, none reaches the threshold, or with ``auto`` none is above 0.

    Examples
    --------
    >>> relevance_threshold(np.array([1.0, 2, 5, 4]), "auto")
    4.0
    >>> relevance_threshold(np.array([1, 2, 3, 8000]), "auto")
    1.0
    >>> relevance_threshold(np.array([1.0, 1, 1]), 4)
    Traceback (most recent call last):
    ValueError: No test rating reaches 4, from which on they are relevant; the highest is 1. ...
    >>> relevance_threshold(np.array([0.0, 0, 0]), "auto")
    Traceback (most recent call last):
    ValueError: No test rating is above 0, so that nothing is relevant; the highest is 0. ...
    """
    if not len(values):
        raise ValueError("There are no test ratings: nothing can be evaluated.")
    highest = float(values.max()) + 0.0  # Never -0.
    if relevant != "auto":
        relevant = _as_the_values_are(values, relevant)
        if highest < relevant:
            auto = ", or auto" if highest > 0 else ""
            raise ValueError(
                f"No test rating reaches {relevant:g}, from which on they are relevant; the "
                f"highest is {highest:g}. Say {highest:g} or less{auto} "
                f"(relevant={highest:g}, in a command: --relevant {highest:g})."
            )
        return relevant
    if highest <= 0:
        raise ValueError(
            f"No test rating is above 0, so that nothing is relevant; the highest is {highest:g}. "
            "Look whether the right column was read (--rating), or say from which value on they "
            f"are relevant (relevant={highest:g}, in a command: --relevant {highest:g})."
        )
    different = np.unique(values)
    if len(different) == 1:
        return highest
    if are_grades:
        threshold = 1.0
    elif _are_a_scale(different) and not are_counts:
        middle = (float(different[0]) + highest) / 2
        threshold = float(different[different > middle][0])
    else:
        threshold = float(different[different > 0][0])
    return relevance_threshold(values, threshold)


def relevance_in_words(
    values: NDArray[np.floating] | NDArray[np.integer], threshold: float, of: str = "test ratings"
) -> str:
    """Return from which value on ratings are relevant, and how many of them are.

    Examples
    --------
    >>> relevance_in_words(np.array([1.0, 2, 5, 4]), 4)
    'Relevant are test ratings of 4 or more, which are 2 of 4 (50.0 %).'
    """
    relevant = int((values >= threshold).sum())
    return (
        f"Relevant are {of} of {threshold:g} or more, which are {relevant:,} of "
        f"{len(values):,} ({relevant / len(values):.1%}).".replace("%)", " %)")
    )


def _as_the_values_are(
    values: NDArray[np.floating] | NDArray[np.integer], relevant: float
) -> float:
    """Return a threshold in the precision of the values: .7 in double is more than .7 in single."""
    return float(values.dtype.type(relevant)) if values.dtype.kind == "f" else float(relevant)


def _are_a_scale(different: NDArray[np.floating] | NDArray[np.integer]) -> bool:
    """Tell whether sorted values are the grades of a scale, and no counts."""
    if len(different) > MOST_GRADES:
        return False
    gaps = np.diff(different.astype(np.float64))
    steps = round(float(gaps.sum() / gaps.min()))
    return steps <= MOST_STEPS or 2 * len(different) > steps
