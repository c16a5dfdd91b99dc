# SPDX-License-Identifier: MIT
"""Check that two tables use the same identifiers, and find the likely cause if they do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from receval.data.columns import in_usual_signs, whole_number
from receval.data.reading import TableError
from receval.notes import Note
from receval.storage.messages import enumerated, quoted

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
    """The identifiers of a source that others do not have, and those that only others have."""

    what: str
    source: str
    known: str
    own: NDArray[np.str_]
    others: NDArray[np.str_]

    @cached_property
    def strangers(self) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
        """The identifiers of each side that the other does not have."""
        sides = (self.own, self.others)
        return tuple(  # type: ignore[return-value]
            one[~np.isin(one, other)] for one, other in (sides, sides[::-1])
        )

    @property
    def n_common(self) -> int:
        """The number of identifiers that both sides have."""
        return len(self.own) - len(self.strangers[0])

    @property
    def examples(self) -> str:
        """Three of the identifiers that do not meet, of each side."""
        here, there = (enumerated(list(map(quoted, own[:3].tolist()))) for own in self.strangers)
        return (
            f"Identifiers look like {here} in the {self.source} and like {there} in the "
            f"{self.known}"
        )

    @cached_property
    def cause(self) -> tuple[_Cause, str, str, int] | None:
        """The likely cause, an example of each side, and how many identifiers it explains."""
        own, others = (side[:MOST_COMPARED].tolist() for side in self.strangers)
        prefix = _prefix(own), _prefix(others)
        with_one = [
            sum(name.startswith(start) for name in side)
            for side, start in zip((own, others), prefix, strict=True)
        ]
        # An identifier may also be written in two ways by one side alone.
        others += self.others[np.isin(self.others, self.own)][:MOST_COMPARED].tolist()
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


def _none_known(meeting: Meeting) -> Note:
    text = (
        f"No {meeting.what} of the {meeting.source} is in the {meeting.known}. {meeting.examples}. "
        "Check that the identifiers are the same."
    )
    return Note("few-identifiers-known", text)


def doubts_on(meeting: Meeting, *, may_differ: bool = False) -> list[Note]:
    """Return notes on identifiers that differ by a known cause, and refuse those that never meet.

    If they may differ, they are only refused if a cause explains why they do not meet.
    """
    here, there = meeting.strangers
    if not len(here):
        return []
    cause, source = meeting.cause, meeting.source
    if not meeting.n_common:
        own, others = meeting.own, meeting.others
        are_few = meeting.what == "item" and min(len(own), len(others)) < BY_CHANCE
        if (may_differ or are_few) and (
            cause is None or (may_differ and not cause[0].is_of_one_side)
        ):
            return [] if may_differ else [_none_known(meeting)]
        raise TableError(
            f"No {meeting.what} of the {source} is in the {meeting.known}. {meeting.examples}"
            f"{meeting.cause_in_words}. Use the same identifiers in both."
        )
    if cause is None:
        return []
    words, one, other, explained = cause
    told = (
        f"{explained:,} of the {len(here):,} {meeting.what}s of the {source} that are not in the "
        f"{meeting.known} differ from one there only because {words.words}, such as {quoted(one)} "
        f"and {quoted(other)}. "
    )
    if words.is_certain and 2 * explained >= _least(len(here), len(there)):
        raise TableError(f"{told}Use the same identifiers in both.")
    return [Note("differing-identifiers", f"{told}They count as different {meeting.what}s.")]
