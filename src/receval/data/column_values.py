# SPDX-License-Identifier: MIT
"""What the values of a column look like: numbers, grades, times, dates, ranks, an index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from receval.data.layouts import is_number
from receval.data.moments import MIDNIGHT, kind_of_moment

FEWEST_SECONDS = 1e8
"""Smaller numbers are not taken for timestamps: as seconds, they are before 1973."""

MOST_GRADES = 20
"""The most different values of a column that may be ratings rather than identifiers."""

_CLOCK_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?\b")
_DAY = re.compile(rf"\d{{4}}-\d\d-\d\d({MIDNIGHT})?")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?")
_DATE = re.compile(r"(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4})(?!\d)")
_DIGITS_OF_A_DAY = 8
_LARGEST_GRADE = 100
_LARGEST_TIME = 1e20
_DAYS = (19_000_101, 21_001_231)
_FEWEST_MOMENTS = 3
_MOST_DIFFERENT = 0.9
_SINCE_1995 = 788_918_400
_UNTIL_2038 = 2**31


@dataclass(frozen=True)
class ColumnCells:
    """The first cells of a column, and what they look like."""

    cells: Sequence[str]

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The cells as numbers, or None if one is not a number."""
        given = [cell.replace(",", ".") for cell in self.cells if cell]
        if not given or not all(map(is_number, given)):
            return None
        numbers = np.array([float(cell) for cell in given])
        return numbers[np.isfinite(numbers)]

    @cached_property
    def are_whole(self) -> bool:
        """Whether all cells are whole numbers."""
        return self.numbers is not None and bool((self.numbers == np.rint(self.numbers)).all())

    @cached_property
    def are_dates(self) -> bool:
        """Whether all cells are dates such as 2003-02-28."""
        if self.numbers is not None or not any(self.cells):
            return False
        kinds = (kind_of_moment(cell) for cell in self.cells if cell)
        return all(kind not in (None, "a number") for kind in kinds)

    @property
    def are_any_dates(self) -> bool:
        """Whether all cells are dates of any form, also such as 28.2.2003 or 20030228."""
        given = [cell for cell in self.cells if cell]
        if self.numbers is None:
            return self.are_dates or (bool(given) and all(map(_DATE.match, given)))
        return (
            len(set(given)) > 1
            and all(len(cell) == _DIGITS_OF_A_DAY and cell.isdecimal() for cell in given)
            and self.are_times
        )

    @cached_property
    def are_times(self) -> bool:
        """Whether all cells are times: dates, or numbers that are large enough."""
        if self.numbers is None:
            return self.are_dates
        given = np.unique(np.abs(self.numbers[self.numbers != 0]))
        if not len(given):
            return False
        days = given[given < FEWEST_SECONDS]
        if given[-1] >= _LARGEST_TIME or not len(days):
            return bool(given[-1] < _LARGEST_TIME)
        is_in_range = self.are_whole and _DAYS[0] <= days[0] and days[-1] <= _DAYS[1]
        return is_in_range and all(map(_is_day, days.astype(np.int64).tolist()))

    @property
    def are_different_seconds(self) -> bool:
        """Whether nearly all cells are different moments since 1995, in seconds or smaller units.

        Identifiers may be as large, but have a wider range.
        """
        if self.numbers is None or not self.are_whole or len(self.numbers) < _FEWEST_MOMENTS:
            return False
        low, high = float(self.numbers.min()), float(self.numbers.max())
        return len(set(self.cells)) > _MOST_DIFFERENT * len(self.cells) and are_since_1995(
            low, high
        )

    @property
    def are_days(self) -> bool:
        """Whether all cells are dates such as 2003-02-28 without a time of the day."""
        return any(self.cells) and all(map(_DAY.fullmatch, filter(None, self.cells)))

    @property
    def complete_days(self) -> bool:
        """Whether all cells are times of the day such as 23:59:59, to be read after a date."""
        return any(self.cells) and all(map(_TIME_OF_DAY.fullmatch, filter(None, self.cells)))

    @property
    def are_clock_times(self) -> bool:
        """Whether all cells are times of the day, such as 23:59:59."""
        return any(self.cells) and all(map(_CLOCK_TIME.match, filter(None, self.cells)))

    @cached_property
    def are_grades(self) -> bool:
        """Whether the values may be ratings of a scale."""
        if self.numbers is None or not len(self.numbers) or self.are_times:
            return False
        different = np.unique(self.numbers)
        return len(different) <= MOST_GRADES and abs(different).max() <= _LARGEST_GRADE

    @property
    def are_repeated(self) -> bool:
        """Whether some cells are equal, but not all."""
        return 1 < len(set(self.cells)) < len(self.cells)

    @property
    def are_grouped(self) -> bool:
        """Whether some cells are equal, but not all, and equal ones are together."""
        starts = 1 + sum(
            before != after for before, after in zip(self.cells, self.cells[1:], strict=False)
        )
        return self.are_repeated and len(set(self.cells)) == starts


def are_ranks_in_order(users: NDArray[np.integer], values: NDArray[np.floating]) -> bool:
    """Tell whether the values of each user are 1, 2, 3 and so on in the order of the rows.

    They may also begin with 0. At least one user has several.
    """
    places = _places_within(users)
    return bool(
        len(values)
        and places.max() > 0
        and values[0] in (0, 1)
        and (values == places + values[0]).all()
    )


def are_since_1995(low: float, high: float) -> bool:
    """Tell whether numbers between these may be moments since 1995, in seconds or smaller units."""
    return any(
        _SINCE_1995 * per_second <= low and high < _UNTIL_2038 * per_second
        for per_second in (1, 10**3, 10**6, 10**9)
    )


def _is_day(number: int) -> bool:
    try:
        datetime.strptime(str(number), "%Y%m%d")
    except ValueError:
        return False
    return True


def is_index(cells: Sequence[str]) -> bool:
    """Tell whether cells are different whole numbers, as those of an index are."""
    return (
        len(cells) > 1 and len(set(cells)) == len(cells) and all(cell.isdecimal() for cell in cells)
    )


def counts_rows(cells: Sequence[str]) -> bool:
    """Tell whether cells number the rows from 0 or 1."""
    return is_index(cells) and any(
        list(cells) == [str(number) for number in range(first, first + len(cells))]
        for first in (0, 1)
    )


def _places_within(users: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the place from 0 of each row among the rows of the same user."""
    order = np.argsort(users, kind="stable")
    of_each = users[order]
    starts = np.searchsorted(of_each, of_each)
    places = np.empty(len(users), dtype=np.int64)
    places[order] = np.arange(len(users)) - starts
    return places
