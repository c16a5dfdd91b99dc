# SPDX-License-Identifier: MIT
"""Decide which column of a table is the user, the item, the rating and so on.

If columns have names, these decide; otherwise the values in the first thousand rows. A list of all
columns replaces either, and a column that is asked for replaces one decision.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from receval.data.columns import WantedColumn, chosen_names
from receval.data.layouts import INDEX_NAMES, is_number, plain_name
from receval.data.moments import kind_of_moment
from receval.data.reading import UNREAD, ReadingOptions, TableError
from receval.storage.messages import enumerated, how_many, shortened

FEWEST_SECONDS = 1e8
"""Smaller numbers are not taken for timestamps: as seconds, they are before 1973."""

MOST_GRADES = 20
"""The most different values of a column that may be ratings rather than identifiers."""

_CLOCK_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?\b")
_DATE = re.compile(r"(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4})(?!\d)")
_ITEM_WITH_RATING = re.compile(r"\d+:\d+(\.\d+)?")
_DIGITS_OF_A_DAY = 8
_LARGEST_GRADE = 100
_LARGEST_TIME = 1e20
_DAYS = (19_000_101, 21_001_231)
_FEWEST_MOMENTS = 3
_MOST_DIFFERENT = 0.9
_SINCE_1995 = 788_918_400
_UNTIL_2038 = 2**31


@dataclass(frozen=True)
class Roles:
    """The place from 0 of each column that was found, its name in words, and the other columns."""

    places: Mapping[str, int]
    words: Mapping[str, str]
    unread: tuple[str, ...]
    are_guessed: bool = False


def roles_of(
    source: str,
    names: Sequence[str] | None,
    cells: Sequence[Sequence[str]],
    wanted: Collection[WantedColumn],
    options: ReadingOptions,
    *,
    has_index: bool = False,
    may_have_fractions: bool = False,
    hint: str = "",
) -> Roles:
    """Return the roles of columns, given the cells of the first rows by column.

    Without names (None), or with numbers for names, values decide. An index, if there is one, is
    the first column. With ``may_have_fractions``, a decimal comma would separate cells. The hint is
    for :func:`chosen_names`.
    """
    labels = [str(own) for own in (range(len(cells)) if names is None else names)]
    is_said = has_index
    has_index |= names is not None and are_numbered(labels) and labels[0] in INDEX_NAMES
    is_named = names is not None and not are_numbered(labels)
    if options.columns is not None:
        places = _by_list(source, len(cells), wanted, options.columns)
    elif is_named:
        found = chosen_names(source, labels, wanted, hint)
        places = {role: labels.index(own) for role, own in found.items()}
    else:
        guessed = _guessed(
            *(cells, wanted, int(has_index)),
            may_have_fractions=may_have_fractions,
            is_table=options.format == "table",
        )
        places = _with_those_asked_for(source, labels, len(cells), wanted, guessed)
    if is_named and options.columns is None and "rating" in {own.name for own in wanted}:
        for place, own in enumerate(labels):
            if place not in places.values():
                _refuse_column_of_parts(source, own, cells[place])
    words = labels if is_named else [f"column {place}" for place in range(len(cells))]
    unread = [
        f"{word} ({what})" if (what := "" if is_named else _seen_in(cells[place], place)) else word
        for place, word in enumerate(words)
        if place not in places.values() and not (place == 0 and is_said)
    ]
    told = {role: words[place] for role, place in places.items()}
    return Roles(places, told, tuple(unread), options.columns is None and not is_named)


COLUMNS_OF_PARTS = frozenset({"split", "fold", "subset", "partition", "set"})
"""Names, in plain form, of columns that say to which part of a split a row belongs."""

OTHER_NAMES = {
    "training": "train", "base": "train", "tr": "train", "valid": "validation",
    "vali": "validation", "val": "validation", "dev": "validation", "testing": "test", "te": "test",
}  # fmt: skip
"""Other common names of the parts of a split, in lower case."""

_PARTS = {name: name for name in OTHER_NAMES.values()} | OTHER_NAMES
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
_are_divided: ContextVar[bool] = ContextVar("are_divided", default=False)


@contextmanager
def divided_by_a_column() -> Iterator[None]:
    """Read tables with a column that divides them into parts of a split, as the caller says."""
    token = _are_divided.set(True)
    try:
        yield
    finally:
        _are_divided.reset(token)


def parts_in(path: Path, folder: Path) -> frozenset[str]:
    """Return the parts of a split that the name of a file in a folder has."""
    words = _LONG_WORD.findall(str(path.relative_to(folder)).lower())
    return frozenset(_PARTS[word] for word in words if word in _PARTS)


def _refuse_column_of_parts(source: str, name: str, cells: Sequence[str]) -> None:
    """Refuse ratings that a column divides into training and test data; folds may be one table."""
    if plain_name(name) not in COLUMNS_OF_PARTS or _are_divided.get():
        return
    found = [own for own in dict.fromkeys(cells) if own.lower() in _PARTS]
    if len({_PARTS[own.lower()] for own in found}) > 1:
        raise TableError(
            f"{source}: the column {name} has {enumerated(found)}, so the rows are the parts of a "
            f"split, which would be read as one table. Split by it (split(..., 'predefined', "
            f"part={name!r}), in a command: --part {name}), or write each part into a file of its "
            "own. If they are one table, say what each column is, with - for this one "
            "(columns=..., --columns ...)."
        )


def are_numbered(names: Sequence[str]) -> bool:
    """Tell whether columns have the numbers from 0 as names, perhaps after an index of pandas."""
    own = names[1:] if names and names[0] in INDEX_NAMES else names
    return len(own) > 1 and list(own) == [str(number) for number in range(len(own))]


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


@dataclass(frozen=True)
class _Guess:
    """What columns seem to be, by place; and why that is in doubt unless a role is asked for."""

    roles: tuple[str, ...]
    doubt: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Column:
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


Guesser = Callable[[Sequence[_Column], bool], _Guess]


def _is_day(number: int) -> bool:
    try:
        datetime.strptime(str(number), "%Y%m%d")
    except ValueError:
        return False
    return True


def _seen_in(cells: Sequence[str], place: int) -> str:
    """Return in words what an unread column seems to have; empty if it may be anything."""
    if place == 0 and _is_index(cells):
        return "an index"
    return "0 or 1" if set(cells) == {"0", "1"} else ""


def _is_index(cells: Sequence[str]) -> bool:
    """Tell whether cells are different whole numbers, as those of an index are."""
    return (
        len(cells) > 1 and len(set(cells)) == len(cells) and all(cell.isdecimal() for cell in cells)
    )


def _counts_rows(cells: Sequence[str]) -> bool:
    """Tell whether cells number the rows from 0 or 1."""
    return _is_index(cells) and any(
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


# What the values of columns say about their roles.


def _guessed(
    cells: Sequence[Sequence[str]],
    wanted: Collection[WantedColumn],
    first: int,
    *,
    may_have_fractions: bool,
    is_table: bool,
) -> _Guess:
    """Return the roles of columns by their values."""
    columns = [_Column(own) for own in cells[first:]]
    roles = [column.name for column in wanted]
    guess: Guesser
    if roles[:4] == ["user", "item", "rating", "timestamp"]:
        guess = _of_ratings
    elif roles[:4] == ["user", "item", "score", "rank"]:
        guess = _of_run
    else:
        return _Guess((UNREAD,) * first + tuple(roles[: len(columns)]))
    is_wide = _is_wide(columns)
    if (misplaced := _misplaced(columns)) is not None:
        place, role, told = misplaced
        order = ["user", "item"]
        order.insert(place, role if role in roles else UNREAD)
        found = _Guess(
            tuple(roles[: len(columns)]),
            f"column {first + place} (counted from 0) has {told}, but the first two columns should "
            f"be user and item. {_advised(','.join(order))}",
            ("user", "item"),
        )
    elif len(columns) > 1 and _are_swapped(columns):
        found = _Guess(
            tuple(roles[: len(columns)]),
            f"column {first} (counted from 0) has products of Amazon and the next one its "
            f"customers. {_advised(','.join(['item', 'user', *roles[2:]][: len(columns)]))}",
            ("user", "item"),
        )
    elif is_wide and len(columns) > _MOST_OF_TABLE:
        found = _wide(roles)
    elif not first and len(columns) > 2 and _is_index(columns[0].cells):
        found = _perhaps_after_an_index(columns, guess, may_have_fractions)
    else:
        found = guess(columns, may_have_fractions)
    begins_with_user = bool(columns) and not found.doubt and found.roles[0] != UNREAD
    if is_wide and begins_with_user and _may_be_items(columns, guess):
        found = _wide(roles)
    items = columns[found.roles.index("item")].cells if columns and "item" in found.roles else ()
    is_pair = len(columns) == 2 and len(items) > 0 and not found.doubt
    if is_pair and all(map(_ITEM_WITH_RATING.fullmatch, items)):
        found = _Guess(
            found.roles,
            f"each item seems to have its rating after a colon, such as "
            f"{shortened(items[0])}. Write items and ratings in columns of their own, unless these "
            f"are items. {_advised('user,item')}",
            ("item",),
        )
    if not found.doubt and len(columns) > _MOST_OF_TABLE and all(o.are_grades for o in columns):
        found = _Guess(
            found.roles,
            "the rows seem to be those of a matrix of users by items, as all cells may be ratings. "
            "Write a row for each rating, or save a sparse matrix (.npz), unless it is another "
            f"table. {_advised(','.join(roles[:3]))}",
            tuple(roles),
        )
    if not found.doubt and len(columns) > 2 and _may_be_ranks(columns):
        after = (*roles[2:], UNREAD)[: len(columns) - 3]
        found = _Guess(
            found.roles,
            f"column {first + 1} (counted from 0) has the numbers 1, 2, 3 and so on for each user, "
            "in this order, as ranks do, and the next column may have the items. "
            f"{_advised(','.join(['user', UNREAD, 'item', *after]), ','.join(found.roles))}",
            ("item",),
        )
    may_be_trec = not is_table and len(columns) > 3 and len(items) > 1
    if (
        not found.doubt
        and may_be_trec
        and (
            set(items) == {"0"}
            or all(map(_OF_TREC.fullmatch, items))
            or (len(set(items)) == 1 and len(items) >= _FEWEST_CONSTANT)
        )
    ):
        example = ",".join(["user", UNREAD, "item", *roles[3:1:-1]][: len(columns)])
        found = _Guess(
            found.roles,
            f"the column of items has {enumerated(sorted(set(items)))} in all rows, as some files "
            f"(those of TREC) have between users and items. {_advised(example)}",
            ("item",),
        )
    return _Guess((UNREAD,) * first + found.roles, found.doubt, found.about)


def _misplaced(columns: Sequence[_Column]) -> tuple[int, str, str] | None:
    """Return which of the first two columns has times or ratings, the role, and its values."""
    others = columns[2:]
    for place, own in enumerate(columns[:2]):
        if own.are_any_dates:
            return place, "timestamp", "dates"
        if own.are_different_seconds and not any(other.are_times for other in others):
            return place, "timestamp", f"times such as {own.cells[0]}"
        if others and own.numbers is not None and not own.are_whole:
            example = next(cell for cell in own.cells if not _is_whole(cell))
            return place, "rating", f"fractions such as {shortened(example)}"
    return None


def _is_whole(cell: str) -> bool:
    return not cell or float(cell.replace(",", ".")).is_integer()


_FEWEST_RANKS = 3


def _may_be_ranks(columns: Sequence[_Column]) -> bool:
    """Tell whether the second column counts the rows of each user, and the third has items.

    Such are different texts or whole numbers for each user, which are not those of a scale.
    """
    users, places, items = columns[:3]
    codes = np.unique(np.array(users.cells), return_inverse=True)[1]
    ranks = _full(places, len(codes))
    if ranks is None or len(codes) <= _FEWEST_RANKS or ranks.max() < _FEWEST_RANKS:
        return False
    may_be_items = items.numbers is None or (items.are_whole and not items.are_grades)
    differ = len({*zip(users.cells, items.cells, strict=True)}) == len(codes)
    return may_be_items and differ and not items.are_times and are_ranks_in_order(codes, ranks)


_PRODUCT = re.compile(r"B0[0-9A-Z]{8}|[0-9]{9}[0-9X]")
_CUSTOMER = re.compile(r"A[0-9A-Z]{9,13}")


def _are_swapped(columns: Sequence[_Column]) -> bool:
    """Tell whether the first column has Amazon's products, and the second its customers."""
    products, customers = (own.cells for own in columns[:2])
    return all(map(_PRODUCT.fullmatch, products)) and all(map(_CUSTOMER.fullmatch, customers))


_FEWEST_CONSTANT = 10
_OF_TREC = re.compile(r"[Qq]\d")


def _advised(*examples: str) -> str:
    return (
        f"Say what each column is (columns=..., in a command: --columns {' or '.join(examples)}), "
        "with - for a column to ignore."
    )


_MOST_OF_TABLE = 4
"""More columns of whole numbers without times are rarely those of a table."""

_LARGEST_RATING = 10
"""Whole ratings are rarely larger, unless they are counts."""


def _is_wide(columns: Sequence[_Column]) -> bool:
    """Tell whether each row may have a user and the user's items, such as 1 11 12 13.

    Then each user has one row, and all items are whole numbers, different from each other.
    """
    users, items = columns[0].cells, columns[1:]
    return (
        len(items) > 1
        and len(set(users)) == len(users)
        and all(own.are_whole and _full(own, len(users)) is not None for own in items)
        and len({own.are_times for own in items}) == 1
        and all(
            len(set(row)) == len(row) for row in zip(*(own.cells for own in items), strict=True)
        )
    )


def _may_be_items(columns: Sequence[_Column], guess: Guesser) -> bool:
    """Tell whether the columns after the user may have items rather than ratings or ranks.

    Their numbers differ or are large. In ratings, a third column alone may have counts.
    """
    items = columns[1:]
    are_large = [own.numbers is not None and own.numbers.max() > _LARGEST_RATING for own in items]
    if len(columns[0].cells) == 1:  # A row proves nothing.
        return False
    if len(items) == 2:
        return guess is _of_run and are_large[1]
    return all(
        is_large or len(set(own.cells)) > 1 for own, is_large in zip(items, are_large, strict=True)
    )


def refuse_lists_of_items(
    source: str, records: Sequence[Sequence[str]], wanted: Collection[WantedColumn]
) -> None:
    """Refuse rows of different lengths that seem to have a user and the user's items."""
    lengths = Counter(map(len, records))
    usual = max(lengths.values(), default=0)
    differ = len(lengths) > 1 and usual < _MOST_ALIKE * len(records)
    are_lists = differ and len(records) >= _FEWEST_LISTS and min(lengths) > 1
    are_users = len({record[0] for record in records}) == len(records)
    if are_lists and are_users and all(all(map(str.isdecimal, record)) for record in records):
        raise TableError(f"{source}: {_wide([column.name for column in wanted]).doubt}")


_FEWEST_LISTS = 3
_MOST_ALIKE = 0.9


def _wide(roles: Sequence[str]) -> _Guess:
    """Return the refusal of rows of a user and the user's items."""
    listed = ",".join(roles[:3])
    return _Guess(
        tuple(roles[:2]),
        "each row seems to have a user and the user's items, such as 1 11 12 13. Write one row per "
        f'user and item, or JSON such as {{"1": ["11", "12"]}}, unless it is another table. '
        f"{_advised(listed)}",
        tuple(roles[1:]),
    )


def _perhaps_after_an_index(
    columns: Sequence[_Column], guess: Guesser, may_have_fractions: bool
) -> _Guess:
    """Return the roles of columns of which the first may be users with one row each, or an index.

    Without an index, the column after the item has ratings or scores. With an index, it has items,
    and users have several rows, usually together.
    """
    whole = guess(columns, may_have_fractions)
    third, fourth = columns[2], columns[3] if len(columns) > 3 else None
    if third.are_times or (third.numbers is not None and not third.are_whole):
        return whole
    after = guess(columns[1:], may_have_fractions)
    after = _Guess((UNREAD, *after.roles), after.doubt, after.about)
    is_usual = _counts_rows(columns[0].cells) and columns[1].are_grouped
    is_likely = columns[1].are_repeated
    if fourth is None or fourth.numbers is None:
        differ = len({*zip(columns[1].cells, third.cells, strict=True)}) == len(third.cells)
        is_index = is_likely and len(set(third.cells)) > 1
        if third.are_grades:
            # No user has an item twice. Ratings of one pair per user repeat pairs of these columns.
            is_index &= differ and _counts_rows(columns[0].cells)
        is_user = third.are_grades or not is_usual
    elif guess is _of_run:
        is_index = is_likely
        is_user = third.numbers is not None and len(set(fourth.cells)) == 1
    elif fourth.are_times:
        is_index, is_user = is_usual, third.are_grades
    elif any(own.are_times for own in columns[4:]):
        is_index = is_likely and fourth.are_grades
        is_user = third.are_grades and not is_usual
    else:
        # Otherwise, the fourth column has times that are too early, or fractions of ratings.
        is_index = is_usual or (is_likely and fourth.are_grades and not whole.doubt)
        is_user = False
    if is_index and is_user:
        return _Guess(
            whole.roles,
            "the first column may be users with one row each, or an index of the rows. "
            f"{_advised(','.join(whole.roles), ','.join(after.roles))}",
            ("user",),
        )
    return after if is_index else whole


def _of_ratings(columns: Sequence[_Column], may_have_fractions: bool) -> _Guess:
    """Return the roles of users, items, and ratings or times or both."""
    pair = ("user", "item")[: len(columns)]
    if len(columns) < 3:
        return _Guess(pair)
    third, others = columns[2], columns[3:]
    about = ("rating", "timestamp")
    times = [place for place, own in enumerate(columns[3:], 3) if own.are_times]
    dates = 2 if third.are_times else times[0] if times else len(columns)
    if len(columns) > dates + 1 and columns[dates].are_dates and columns[dates + 1].are_clock_times:
        return _Guess(
            (*pair, UNREAD if dates > 2 else "timestamp"),
            f"column {dates} (counted from 0) has dates, and the next column has times of the day. "
            "Write both in one cell, as in 2003-02-28T23:59:59. Otherwise, to keep only the dates, "
            "say what each column is (columns=..., in a command: --columns).",
            ("timestamp",),
        )
    if third.are_times:
        if not others or others[0].numbers is None:
            return _Guess((*pair, "timestamp"))
        if others[0].are_grades:
            return _Guess((*pair, "timestamp", "rating"))
        return _Guess(
            (*pair, "timestamp"),
            "column 2 (counted from 0) has times, and column 3 may have ratings or something else. "
            f"{_advised('user,item,timestamp,rating', 'user,item,timestamp,-')}",
            about,
        )
    given = (*pair, "rating")
    if doubt := _other_ratings(columns, times):
        return _Guess(given, doubt, about)
    doubt = ""
    if may_have_fractions and times[:1] != [3] and _may_be_fractions(columns, 3):
        listed, other = ("-,timestamp", "") if times else ("timestamp", "times, or ")
        doubt = (
            f"column 3 (counted from 0) may have {other}the fractions of ratings with decimal "
            "commas. If it has no fractions, say what each column is (columns=..., in a command: "
            f"--columns user,item,rating,{listed}). Otherwise, write decimal points, or put quotes "
            "around ratings."
        )
    # Neither times nor fractions of ratings are 0 and 1 alone.
    are_flags = bool(others) and set(others[0].cells) <= {"0", "1"}
    if times:
        places = (*given, *(UNREAD,) * (times[0] - 3), "timestamp")
        return _Guess(places, "" if are_flags else doubt, about)
    if len(others) == 1 and not any(others[0].cells):
        return _Guess((*given, "timestamp"))  # Empty, which is said when it is read.
    if not others or others[0].numbers is None or set(others[0].cells) == {"0", "1"}:
        return _Guess(given)
    return _Guess((*given, "timestamp"), doubt, about)


def _may_be_fractions(columns: Sequence[_Column], place: int) -> bool:
    """Tell whether a column may have the digits behind the decimal commas of the one before."""
    if place >= len(columns) or not columns[place - 1].are_whole:
        return False
    return all(cell.isdecimal() for cell in columns[place].cells if cell)


_MOST_STARS = 10
_FEWEST_AGAIN = 20


def _depends_on(column: _Column, key: _Column) -> bool:
    """Tell whether a column has one value for each key, although many keys are repeated."""
    keys = set(key.cells)
    again = len(key.cells) - len(keys)
    differ = len(set(column.cells)) > 1 and len(keys) > 1
    return (
        again >= _FEWEST_AGAIN
        and differ
        and len({*zip(key.cells, column.cells, strict=True)}) == len(keys)
    )


def _other_ratings(columns: Sequence[_Column], times: Sequence[int]) -> str:
    """Return a doubt if another column may have the ratings rather than the third; or nothing."""
    users, third = columns[0], columns[2]
    if third.numbers is None:
        return ""
    for what, own in (("user", users), ("item", columns[1])):
        if _depends_on(third, own):
            return (
                f"column 2 (counted from 0) has the same value in all rows of each {what}, so it "
                f"may describe {what}s rather than rate items. "
                f"{_advised('user,item,-', 'user,item,rating')}"
            )
    if third.are_grades:
        return ""
    others = [
        place
        for place, own in enumerate(columns[3:], 3)
        if times and place < times[0] and own.numbers is not None and set(own.cells) - {"0", "1"}
    ]
    if others:
        advice = _advised(f"user,item,{','.join(UNREAD * (others[0] - 2))},rating")
        return (
            f"columns 2 and {others[0]} (counted from 0) may both have the ratings, and column 2 "
            f"has more than {MOST_GRADES} different values. {advice}"
        )
    are_few = users.are_grades and len(set(users.cells)) <= _MOST_STARS
    if are_few and third.are_whole and users.are_repeated and not users.are_grouped:
        return (
            f"column 0 (counted from 0) has only {len(set(users.cells))} different numbers, so it "
            f"may have ratings rather than users. {_advised('rating,user,item')}"
        )
    return ""


def _of_run(columns: Sequence[_Column], may_have_fractions: bool) -> _Guess:
    """Return the roles of users, items, and scores or ranks or both."""
    pair = ("user", "item")[: len(columns)]
    if len(columns) < 3:
        return _Guess(pair)
    about = ("score", "rank")
    users = np.unique(np.array(columns[0].cells), return_inverse=True)[1]
    third = _full(columns[2], len(users))
    fourth = _full(columns[3], len(users)) if len(columns) > 3 else None
    advice = _advised("user,item,score", "user,item,rank")
    times = [place for place, own in enumerate(columns[2:4], 2) if own.are_times]
    if times[:1] == [2] and (third is not None or fourth is None):
        examples = ["-,score"] if fourth is not None else ["score", UNREAD]
        return _Guess(
            (*pair, "score"),
            "column 2 (counted from 0) seems to have times, but lists are ordered by scores or "
            f"ranks, or else by rows. {_advised(*(f'user,item,{own}' for own in examples))}",
            about,
        )
    if fourth is None or 3 in times:
        if third is None:
            return _Guess((*pair, "score"))
        if are_ranks_in_order(users, third):
            return _Guess((*pair, "rank"))
        doubt = (
            "column 2 (counted from 0) has the numbers 1, 2, 3 and so on for each user, but not in "
            f"this order. They may be ranks or scores. {advice}"
        )
        are_mixed = _are_mixed_ranks(users, third)
        return _Guess((*pair, "score"), doubt if are_mixed else "", about)
    if third is None:
        return _Guess((*pair, UNREAD, "score"))
    are_ranks = [_are_ranks(users, own, other) for own, other in ((third, fourth), (fourth, third))]
    if all(are_ranks):
        doubt = (
            "columns 2 and 3 (counted from 0) may both be ranks. "
            f"{_advised('user,item,score,rank', 'user,item,rank,score')}"
        )
        return _Guess((*pair, "score", "rank"), doubt, about)
    own = 2 + are_ranks[0]
    if may_have_fractions and not are_ranks[1] and _may_be_fractions(columns, own + 1):
        said = ("rank," * are_ranks[0], "-" if are_ranks[0] else "rank")
        doubt = (
            f"columns {own} and {own + 1} (counted from 0) may be scores with decimal commas, "
            f"which need quotes. {_advised(f'user,item,{said[0]}score,{said[1]}')}"
        )
        return _Guess((*pair, "score", "rank"), doubt, about)
    if are_ranks[0]:
        return _Guess((*pair, "rank", "score"))
    is_rank = (fourth == np.rint(fourth)).all() and (fourth >= 0).all()
    return _Guess((*pair, "score", "rank" if is_rank else UNREAD))


def _full(column: _Column, rows: int) -> NDArray[np.float64] | None:
    """Return the numbers of a column, unless a row has none."""
    return column.numbers if column.numbers is not None and len(column.numbers) == rows else None


def _are_ranks(
    users: NDArray[np.integer], values: NDArray[np.float64], others: NDArray[np.float64]
) -> bool:
    """Tell whether values are ranks beside scores: 1, 2, 3, or rising while scores fall."""
    if are_ranks_in_order(users, values):
        return True
    order = np.argsort(users, kind="stable")
    same = users[order][1:] == users[order][:-1]
    rising, falling = np.diff(values[order]) > 0, np.diff(others[order]) <= 0
    return bool(
        same.any()
        and (values == np.rint(values)).all()
        and (others != np.rint(others)).any()
        and rising[same].all()
        and falling[same].all()
    )


def _are_mixed_ranks(users: NDArray[np.integer], values: NDArray[np.float64]) -> bool:
    """Tell whether the values of each user are 1, 2, 3 and so on in any order but from the last."""
    # The list of the last user may be incomplete.
    known = users != users[-1] if len(np.unique(users)) > 1 else np.ones(len(users), dtype=np.bool_)
    users, values = users[known], values[known]
    order = np.lexsort((values, users))
    if not len(values) or not are_ranks_in_order(users[order], values[order]):
        return False
    rows = np.argsort(users, kind="stable")
    same = users[rows][1:] == users[rows][:-1]
    return bool((np.diff(values[rows])[same] > 0).any())


# What was asked for.


def _by_list(
    source: str, n_columns: int, wanted: Collection[WantedColumn], columns: tuple[str, ...]
) -> dict[str, int]:
    """Return the places of wanted columns, given a list of what each column is."""
    roles = {column.name for column in wanted}
    unknown = [name for name in columns if name not in roles and name != UNREAD]
    twice = [name for name in roles if columns.count(name) > 1]
    missing = [c.name for c in wanted if c.is_needed and c.name not in columns]
    if unknown or twice or missing or len(columns) != n_columns:
        raise TableError(
            f"The list of columns {','.join(columns)} does not fit {source}, which has "
            f"{how_many(n_columns, 'cell')} in its first line. Name every column in order. Use "
            f"{enumerated([column.name for column in wanted])} at most once, and {UNREAD} for "
            "columns that are not to be read."
        )
    return {name: place for place, name in enumerate(columns) if name != UNREAD}


def _with_those_asked_for(
    source: str,
    labels: Sequence[str],
    n_columns: int,
    wanted: Collection[WantedColumn],
    guess: _Guess,
) -> dict[str, int]:
    """Return the places of columns by their values, except those that were asked for."""
    asked = {column.name: column.asked for column in wanted if column.asked is not None}
    if guess.doubt and not asked.keys() & set(guess.about):
        raise TableError(f"{source}: {guess.doubt}")
    places = {role: place for place, role in enumerate(guess.roles) if role != UNREAD}
    for role, own in asked.items():
        places.pop(role, None)
        if own == UNREAD:
            continue
        if isinstance(own, str) and own not in labels:
            raise TableError(
                f"{source} has no header, so its columns have no names. Give their positions, such "
                "as user=0, item=1."
            )
        places[role] = labels.index(own) if isinstance(own, str) else own
    for column in wanted:
        place = places.get(column.name)
        is_asked = column.name in asked
        if place is None and not column.is_needed:
            continue
        if place is None or not 0 <= place < n_columns:
            number = list(wanted).index(column) if place is None else place
            raise TableError(
                f"{source} has {how_many(n_columns, 'column')} in its first line, and none for "
                f"{column.name} at position {number}. The first position is 0."
            )
        rivals = [role for role, own in places.items() if own == place and role != column.name]
        if not rivals or is_asked:
            continue
        if column.is_needed or not asked.keys().isdisjoint({"user", "item"} & set(rivals)):
            none = "" if column.is_needed else f", or {UNREAD} if there is none"
            raise TableError(
                f"{source}: column {place} would be both {rivals[0]}, as asked for, and "
                f"{column.name}. Say which column is the {column.name}, by its position from 0"
                f"{none} ({column.name}=..., in a command: --{column.name} ...)."
            )
        del places[column.name]
    return places
