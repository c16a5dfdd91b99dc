# SPDX-License-Identifier: MIT
"""Check that test data, training data and runs use the same identifiers, and code them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.notes_on_ratings import SCALE, are_like_scores
from receval.data.ratings import Ratings, summed_matrix
from receval.data.ratings_table import JudgedTable
from receval.data.reading import are_as_written
from receval.data.run import Run
from receval.data.shared_identifiers import (
    FEW,
    Meeting,
    doubts_on,
    fit_if_exchanged,
    refuse_transposed,
)
from receval.notes import Note
from receval.protocols.listed_ranks import ListedItems
from receval.splits.split import Fold, Judgments
from receval.storage.messages import quoted, shortened


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


def check_that_identifiers_meet(
    test: Ratings, train: Ratings | None, runs: Mapping[str, Run], are_as_said: bool = False
) -> tuple[list[Note], list[str]]:
    """Refuse sources that share no identifiers with the test data, and note those that share few.

    The users of the training data may differ from those of the test data, since systems may be
    tested on new users, unless they differ only in how they are written. All other identifiers must
    match. A :class:`.TableError` is raised if no
    user of a run is in the test data, or no item of a source is in the others (if both have at
    least :data:`.BY_CHANCE`, or the cause is known). It is also raised if a cause that is certain,
    such as white space, explains at least half of the identifiers that only one side has, unless a
    caller read either side with ``identifiers="as-written"``; ``are_as_said`` says so of all. The
    message shows three identifiers of each side, and the likely cause.

    There is a note for each run that has less than half of its users in the test data, or less than
    half of its items in the test or training data; for training data that have less than half of
    the users or items of the test data, or of which these are less than half; and for other
    identifiers that differ by a known cause. Also returned is how many identifiers meet, in words:
    those of the training data (empty if there are none), then those of each run.
    """
    of_runs = {f"run {quoted(name)}": run for name, run in runs.items()}
    refuse_transposed({"test data": test, "training data": train, **of_runs})
    notes: list[Note] = []
    told = [""]
    items = test.item_ids
    if train is not None:
        own = "training data", "test data"
        is_said = are_as_said or are_as_written(test, train)
        meetings = (
            Meeting("item", *own, train.item_ids, test.item_ids, is_said),
            Meeting("user", *own, train.user_ids, test.user_ids, is_said),
        )
        told = [meetings_in_words(meetings[::-1])]
        notes += notes_on_training(meetings)
        notes += exchanged_training_notes() if fit_if_exchanged(train, test) else []
        items = np.union1d(items, train.item_ids)
    for name, run in runs.items():
        source = f"run {quoted(name)}"
        known = "test data" if train is None else "test or training data"
        is_said = are_as_said or are_as_written(test, train, run)
        meetings = (
            Meeting("user", source, "test data", run.user_ids, test.user_ids, is_said),
            Meeting("item", source, known, run.item_ids, items, is_said),
        )
        told.append(meetings_in_words(meetings))
        are_all_met = all(own.n_common == own.n_own for own in meetings)
        notes += _exchanged(
            name,
            run,
            test,
            only_exchanged=not are_all_met
            and bool(np.isin(run.user_ids, items).all())
            and bool(np.isin(run.item_ids, test.user_ids).all()),
        )
        notes += notes_on_run(name, meetings)
        notes += exchanged_values_notes(name, test.values, run.users, run.scores)
    return notes, told


def exchanged_values_notes(
    name: str, tested: NDArray[Any], users: NDArray[np.int32], scores: NDArray[np.float64]
) -> list[Note]:
    """Return a note if test ratings are like scores, and the scores of a run like ratings.

    Those are few whole numbers, of which most users have some several times.
    """
    tested, users, scores = tested[:MOST_ROWS], users[:MOST_ROWS], scores[:MOST_ROWS]
    if not are_like_scores(tested) or (scores != np.rint(scores)).any():
        return []
    different, codes = np.unique(scores, return_inverse=True)
    of_each = len(np.unique(users.astype(np.int64) * len(different) + codes))
    if len(different) > SCALE or 2 * of_each > len(scores):
        return []
    text = (
        f"The test data have many ratings with fractions, up to {tested.max():g}, as scores are, "
        f"but {name} has only {len(different)} whole numbers as scores, as ratings are. Check that "
        "test data and runs were not exchanged."
    )
    return [Note("run-as-test-data", text)]


def notes_on_training(meetings: Iterable[Meeting]) -> list[Note]:
    """Return notes on the identifiers of training data, and refuse those that never meet."""
    notes = []
    for meeting in meetings:
        notes += doubts_on(meeting, may_differ=meeting.what == "user")
        smaller = min(meeting.n_own, meeting.n_others)
        is_told = not meeting.n_common and meeting.what == "item"
        if meeting.n_common < FEW * smaller and not is_told:
            few = f"Only {meeting.n_common:,}" if meeting.n_common else "None"
            text = (
                f"{few} of the {meeting.n_own:,} {meeting.what}s of the "
                f"training data are among the {meeting.n_others:,} {meeting.what}s of the "
                f"test data{meeting.cause_in_words}. "
                + (f"{meeting.examples}. " if not meeting.n_common else "")
                + "Check that the identifiers are the same"
                + (", unless the test has new users." if not meeting.n_common else ".")
            )
            notes.append(Note("few-identifiers-known", text))
    return notes


def notes_on_run(name: str, meetings: Iterable[Meeting]) -> list[Note]:
    """Return notes on the identifiers of a run, and refuse those that never meet."""
    notes = []
    for meeting in meetings:
        notes += doubts_on(meeting)
        share = meeting.n_common / meeting.n_own
        if 0 < share < FEW:
            text = (
                f"Only {share:.1%} of the {meeting.n_own:,} {meeting.what}s of {name} are "
                f"in the {meeting.known}{meeting.cause_in_words}. Check that the identifiers "
                "are the same."
            )
            notes.append(Note("few-identifiers-known", text))
    return notes


def exchanged_training_notes() -> list[Note]:
    """Return a note that training data fit the test data if users and items are exchanged."""
    text = (
        "The training data fit the test data better if their users and items are exchanged. Check "
        "which column is what in both (in a command: --user and --item, --train-user and "
        "--train-item)."
    )
    return [Note("exchanged-columns", text)]


MOST_SOUGHT = 200
"""Number of users whose test pairs are looked up in a run, both as given and exchanged."""

MOST_ROWS = 1_000_000
"""In longer runs, about so many rows are looked at."""

FEWEST_FOUND = 10


def _exchanged(name: str, run: Run, test: Ratings, *, only_exchanged: bool) -> list[Note]:
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
    return exchanged_notes(name, *found, only_exchanged=only_exchanged)


def exchanged_notes(
    name: str, as_given: int, exchanged: int, *, only_exchanged: bool = False
) -> list[Note]:
    """Return a note if a run has far more test pairs when its users and items are exchanged.

    If all its identifiers are known only then, it is enough that there are more.
    """
    if exchanged < FEWEST_FOUND or exchanged <= (1 if only_exchanged else 2) * as_given:
        return []
    text = (
        f"{name} has {exchanged / max(1, as_given):.1f} times as many test pairs if its users and "
        "items are exchanged. Check which column is what (in a command: --run-user and "
        "--run-item)."
    )
    return [Note("exchanged-columns", text)]


def meetings_in_words(meetings: Sequence[Meeting]) -> str:
    """Return how many identifiers of a source are also in others."""
    return " and ".join(own.in_words for own in meetings)


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
