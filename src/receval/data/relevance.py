# SPDX-License-Identifier: MIT
"""Choose the relevance threshold of test ratings when none is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.notes_on_ratings import doubts_on_scales
from receval.data.ratings import Ratings
from receval.data.ratings_table import JudgedTable, are_judgments, notes_on_judgments
from receval.data.reading import ReadingReport
from receval.notes import Note

MOST_GRADES = 20
"""The most different values of a rating scale; with more, the values are taken for counts."""

MOST_STEPS = 20
"""The most steps from the lowest to the highest value of a scale; counts have gaps."""

FEWEST_RELEVANT = 0.01
"""A note is made if a smaller share of ratings reaches the threshold, or fails to."""

Values = NDArray[np.floating] | NDArray[np.integer]


@dataclass(frozen=True)
class RelevanceRule:
    """The threshold from which test ratings are relevant.

    ``words`` is a sentence on the threshold and how many test ratings reach it; a note warns if
    nearly all or nearly none are relevant.
    """

    threshold: float
    words: str
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        tested: Values,
        relevant: float | Literal["auto"],
        *,
        at_hand: Sequence[Values] = (),
        are_grades: bool = False,
        are_counts: bool = False,
        reading: ReadingReport | None = None,
    ) -> RelevanceRule:
        """Return the rule for test ratings; refuse a threshold that none of them reaches.

        ``auto`` considers all known ratings, such as the training ratings ``at_hand``, so that
        every split of a table has the same threshold. How they were read tells, too, whether they
        are grades or counts.

        Examples
        --------
        All test ratings are positive, and the training ratings have a scale from 1 to 5:

        >>> tested, train = np.array([4.0, 5.0, 5.0]), np.array([1.0, 2, 3, 4, 5])
        >>> RelevanceRule.of(tested, "auto", at_hand=[train]).words
        'Test ratings of 4 or more are relevant: 3 of 3 (100.0 %).'
        """
        known = np.concatenate([tested, *at_hand]) if at_hand else tested
        notes = []
        if reading is not None:
            notes += notes_on_judgments(reading) if relevant == "auto" else []
            are_grades = are_grades or are_judgments(reading)
            are_counts = are_counts or reading.are_counts
        threshold = relevance_threshold(
            known if len(tested) and relevant == "auto" else tested,
            relevant,
            are_grades=are_grades,
            are_counts=are_counts,
        )
        highest = float(tested.max())
        if relevant == "auto" and highest < threshold:
            raise ValueError(
                f"No test rating is relevant. Judged by all ratings, {threshold:g} or more is "
                f"relevant, but the highest test rating is {highest:g}. Set the lowest relevant "
                f"test rating (relevant={highest:g}, in a command: --relevant {highest:g})."
            )
        threshold = relevance_threshold(tested, threshold)
        told = relevance_in_words(tested, threshold)
        share, of_known = (float((own >= threshold).mean()) for own in (tested, known))
        is_usual = are_grades or are_counts or (known == known[0]).all()
        notes += extreme_threshold_notes(told, threshold, share, 0 if is_usual else of_known)
        return cls(threshold, told, tuple(notes))

    @classmethod
    def of_runs(
        cls, judged: JudgedTable, train: Ratings | None, relevant: float | Literal["auto"]
    ) -> RelevanceRule:
        """Return the rule for the test data of runs; parameters as for :meth:`of`."""
        rule = cls.of(
            judged.ratings.values,
            relevant,
            at_hand=[] if train is None or judged.are_grades else [train.values],
            are_grades=judged.are_grades,
            are_counts=judged.are_counts,
        )
        if train is None or judged.are_grades or judged.are_counts:
            return rule
        scales = ("the test data", judged.ratings.values), ("the training data", train.values)
        return replace(rule, notes=(*rule.notes, *doubts_on_scales(*scales)))


def relevance_threshold(
    values: Values,
    relevant: float | Literal["auto"],
    *,
    are_grades: bool = False,
    are_counts: bool = False,
) -> float:
    """Return the relevance threshold of test ratings, and raise an error if none reaches it.

    The rule of ``auto``, in this order:

    ===============================  ========================================================
    values                           relevant
    ===============================  ========================================================
    none above 0                     none: they are refused
    all the same (implicit data)     all
    judgments of a TREC track        those of 1 or more
    a scale: at most 20 different    those above the middle of the lowest and the highest, such
    values, without large gaps       as 4 and 5 on a scale from 1 to 5, or 1 of 0 and 1
    others (counts, such as plays)   all above 0
    ===============================  ========================================================

    In a scale, the lowest and highest value are at most 20 steps apart, where a step is the
    smallest difference, or at least half of the steps occur. So 1, 2, 3 and 8,000 are counts. What
    is said to be grades or counts is so even if it looks like a scale.

    Examples
    --------
    >>> relevance_threshold(np.array([1.0, 2, 5, 4]), "auto")
    4.0
    >>> relevance_threshold(np.array([1, 2, 3, 8000]), "auto")
    1.0
    >>> relevance_threshold(np.array([1.0, 1, 1]), 4)
    Traceback (most recent call last):
    ValueError: No test rating reaches the relevance threshold 4. The highest is 1. ...
    >>> relevance_threshold(np.array([0.0, 0, 0]), "auto")
    Traceback (most recent call last):
    ValueError: No test rating is above 0, so none is relevant. All are 0. ...
    """
    if not len(values):
        raise ValueError("There are no test ratings, so nothing can be evaluated.")
    highest = float(values.max()) + 0.0  # Never -0.
    if relevant != "auto":
        relevant = _as_the_values_are(values, relevant)
        if highest < relevant:
            auto = ", or auto" if highest > 0 else ""
            raise ValueError(
                f"No test rating reaches the relevance threshold {relevant:g}. The highest is "
                f"{highest:g}. Set {highest:g} or less{auto} (relevant={highest:g}, in a command: "
                f"--relevant {highest:g})."
            )
        return relevant
    if highest <= 0:
        are_equal = len(values) > 1 and (values == values[0]).all()
        told = "All are" if are_equal else "The highest is"
        raise ValueError(
            f"No test rating is above 0, so none is relevant. {told} {highest:g}. Check "
            "that the right column was read (--rating), or set the lowest relevant rating "
            f"(relevant={highest:g}, in a command: --relevant {highest:g})."
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


def relevance_in_words(values: Values, threshold: float, of: str = "test ratings") -> str:
    """Return a sentence on the threshold and how many ratings reach it."""
    return counts_in_words(int((values >= threshold).sum()), len(values), threshold, of)


def counts_in_words(relevant: int, n_values: int, threshold: float, of: str) -> str:
    """Return the sentence of :func:`relevance_in_words` from counts."""
    share = f"{relevant / n_values:.1%}".replace("%", " %")
    told = f"{of} of {threshold:g} or more are relevant: {relevant:,} of {n_values:,} ({share})."
    return f"{told[0].upper()}{told[1:]}"


def extreme_threshold_notes(
    told: str, threshold: float, share: float, of_known: float
) -> list[Note]:
    """Return a note if nearly none of the test ratings are relevant, or nearly all that are known.

    ``told`` is the sentence on the threshold.
    """
    if share >= FEWEST_RELEVANT and of_known <= 1 - FEWEST_RELEVANT:
        return []
    text = f"{told} Check that users like items with a rating of {threshold:g} or more."
    return [Note("extreme-threshold", text)]


def negative_ratings_notes(values: Values) -> list[Note]:
    """Return a note that ratings below 0 have no gain, if there are any."""
    if not len(values) or values.min() >= 0:
        return []
    text = (
        f"Some ratings are below 0 (the lowest is {values.min():g}): in metrics with gains they "
        "have the gain of 0, as in trec_eval."
    )
    return [Note("negative-ratings", text)]


def _as_the_values_are(values: Values, relevant: float) -> float:
    """Return a threshold in the values' precision: .7 in double is more than .7 in single."""
    return float(values.dtype.type(relevant)) if values.dtype.kind == "f" else float(relevant)


def _are_a_scale(different: NDArray[np.number[Any, float]]) -> bool:
    """Tell whether sorted values are the grades of a scale, rather than counts."""
    if len(different) > MOST_GRADES:
        return False
    gaps = np.diff(different.astype(np.float64))
    steps = round(float(gaps.sum() / gaps.min()))
    return steps <= MOST_STEPS or 2 * len(different) > steps
