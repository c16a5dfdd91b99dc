# SPDX-License-Identifier: MIT
"""Notes on ratings and times that may be something else, and on ratings of several scales."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.data.column_roles import COUNT_NAMES
from receval.data.column_values import FEWEST_SECONDS
from receval.data.columns import FoundColumns
from receval.data.layouts import plain_name
from receval.data.moments import span_in_words
from receval.data.reading import FORMATS
from receval.notes import Note
from receval.storage.messages import enumerated

LOWEST_SCALE = 4
"""Positive values that reach this may be ratings instead of judgments, whose grades are 0 to 3."""

MANY_USERS = 20
"""From this many users on, such values are taken for ratings."""

SCALE = 20
"""Up to this many different values of a scale are listed one by one."""


FEWEST_ENTRIES = 20


def scale_in_words(columns: FoundColumns, different: NDArray[np.float32]) -> str:
    """Return in words which values the ratings have."""
    if "rating" not in columns:
        return "no column of ratings was found, so every row counts as 1"
    if len(different) == 1:
        return f"all ratings are {different[0]:g}"
    if len(different) <= SCALE:
        *others, last = (f"{value:g}" for value in different)
        return f"ratings are {', '.join(others)} and {last}"
    told = f"ratings are {len(different):,} values from {different[0]:g} to {different[-1]:g}"
    why = f", in {columns.names['rating']}, the first with numbers behind users and items"
    return f"{told}{why * (columns.are_guessed and 'rating' in columns.names)}"


def doubts_on_ratings(
    columns: FoundColumns,
    different: NDArray[np.float32],
    counts: NDArray[np.int64],
    *,
    is_said: bool,
) -> list[Note]:
    """Return notes on what may be a mistake in the choice of columns, unless it was said."""
    name = Path(columns.source).name
    if "rating" in columns:
        rows = int(counts.sum())
        if rows > 1 and len(different) == 1 and different[0] != 1:
            text = f"{name}: all {rows:,} ratings are {different[0]:g}."
            return [Note("constant-ratings", text)]
        if notes := _doubts_on_names(columns, different, counts):
            return notes
        if columns.are_guessed and not is_said and _are_even(different, counts):
            text = (
                f"{name}: {columns.names['rating']} was taken for ratings, because it is the first "
                f"with numbers behind users and items. It has {len(different):,} different values "
                f"from {different[0]:g} to {different[-1]:g}, and half of the rows are above a "
                "quarter of this range, which is rare for a scale or counts. If they are no "
                "ratings, do not read them (rating='-', in a command: --rating -)."
            )
            return [Note("unlikely-ratings", text)]
        is_count = plain_name(columns.names.get("rating", "")) in COUNT_NAMES
        marks = _for_missing_ratings(different, counts)
        if is_count or FORMATS["qrels"] in columns.form or not marks.any():
            return []
        found = zip(different[marks], counts[marks] / rows, strict=True)
        told = " and ".join(f"{value:g} ({share:.1%} of all)" for value, share in found)
        text = (
            f"{name}: the rating {told} may stand for a missing one. If so, leave these rows out."
        )
        return [Note("missing-ratings", text)]
    if columns.unread and not is_said:
        text = (
            f"{name}: no column has a known name for ratings. These columns were not read: "
            f"{enumerated(columns.unread)}. If one of them has the ratings, name it (rating=..., "
            "in a command: --rating ...)."
        )
        return [Note("no-rating-column", text)]
    return []


def _are_even(different: NDArray[np.float32], counts: NDArray[np.int64]) -> bool:
    """Tell whether values are many, not below 0, and half above a quarter of their range."""
    middle = different[np.searchsorted(counts.cumsum(), counts.sum() / 2)]
    is_scale = len(different) <= SCALE or different[0] < 0 or different[-1] <= _HIGHEST_OF_A_SCALE
    # As those of Yahoo! Music.
    is_scale |= different[-1] == _PERCENT and bool((different == np.rint(different)).all())
    return not is_scale and bool(middle - different[0] > (different[-1] - different[0]) / 4)


_NAMES_OF_PARTS = ("split", "fold", "partition", "subset", "istrain", "istest", "istraining")


def doubts_on_columns_of_parts(columns: FoundColumns, *, is_said: bool) -> list[Note]:
    """Return a note on a column that was not read and may divide the rows into parts of a split."""
    found = [own for own in columns.unread if plain_name(own) in _NAMES_OF_PARTS]
    if is_said or not found:
        return []
    text = (
        f"{Path(columns.source).name}: the column {found[0]} was not read, so all its parts count "
        "as one table. If they are training and test data, write each into a file of its own, or "
        f"split by this column if it says train and test (in a command: --part {found[0]})."
    )
    return [Note("parts-of-a-split", text)]


def doubts_on_parts(columns: FoundColumns, values: NDArray[np.float32]) -> list[Note]:
    """Return a note if a file of a folder has ratings of another scale than the first file."""
    if len(columns.parts) < 2 or "rating" not in columns:
        return []
    begins = [first for first, _ in columns.parts]
    names = [part.source for _, part in columns.parts]
    first, *others = np.split(values, begins[1:])
    for name, own in zip(names[1:], others, strict=True):
        if notes := doubts_on_scales((names[0], first), (name, own), are_parts=True):
            return notes
    return []


FEWEST_GRADES = 3


def doubts_on_sums(columns: FoundColumns, values: NDArray[np.float32]) -> list[Note]:
    """Return a note if ratings were summed that are few and small, as those of a scale are."""
    different = np.unique(values)
    if different[-1] > _HIGHEST_OF_A_SCALE or not FEWEST_GRADES <= len(different) <= SCALE:
        return []
    text = (
        f"{Path(columns.source).name}: ratings from {different[0]:g} to {different[-1]:g} are "
        "summed. Sums are taken for counts, so that all above 0 are relevant. Set the lowest "
        "relevant sum (relevant=..., in a command: --relevant ...)."
    )
    return [Note("extreme-threshold", text)]


def doubts_on_scales(*sources: tuple[str, NDArray[Any]], are_parts: bool = False) -> list[Note]:
    """Return a note if two sources seem to have ratings of different scales.

    More than half of the ratings of the one are then above all of the other, or only the other has
    ratings below 0, and its median is lower than all of the one. Parts of one table may be sorted
    by rating, and then do not overlap.
    """
    low, high = sorted(sources, key=lambda own: own[1].max(initial=0))
    if min(len(low[1]), len(high[1])) < FEWEST_ENTRIES:
        return []
    different = [np.unique(own) for _, own in (low, high)]
    top, middle = different[0][-1], np.median(high[1])
    lowest, of_low = different[1][0], np.median(low[1])
    is_part = are_parts and lowest > of_low and different[1][-1] <= _HIGHEST_OF_A_SCALE
    is_centred = different[0][0] < 0 <= lowest and of_low < lowest and top < different[1][-1]
    sizes = [len(own) for own in different]
    is_scale = min(sizes) >= FEWEST_GRADES and sizes[0 if are_parts else np.argmin(sizes)] <= SCALE
    if not is_scale or is_part or not (middle > top or is_centred):
        return []
    spans = [
        f"from {own[0]:g} to {own[-1]:g} in {name}"
        for name, own in zip((low[0], high[0]), different, strict=True)
    ]
    text = (
        f"Ratings are {spans[0]}, but {spans[1]}, so they may have different scales. If so, write "
        "all on one scale."
    )
    return [Note("differing-scales", text)]


_RANK_NAMES = ("rank", "position")
_OF_RUNS = ("score", "prediction", "pred")


def _doubts_on_names(
    columns: FoundColumns, different: NDArray[np.float32], counts: NDArray[np.int64]
) -> list[Note]:
    """Return a note on counts with fractions, or on scores beside ranks, by their names."""
    name, own = Path(columns.source).name, columns.names.get("rating", "")
    is_noted = any(note.code == "fractional-counts" for note in columns.notes)
    is_count = plain_name(own) in COUNT_NAMES and not is_noted
    if is_count and (are_fractions := different != np.rint(different)).any():
        text = (
            f"{name}: {int(counts[are_fractions].sum()):,} of {int(counts.sum()):,} counts ({own}) "
            f"have fractions, such as {different[are_fractions][0]:g}. If points separate "
            "thousands in them, write them without."
        )
        return [Note("fractional-counts", text)]
    ranks = [other for other in columns.unread if plain_name(other) in _RANK_NAMES]
    if not (ranks or are_like_scores(different)) or plain_name(own) not in _OF_RUNS:
        return []
    names = f"columns {own} and {ranks[0]} are" if ranks else f"fractions in the column {own} are"
    text = (
        f"{name}: the {names} usually those of a run, but {own} was read as ratings. Check that "
        "test data and runs were not exchanged."
    )
    return [Note("run-as-test-data", text)]


def are_like_scores(values: NDArray[np.floating]) -> bool:
    """Tell whether values are many and mostly have fractions, as the scores of a run have."""
    tenths = 10.0 * np.unique(values).astype(np.float64)  # As of ratings such as 7.3.
    return len(tenths) > SCALE and bool((tenths.round(3) % 1 != 0).mean() > 0.5)


_FAR_RATINGS = (-9999, -999, -99, 9, 99, 999, 9999)
_HIGHEST_OF_A_SCALE = 10
_PERCENT = 100
_MUCH_FARTHER = 1.5
_AS_WIDE = 0.8
_FEWEST_OF_A_SCALE = 4


def _for_missing_ratings(
    different: NDArray[np.float32], counts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which values may stand for missing ratings: lone ones far from the others, or 0."""
    marks = np.zeros(len(different), dtype=np.bool_)
    if len(different) < 3:
        return marks
    marks[0] = _is_lone_below(different)
    rest = slice(int(marks[0]), None)
    marks[-1] = _is_lone_above(different[rest], counts[rest])
    # As in Book-Crossing, whose other ratings are from 1 to 10.
    is_scale = LOWEST_SCALE <= different[-1] <= _HIGHEST_OF_A_SCALE and len(different) <= SCALE
    if different[0] == 0 and different[1] >= 1 and is_scale and 2 * counts[0] > counts.sum():
        marks[0] = True
    return marks


def _is_lone_below(different: NDArray[np.float32]) -> bool:
    """Tell whether the lowest value may stand for a missing rating."""
    lowest, second, *_ = map(float, different)
    if lowest in _FAR_RATINGS[:3] and second >= -_HIGHEST_OF_A_SCALE:
        return True
    if lowest == -1 and second >= 0 and len(different) > SCALE:
        return True
    is_far = second - lowest >= _MUCH_FARTHER * max(1, np.diff(different[1:]).max())
    return lowest < 0 <= second and bool(is_far)


def _is_lone_above(different: NDArray[np.float32], counts: NDArray[np.int64]) -> bool:
    """Tell whether the highest value may stand for a missing rating."""
    scale, highest = different[:-1].astype(np.float64), float(different[-1])
    if len(scale) < 2:
        return False
    second, steps = float(scale[-1]), np.diff(scale)
    if highest in _FAR_RATINGS and highest > 5 * max(second, 1):
        return True
    is_far = highest - second >= max(_AS_WIDE * (second - scale[0]), 3 * steps[0])
    is_scale = len(scale) >= _FEWEST_OF_A_SCALE and second <= _HIGHEST_OF_A_SCALE
    # Of counts, larger ones are rarer.
    are_counts = (np.diff(counts) <= 0).all()
    return bool(is_far and is_scale and (steps == steps[0]).all() and not are_counts)


_FIRST_LOGS = 788_918_400
"""1995, before which no known dataset of ratings begins."""

_FIRST_DATES = 631_152_000
"""1990, before which dates, and times beside later ones, are doubtful."""

_FROM_2100 = 4_102_444_800


def doubts_on_times(columns: FoundColumns, times: NDArray[Any] | None, unit: str) -> list[Note]:
    """Return notes on timestamps that are too early or too late for the unit they were read in."""
    if times is None:
        return []
    name, span = Path(columns.source).name, span_in_words(times)
    advice = "If they have another unit, set it (time_unit=..., in a command: --time-unit ...)."
    are_odd = times >= _FROM_2100
    if are_odd.any():
        share = f"{int(are_odd.sum()):,} of {len(times):,} times are after 2099 ({span})"
        return [Note("late-times", f"{name}: read as {columns.dates or unit}, {share}. {advice}")]
    are_odd = times < _FIRST_DATES
    if are_odd.any() and (columns.dates or times.max() >= _FIRST_LOGS):
        share = f"{int(are_odd.sum()):,} of {len(times):,} times are before 1990 ({span})"
        return [Note("early-times", f"{name}: {share}. Check that they are when users rated.")]
    if columns.dates or times.max() >= _FIRST_LOGS:
        return []
    # A column with a name may count steps instead, but has no years or months then.
    are_steps = 0 <= times.min() <= max(1, times.max() / 2) and times.max() <= len(times)
    if not columns.are_guessed and are_steps:
        return []
    if times.max() < FEWEST_SECONDS:
        text = f"{name}: read as {unit}, all times are before 1973. {advice}"
    else:
        text = (
            f"{name}: read as {unit}, all times are before 1995, so they may not count from 1970, "
            f"as those of Windows (from 1601) and Apple (from 2001). {advice}"
        )
    return [Note("early-times", text)]
