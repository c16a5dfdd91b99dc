# SPDX-License-Identifier: MIT
"""Check that tables use the same identifiers, and find the likely cause if they do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from receval.data.columns import FoundColumns, in_usual_signs, whole_number
from receval.data.ratings import Ratings
from receval.data.reading import TableError, readings_of
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted

FEW = 0.5
"""A note is made if a smaller share of identifiers is known."""

BY_CHANCE = 10
"""With fewer items on either side, two sources may have no common item by chance."""

MOST_COMPARED = 200_000
"""The most identifiers of each side in which a cause is sought; it takes seconds for millions."""


@dataclass(frozen=True)
class _Cause:
    """A change that may make identifiers match, and the likely cause of the difference.

    Identifiers that the change maps to the same may still be different ones, if not ``is_certain``.
    """

    plain: Callable[[str], str]
    words: str
    is_certain: bool = True
    is_of_one_side: bool = True


_CAUSES = (
    _Cause(
        lambda own: whole_number(own) or own,
        "one side has whole numbers that were written as floats",
    ),
    _Cause(str.strip, "one side has white space around its identifiers"),
    _Cause(str.casefold, "the two sides differ in capital letters", is_certain=False),
    _Cause(lambda own: own.lstrip("0"), "one side has leading zeros"),
    _Cause(lambda own: own.strip("\"'"), "one side has quotes around its identifiers"),
    _Cause(in_usual_signs, "one side has invisible signs, or other forms of letters or digits"),
)


@dataclass(frozen=True)
class Meeting:
    """The identifiers of a source that others do not have, and those that only others have.

    ``are_as_written`` tells whether a caller said that identifiers are right as they are written;
    None stands for sources of which this cannot be said.

    Of very many, ``own`` and ``others`` may be a part; ``counts`` then has the numbers of all that
    each side has, and of those that both have.
    """

    what: str
    source: str
    known: str
    own: NDArray[np.str_]
    others: NDArray[np.str_]
    are_as_written: bool | None = None
    counts: tuple[int, int, int] | None = None

    @cached_property
    def strangers(self) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
        """The identifiers of each side that the other does not have."""
        sides = (self.own, self.others)
        # Sets of texts are several times faster than numpy's search.
        names = [frozenset(side.tolist()) for side in sides]
        return tuple(  # type: ignore[return-value]
            side[[name not in others for name in side.tolist()]] if len(side) else side
            for side, others in zip(sides, names[::-1], strict=True)
        )

    @property
    def n_own(self) -> int:
        """The number of identifiers of the source."""
        return len(self.own) if self.counts is None else self.counts[0]

    @property
    def n_others(self) -> int:
        """The number of identifiers of the others."""
        return len(self.others) if self.counts is None else self.counts[1]

    @property
    def n_common(self) -> int:
        """The number of identifiers that both sides have."""
        return self.n_own - len(self.strangers[0]) if self.counts is None else self.counts[2]

    @property
    def examples(self) -> str:
        """Three of the identifiers that do not meet, of each side."""
        here, there = (enumerated(list(map(quoted, own[:3].tolist()))) for own in self.strangers)
        return (
            f"Identifiers look like {here} in the {self.source} and like {there} in the "
            f"{self.known}"
        )

    @property
    def in_words(self) -> str:
        """How many identifiers both sides have."""
        return f"{self.n_common:,} of {how_many(self.n_own, self.what)} also in the {self.known}"

    @cached_property
    def cause(self) -> tuple[_Cause, str, str, int] | None:
        """The likely cause, an example of each side, and how many identifiers it explains."""
        own, others = (side[:MOST_COMPARED].tolist() for side in self.strangers)
        of_others = self.others.tolist()
        if _are_whole_numbers(own) and _are_whole_numbers(of_others):
            # Each is written in one way, so that no change makes two of them equal.
            return None
        prefix = _prefix(own), _prefix(others)
        with_one = [
            sum(name.startswith(start) for name in side)
            for side, start in zip((own, others), prefix, strict=True)
        ]
        # An identifier may also be written in two ways by one side alone.
        common = frozenset(self.own.tolist()).intersection(of_others)
        others += [name for name in of_others if name in common][:MOST_COMPARED]
        with_prefix = _Cause(
            lambda name: name.removeprefix(prefix[0] or prefix[1]).removeprefix(prefix[1]),
            f"one side has the prefix {quoted(prefix[0] or prefix[1])}",
            is_certain=False,
            # Such as train_1 and test_1, which may be different users.
            is_of_one_side=not all(prefix),
        )
        for cause in (*_CAUSES, *([with_prefix] if any(prefix) else [])):
            by_plain = {cause.plain(name): name for name in reversed(others)}
            found = [name for name in own if cause.plain(name) in by_plain]
            # A prefix explains nothing unless most identifiers that have it match without it.
            if found and (cause is not with_prefix or 2 * len(found) >= _least(*with_one)):
                return cause, found[0], by_plain[cause.plain(found[0])], len(found)
        return None

    @property
    def cause_in_words(self) -> str:
        """The likely cause after a colon; empty if there is none."""
        if self.cause is None:
            return ""
        cause, one, other, _ = self.cause
        return f": {cause.words}, such as {quoted(one)} and {quoted(other)}"


def _are_whole_numbers(names: Sequence[str]) -> bool:
    """Tell whether all names are digits, without zeros before other digits."""
    digits = "".join(names)
    are_digits = digits.isascii() and digits.isdigit()
    return are_digits and not any(name[0] == "0" and len(name) > 1 for name in names)


def _least(here: int, there: int) -> int:
    """Return the smaller number of identifiers, or that of one side if only it has any."""
    return min(here, there or here)


_BEFORE_DIGITS = re.compile(r"\D+(?=\d)")


def _prefix(names: Sequence[str]) -> str:
    """Return the signs before the first digit with which all names, or else most, begin."""
    if not names:
        return ""
    first, last = min(names), max(names)
    # All names begin as the first and the last in their order do.
    differ = (
        place
        for place, sign in enumerate(first)
        if sign.isdigit() or sign != last[place : place + 1]
    )
    signs = next(differ, len(first))
    if signs and len(names) > 1 and all(len(name) > signs for name in names):
        return first[:signs]
    begins = Counter(own.group() for own in map(_BEFORE_DIGITS.match, names) if own)
    return max(begins, key=begins.__getitem__, default="")


def doubts_on(meeting: Meeting, *, may_differ: bool = False) -> list[Note]:
    """Return notes on identifiers that differ by a known cause, and refuse those that never meet.

    If they may differ, they are only refused if a cause explains why they do not meet. What a
    caller has said to be right as written is not refused, unless it never meets and must.
    """
    here, there = meeting.strangers
    if meeting.n_own == meeting.n_common:
        return []
    cause, source = meeting.cause, meeting.source
    or_so = ""
    if meeting.are_as_written is not None and (may_differ or meeting.n_common):
        or_so = (
            ", or read them as they are written (identifiers='as-written', in a command: "
            "--identifiers as-written)"
        )
    is_said = may_differ and meeting.are_as_written
    if not meeting.n_common and not (is_said and cause is not None and cause[0].is_of_one_side):
        are_few = meeting.what == "item" and min(meeting.n_own, meeting.n_others) < BY_CHANCE
        if (may_differ or are_few) and (
            cause is None or (may_differ and not cause[0].is_of_one_side)
        ):
            text = (
                f"No {meeting.what} of the {source} is in the {meeting.known}. {meeting.examples}. "
                "Check that the identifiers are the same."
            )
            return [] if may_differ else [Note("few-identifiers-known", text)]
        raise TableError(
            f"No {meeting.what} of the {source} is in the {meeting.known}. {meeting.examples}"
            f"{meeting.cause_in_words}. Use the same identifiers in both{or_so}."
        )
    if cause is None:
        return []
    words, one, other, explained = cause
    strangers = meeting.n_own - meeting.n_common
    told = (
        f"{explained:,} of the {strangers:,} {meeting.what}s of the {source} that are not in the "
        f"{meeting.known} differ from one there only because {words.words}, such as {quoted(one)} "
        f"and {quoted(other)}. "
    )
    is_clear = words.is_certain and 2 * explained >= _least(len(here), len(there))
    if is_clear and not meeting.are_as_written:
        raise TableError(f"{told}Use the same identifiers in both{or_so}.")
    return [Note("differing-identifiers", f"{told}They count as different {meeting.what}s.")]


# Users and items that are exchanged in one of two tables whose columns have no names.

CLOSER = 0.1
"""How much closer frequencies must at least be if users and items are exchanged."""

_WEAKLY = 0.2
"""From this correlation on, identifiers that two tables share are frequent in both."""

_FEWEST_ERRORS = 5
"""How many standard errors such a correlation is at least from 0."""

_NEARLY_ALL = 0.9
_FEWEST_NAMES = 2


@dataclass(frozen=True)
class IdentifierCounts:
    """How often each identifier is a user and an item, by a code that all tables share."""

    users: NDArray[np.int64]
    items: NDArray[np.int64]

    def __add__(self, other: IdentifierCounts) -> IdentifierCounts:
        return IdentifierCounts(self.users + other.users, self.items + other.items)

    def are_exchanged(self, others: IdentifierCounts, *, are_names: bool) -> bool:
        """Tell whether users are more like the items of others, or items more like their users.

        A division of ratings by user, item or time keeps the frequencies of one side at least,
        which are then closer as given than exchanged. Numbers may be users and items by chance. The
        identifiers that are found must therefore also be more frequent than the next ones in both,
        unless nearly all are found and none as given.
        """
        given = max(closeness(self.users, others.users), closeness(self.items, others.items))
        pairs = (self.users, others.items), (self.items, others.users)
        one, other = max(pairs, key=lambda pair: closeness(*pair))
        found = (one > 0) & (other > 0)
        n_found = int(found.sum())
        fewest = _FEWEST_NAMES if are_names else BY_CHANCE
        if closeness(one, other) < given + CLOSER or n_found < fewest:
            return False
        if not given:
            smaller = min(np.count_nonzero(one), np.count_nonzero(other))
            if are_names or n_found >= _NEARLY_ALL * smaller:
                return True
        # Identifiers that number users and items by frequency, or by their first row, have the same
        # trend. Steps have no trend.
        first, second = (np.diff(np.log(own[found])) for own in (one, other))
        least = max(_WEAKLY, _FEWEST_ERRORS / np.sqrt(n_found))
        return bool(first.any() and second.any() and np.corrcoef(first, second)[0, 1] >= least)


def order_by_number(ids: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return the places of identifiers in the order of numbers."""
    return np.lexsort((ids, np.char.str_len(ids)))


@dataclass(frozen=True)
class CommonCodes:
    """Codes of identifiers of users and items, in the order of numbers.

    ``starts`` has the place in ``codes`` of the first identifier of each array.
    """

    codes: NDArray[np.int64]
    starts: NDArray[np.int64]
    size: int
    are_names: bool

    @classmethod
    def of(cls, *arrays: NDArray[np.str_]) -> CommonCodes:
        """Return the codes of several arrays of identifiers."""
        ids, codes = np.unique(np.concatenate(arrays), return_inverse=True)
        by_number = order_by_number(ids)
        starts = np.cumsum([0, *map(len, arrays)])
        are_names = not np.char.isdecimal(ids).all()
        return cls(np.argsort(by_number)[codes], starts, len(ids), are_names)

    def counts(
        self, users: NDArray[np.int32], items: NDArray[np.int32], place: int = 0
    ) -> IdentifierCounts:
        """Return the frequencies in rows of which the arrays from a place on have identifiers."""
        return IdentifierCounts(
            *(
                np.bincount(self.codes[start + own], minlength=self.size)
                for own, start in zip((users, items), self.starts[place:], strict=False)
            )
        )


def closeness(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Return the similarity of two distributions by Bhattacharyya, from 0 to 1."""
    return float(np.sqrt(one * other).sum() / np.sqrt(float(one.sum()) * float(other.sum())))


def fit_if_exchanged(one: Ratings, other: Ratings) -> bool:
    """Tell whether two tables fit if users and items are exchanged in one of them."""
    codes = CommonCodes.of(other.user_ids, other.item_ids, one.user_ids, one.item_ids)
    others, own = (
        codes.counts(table.users, table.items, place) for table, place in ((other, 0), (one, 2))
    )
    return own.are_exchanged(others, are_names=codes.are_names)


def refuse_transposed(sources: Mapping[str, object]) -> None:
    """Refuse a matrix whose shape is the reverse of that of another source, by its words."""
    first: tuple[str, tuple[int, ...]] = ("", ())
    for words, source in sources.items():
        for reading in readings_of(source):
            shape = reading.shape
            if shape and shape == first[1][::-1] != first[1]:
                raise TableError(
                    f"The {words} is a matrix of {shape[0]:,} by {shape[1]:,}, but the {first[0]} "
                    f"is one of {shape[1]:,} by {shape[0]:,}, so one of them is probably "
                    "transposed. Rows must be users, and columns items: transpose it (matrix.T), "
                    "or give tables with the columns user and item."
                )
            first = first if first[1] else (words, shape)


def refuse_exchanged_parts(
    columns: FoundColumns,
    users: NDArray[np.int32],
    user_ids: NDArray[np.str_],
    items: NDArray[np.int32],
    item_ids: NDArray[np.str_],
) -> None:
    """Refuse a folder in one of whose files users and items seem to be exchanged.

    Columns whose names decided, or that the caller listed, are not compared.
    """
    if len(columns.parts) < 2 or not columns.are_guessed:
        return
    codes = CommonCodes.of(user_ids, item_ids)
    if codes.size == len(codes.codes):
        return
    begins = [first for first, _ in columns.parts]
    before = None
    for (first, part), end in zip(columns.parts, [*begins[1:], len(users)], strict=True):
        if first == end:
            continue
        own = codes.counts(users[first:end], items[first:end])
        if before is not None and own.are_exchanged(before, are_names=codes.are_names):
            raise TableError(
                f"{part.source}: its users seem to be the items of the files before it, or its "
                "items their users, so the two columns are probably exchanged. They have no names. "
                "Exchange the columns there. If they are right, say what each column is "
                "(columns=..., in a command: --columns user,item,rating)."
            )
        before = own if before is None else before + own
