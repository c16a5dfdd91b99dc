# SPDX-License-Identifier: MIT
"""Runs: the recommendations of a system for each user, with scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.columns import FoundColumns, WantedColumn
from receval.data.ratings import first_repeat
from receval.data.ratings_table import ITEM_NAMES, USER_NAMES, columns_of_scores
from receval.data.reading import ReadingOptions, ReadingReport, TableError
from receval.data.tables import read_wanted
from receval.notes import Note
from receval.storage.messages import shortened

SCORE_NAMES = (
    "score",
    "prediction",
    "pred",
    "predictedrating",
    "rating",
    "similarity",
    "value",
    "scores",
)
RANK_NAMES = ("rank", "position", "itemrank")
RunOrder = Literal["score", "rank"]
"""The column by which the lists of a run are ordered if it has both."""


@dataclass(frozen=True)
class Run:
    """The lists of one system, one entry for each recommended item.

    Attributes
    ----------
    users, items : ndarray of int32, shape (n_entries,)
        Codes by entry, in the order of the file.
    scores : ndarray of float64, shape (n_entries,)
        Higher is better; never NaN.
    user_ids, item_ids : ndarray of str, shapes (n_users,) and (n_items,)
        Identifiers by code.
    source : str
        Where the run is from, for messages.

    reading : ReadingReport
        How the run was read.

    Examples
    --------
    >>> run = run_of_scores({"ann": {"x": 3.0, "y": 2.0}, "bob": {"x": 1.0}})
    >>> run.lengths.tolist(), run.common_length
    ([2, 1], None)
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]
    source: str = "the run"
    reading: ReadingReport = field(default_factory=lambda: ReadingReport("the run"))

    def __len__(self) -> int:
        return len(self.users)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each user's list, shape (n_users,)."""
        return np.bincount(self.users, minlength=len(self.user_ids))

    @property
    def common_length(self) -> int | None:
        """The common length of all lists, or None if they differ or there is only one user."""
        lengths = np.unique(self.lengths)
        return int(lengths[0]) if len(lengths) == 1 and len(self.user_ids) > 1 else None


@checked_arguments
def run_of_table(
    source: object,
    *,
    user: str | int | None = None,
    item: str | int | None = None,
    score: str | int | None = None,
    rank: str | int | None = None,
    order: RunOrder = "score",
    **options: Any,
) -> Run:
    """Read a run from a table with one row per recommended item, or from lists by user.

    Parameters
    ----------
    source : path, data frame or mapping
        As for :func:`receval.data.ratings_table.read_ratings`; in JSON also an object of
        users, each with an object of items and scores, or a list of items with the best first.
    user, item, score, rank : str or int, optional
        Names of the columns, or their positions from 0. A table without scores is ordered by rank
        (1 is the first), a table without either by row.
    order : {"score", "rank"}
        The column by which lists are ordered if they have both. If they disagree, a note says so.

    Raises
    ------
    TableError
        A column is missing; a row has no user or no item; or a user has an item twice.

    Examples
    --------
    >>> table = {"user": ["ann", "ann", "bob"], "item": ["x", "y", "x"], "score": [3, 2, 1]}
    >>> run = run_of_table(table)
    >>> run.lengths.tolist(), run.common_length
    ([2, 1], None)
    """
    columns = read_wanted(
        source,
        (
            WantedColumn("user", USER_NAMES, True, user),
            WantedColumn("item", ITEM_NAMES, True, item),
            WantedColumn("score", SCORE_NAMES, False, score, is_needed=score is not None),
            WantedColumn("rank", RANK_NAMES, False, rank, is_needed=rank is not None),
        ),
        ReadingOptions(**options),
    )
    if not isinstance(columns, FoundColumns):
        return run_of_scores(columns, str(source))
    return run_of_columns(columns, order)


def run_of_columns(columns: FoundColumns, order: RunOrder = "score") -> Run:
    """Return the run from the columns ``user``, ``item`` and ``score`` or ``rank`` of a table."""
    if not len(columns):
        raise TableError(f"{columns.source} has no rows: there is no list to evaluate.")
    users, user_ids = columns.codes("user")
    items, item_ids = columns.codes("item")
    repeat = first_repeat(users.astype(np.int64) * len(item_ids) + items)
    if repeat is not None:
        row, earlier = repeat
        raise TableError(
            f"{columns.where(row)} recommends what {columns.unit} {earlier + columns.first_row} "
            f"has recommended, item {shortened(str(item_ids[items[row]]))} to user "
            f"{shortened(str(user_ids[users[row]]))}. Leave one out."
        )
    if order == "rank" and "rank" not in columns:
        raise TableError(
            f"{columns.source} has no column of ranks that could order its lists: say which it is "
            "(rank=..., in a command: --run-rank), or order them by scores."
        )
    scores = _scores(columns, order)
    scored = ~np.isnan(scores)
    notes = [*columns.notes, *_doubts_on_ranks(columns, users, order)]
    if not scored.all():
        text = (
            f"{columns.source}: {int((~scored).sum()):,} of {len(scores):,} items have no score "
            "(NaN), and are not recommended."
        )
        notes.append(Note("items-without-scores", text))
        users, items, scores = users[scored], items[scored], scores[scored]
    notes += _doubts_on_scores(columns.source, scores)
    reading = ReadingReport(
        source=columns.source,
        form=columns.form,
        columns=columns.names,
        unread=columns.unread,
        rows=len(columns),
        users=len(user_ids),
        items=len(item_ids),
        values=_order(columns, order),
        notes=tuple(notes),
    )
    return Run(users, items, scores, user_ids, item_ids, columns.source, reading)


def _order(columns: FoundColumns, order: RunOrder) -> str:
    """Return in words by what lists are ordered, if not by scores."""
    if "score" in columns and order == "score":
        return ""
    return "lists are ordered by rank" if "rank" in columns else "lists are ordered as they stand"


def _scores(columns: FoundColumns, order: RunOrder) -> NDArray[np.float64]:
    if "score" in columns and order == "score":
        scores = columns.numbers("score")
        if not ("rank" in columns and np.isnan(scores).all()):
            return scores
    if "rank" in columns:
        return -columns.numbers("rank")
    return -np.arange(len(columns), dtype=np.float64)


def _doubts_on_ranks(
    columns: FoundColumns, users: NDArray[np.int32], order: RunOrder
) -> list[Note]:
    """Return a note on the users for whom ranks and scores disagree, if any."""
    if "rank" not in columns or "score" not in columns:
        return []
    ranks, scores = columns.numbers("rank"), columns.numbers("score")
    rows = np.lexsort((ranks, users))
    owners, ranks, scores = users[rows], ranks[rows], scores[rows]
    rises = (owners[1:] == owners[:-1]) & (ranks[1:] > ranks[:-1]) & (scores[1:] > scores[:-1])
    disagreeing = len(np.unique(owners[1:][rises]))
    if not disagreeing:
        return []
    other = "rank" if order == "score" else "score"
    text = (
        f"{columns.source}: ranks and scores order items otherwise for {disagreeing:,} of "
        f"{len(np.unique(users)):,} users. Lists are ordered by {order}; say order='{other}' (in a "
        f"command: --run-order {other}) if the other is right."
    )
    return [Note("ranks-against-scores", text)]


def _doubts_on_scores(source: str, scores: NDArray[np.float64]) -> list[Note]:
    """Return a note if the scores order nothing."""
    if not len(scores):
        text = f"{source} has no score that is a number, so that nothing is recommended."
        return [Note("no-scores", text)]
    if np.isinf(scores).all():
        return [Note("no-scores", f"{source} has infinite scores alone.")]
    if len(scores) > 1 and (scores == scores[0]).all():
        text = f"{source} has one score for all items, {scores[0]:g}: only the order of ties is"
        return [Note("equal-scores", f"{text} measured.")]
    return []


def run_of_scores(scores: Mapping[str, Mapping[str, float]], source: str = "the run") -> Run:
    """Return the run of a nested mapping: scores by item, by user.

    Examples
    --------
    >>> run = run_of_scores({"ann": {"x": 3.0, "y": 2.0}})
    >>> run.scores.tolist(), run.item_ids.tolist()
    ([3.0, 2.0], ['x', 'y'])
    """
    return run_of_columns(columns_of_scores(scores, "score", source))
