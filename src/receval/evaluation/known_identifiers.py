# SPDX-License-Identifier: MIT
"""Check that test data, training data and runs use the same identifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.ratings_table import JudgedTable
from receval.data.reading import TableError
from receval.data.run import Run
from receval.evaluation.coding import SharedCodes
from receval.notes import Note
from receval.storage.messages import enumerated, quoted, shortened

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
    (_without_fraction, "whole numbers of one side were written as floats"),
    (str.strip, "one side has white space around them"),
    (str.casefold, "one side has other capitals"),
    (lambda identifier: identifier.lstrip("0"), "one side has zeros in front"),
    (lambda identifier: identifier.strip("\"'"), "one side has quotes around them"),
)
"""Changes that may make identifiers match, with the likely cause of the difference."""


def check_that_identifiers_meet(
    test: Ratings, train: Ratings | None, runs: Mapping[str, Run]
) -> list[Note]:
    """Refuse sources that share no identifiers with the test data, and note those that share few.

    The users of the training data may differ from those of the test data, since systems may be
    tested on new users. All other identifiers must match.

    Returns
    -------
    list of Note
        One for each source that has less than half of its users in the test data, or less than half
        of its items in the test or training data.

    Raises
    ------
    TableError
        No user of a run is in the test data, or no item of a source is in the others (if both have
        at least :data:`BY_CHANCE`, or the cause is known). The message shows three identifiers of
        each side, and the likely cause.

    Examples
    --------
    >>> table = {"user": ["1", "2"], "item": ["10", "11"]}
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.data.run import read_run
    >>> lists = {"user": ["1", "2"], "item": ["10.00", "11.00"], "score": [2.0, 1.0]}
    >>> check_that_identifiers_meet(read_ratings(table), None, {"mine": read_run(lists)})
    Traceback (most recent call last):
    receval.data.reading.TableError: No item of the run 'mine' is known to the test data. ...
    """
    notes = []
    items = test.item_ids
    if train is not None:
        _refuse_strangers("training data", "item", train.item_ids, test.item_ids)
        _refuse_strangers("training data", "user", train.user_ids, test.user_ids, may_differ=True)
        items = np.union1d(items, train.item_ids)
    for name, run in runs.items():
        source = f"run {quoted(name)}"
        known = "test data" if train is None else "test and the training data"
        _refuse_strangers(source, "user", run.user_ids, test.user_ids)
        _refuse_strangers(source, "item", run.item_ids, items, known)
        for what, own, others, where in (
            ("users", run.user_ids, test.user_ids, "test data"),
            ("items", run.item_ids, items, known),
        ):
            share = float(np.isin(own, others).mean())
            if share < FEW:
                text = f"{name}: {share:.1%} of its {len(own):,} {what} are in the {where}."
                notes.append(Note("few-identifiers-known", f"{text} Are the identifiers the same?"))
    return notes


def without_trained_pairs(
    judged: JudgedTable, train: Ratings | None, trained_pairs: TrainedPairs
) -> tuple[JudgedTable, list[Note]]:
    """Return test data without pairs that are also in the training data, and notes on their number.

    The training items of a user are not candidates, so such a pair cannot be recommended.

    Parameters
    ----------
    trained_pairs : {"refuse", "drop"}
        Whether to refuse such pairs, or to drop them from the test data.

    Raises
    ------
    ValueError
        There are such pairs and ``trained_pairs`` is ``refuse``, or there are no other pairs.

    Examples
    --------
    >>> from receval.data.ratings_table import read_test_data
    >>> from receval.data.ratings_table import read_ratings
    >>> test = read_test_data({"user": ["1", "1"], "item": ["10", "11"], "rating": [5, 4]})
    >>> train = read_ratings({"user": ["1"], "item": ["10"], "rating": [5]})
    >>> left, notes = without_trained_pairs(test, train, "drop")
    >>> len(left.ratings), notes[0]
    (1, '1 of 2 test pairs are in the training data, too, and left out.')
    """
    if train is None:
        return judged, []
    test = judged.ratings
    trains = SharedCodes.of(test, train, []).trained(test, train)
    if not trains.any():
        return judged, []
    row = int(np.flatnonzero(trains)[0])
    text = f"{int(trains.sum()):,} of {len(test):,} test pairs are in the training data, too"
    if trained_pairs == "refuse" or trains.all():
        remedy = (
            "Give other training data."
            if trains.all()
            else "Give the training data without them, or leave them out of the test: "
            "trained_pairs='drop' (in a command: --trained-pairs drop)."
        )
        raise ValueError(
            f"{text}, such as user {shortened(str(test.user_ids[test.users[row]]))} with item "
            f"{shortened(str(test.item_ids[test.items[row]]))}. What a user has trained on is no "
            f"candidate, so that it could never be found. {remedy}"
        )
    left = replace(judged, ratings=test.select(~trains).compacted())
    return left, [Note("trained-pairs", f"{text}, and left out.")]


def _refuse_strangers(
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
        f"No {what} of the {source} is known to the {known}. Here they are called {here}, there "
        f"{there}{cause}. Give both the same identifiers."
    )


def _cause(own: Sequence[str], others: Sequence[str]) -> str:
    """Return the likely cause of identifiers that never match, if there is one."""
    for plain, said in _CAUSES:
        by_plain = {plain(identifier): identifier for identifier in reversed(others)}
        for identifier in own:
            if (other := by_plain.get(plain(identifier))) is not None:
                return f": {said}, such as {quoted(identifier)} and {quoted(other)}"
    return ""
