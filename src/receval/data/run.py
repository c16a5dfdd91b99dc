# SPDX-License-Identifier: MIT
"""Runs, the recommendations of a system for each user with scores: read them and write them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.column_roles import ITEM_NAMES, USER_NAMES
from receval.data.column_values import are_ranks_in_order
from receval.data.columns import (
    FoundColumns,
    WantedColumn,
    identifier_doubts,
    refuse_lists_in_cells,
)
from receval.data.json_tables import ScoresOfOrder
from receval.data.ratings import first_repeat
from receval.data.ratings_table import LISTS_OF_USERS, columns_of_scores
from receval.data.reading import ReadingOptions, ReadingReport, TableError, refuse_foreign_options
from receval.data.shared_identifiers import refuse_exchanged_parts
from receval.data.tables import read_wanted
from receval.notes import Note
from receval.storage.files import replacing
from receval.storage.messages import enumerated, how_many, quoted, shortened

SCORE_NAMES = (
    "score", "prediction", "pred", "predictedrating", "est", "rating", "similarity", "value",
    "scores",
)  # fmt: skip
RANK_NAMES = ("rank", "position", "itemrank")

RunOrder = Literal["score", "rank"]
"""The column by which the lists of a run are ordered if it has both."""

RunFormat = Literal["trec", "table", "json", "jsonl", "parquet", "npz"]

WrittenRunFormat = Literal["trec", "table", "json", "parquet", "recbole", "elliot"]

WRITTEN: dict[str, WrittenRunFormat] = {
    ".run": "trec",
    ".trec": "trec",
    ".res": "trec",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".inter": "recbole",
}
"""The format to write for each file extension."""

_OF_TABLES = (".csv", ".tsv", ".txt", "")

_ROWS = 1 << 16
"""The number of rows that are converted to text at once."""

_ATOMIC = {"user": "user_id:token", "item": "item_id:token", "score": "score:float"}

_TREC = ("user", "Q0", "item", "rank", "score", "tag")


@dataclass(frozen=True, repr=False)
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
    scores_are_ranks : bool
        Whether the scores were made of ranks or of the order of rows.

    Examples
    --------
    >>> run = read_run({"ann": {"x": 3.0, "y": 2.0}, "bob": {"x": 1.0}})
    >>> run.lengths.tolist()
    [2, 1]
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]
    source: str = "the run"
    reading: ReadingReport = field(default_factory=lambda: ReadingReport("the run"))
    scores_are_ranks: bool = False

    def __repr__(self) -> str:
        users, rows = how_many(len(self.user_ids), "user"), how_many(len(self.items), "row")
        return f"<{self.source}: {rows} of {users}>"

    def __len__(self) -> int:
        return len(self.users)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each user's list, shape (n_users,)."""
        return np.bincount(self.users, minlength=len(self.user_ids))


@checked_arguments
def read_run(
    source: object,
    format: RunFormat | None = None,  # noqa: A002, the word that users expect
    *,
    user: str | int | None = None,
    item: str | int | None = None,
    score: str | int | None = None,
    rank: str | int | None = None,
    order: RunOrder = "score",
    **options: Annotated[Any, ReadingOptions],
) -> Run:
    """Read the recommendations of a system.

    Parameters
    ----------
    source : path, data frame, mapping or Run
        See Notes; or scores of items by user, as ``ranx.Run.to_dict()`` returns. A run is returned
        unchanged.
    format : {"trec", "table", "json", "jsonl", "parquet", "npz"}, optional
        Found from the file's name and its first thousand lines by default.
    user, item, score, rank : str or int, optional
        Names of the columns, or their positions from 0. A table without scores is ordered by rank
        (1 is the first), a table without either by row.
    order : {"score", "rank"}
        The column by which lists are ordered if they have both. If they disagree, a note says so.
    **options
        Other fields of :class:`receval.data.reading.ReadingOptions`, such as ``delimiter``.

    Raises
    ------
    TableError
        The file is not in that format; a column is missing; a row has no user or no item; or a user
        has an item twice. The message says where and why.

    Notes
    -----
    ===========  ==============================================================================
    ``trec``     ``user Q0 item rank score tag`` between white space; the order is that of the
                 scores, as in trec_eval, unless ``order="rank"`` is said
    ``table``    text, Parquet or a data frame with columns for user, item and score or rank, in any
                 order; without names in this order, where 1, 2, 3 for each user are ranks; also
                 LensKit's collections of lists, as they are or in Parquet
    ``json``     an object of users, each an object of items with scores or a list of items, the
                 best first; or an array of objects, a row each
    ``jsonl``    such an object in each line, also ``{"user": "ann", "items": ["book"], "scores":
                 [1.5]}``
    ``npz``      a sparse matrix of scores by scipy, users by items; identifiers are row and column
                 numbers from 0, and what it does not store is not recommended
    ===========  ==============================================================================

    Examples
    --------
    >>> run = read_run({"user": ["ann", "ann"], "item": ["x", "y"], "score": [1.5, 2.5]})
    >>> len(run), run.item_ids.tolist()
    (2, ['x', 'y'])
    """
    if isinstance(source, Run):
        return source
    chosen = ReadingOptions(format=format, **options)
    columns = read_wanted(
        source,
        (
            WantedColumn("user", USER_NAMES, True, user),
            WantedColumn("item", ITEM_NAMES, True, item),
            WantedColumn("score", SCORE_NAMES, False, score, is_needed=score is not None),
            WantedColumn("rank", RANK_NAMES, False, rank, is_needed=rank is not None),
        ),
        chosen,
    )
    is_of_order = isinstance(columns, ScoresOfOrder)
    if not isinstance(columns, FoundColumns):
        name = source if isinstance(source, str | Path) else "the run"
        why = "has lists of users, which are in the order of scores or as given"
        refuse_foreign_options(name, why, ["order"] if order == "rank" else [])
        columns = columns_of_scores(columns, "score", name, chosen)
    if rank is None and score is not None and score == columns.names.get("rank"):
        # The same column was asked for as scores.
        arrays = {name: own for name, own in columns.arrays.items() if name != "rank"}
        columns = replace(columns, arrays=arrays)
    is_said = score is not None or rank is not None or options.get("columns") is not None
    run = _run_of_columns(columns, order, is_said=is_said)
    return replace(run, scores_are_ranks=True) if is_of_order else run


def _run_of_columns(
    columns: FoundColumns, order: RunOrder = "score", *, is_said: bool = False
) -> Run:
    """Return the run from the columns ``user``, ``item`` and ``score`` or ``rank`` of a table.

    With ``is_said``, the caller has said which columns have scores or ranks.
    """
    if not len(columns):
        raise TableError(f"{columns.source} has no rows, so there is no list to evaluate.")
    users, user_ids = columns.codes("user")
    items, item_ids = columns.codes("item")
    refuse_lists_in_cells(columns, users, item_ids)
    refuse_exchanged_parts(columns, users, user_ids, items, item_ids)
    repeat = first_repeat(users.astype(np.int64) * len(item_ids) + items)
    if repeat is not None:
        row, earlier = repeat
        raise TableError(
            f"{columns.where(row)} recommends the same item as {columns.beside(earlier, row)}: "
            f"item {shortened(str(item_ids[items[row]]))} to user "
            f"{shortened(str(user_ids[users[row]]))}. Remove one of them."
        )
    if order == "rank" and "rank" not in columns:
        raise TableError(
            f"{columns.source} has no known column of ranks by which to order its lists. Name the "
            "column (rank=..., in a command: --run-rank), or order lists by scores."
        )
    if columns.are_guessed and "score" not in columns and "rank" in columns:
        _check_ranks(columns, users)
    _refuse_exchanged(columns, users, order)
    scores, are_ranks = _scores(columns, order)
    scored = ~np.isnan(scores)
    notes = [
        *columns.notes,
        *identifier_doubts(columns.source, "users", user_ids),
        *identifier_doubts(columns.source, "items", item_ids),
        *_doubts_on_ranks(columns, users, order),
        *([] if is_said else _doubts_on_columns(columns)),
        *_doubts_on_counts(columns, users, items, item_ids, is_said=is_said),
        *_doubts_on_distances(columns, users, scores),
    ]
    if not scored.all():
        notes += unscored_notes(columns.source, int((~scored).sum()), len(scores))
        users, items, scores = users[scored], items[scored], scores[scored]
    notes += doubts_on_scores(columns.source, scores)
    reading = ReadingReport(
        source=columns.source,
        form=columns.form,
        columns=columns.names,
        unread=columns.unread,
        rows=len(columns),
        users=len(user_ids),
        items=len(item_ids),
        values="; ".join(
            own for own in (_order(columns, order), *columns.rewritten.values()) if own
        ),
        notes=tuple(notes),
        first_cells=columns.first_cells(),
        shape=columns.shape,
        given={"identifiers": "as-written"} if columns.are_as_written else {},
    )
    return Run(users, items, scores, user_ids, item_ids, columns.source, reading, are_ranks)


def _check_ranks(columns: FoundColumns, users: NDArray[np.int32]) -> None:
    """Refuse numbers that are ranks in the first rows, but not in all."""
    if not are_ranks_in_order(users, columns.numbers("rank")):
        raise TableError(
            f"{columns.source} has no header. In the first rows, its column 2 has the numbers 1, 2 "
            "and so on for each user, as ranks do, but in later rows it has others. Say what it is "
            "(columns=..., in a command: --run-columns user,item,score or user,item,rank)."
        )


def _refuse_exchanged(columns: FoundColumns, users: NDArray[np.int32], order: RunOrder) -> None:
    """Refuse negative ranks, those with fractions, and ranks exchanged with scores."""
    if "rank" not in columns:
        return
    ranks = columns.numbers("rank")
    if (negative := ranks < 0).any():
        row = int(np.argmax(negative))
        raise TableError(
            f"{columns.where(row)} has the rank {ranks[row]:g}. A rank counts from the best item, "
            "which has 1. If these are scores, name the column (score=..., in a command: "
            "--run-score ...)."
        )
    have_fractions = (ranks[~np.isnan(ranks)] % 0.5).any()  # Halves are means of two ranks.
    if (
        have_fractions
        and "score" in columns
        and are_ranks_in_order(users, columns.numbers("score"))
    ):
        raise TableError(
            f"{columns.source}: ranks have fractions, and scores are 1, 2, 3 and so on, so these "
            "columns seem to be exchanged. Say which is which (columns=..., in a command: "
            "--run-columns ..., or --run-score and --run-rank)."
        )
    if have_fractions and ("score" not in columns or order == "rank"):
        row = int(np.argmax(ranks % 0.5 > 0))
        raise TableError(
            f"{columns.where(row)} has the rank {ranks[row]:g}. Ranks by which lists are ordered "
            "must be whole numbers. If these are scores, name the column (score=..., in a command: "
            "--run-score ...)."
        )


def _order(columns: FoundColumns, order: RunOrder) -> str:
    """Return in words by what lists are ordered, if not by scores."""
    if "score" in columns and order == "score":
        return ""
    return "lists are ordered by rank" if "rank" in columns else "lists keep their given order"


def _scores(columns: FoundColumns, order: RunOrder) -> tuple[NDArray[np.float64], bool]:
    """Return scores, and whether they were made of ranks or of the order of rows."""
    if "score" in columns and order == "score":
        scores = columns.numbers("score")
        if not ("rank" in columns and np.isnan(scores).all()):
            return scores, False
    if "rank" in columns:
        return -columns.numbers("rank"), True
    return -np.arange(len(columns), dtype=np.float64), True


def _doubts_on_columns(columns: FoundColumns) -> list[Note]:
    """Return a note if neither scores nor ranks have a known name, but there are other columns."""
    if "score" in columns or "rank" in columns or not columns.unread:
        return []
    text = (
        f"{Path(columns.source).name}: no column has a known name for scores or ranks, so lists "
        f"keep the order of their rows. These columns were not read: {enumerated(columns.unread)}. "
        "If one of them has the scores or ranks, name it (score=... or rank=..., in a command: "
        "--run-score ... or --run-rank ...)."
    )
    return [Note("no-score-column", text)]


def _doubts_on_counts(
    columns: FoundColumns,
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    item_ids: NDArray[np.str_],
    *,
    is_said: bool,
) -> list[Note]:
    """Return a note if scores, or items in lists of users, are 1, 2, 3 and so on, as ranks are."""
    # Ranks beside scores are compared with them.
    if is_said or "rank" in columns or "score" not in columns:
        return []
    if np.bincount(users).max() < _SHORTEST_LIST:
        return []
    scores = columns.numbers("score")
    is_of_users = columns.form.startswith(LISTS_OF_USERS)
    if are_ranks_in_order(users, scores):
        what = "scores"
    # All items in their order usually have scores with fractions.
    elif (
        is_of_users
        and (scores == np.rint(scores)).all()
        and np.char.isdecimal(item_ids).all()
        and are_ranks_in_order(users, item_ids.astype(np.float64)[items])
    ):
        what = "items"
    else:
        return []
    advice = (
        "give the items of each user in a list, the best first"
        if is_of_users
        else "name the column so (rank=..., in a command: --run-rank ...)"
    )
    text = (
        f"{columns.source}: the {what} of each user are 1, 2, 3 and so on, in this order, as ranks "
        f"are, but the items with the highest scores come first. If these are ranks, {advice}."
    )
    return [Note("ranks-as-scores", text)]


_SHORTEST_LIST = 3


def _doubts_on_distances(
    columns: FoundColumns, users: NDArray[np.int32], scores: NDArray[np.float64]
) -> list[Note]:
    """Return a note if scores rise like distances, unless they count the rows as ranks do."""
    if "rank" in columns or "score" not in columns:
        return []
    notes = rising_notes(columns.source, *rising_lists(users, scores))
    return [] if notes and are_ranks_in_order(users, scores) else notes


def rising_lists(users: NDArray[np.integer], scores: NDArray[np.floating]) -> tuple[int, int]:
    """Return how many longer lists have scores that rise and never fall, and their number."""
    lengths = np.bincount(users)
    are_long = lengths >= LONG_LIST
    order = np.argsort(users, kind="stable")
    owners, own = users[order], scores[order]
    same = owners[1:] == owners[:-1]
    falls, rises = same & ~(own[1:] >= own[:-1]), same & (own[1:] > own[:-1])
    are_rising = are_long & (np.bincount(owners[1:][rises], minlength=len(lengths)) > 0)
    are_rising[owners[1:][falls]] = False
    return int(are_rising.sum()), int(are_long.sum())


def rising_notes(source: str, n_rising: int, n_long: int) -> list[Note]:
    """Return a note if the scores of nearly all longer lists rise from row to row."""
    if n_long < 2 or n_rising < _NEARLY_ALL * n_long:
        return []
    text = (
        f"{Path(source).name}: the scores of {n_rising:,} of {n_long:,} lists of {LONG_LIST} or "
        "more items rise from the first row to the last, but the items with the highest scores "
        "come first. If lists are given from best to worst, the scores may be distances: write "
        "them with a minus."
    )
    return [Note("rising-scores", text)]


LONG_LIST = 5
"""From so many items on, it is no accident that the scores of a list rise."""

_NEARLY_ALL = 0.9


def _doubts_on_ranks(
    columns: FoundColumns, users: NDArray[np.int32], order: RunOrder
) -> list[Note]:
    """Return a note on the users for whom ranks and scores disagree, if any."""
    if "rank" not in columns or "score" not in columns:
        return []
    disagreeing = n_disagreeing(users, columns.numbers("rank"), columns.numbers("score"))
    return disagreement_notes(columns.source, disagreeing, len(np.unique(users)), order)


def n_disagreeing(
    users: NDArray[np.integer], ranks: NDArray[np.float64], scores: NDArray[np.float64]
) -> int:
    """Return for how many users a higher rank has a higher score."""
    rows = np.lexsort((ranks, users))
    owners, ranks, scores = users[rows], ranks[rows], scores[rows]
    rises = (owners[1:] == owners[:-1]) & (ranks[1:] > ranks[:-1]) & (scores[1:] > scores[:-1])
    return len(np.unique(owners[1:][rises]))


def disagreement_notes(source: str, disagreeing: int, n_users: int, order: RunOrder) -> list[Note]:
    """Return a note on the users for whom ranks and scores disagree, if there are any."""
    if not disagreeing:
        return []
    other = "rank" if order == "score" else "score"
    text = (
        f"{source}: ranks and scores disagree on the order of items for {disagreeing:,} of "
        f"{how_many(n_users, 'user')}. Lists are ordered by {order}. If the other "
        f"order is right, set order='{other}' (in a command: --run-order {other})."
    )
    return [Note("ranks-against-scores", text)]


def unscored_notes(source: str, unscored: int, rows: int) -> list[Note]:
    """Return a note on rows without a score, if there are any."""
    if not unscored:
        return []
    text = f"{source}: {unscored:,} of {rows:,} items have no score (NaN) and are not recommended."
    return [Note("items-without-scores", text)]


def doubts_on_scores(source: str, scores: NDArray[np.float64]) -> list[Note]:
    """Return a note if the scores order nothing."""
    if not len(scores):
        text = f"{source} has no score that is a number, so nothing is recommended."
        return [Note("no-scores", text)]
    if np.isinf(scores).all():
        return [Note("no-scores", f"{source} has only infinite scores.")]
    if len(scores) > 1 and (scores == scores[0]).all():
        text = (
            f"{source} has the same score for all items, {scores[0]:g}: only the order of ties is"
        )
        return [Note("equal-scores", f"{text} measured.")]
    return []


@checked_arguments
def write_run(
    run: Run,
    path: str | Path,
    format: WrittenRunFormat | None = None,  # noqa: A002
    tag: str = "receval",
) -> None:
    """Write a run, with the items of each user from best to worst; ties keep their order.

    Parameters
    ----------
    run : Run
        The lists to write, from :func:`read_run`, for example.
    path : path
        Its extension determines the format: ``.run``, ``.trec``, ``.tsv``, ``.csv``, ``.txt``,
        ``.parquet``, ``.json`` or ``.inter``. Without one, a table is written.
    format : {"trec", "table", "json", "parquet", "recbole", "elliot"}, optional
        ``recbole`` is an atomic file, ``elliot`` a table of user, item and score without a header.
    tag : str
        Name of the run in TREC's last column.

    Raises
    ------
    TableError
        The extension is unknown and no format is given, or the format cannot hold an identifier or
        the tag, such as TREC's those with white space.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> run = read_run({"user": ["ann", "ann"], "item": ["x", "y"], "score": [1.5, 2.5]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.run")
    ...     write_run(run, file, tag="mine")
    ...     print(file.read_text(), end="")
    ann Q0 y 1 2.5 mine
    ann Q0 x 2 1.5 mine
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if format is None and suffix not in (*WRITTEN, *_OF_TABLES):
        raise TableError(
            f"{path} ends in {quoted(suffix)}, which tells no format of runs. Use one of "
            f"{enumerated([*WRITTEN, *_OF_TABLES[:3]])}, or say the format (format=...)."
        )
    chosen = format or WRITTEN.get(suffix, "table")
    users, items, scores = _in_order(run)
    starts = np.searchsorted(users, np.arange(len(run.user_ids)))
    columns = {
        "user": pa.DictionaryArray.from_arrays(users, pa.array(run.user_ids.tolist(), pa.string())),
        "item": pa.DictionaryArray.from_arrays(items, pa.array(run.item_ids.tolist(), pa.string())),
        "rank": pa.array(np.arange(len(users)) - starts[users] + 1),
        "score": pa.array(scores),
    }
    if chosen in ("trec", "recbole", "elliot"):
        _refuse_delimiters(run, tag, chosen)
    with replacing(path) as unfinished:
        if chosen == "json":
            _write_json(run, users, items, scores, unfinished)
        elif chosen == "trec":
            same = np.zeros(len(users), dtype=np.int8)
            constant = {"Q0": "Q0", "tag": tag}
            columns |= {
                name: pa.DictionaryArray.from_arrays(same, pa.array([value]))
                for name, value in constant.items()
            }
            table = pa.table({name: columns[name] for name in _TREC})
            _write_text(table, unfinished, " ", with_header=False)
        elif chosen == "elliot":
            table = pa.table({name: columns[name] for name in ("user", "item", "score")})
            _write_text(table, unfinished, "\t", with_header=False)
        elif chosen == "recbole":
            table = pa.table({said: columns[name] for name, said in _ATOMIC.items()})
            head = "\t".join(_ATOMIC.values())
            _write_text(table, unfinished, "\t", with_header=False, head=f"{head}\n")
        elif WRITTEN.get(path.suffix.lower()) == "parquet" or chosen == "parquet":
            pq.write_table(pa.table(columns), unfinished)
        else:
            delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
            _write_text(pa.table(columns), unfinished, delimiter, with_header=True)


def _in_order(run: Run) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return users, items and scores, user by user, with the best item first."""
    users, items, scores = run.users, run.items, run.scores
    ahead = (users[1:] > users[:-1]) | ((users[1:] == users[:-1]) & (scores[1:] <= scores[:-1]))
    if ahead.all():
        return users, items, scores
    order = np.lexsort((-scores, users))
    return users[order], items[order], scores[order]


def _refuse_delimiters(run: Run, tag: str, form: WrittenRunFormat) -> None:
    """Refuse identifiers and a tag that a format without quotation marks cannot hold."""
    tags = [tag] if form == "trec" else []
    for what, ids in (("user", run.user_ids), ("item", run.item_ids), ("tag", tags)):
        names = list(map(str, ids))
        wrong = next((own for own in names if own.split() != [own]), None)
        if form == "trec" and wrong is not None:
            raise TableError(
                f"The {what} {quoted(wrong)} is empty or has white space, which separates TREC's "
                "columns. Write .tsv, .csv, .parquet or .json instead."
            )
        if form != "trec" and (wrong := first_with_delimiter(names)) is not None:
            raise TableError(
                f"The {what} {quoted(wrong)} has a tab, a line end or a quote mark, which files of "
                f"{form} cannot hold. Write .tsv, .csv, .parquet or .json instead."
            )


def first_with_delimiter(names: Iterable[str]) -> str | None:
    """Return the first name that a text with tabs, and without quotation marks, cannot hold."""
    return next((own for own in names if any(sign in own for sign in '\t\n\r"')), None)


def _write_text(
    table: pa.Table, path: Path, delimiter: str, *, with_header: bool, head: str = ""
) -> None:
    """Write a table as text, with a header whose names are quoted, or after a line of its own."""
    try:
        _write_rows(table, path, _options(delimiter, with_header, "none"), head)
    except pa.ArrowInvalid:
        # An identifier contains a delimiter or a quote.
        _write_rows(table, path, _options(delimiter, with_header, "needed"), head)


def _write_rows(table: pa.Table, path: Path, options: pa.csv.WriteOptions, head: str = "") -> None:
    kinds = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    plain = pa.schema(kinds)
    with pa.OSFile(str(path), "wb") as file:
        file.write(head.encode())
        with pa.csv.CSVWriter(file, plain, write_options=options) as writer:
            for start in range(0, table.num_rows, _ROWS):
                # Converted to text part by part, since text takes many times the memory of codes.
                writer.write_table(table.slice(start, _ROWS).cast(plain))


def _options(delimiter: str, with_header: bool, quotes: str) -> pa.csv.WriteOptions:
    return pa.csv.WriteOptions(
        include_header=with_header, delimiter=delimiter, quoting_style=quotes
    )


def _write_json(
    run: Run,
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    scores: NDArray[np.float64],
    path: Path,
) -> None:
    """Write an object of users, user by user."""
    names = run.item_ids.tolist()
    starts = np.flatnonzero(np.diff(users, prepend=-1))
    ends = np.r_[starts[1:], len(users)]
    with path.open("w", encoding="utf-8") as file:
        file.write("{")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            listed = map(names.__getitem__, items[start:end].tolist())
            own = dict(zip(listed, scores[start:end].tolist(), strict=True))
            user = json.dumps(str(run.user_ids[users[start]]), ensure_ascii=False)
            file.write(f"{', ' if number else ''}{user}: {json.dumps(own, ensure_ascii=False)}")
        file.write("}")
