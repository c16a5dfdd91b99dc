# SPDX-License-Identifier: MIT
"""Check that test data, training data and runs use the same identifiers, and code them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings, summed_matrix
from receval.data.ratings_table import JudgedTable
from receval.data.reading import TableError
from receval.data.run import Run
from receval.notes import Note
from receval.protocols.listed_ranks import ListedItems
from receval.splits.split import Fold, Judgments
from receval.storage.messages import enumerated, quoted, shortened


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
        return np.isin(users * n_items + items, own_users * n_items + own_items)

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


def _without_fraction(identifier: str) -> str:
    whole, point, fraction = identifier.partition(".")
    return whole if point and not fraction.strip("0") else identifier


_CAUSES: tuple[tuple[Callable[[str], str], str], ...] = (
    (_without_fraction, "one side has whole numbers that were written as floats"),
    (str.strip, "one side has white space around its identifiers"),
    (str.casefold, "the two sides differ in capital letters"),
    (lambda identifier: identifier.lstrip("0"), "one side has leading zeros"),
    (lambda identifier: identifier.strip("\"'"), "one side has quotes around its identifiers"),
)
"""Changes that may make identifiers match, with the likely cause of the difference."""


def check_that_identifiers_meet(
    test: Ratings, train: Ratings | None, runs: Mapping[str, Run]
) -> list[Note]:
    """Refuse sources that share no identifiers with the test data, and note those that share few.

    The users of the training data may differ from those of the test data, since systems may be
    tested on new users. All other identifiers must match. A :class:`.TableError` is raised if no
    user of a run is in the test data, or no item of a source is in the others (if both have at
    least :data:`BY_CHANCE`, or the cause is known). The message shows three identifiers of each
    side, and the likely cause. There is a note for each source that has less than half of its users
    in the test data, or less than half of its items in the test or training data.
    """
    notes = []
    items = test.item_ids
    if train is not None:
        refuse_strangers("training data", "item", train.item_ids, test.item_ids)
        refuse_strangers("training data", "user", train.user_ids, test.user_ids, may_differ=True)
        items = np.union1d(items, train.item_ids)
    for name, run in runs.items():
        source = f"run {quoted(name)}"
        known = "test data" if train is None else "test or training data"
        refuse_strangers(source, "user", run.user_ids, test.user_ids)
        refuse_strangers(source, "item", run.item_ids, items, known)
        for what, own, others, where in (
            ("users", run.user_ids, test.user_ids, "test data"),
            ("items", run.item_ids, items, known),
        ):
            share = float(np.isin(own, others).mean())
            if share < FEW:
                text = (
                    f"Only {share:.1%} of the {len(own):,} {what} of {name} are in the {where}. "
                    "Check that the identifiers are the same."
                )
                notes.append(Note("few-identifiers-known", text))
    return notes


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
    source: str,
    what: str,
    own: NDArray[np.str_],
    others: NDArray[np.str_],
    known: str = "test data",
    *,
    may_differ: bool = False,
) -> None:
    """Refuse identifiers if none is known; if they may differ, only if a cause is found."""
    if np.isin(own, others).any():
        return
    cause = _cause(own.tolist(), others.tolist())
    are_few = what == "item" and min(len(own), len(others)) < BY_CHANCE
    if (may_differ or are_few) and not cause:
        return
    here, there = (enumerated(list(map(quoted, ids[:3].tolist()))) for ids in (own, others))
    raise TableError(
        f"No {what} of the {source} is in the {known}. Identifiers look like {here} in the "
        f"{source} and like {there} in the {known}{cause}. Use the same identifiers in both."
    )


def _cause(own: Sequence[str], others: Sequence[str]) -> str:
    """Return the likely cause of identifiers that never match, if there is one."""
    for plain, said in _CAUSES:
        by_plain = {plain(identifier): identifier for identifier in reversed(others)}
        for identifier in own:
            if (other := by_plain.get(plain(identifier))) is not None:
                return f": {said}, such as {quoted(identifier)} and {quoted(other)}"
    return ""
