# SPDX-License-Identifier: MIT
"""Check that test data, training data and runs use the same identifiers, and code them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.columns import in_usual_signs, whole_number
from receval.data.ratings import Ratings, summed_matrix
from receval.data.ratings_table import JudgedTable
from receval.data.reading import TableError
from receval.data.run import Run
from receval.notes import Note
from receval.protocols.listed_ranks import ListedItems
from receval.splits.split import Fold, Judgments
from receval.storage.messages import enumerated, how_many, quoted, shortened


@dataclass(frozen=True)
class SharedCodes:
    """Identifiers of users and items by codes that all sources share.

    Items are in descending order of identifiers, so the order of codes is the order in which
    trec_eval lists equal scores.
    """

    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]

    @classmethod
    def of(cls, test: Ratings, train: Ratings | None, runs: Sequence[Run]) -> SharedCodes:
        """Return the codes of all users in the test or training data, and of all items."""
        tables = [test] if train is None else [test, train]
        users = np.unique(np.concatenate([table.user_ids for table in tables]))
        of_items = [table.item_ids for table in tables] + [run.item_ids for run in runs]
        items = np.unique(np.concatenate(of_items))
        return cls(users, items[::-1])

    def fold(self, test: Ratings, train: Ratings | None) -> Fold:
        """Return the test and training data as a fold."""
        shape = (len(self.user_ids), len(self.item_ids))
        judgments = Judgments.from_pairs(
            *self._pairs(test), test.values, shape[0], events=test.events
        )
        if train is None:
            nothing = np.empty(0, dtype=np.int32)
            return Fold(summed_matrix(nothing, nothing, nothing, shape), judgments)
        return Fold(summed_matrix(*self._pairs(train), train.values, shape), judgments)

    def dataset(self, test: Ratings, train: Ratings | None) -> Ratings:
        """Return the test and training data as one table.

        A pair in both keeps its test rating, unless test ratings are events, which are summed.
        """
        users, items = self._pairs(test)
        values = test.values
        if train is not None:
            own_users, own_items = self._pairs(train)
            is_new = np.ones(len(train), dtype=np.bool_)
            if not test.events:
                is_new = ~self.trained(train, test)
            users = np.concatenate([users, own_users[is_new]])
            items = np.concatenate([items, own_items[is_new]])
            values = np.concatenate([values, train.values[is_new]])
        return Ratings(
            users.astype(np.int32),
            items.astype(np.int32),
            values,
            self.user_ids,
            self.item_ids,
            events=test.events,
            checked=True,
        )

    def trained(self, test: Ratings, train: Ratings) -> NDArray[np.bool_]:
        """Return which test pairs are also in the training data, shape (n_ratings,)."""
        (users, items), (own_users, own_items) = self._pairs(test), self._pairs(train)
        n_items = len(self.item_ids)
        wanted, known = users * n_items + items, own_users * n_items + own_items
        if not len(known):
            return np.zeros(len(wanted), dtype=np.bool_)
        # np.isin is far slower: it looks for the distinct pairs of both by hashing.
        known.sort()
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.asarray(known[places] == wanted)

    def listed(self, run: Run) -> tuple[ListedItems, int]:
        """Return the lists of a run in these codes, and the number of its users without a code."""
        codes = self._users(run.user_ids)
        known = codes >= 0
        rows = known[run.users]
        listed = ListedItems(
            codes[run.users[rows]].astype(np.int32),
            self._items(run.item_ids)[run.items[rows]].astype(np.int32),
            run.scores[rows],
        )
        return listed, int((~known).sum())

    def _pairs(self, table: Ratings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of the users and items of a table, by row."""
        return self._users(table.user_ids)[table.users], self._items(table.item_ids)[table.items]

    def _users(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        """Return the codes of users, or -1 for those in neither the test nor the training data."""
        places = np.minimum(np.searchsorted(self.user_ids, ids), len(self.user_ids) - 1)
        return np.where(self.user_ids[places] == ids, places, -1)

    def _items(self, ids: NDArray[np.str_]) -> NDArray[np.int64]:
        ascending = self.item_ids[::-1]
        return len(ascending) - 1 - np.searchsorted(ascending, ids)


TrainedPairs = Literal["refuse", "drop"]
"""How to treat test pairs that are also in the training data."""

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
class _Meeting:
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


def check_that_identifiers_meet(
    test: Ratings, train: Ratings | None, runs: Mapping[str, Run]
) -> tuple[list[Note], list[str]]:
    """Refuse sources that share no identifiers with the test data, and note those that share few.

    The users of the training data may differ from those of the test data, since systems may be
    tested on new users, unless they differ only in how they are written. All other identifiers must
    match. A :class:`.TableError` is raised if no
    user of a run is in the test data, or no item of a source is in the others (if both have at
    least :data:`BY_CHANCE`, or the cause is known). It is also raised if a cause that is certain,
    such as white space, explains at least half of the identifiers that only one side has. The
    message shows three identifiers of each side, and the likely cause.

    There is a note for each run that has less than half of its users in the test data, or less than
    half of its items in the test or training data; for training data that have less than half of
    the users or items of the test data, or of which these are less than half; and for other
    identifiers that differ by a known cause. Also returned is how many identifiers meet, in words:
    those of the training data (empty if there are none), then those of each run.
    """
    notes: list[Note] = []
    told = [""]
    items = test.item_ids
    if train is not None:
        source = "training data"
        meetings = (
            _Meeting("item", source, "test data", train.item_ids, test.item_ids),
            _Meeting("user", source, "test data", train.user_ids, test.user_ids),
        )
        told = [_in_words(meetings[::-1])]
        for meeting in meetings:
            notes += _doubts(meeting, may_differ=meeting.what == "user")
            smaller = min(len(meeting.own), len(meeting.others))
            is_told = not meeting.n_common and meeting.what == "item"
            if meeting.n_common < FEW * smaller and not is_told:
                few = f"Only {meeting.n_common:,}" if meeting.n_common else "None"
                text = (
                    f"{few} of the {len(meeting.own):,} {meeting.what}s of the "
                    f"training data are among the {len(meeting.others):,} {meeting.what}s of the "
                    f"test data{meeting.cause_in_words}. "
                    + (f"{meeting.examples}. " if not meeting.n_common else "")
                    + "Check that the identifiers are the same"
                    + (", unless the test has new users." if not meeting.n_common else ".")
                )
                notes.append(Note("few-identifiers-known", text))
        items = np.union1d(items, train.item_ids)
    for name, run in runs.items():
        source = f"run {quoted(name)}"
        known = "test data" if train is None else "test or training data"
        meetings = (
            _Meeting("user", source, "test data", run.user_ids, test.user_ids),
            _Meeting("item", source, known, run.item_ids, items),
        )
        told.append(_in_words(meetings))
        notes += _exchanged(name, run, test)
        for meeting in meetings:
            notes += _doubts(meeting)
            share = meeting.n_common / len(meeting.own)
            if 0 < share < FEW:
                text = (
                    f"Only {share:.1%} of the {len(meeting.own):,} {meeting.what}s of {name} are "
                    f"in the {meeting.known}{meeting.cause_in_words}. Check that the identifiers "
                    "are the same."
                )
                notes.append(Note("few-identifiers-known", text))
    return notes, told


MOST_SOUGHT = 200
"""Number of users whose test pairs are looked up in a run, both as given and exchanged."""

MOST_ROWS = 1_000_000
"""In longer runs, about so many rows are looked at."""

FEWEST_FOUND = 10


def _exchanged(name: str, run: Run, test: Ratings) -> list[Note]:
    """Return a note if a run has more test pairs when its users and items are exchanged."""
    users = {own: code for code, own in enumerate(test.user_ids[:MOST_SOUGHT].tolist())}
    if not users.keys() & set(run.item_ids.tolist()):
        return []
    items = {own: code for code, own in enumerate(test.item_ids.tolist())}
    is_sought = test.users < MOST_SOUGHT
    sought = test.users[is_sought].astype(np.int64) * len(items) + test.items[is_sought]
    found = []
    step = 1 + len(run) // MOST_ROWS
    run_users, run_items = run.users[::step], run.items[::step]
    for own_users, user_ids, own_items, item_ids in (
        (run_users, run.user_ids, run_items, run.item_ids),
        (run_items, run.item_ids, run_users, run.user_ids),
    ):
        rows = np.array([users.get(own, -1) for own in user_ids.tolist()], np.int32)[own_users]
        is_own = rows >= 0
        columns = np.array([items.get(own, -1) for own in item_ids.tolist()])[own_items[is_own]]
        listed = (rows[is_own].astype(np.int64) * len(items) + columns)[columns >= 0]
        found.append(int(np.isin(sought, listed).sum()))
    as_given, exchanged = found
    if exchanged < FEWEST_FOUND or exchanged <= 2 * as_given:
        return []
    text = (
        f"{name} has {exchanged / max(1, as_given):.1f} times as many test pairs if its users and "
        "items are exchanged. Check which column is what (in a command: --run-user and "
        "--run-item)."
    )
    return [Note("exchanged-columns", text)]


def check_identifiers_of(source: str, own: Ratings, known: str, others: Ratings) -> list[Note]:
    """Refuse a table that shares no user or no item with another, and note known differences."""
    return [
        *_doubts(_Meeting("user", source, known, own.user_ids, others.user_ids)),
        *_doubts(_Meeting("item", source, known, own.item_ids, others.item_ids)),
    ]


def _in_words(meetings: Sequence[_Meeting]) -> str:
    return " and ".join(
        f"{own.n_common:,} of {how_many(len(own.own), own.what)} also in the {own.known}"
        for own in meetings
    )


def _none_known(meeting: _Meeting) -> Note:
    text = (
        f"No {meeting.what} of the {meeting.source} is in the {meeting.known}. {meeting.examples}. "
        "Check that the identifiers are the same."
    )
    return Note("few-identifiers-known", text)


def _doubts(meeting: _Meeting, *, may_differ: bool = False) -> list[Note]:
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


def without_trained_pairs(
    judged: JudgedTable, train: Ratings | None, trained_pairs: TrainedPairs
) -> tuple[JudgedTable, list[Note]]:
    """Return test data without pairs that are also in the training data, and notes on their number.

    The training items of a user are not candidates, so such a pair cannot be recommended. Such
    pairs are refused, unless they are to be dropped and others are left.
    """
    if train is None:
        return judged, []
    test = judged.ratings
    trains = SharedCodes.of(test, train, []).trained(test, train)
    if not trains.any():
        return judged, []
    row = int(np.flatnonzero(trains)[0])
    text = f"{int(trains.sum()):,} of {len(test):,} test pairs are also in the training data"
    if trained_pairs == "refuse" or trains.all():
        remedy = (
            "Give other training data."
            if trains.all()
            else "Remove these pairs from the training data, or leave them out of the test with "
            "trained_pairs='drop' (in a command: --trained-pairs drop)."
        )
        raise ValueError(
            f"{text}, for example user {shortened(str(test.user_ids[test.users[row]]))} with item "
            f"{shortened(str(test.item_ids[test.items[row]]))}. A user's training items are not "
            f"candidates, so they could never be found. {remedy}"
        )
    left = replace(judged, ratings=test.select(~trains).compacted())
    return left, [Note("trained-pairs", f"{text}. They were left out.")]


def refuse_strangers(
    source: str, what: str, own: NDArray[np.str_], others: NDArray[np.str_], known: str
) -> list[Note]:
    """Refuse identifiers of which none is known, and note known differences."""
    return _doubts(_Meeting(what, source, known, own, others))
