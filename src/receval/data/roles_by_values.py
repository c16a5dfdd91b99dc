# SPDX-License-Identifier: MIT
"""Guess the roles of columns without names from the values in their first rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.data.column_values import (
    MOST_GRADES,
    ColumnCells,
    are_ranks_in_order,
    counts_rows,
    is_index,
)
from receval.data.columns import WantedColumn
from receval.data.reading import UNREAD, TableError
from receval.storage.messages import enumerated, quoted, shortened

CLOCK = "time of the day"
"""The role of a column that has the time of the day beside a date."""

_ITEM_WITH_RATING = re.compile(r"\d+:\d+(\.\d+)?")


@dataclass(frozen=True)
class Guess:
    """What columns seem to be, by place; and why that is in doubt unless a role is asked for."""

    roles: tuple[str, ...]
    doubt: str = ""
    about: tuple[str, ...] = ()
    empty: tuple[int, ...] = ()
    """Columns that are empty in the first rows, and could have been taken for another role."""


Guesser = Callable[[Sequence[ColumnCells], bool], Guess]


def guessed_roles(
    cells: Sequence[Sequence[str]],
    wanted: Collection[WantedColumn],
    first: int,
    *,
    may_have_fractions: bool,
    is_table: bool,
) -> Guess:
    """Return the roles of columns by their values."""
    columns = [ColumnCells(own) for own in cells[first:]]
    roles = [column.name for column in wanted]
    filled = [place for place, own in enumerate(columns) if any(own.cells)]
    if filled and filled[-1] >= len(filled):
        # Such as between two tabs: columns that are empty before others that are not.
        own = [*cells[:first], *(cells[first + place] for place in filled)]
        found = guessed_roles(
            own, wanted, first, may_have_fractions=may_have_fractions, is_table=is_table
        )
        if not found.doubt:
            of_each = dict(zip(filled, found.roles[first:], strict=False))
            every = [of_each.get(place, UNREAD) for place in range(len(columns))]
            # Behind the ratings, a column that is rarely filled is no other one's rival.
            value = next((place for place in filled if every[place] in roles[2:3]), filled[-1])
            empty = tuple(first + place for place in range(value) if place not in filled)
            return Guess((UNREAD,) * first + tuple(every), empty=empty)
    guess: Guesser
    if roles[:4] == ["user", "item", "rating", "timestamp"]:
        guess = _of_ratings
    elif roles[:4] == ["user", "item", "score", "rank"]:
        guess = _of_run
    else:
        return Guess((UNREAD,) * first + tuple(roles[: len(columns)]))
    is_wide = _is_wide(columns)
    if (misplaced := _misplaced(columns)) is not None:
        place, role, told = misplaced
        order = ["user", "item"]
        order.insert(place, role if role in roles else UNREAD)
        found = Guess(
            tuple(roles[: len(columns)]),
            f"column {first + place} (counted from 0) has {told}, but the first two columns should "
            f"be user and item. {_advised(','.join(order))}",
            ("user", "item"),
        )
    elif len(columns) > 1 and _are_swapped(columns):
        found = Guess(
            tuple(roles[: len(columns)]),
            f"column {first} (counted from 0) has products of Amazon and the next one its "
            f"customers. {_advised(','.join(['item', 'user', *roles[2:]][: len(columns)]))}",
            ("user", "item"),
        )
    elif is_wide and len(columns) > _MOST_OF_TABLE:
        found = _wide(roles)
    elif not first and len(columns) > 2 and is_index(columns[0].cells):
        found = _perhaps_after_an_index(columns, guess, may_have_fractions)
    else:
        found = guess(columns, may_have_fractions)
    begins_with_user = bool(columns) and not found.doubt and found.roles[0] != UNREAD
    if is_wide and begins_with_user and _may_be_items(columns, guess):
        found = _wide(roles)
    items = columns[found.roles.index("item")].cells if columns and "item" in found.roles else ()
    is_pair = len(columns) == 2 and len(items) > 0 and not found.doubt
    if is_pair and all(map(_ITEM_WITH_RATING.fullmatch, items)):
        found = Guess(
            found.roles,
            f"each item seems to have its rating after a colon, such as "
            f"{shortened(items[0])}. Write items and ratings in columns of their own, unless these "
            f"are items. {_advised('user,item')}",
            ("item",),
        )
    if not found.doubt and len(columns) > _MOST_OF_TABLE and all(o.are_grades for o in columns):
        found = Guess(
            found.roles,
            "the rows seem to be those of a matrix of users by items, as all cells may be ratings. "
            "Write a row for each rating, or save a sparse matrix (.npz), unless it is another "
            f"table. {_advised(','.join(roles[:3]))}",
            tuple(roles),
        )
    if not found.doubt and len(columns) > 2 and _may_be_ranks(columns):
        after = (*roles[2:], UNREAD)[: len(columns) - 3]
        found = Guess(
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
        after = (*roles[2:4],) if guess is _of_ratings else (*roles[3:1:-1],)  # Rank, then score.
        example = ",".join(["user", UNREAD, "item", *after][: len(columns)])
        found = Guess(
            found.roles,
            f"the column of items has {enumerated(sorted(set(items)))} in all rows, as some files "
            f"(those of TREC) have between users and items. {_advised(example)}",
            ("item",),
        )
    if not found.doubt and guess is _of_ratings and _describe_users(columns, found.roles):
        n_items = len(set(items))
        told = (
            f"there are only {n_items} different items, such as {quoted(items[0])}"
            if n_items > 1
            else f"all rows have the item {quoted(items[0])}"
        )
        found = Guess(
            found.roles,
            f"no user has two rows, and {told}, so the rows may describe users, or have their "
            "groups. If the rows are ratings, "
            + _advised(",".join(found.roles)).replace("Say", "say", 1),
            ("item",),
        )
    return Guess((UNREAD,) * first + found.roles, found.doubt, found.about)


def _describe_users(columns: Sequence[ColumnCells], roles: Sequence[str]) -> bool:
    """Tell whether each user has one row without a time, and the items are few groups or ages."""
    if not {"user", "item"} <= {*roles} or any(own.are_times for own in columns[2:]):
        return False
    if len(columns) > 2 and {*columns[1].cells} <= {"F", "M"}:  # As in MovieLens' users.dat.
        return len({*columns[0].cells}) == len(columns[0].cells) > 1
    users, items = (columns[roles.index(role)] for role in ("user", "item"))
    n_items, n_rows = len(set(items.cells)), len(items.cells)
    # In a table that is sorted by items, the first lines have few.
    are_few = n_items <= min(MOST_GRADES, n_rows / _ROWS_OF_AN_ITEM) and items.are_repeated
    are_few &= n_rows >= _FEWEST_USERS and all(map(_GROUP_OR_AGE.fullmatch, items.cells))
    return are_few and len(set(users.cells)) == n_rows and not items.are_grouped


_ROWS_OF_AN_ITEM = 10
_FEWEST_USERS = 50
_GROUP_OR_AGE = re.compile(r"[^\W\d_]{1,7}|\d{1,2}")
"""Such as F, female, unknown or 35; products of a shop have longer names or more digits."""


def _misplaced(columns: Sequence[ColumnCells]) -> tuple[int, str, str] | None:
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


def _may_be_ranks(columns: Sequence[ColumnCells]) -> bool:
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


def _are_swapped(columns: Sequence[ColumnCells]) -> bool:
    """Tell whether the first column has Amazon's products, and the second its customers."""
    products, customers = (own.cells for own in columns[:2])
    return (
        len(products) > 0
        and all(map(_PRODUCT.fullmatch, products))
        and all(map(_CUSTOMER.fullmatch, customers))
    )


_FEWEST_CONSTANT = 10
_OF_TREC = re.compile(r"[Qq]\d")


def _advised(*examples: str) -> str:
    told = " or ".join(examples).replace(CLOCK, UNREAD)
    return (
        f"Say what each column is (columns=..., in a command: --columns {told}), "
        "with - for a column to ignore."
    )


_MOST_OF_TABLE = 4
"""More columns of whole numbers without times are rarely those of a table."""

_LARGEST_RATING = 10
"""Whole ratings are rarely larger, unless they are counts."""


def _is_wide(columns: Sequence[ColumnCells]) -> bool:
    """Tell whether each row may have one user and the user's items, such as 1 11 12 13."""
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


def _may_be_items(columns: Sequence[ColumnCells], guess: Guesser) -> bool:
    """Tell whether the columns after the user may have items, whose numbers differ or are large."""
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


def _wide(roles: Sequence[str]) -> Guess:
    """Return the refusal of rows of a user and the user's items."""
    listed = ",".join(roles[:3])
    return Guess(
        tuple(roles[:2]),
        "each row seems to have a user and the user's items, such as 1 11 12 13. Write one row per "
        f'user and item, or JSON such as {{"1": ["11", "12"]}}, unless it is another table. '
        f"{_advised(listed)}",
        tuple(roles[1:]),
    )


def _perhaps_after_an_index(
    columns: Sequence[ColumnCells], guess: Guesser, may_have_fractions: bool
) -> Guess:
    """Return the roles of columns of which the first may be users with one row each, or an index.

    Without an index, the column after the item has ratings or scores. With an index, it has items,
    and users have several rows, usually together.
    """
    whole = guess(columns, may_have_fractions)
    third, fourth = columns[2], columns[3] if len(columns) > 3 else None
    if third.are_times or (third.numbers is not None and not third.are_whole):
        return whole
    after = guess(columns[1:], may_have_fractions)
    after = Guess((UNREAD, *after.roles), after.doubt, after.about)
    is_usual = counts_rows(columns[0].cells) and columns[1].are_grouped
    is_likely = columns[1].are_repeated
    if fourth is None or fourth.numbers is None:
        differ = len({*zip(columns[1].cells, third.cells, strict=True)}) == len(third.cells)
        is_index = is_likely and len(set(third.cells)) > 1
        if third.are_grades:
            # No user has an item twice. Ratings of one pair per user repeat pairs of these columns.
            is_index &= differ and counts_rows(columns[0].cells)
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
        return Guess(
            whole.roles,
            "the first column may be users with one row each, or an index of the rows. "
            f"{_advised(','.join(whole.roles), ','.join(after.roles))}",
            ("user",),
        )
    return after if is_index else whole


def _of_ratings(columns: Sequence[ColumnCells], may_have_fractions: bool) -> Guess:
    """Return the roles of users, items, and ratings or times or both."""
    pair = ("user", "item")[: len(columns)]
    if len(columns) < 3:
        return Guess(pair)
    third, others = columns[2], columns[3:]
    about = ("rating", "timestamp")
    times = [place for place, own in enumerate(columns[3:], 3) if own.are_times]
    dates = 2 if third.are_times else times[0] if times else len(columns)
    near = (dates + 1, dates - 1, dates + 2, dates - 2)
    beside = [own for own in near if 1 < own < len(columns) > dates]
    clocks = [own for own in beside if columns[dates].are_dates and columns[own].are_clock_times]
    # The duration of an item, which is the same on all dates, is no time of the day.
    own = [_depends_on(columns[place], columns[1]) for place in (dates, *clocks) if clocks]
    if clocks and own[:2] != [False, True]:
        clock = clocks[0]
        if columns[dates].are_days and columns[clock].complete_days:
            roles = [*pair, *(UNREAD,) * len(columns[2:])]
            roles[dates], roles[clock] = "timestamp", CLOCK
            value = next(own for own in (2, 3, 4) if own not in (dates, clock))
            doubt = _other_ratings(columns, times)
            if value == 2 or (value < len(columns) and columns[value].are_grades):
                roles[value] = "rating"
            elif value < len(columns) and columns[value].numbers is not None:
                doubt = (
                    f"columns {dates} and {clock} (counted from 0) have dates and times of the "
                    f"day, and column {value} may have ratings or something else. Say which column "
                    f"has the ratings (rating={value}, or rating='{UNREAD}' if none has, in a "
                    f"command: --rating {value} or --rating {UNREAD})."
                )
            return Guess(tuple(roles), doubt, about)
        return Guess(
            (*pair, UNREAD if dates > 2 else "timestamp"),
            f"column {dates} (counted from 0) has dates, and column {clock} times of the day. "
            "Write both in one cell, as in 2003-02-28T23:59:59. Otherwise, to keep only the dates, "
            "say what each column is (columns=..., in a command: --columns).",
            ("timestamp",),
        )
    if third.are_times:
        if not others or others[0].numbers is None:
            return Guess((*pair, "timestamp"))
        if others[0].are_grades:
            return Guess((*pair, "timestamp", "rating"))
        return Guess(
            (*pair, "timestamp"),
            "column 2 (counted from 0) has times, and column 3 may have ratings or something else. "
            f"{_advised('user,item,timestamp,rating', 'user,item,timestamp,-')}",
            about,
        )
    given = (*pair, "rating")
    if doubt := _other_ratings(columns, times):
        return Guess(given, doubt, about)
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
        return Guess(places, "" if are_flags else doubt, about)
    if len(others) == 1 and not any(others[0].cells):
        return Guess((*given, "timestamp"))  # Empty, which is said when it is read.
    if not others or others[0].numbers is None or set(others[0].cells) == {"0", "1"}:
        return Guess(given)
    return Guess((*given, "timestamp"), doubt, about)


def _may_be_fractions(columns: Sequence[ColumnCells], place: int) -> bool:
    """Tell whether a column may have the digits behind the decimal commas of the one before."""
    if place >= len(columns) or not columns[place - 1].are_whole:
        return False
    return all(cell.isdecimal() for cell in columns[place].cells if cell)


_MOST_STARS = 10
_FEWEST_AGAIN = 20


def _depends_on(column: ColumnCells, key: ColumnCells) -> bool:
    """Tell whether a column has one value for each key, although many keys are repeated."""
    keys = set(key.cells)
    again = len(key.cells) - len(keys)
    differ = len(set(column.cells)) > 1 and len(keys) > 1
    return (
        again >= _FEWEST_AGAIN
        and differ
        and len({*zip(key.cells, column.cells, strict=True)}) == len(keys)
    )


def _other_ratings(columns: Sequence[ColumnCells], times: Sequence[int]) -> str:
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


def _of_run(columns: Sequence[ColumnCells], may_have_fractions: bool) -> Guess:
    """Return the roles of users, items, and scores or ranks or both."""
    pair = ("user", "item")[: len(columns)]
    if len(columns) < 3:
        return Guess(pair)
    about = ("score", "rank")
    users = np.unique(np.array(columns[0].cells), return_inverse=True)[1]
    third = _full(columns[2], len(users))
    fourth = _full(columns[3], len(users)) if len(columns) > 3 else None
    advice = _advised("user,item,score", "user,item,rank")
    times = [place for place, own in enumerate(columns[2:4], 2) if own.are_times]
    if times[:1] == [2] and (third is not None or fourth is None):
        examples = ["-,score"] if fourth is not None else ["score", UNREAD]
        return Guess(
            (*pair, "score"),
            "column 2 (counted from 0) seems to have times, but lists are ordered by scores or "
            f"ranks, or else by rows. {_advised(*(f'user,item,{own}' for own in examples))}",
            about,
        )
    if fourth is None or 3 in times:
        if third is None:
            return Guess((*pair, "score"))
        if are_ranks_in_order(users, third):
            return Guess((*pair, "rank"))
        doubt = (
            "column 2 (counted from 0) has the numbers 1, 2, 3 and so on for each user, but not in "
            f"this order. They may be ranks or scores. {advice}"
        )
        are_mixed = _are_mixed_ranks(users, third)
        return Guess((*pair, "score"), doubt if are_mixed else "", about)
    if third is None:
        return Guess((*pair, UNREAD, "score"))
    are_ranks = [_are_ranks(users, own, other) for own, other in ((third, fourth), (fourth, third))]
    if all(are_ranks):
        doubt = (
            "columns 2 and 3 (counted from 0) may both be ranks. "
            f"{_advised('user,item,score,rank', 'user,item,rank,score')}"
        )
        return Guess((*pair, "score", "rank"), doubt, about)
    own = 2 + are_ranks[0]
    if may_have_fractions and not are_ranks[1] and _may_be_fractions(columns, own + 1):
        said = ("rank," * are_ranks[0], "-" if are_ranks[0] else "rank")
        doubt = (
            f"columns {own} and {own + 1} (counted from 0) may be scores with decimal commas, "
            f"which need quotes. {_advised(f'user,item,{said[0]}score,{said[1]}')}"
        )
        return Guess((*pair, "score", "rank"), doubt, about)
    if are_ranks[0]:
        return Guess((*pair, "rank", "score"))
    is_rank = (fourth == np.rint(fourth)).all() and (fourth >= 0).all()
    return Guess((*pair, "score", "rank" if is_rank else UNREAD))


def _full(column: ColumnCells, rows: int) -> NDArray[np.float64] | None:
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
