# SPDX-License-Identifier: MIT
"""How tables in blocks are read: their first rows show the columns, and all rows are checked.

Nothing is known of later rows that the readers of whole tables would not have seen: what they
refuse is refused when a block is read, and what they note is counted in the blocks and noted when
these are joined. Times are not read.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.column_roles import may_have_parts, refuse_parts
from receval.data.columns import FoundColumns, identifier_doubts
from receval.data.memory_tables import different_texts
from receval.data.notes_on_ratings import (
    doubts_on_columns_of_parts,
    doubts_on_ratings,
    doubts_on_scales,
    scale_in_words,
)
from receval.data.parquet_by_user import (
    BUFFER,
    ParquetByUser,
    RowsOfUsers,
    TypedIdentifier,
    files_of,
)
from receval.data.ratings_table import Repeats, merged_pairs, read_ratings, read_test_data
from receval.data.reading import UNREAD, ReadingReport, TableError
from receval.data.run import Run, RunOrder, read_run
from receval.data.shared_identifiers import MOST_COMPARED, Meeting
from receval.data.tables import named_by_folders, sentences_for_damage
from receval.notes import Note
from receval.storage.kernel_cache import njit
from receval.storage.messages import enumerated, quoted

HEAD = 1000
"""Rows from which the columns of a table are known."""

_MOST_NAMES = 100_000
"""Texts that identify users, of each table, that are kept to be compared with others."""

_EXAMPLES = 3
_MOST_VALUES = 1_000_000
_MISSING = "-1"


@dataclass(frozen=True)
class TableInBlocks:
    """A table whose first rows have been read, as they show.

    ``are_grades`` and ``are_counts`` are of test data. With ``may_be_ranks``, the first scores of
    each user are 1, 2, 3 and so on. ``first`` has the first rows of a run.
    """

    rows: ParquetByUser
    reading: ReadingReport
    duplicates: Repeats = "refuse"
    are_grades: bool = False
    are_counts: bool = False
    may_be_ranks: bool = False
    first: Run | None = None


def opened_ratings(source: str, options: Mapping[str, Any], *, is_test: bool) -> TableInBlocks:
    """Open ratings with the options of their reader; times are not read."""
    duplicates: Repeats = options.get("duplicates", options.get("repeats", "refuse"))
    given = dict(options)
    if duplicates == "refuse":
        given["timestamp"] = UNREAD
    read = read_test_data if is_test else read_ratings
    reading, found = _read_head(source, read, given)
    if "timestamp" in reading.columns:
        if duplicates != "refuse":
            raise TableError(
                f"{source} has times ({quoted(reading.columns['timestamp'])}), which are not read "
                "in blocks, so that pairs that are rated again cannot be merged by time. Merge "
                "them before, or by their rows: set timestamp='-' (in a command: --timestamp -)."
            )
        columns = dict(reading.columns)
        unread = (*reading.unread, columns.pop("timestamp"))
        reading = replace(reading, columns=columns, unread=unread)
    columns = {
        role: reading.columns[name]
        for role, name in (("user", "user"), ("item", "item"), ("value", "rating"))
        if name in reading.columns
    }
    rows = ParquetByUser(source, columns, as_written=_are_as_written(options))
    _check_columns(rows, reading)
    if options.get("columns") is None:
        _refuse_parts_in_all_rows(rows, reading)
    return TableInBlocks(
        rows,
        reading,
        duplicates,
        are_grades=found.are_grades,
        are_counts=reading.are_counts,
    )


def opened_run(source: str, options: Mapping[str, Any]) -> TableInBlocks:
    """Open a run with the options of its reader."""
    reading, first = _read_head(source, read_run, options)
    order: RunOrder = options.get("order", "score")
    by_order = ["score", "rank"] if order == "score" else ["rank", "score"]
    values = [name for name in by_order if name in reading.columns]
    columns = {role: reading.columns[role] for role in ("user", "item")}
    columns |= {
        role: reading.columns[name] for role, name in zip(("value", "other"), values, strict=False)
    }
    sign = 1 if values[:1] == ["score"] else -1
    rows = ParquetByUser(source, columns, sign, is_run=True, as_written=_are_as_written(options))
    _check_columns(rows, reading)
    codes = {note.code for note in reading.notes}
    return TableInBlocks(rows, reading, may_be_ranks="ranks-as-scores" in codes, first=first)


def _are_as_written(options: Mapping[str, Any]) -> bool:
    return bool(options.get("identifiers") == "as-written")


def _read_head(source: str, read: Any, options: Mapping[str, Any]) -> tuple[ReadingReport, Any]:
    """Return how the first rows were read, with the name of the table, and what was read."""
    if options.get("format") not in (None, "parquet"):
        raise TableError(
            f"{source} cannot be read as {quoted(str(options['format']))}: tables in blocks are "
            "Parquet files. Leave the format out."
        )
    with told_of(source):
        found = read(_head(source), **options)
    reading = found.reading
    if reading.first_cells:
        raise TableError(
            f"{source}: its columns have no names, and in blocks only the first rows could decide "
            "what they are. Name them user, item and so on in the files."
        )
    notes = tuple(
        # Some notes have the whole path.
        Note(
            note.code,
            str(note).replace(
                "the table", source if note.code == "ranks-as-scores" else Path(source).name
            ),
        )
        for note in reading.notes
    )
    return replace(reading, source=source, notes=notes), found


@contextmanager
def told_of(source: str) -> Iterator[None]:
    """Name the file or folder in errors about some of its rows."""
    try:
        yield
    except TableError as error:
        raise TableError(str(error).replace("the table", source)) from None


def _head(source: str) -> pa.Table:
    """Return the first rows of a table, with the columns that the names of folders give."""
    for path in files_of(source):
        file = pq.ParquetFile(path, buffer_size=BUFFER)
        batch = next(file.iter_batches(batch_size=HEAD), None)
        if batch is None or not batch.num_rows:
            continue
        table = pa.Table.from_batches([batch])
        if Path(source).is_dir():
            for name, values in named_by_folders(Path(source), path, len(table)).items():
                if name not in table.column_names:
                    table = table.append_column(name, values)
        return table
    raise TableError(f"{source} has no rows.")


def _check_columns(rows: ParquetByUser, reading: ReadingReport) -> None:
    """Refuse columns that stand in the files in another form, or not at all."""
    names = pq.read_schema(rows.files[0]).names
    others = [name for name in reading.columns.values() if name not in names]
    if others:
        raise TableError(
            f"{rows.source}: {enumerated(list(map(quoted, others)))} cannot be read in blocks, as "
            "it is in the names of folders, within lists or objects, or has a number for a name. "
            "Write a table with a row per user and item, and names for its columns."
        )
    rows.check_types()


def _refuse_parts_in_all_rows(rows: ParquetByUser, reading: ReadingReport) -> None:
    """Refuse ratings that a column divides into training and test data, behind the first rows."""
    for name in filter(may_have_parts, reading.unread):
        found: dict[str, None] = {}
        for path in rows.files:
            with sentences_for_damage(path):
                file = pq.ParquetFile(path, buffer_size=BUFFER)
                if name in file.schema_arrow.names:
                    for batch in file.iter_batches(columns=[name]):
                        column = pa.chunked_array([batch.column(0)])
                        found |= dict.fromkeys(different_texts(column))
        refuse_parts(Path(rows.source).name, name, found)


def merged_rows(rows: RowsOfUsers, duplicates: Repeats) -> RowsOfUsers:
    """Return rows of which those with the same pair are merged by a rule."""
    users = rows.owners.astype(np.int32)
    kept, values = merged_pairs(users, rows.items, rows.values.astype(np.float32), None, duplicates)
    lengths = np.bincount(users[kept], minlength=len(rows.users))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return RowsOfUsers(rows.users, starts, rows.items[kept], values)


# The report on ratings, from their different values in all rows.


@dataclass(frozen=True)
class ValueCounts:
    """The different values of ratings, ascending, and how often each is there."""

    values: NDArray[np.float32]
    counts: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence[tuple[NDArray[np.float32], NDArray[np.int64]]]) -> ValueCounts:
        """Return the counts of all parts together."""
        values, places = np.unique(np.concatenate([own for own, _ in parts]), return_inverse=True)
        weights = np.concatenate([own for _, own in parts])
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, weights)
        return cls(values, counts)

    def sample(self) -> NDArray[np.float32]:
        """Return values in these proportions, each at least once: all of them if not too many."""
        step = max(1.0, self.counts.sum() / _MOST_VALUES)
        return np.repeat(self.values, np.ceil(self.counts / step).astype(np.int64))


def with_values(
    table: TableInBlocks, found: ValueCounts, options: Mapping[str, Any]
) -> ReadingReport:
    """Return the report on ratings with what is known of the values of all rows."""
    reading = table.reading
    nothing = pa.chunked_array([], pa.null())
    columns = FoundColumns(
        *(reading.source, 1, "row", dict.fromkeys(reading.columns, nothing), reading.columns),
        reading.unread,
    )
    is_said = options.get("columns") is not None or options.get("rating") is not None
    notes = [
        *(own for own in reading.notes if own.code == "extreme-threshold"),
        *doubts_on_ratings(columns, found.values, found.counts, is_said=is_said),
        *doubts_on_columns_of_parts(columns, is_said=options.get("columns") is not None),
    ]
    values = scale_in_words(columns, found.values)
    return replace(reading, values=values, times="", notes=tuple(notes))


def doubts_on_files(by_file: Mapping[str, ValueCounts]) -> list[Note]:
    """Return a note if a file of a folder has ratings of another scale than the first."""
    (first, own), *others = by_file.items()
    for name, found in others:
        files = (first, own.sample()), (name, found.sample())
        if notes := doubts_on_scales(*files, are_parts=True):
            return notes
    return []


# What blocks tell of a table besides the values of users.


@dataclass(frozen=True)
class FoundInBlocks:
    """What the rows of a table in some blocks have.

    Attributes
    ----------
    items : ndarray of bool, shape (n_items,)
        Which items of the catalogue.
    ends : tuple of float
        The lowest and highest value.
    common, strangers, missing : tuple
        Users that the test data have, too; that they do not have; and that only they have. Of whole
        numbers only a few of each, and of texts not more than are compared.
    """

    items: NDArray[np.bool_]
    ends: tuple[float, float]
    common: tuple[TypedIdentifier, ...]
    strangers: tuple[TypedIdentifier, ...]
    missing: tuple[TypedIdentifier, ...]

    @classmethod
    def of(
        cls,
        rows: RowsOfUsers,
        tested: NDArray[Any],
        is_common: NDArray[np.bool_],
        n_items: int,
        n_blocks: int,
    ) -> FoundInBlocks:
        """Return what the rows of a block have, beside the users of the test data in it.

        ``is_common`` tells which users of the rows are among these.
        """
        items = np.zeros(n_items, dtype=np.bool_)
        _mark(rows.items, items)
        is_number = rows.users.dtype.kind == "i"
        most = _EXAMPLES if is_number else max(_EXAMPLES, _MOST_NAMES // n_blocks)
        common = [] if is_number else rows.users[is_common][:most].tolist()
        n_missing = len(tested) - int(is_common.sum())
        missing = tested[~are_among(tested, rows.users)][:most].tolist() if n_missing else []
        strangers = rows.users[~is_common][:most].tolist()
        return cls(items, rows.ends, tuple(common), tuple(strangers), tuple(missing))

    def __add__(self, other: FoundInBlocks) -> FoundInBlocks:
        ends = np.array([self.ends, other.ends])
        known = ends[~np.isnan(ends[:, 0])]
        return FoundInBlocks(
            self.items | other.items,
            (float(known[:, 0].min()), float(known[:, 1].max())) if len(known) else self.ends,
            self.common + other.common,
            self.strangers + other.strangers,
            self.missing + other.missing,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what :meth:`of_dict` takes, for JSON."""
        packed = base64.b64encode(np.packbits(self.items).tobytes()).decode("ascii")
        return {**vars(self), "items": packed}

    @classmethod
    def of_dict(cls, saved: Mapping[str, Any], n_items: int) -> FoundInBlocks:
        """Return what :meth:`as_dict` was called on."""
        packed = np.frombuffer(base64.b64decode(saved["items"]), dtype=np.uint8)
        items = np.unpackbits(packed, count=n_items).astype(np.bool_)
        others = {name: tuple(saved[name]) for name in ("common", "strangers", "missing")}
        low, high = saved["ends"]
        return cls(items, (low, high), **others)


def are_among(own: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which users are among others, of whom each is there once, in ascending order.

    Examples
    --------
    >>> are_among(np.array([3, 5]), np.array([2, 3])).tolist()
    [True, False]
    """
    if np.array_equal(own, others):
        return np.ones(len(own), dtype=np.bool_)
    return np.isin(own, others, assume_unique=True)


def meeting_of_users(
    source: str, seen: FoundInBlocks, n_own: int, n_test: int, n_common: int
) -> Meeting:
    """Return how the users of a table meet those of the test data."""
    common, strangers, missing = (
        np.array(own, dtype=str) for own in (seen.common, seen.strangers, seen.missing)
    )
    return Meeting(
        *("user", source, "test data"),
        np.sort(np.concatenate([common, strangers])),
        np.sort(np.concatenate([common, missing])),
        counts=(n_own, n_test, n_common),
    )


def meeting_of_items(
    source: str,
    known: str,
    ids: NDArray[Any],
    own: NDArray[np.bool_],
    others: NDArray[np.bool_],
) -> Meeting:
    """Return how the items of a table meet those of others; both are marks of the catalogue."""
    n_common = int((own & others).sum())
    counts = int(own.sum()), int(others.sum()), n_common
    if n_common == counts[0]:
        nothing = ids[:0].astype(str)
        return Meeting("item", source, known, nothing, nothing, counts=counts)
    # Those that both have tell of identifiers that one side writes in two ways.
    common, strangers, missing = (
        ids[marks][:MOST_COMPARED].astype(str)
        for marks in (own & others, own & ~others, others & ~own)
    )
    here, there = (np.sort(np.concatenate([common, side])) for side in (strangers, missing))
    return Meeting("item", source, known, here, there, counts=counts)


def n_listed(rows: RowsOfUsers, ids: NDArray[Any], users: NDArray[Any], items: NDArray[Any]) -> int:
    """Return how many pairs of users and items are among the rows, whose items are codes of ids."""
    if not len(rows.users) or users.dtype.kind != rows.users.dtype.kind:
        return 0
    if items.dtype.kind != ids.dtype.kind:
        return 0
    places = np.minimum(np.searchsorted(rows.users, users), len(rows.users) - 1)
    codes = np.minimum(np.searchsorted(ids, items), len(ids) - 1)
    are_known = (rows.users[places] == users) & (ids[codes] == items)
    if not are_known.any():
        return 0
    wanted = places[are_known] * len(ids) + codes[are_known]
    listed = [
        place * len(ids) + rows.items[rows.starts[place] : rows.starts[place + 1]].astype(np.int64)
        for place in np.unique(places[are_known])
    ]
    return int(np.isin(wanted, np.concatenate(listed)).sum())


def doubts_on_users(
    source: str, users: Sequence[TypedIdentifier], lowest: TypedIdentifier
) -> list[Note]:
    """Return notes on the users of a table, of whom texts are given and the lowest number."""
    if isinstance(lowest, str):
        return identifier_doubts(source, "users", np.unique(np.array(users, dtype=str)))
    return _doubts_on_numbers(source, "users", int(lowest))


def doubts_on_items(source: str, ids: NDArray[Any]) -> list[Note]:
    """Return notes on the items of a table."""
    if ids.dtype.kind == "i":
        return _doubts_on_numbers(source, "items", int(ids[0])) if len(ids) > 1 else []
    return identifier_doubts(source, "items", ids)


def _doubts_on_numbers(source: str, what: str, lowest: int) -> list[Note]:
    """Return a note if the lowest of whole numbers may stand for a missing one."""
    ids = np.array([str(lowest), "0"])
    return identifier_doubts(source, what, ids) if str(lowest) == _MISSING else []


@njit(cache=True)
def _mark(codes: NDArray[np.int32], marks: NDArray[np.bool_]) -> None:
    """Mark codes, up to where all are marked."""
    left = len(marks)
    for own in codes:
        left -= not marks[own]
        marks[own] = True
        if left == 0:
            return
