# SPDX-License-Identifier: MIT
"""Read tables of users and items that are larger than memory, some users at a time.

The table is a Parquet file, or a folder of them, in which the rows of each user are together. Row
groups tell their lowest and highest user, so that the rows of some users are found without reading
the others. That is fast if each file is in the order of users; the files may share users' ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.reading import TableError
from receval.storage.kernel_cache import njit
from receval.storage.messages import quoted, shortened

IdentifierKind = Literal["integer", "text"]
TypedIdentifier = int | str

MOST_MARKED = 1 << 27
"""Items whose numbers are within such a range are found by one look-up."""

SORTING = (
    "Write it in the order of users, for example with DuckDB: COPY (FROM 'lists.parquet' ORDER BY "
    "user) TO 'ordered.parquet'"
)


@dataclass(frozen=True)
class RowGroup:
    """A part of a Parquet file that is read as a whole, with its lowest and highest user.

    ``first_row`` counts from 0 in the file. ``items`` are the lowest and highest item, if the file
    tells them.
    """

    path: Path
    number: int
    first_row: int
    rows: int
    lowest: Any
    highest: Any
    items: tuple[Any, Any] | None = None


@dataclass(frozen=True)
class RowsOfUsers:
    """The rows of some users, user by user.

    Attributes
    ----------
    users : ndarray, shape (n_users,)
        Identifiers, ascending: whole numbers or strings.
    starts : ndarray of int64, shape (n_users + 1,)
        The rows of the user i are ``starts[i]:starts[i + 1]``.
    items : ndarray of int32, shape (n_rows,)
        Codes of the catalogue.
    values : ndarray of float64, or of float32 if the files have these, shape (n_rows,)
    descend : bool
        True if values were left out, because those of each user descend: none is equal or NaN.
    """

    users: NDArray[Any]
    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.floating]
    descend: bool = False

    def between(self, low: TypedIdentifier | None, high: TypedIdentifier | None) -> RowsOfUsers:
        """Return the rows of users from ``low`` to before ``high``; None is without a bound."""
        first = 0 if low is None else int(np.searchsorted(self.users, low))
        last = len(self.users) if high is None else int(np.searchsorted(self.users, high))
        rows = slice(int(self.starts[first]), int(self.starts[last]))
        return RowsOfUsers(
            self.users[first:last],
            self.starts[first : last + 1] - rows.start,
            self.items[rows],
            self.values[rows],
        )


class Catalogue:
    """All items by code; codes are in ascending order of identifiers.

    Examples
    --------
    >>> Catalogue(np.array([9, 10])).priority.tolist()
    [0, 1]
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        self.ids = np.sort(ids)
        self._codes: NDArray[np.int32] | None = None
        self._span = 0
        if len(ids) and ids.dtype.kind == "i":
            span = int(self.ids[-1]) - int(self.ids[0]) + 1
            self._span = span if span == len(self.ids) else 0
            if not self._span and span <= MOST_MARKED:
                self._codes = np.full(span, -1, dtype=np.int32)
                self._codes[self.ids - self.ids[0]] = np.arange(len(self.ids), dtype=np.int32)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def priority(self) -> NDArray[np.int64]:
        """The place of each item in descending order of identifiers as text, as in trec_eval."""
        places = np.empty(len(self.ids), dtype=np.int64)
        places[np.argsort(self.ids.astype(str), kind="stable")[::-1]] = np.arange(len(self.ids))
        return places

    def find(self, column: pa.ChunkedArray, codes: NDArray[np.int32]) -> bool:
        """Write the codes of a column of identifiers, and tell whether all are known."""
        if not pa.types.is_dictionary(column.type):
            ids = column.to_numpy().astype(np.int64, copy=False)
            if self._span:
                return bool(_distances(ids, self.ids[0], self._span, codes))
            if self._codes is not None:
                return bool(_look_up(ids, self.ids[0], self._codes, codes))
            codes[:] = self._searched(ids)
        else:
            found = [
                self._searched(chunk.dictionary.to_numpy(zero_copy_only=False).astype(str))[
                    chunk.indices.to_numpy(zero_copy_only=False)
                ]
                for chunk in column.chunks
            ]
            codes[:] = np.concatenate(found)
        return bool((codes >= 0).all())

    def _searched(self, ids: NDArray[Any]) -> NDArray[np.int32]:
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int32)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[places] == ids, places, -1).astype(np.int32)


@dataclass
class ParquetByUser:
    """A table in Parquet files whose rows are read by ranges of users.

    Attributes
    ----------
    source : str
        The file or folder.
    columns : mapping of str to str
        The names of the columns ``user``, ``item`` and, perhaps, ``value``.
    sign : {1, -1}
        What values are multiplied by: -1 for ranks.
    """

    source: str
    columns: dict[str, str]
    sign: int = 1
    _kept: dict[tuple[Path, int], RowsOfUsers] = field(default_factory=dict, repr=False)
    _room: tuple[NDArray[np.int32], NDArray[np.floating]] = field(
        default_factory=lambda: (np.empty(0, dtype=np.int32), np.empty(0)), repr=False
    )
    _opened: tuple[Path, pq.ParquetFile] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: no open file, and no rows."""
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        return {**vars(self), "_kept": {}, "_room": nothing, "_opened": None}

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The files in the order of their names."""
        return files_of(self.source)

    @cached_property
    def kind(self) -> IdentifierKind:
        """Whether users are whole numbers or texts; the files must agree."""
        return self._kind("user")

    @cached_property
    def kind_of_items(self) -> IdentifierKind:
        """Whether items are whole numbers or texts; the files must agree."""
        return self._kind("item")

    def _kind(self, role: str) -> IdentifierKind:
        name = self.columns[role]
        kinds: set[IdentifierKind] = set()
        for path in self.files:
            schema = pq.read_schema(path)
            if name not in schema.names:
                raise TableError(
                    f"{path} has no column {quoted(name)}, which the first file of {self.source} "
                    "has. Give all files the same columns."
                )
            of = schema.field(name).type
            of = of.value_type if pa.types.is_dictionary(of) else of
            if pa.types.is_integer(of):
                kinds.add("integer")
            elif pa.types.is_string(of) or pa.types.is_large_string(of):
                kinds.add("text")
            else:
                raise TableError(
                    f"{path}: the column {quoted(name)} of {role}s has the type {of}. Lists in "
                    "blocks need whole numbers or texts. Convert the column."
                )
        if len(kinds) > 1:
            raise TableError(
                f"In {self.source}, some files have {role}s that are whole numbers, and others "
                "texts. Convert the column in some of them."
            )
        return kinds.pop()

    @cached_property
    def _dtype(self) -> type[np.floating]:
        """The type of values in memory."""
        types = {
            pq.read_schema(path).field(self.columns["value"]).type
            for path in self.files
            if "value" in self.columns
        }
        return np.float32 if types == {pa.float32()} else np.float64

    @cached_property
    def groups(self) -> tuple[RowGroup, ...]:
        """All row groups with rows, file by file."""
        found = []
        for path in self.files:
            metadata = pq.read_metadata(path)
            names = metadata.schema.to_arrow_schema().names
            leaves = {metadata.schema.column(n).path: n for n in range(metadata.num_columns)}
            users, items = (
                leaves.get(name, names.index(name))
                for name in (self.columns["user"], self.columns["item"])
            )
            first_row = 0
            for number in range(metadata.num_row_groups):
                own = metadata.row_group(number)
                if own.num_rows:
                    group = RowGroup(path, number, first_row, own.num_rows, None, None)
                    ends = _told_ends(own.column(users)) or self._ends(group)
                    of_items = _told_ends(own.column(items))
                    found.append(replace(group, lowest=ends[0], highest=ends[1], items=of_items))
                    first_row += own.num_rows
        if not found:
            raise TableError(f"{self.source} has no rows.")
        return tuple(found)

    def _ends(self, group: RowGroup) -> tuple[Any, Any]:
        """Return the lowest and highest user of a row group that does not tell them."""
        column = self._column(group, "user")
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        ends = pc.min_max(column).as_py()
        return ends["min"], ends["max"]

    @property
    def range_of_items(self) -> tuple[int, int] | None:
        """The lowest and highest item, if items are whole numbers and all row groups tell them."""
        told = [group.items for group in self.groups]
        if self.kind_of_items == "text" or None in told:
            return None
        lows, highs = zip(*filter(None, told), strict=True)
        return int(min(lows)), int(max(highs))

    @property
    def n_rows(self) -> int:
        """The number of rows of all files."""
        return sum(group.rows for group in self.groups)

    def boundaries(self, rows: int) -> list[TypedIdentifier]:
        """Return users that divide the table into ranges of about so many rows, or of one group."""
        groups = sorted(self.groups, key=lambda own: own.lowest)
        found: list[TypedIdentifier] = []
        held = 0
        for group in groups:
            is_new = group.lowest > (found[-1] if found else groups[0].lowest)
            if held and held + group.rows > rows and is_new:
                found.append(group.lowest)
                held = 0
            held += group.rows
        return found

    def in_range(self, low: TypedIdentifier | None, high: TypedIdentifier | None) -> list[RowGroup]:
        """Return the row groups that may have rows of users from ``low`` to before ``high``."""
        return [
            group
            for group in self.groups
            if (low is None or group.highest >= low) and (high is None or group.lowest < high)
        ]

    def items(self, groups: Sequence[RowGroup]) -> NDArray[Any]:
        """Return the different items of some row groups, ascending."""
        marked = _MarkedNumbers()
        texts: set[str] = set()
        for group in groups:
            column = self._column(group, "item")
            self._refuse_missing(column, group, "item")
            if self.kind_of_items == "integer":
                marked.add(column.to_numpy().astype(np.int64, copy=False))
            else:
                for chunk in _encoded(column).chunks:
                    texts.update(chunk.dictionary.to_pylist())
        if self.kind_of_items == "integer":
            return marked.numbers()
        return np.array(sorted(texts), dtype=str)

    def different_values(self, group: RowGroup) -> NDArray[np.float32]:
        """Return the different values of a row group."""
        if "value" not in self.columns:
            return np.ones(1, dtype=np.float32)
        column = self._column(group, "value")
        self._refuse_missing(column, group, "value")
        return pc.unique(column).to_numpy().astype(np.float32)

    def _refuse_missing(self, column: pa.ChunkedArray, group: RowGroup, role: str) -> None:
        if column.null_count:
            raise TableError(
                f"{group.path}: {column.null_count:,} rows of row group {group.number} have no "
                f"{role} ({quoted(self.columns[role])}). Remove them."
            )

    def rows(
        self,
        low: TypedIdentifier | None,
        high: TypedIdentifier | None,
        catalogue: Catalogue,
        *,
        only_order: bool = False,
    ) -> RowsOfUsers:
        """Return the rows of users from ``low`` to before ``high``; None is without a bound.

        The next call overwrites them. With ``only_order``, values are left out if those of each
        user descend.

        Raises
        ------
        TableError
            The rows of a user are not together, or a row has no user, item or value.
        """
        groups = self.in_range(low, high)
        known = [self._kept.get((group.path, group.number)) for group in groups]
        rows = sum(
            group.rows if own is None else len(own.items)
            for group, own in zip(groups, known, strict=True)
        )
        if rows > len(self._room[0]):
            self._room = np.empty(rows, dtype=np.int32), np.empty(rows, dtype=self._dtype)
        codes, values = self._room[0][:rows], self._room[1][: 0 if only_order else rows]
        parts = []
        last: tuple[Any, float] | None = None
        kept: dict[tuple[Path, int], RowsOfUsers] = {}
        at = 0
        for group, whole in zip(groups, known, strict=True):
            if whole is None:
                whole = self._decoded(group, catalogue, codes[at : at + group.rows])
            # The next range begins in the same row group.
            if high is not None and group.highest >= high:
                rest = whole.between(high, None)
                kept[group.path, group.number] = replace(
                    rest, items=rest.items.copy(), values=rest.values.copy()
                )
            own = whole.between(low, high)
            place = codes[at : at + len(own.items)]
            if own.items.ctypes.data != place.ctypes.data:
                place[:] = own.items
            if not only_order:
                values[at : at + len(own.values)] = own.values
            elif len(own.items):
                rises = last and last[0] == own.users[0] and not last[1] > own.values[0]
                if rises or not _descend(own.starts, own.values):
                    return self.rows(low, high, catalogue)
                last = own.users[-1], own.values[-1]
            parts.append((own.users, own.starts + at))
            at += len(own.items)
        self._kept = kept
        found = self._joined(parts, codes[:at], values[:at])
        return replace(found, descend=only_order)

    def _column(self, group: RowGroup, role: str) -> pa.ChunkedArray:
        name = self.columns[role]
        rows = self._open(group.path).read_row_group(
            group.number, columns=[name], use_threads=False
        )
        return rows.column(name)

    def _open(self, path: Path) -> pq.ParquetFile:
        """Return a file, which is open until another one is."""
        if self._opened is None or self._opened[0] != path:
            texts = [
                self.columns[role]
                for role, kind in (("user", self.kind), ("item", self.kind_of_items))
                if kind == "text"
            ]
            self._opened = path, pq.ParquetFile(path, read_dictionary=texts)
        return self._opened[1]

    def _decoded(
        self,
        group: RowGroup,
        catalogue: Catalogue,
        codes: NDArray[np.int32],
    ) -> RowsOfUsers:
        """Return a row group, whose codes are written into the given array."""
        table = self._open(group.path).read_row_group(
            group.number, columns=list(self.columns.values()), use_threads=False
        )
        for role, name in self.columns.items():
            self._refuse_missing(table.column(name), group, role)
        users, starts = self._runs(table.column(self.columns["user"]))
        items = table.column(self.columns["item"])
        if self.kind_of_items == "text":
            items = _encoded(items)
        if not catalogue.find(items, codes):
            raise TableError(
                f"{group.path}: row group {group.number} has items that were not there when the "
                "plan was made, or beyond the lowest and highest that it tells. Write the file "
                "again, and make a new plan in another folder."
            )
        if "value" in self.columns:
            values = table.column(self.columns["value"]).to_numpy().astype(self._dtype, copy=False)
            values = -values if self.sign < 0 else values
        elif self.sign > 0:
            values = np.ones(table.num_rows)
        else:
            values = -np.arange(float(group.first_row), group.first_row + table.num_rows)
        return self._in_order(RowsOfUsers(users, starts, codes, values), group.path)

    def _runs(self, column: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the user of each run of rows, and where runs begin and the last one ends."""
        if self.kind == "integer":
            rows = column.to_numpy().astype(np.int64, copy=False)
            starts = _starts(rows)
            return rows[starts[:-1]], starts
        one = _encoded(column).unify_dictionaries().combine_chunks()
        starts = _starts(one.indices.to_numpy(zero_copy_only=False).astype(np.int64))
        codes = one.indices.take(pa.array(starts[:-1]))
        return one.dictionary.take(codes).to_numpy(zero_copy_only=False).astype(str), starts

    def _joined(
        self,
        parts: Sequence[tuple[NDArray[Any], NDArray[np.int64]]],
        codes: NDArray[np.int32],
        values: NDArray[np.floating],
    ) -> RowsOfUsers:
        """Return the rows of several parts, of which one may go on with the last user before."""
        if not parts:
            empty = np.empty(0, dtype=np.int64 if self.kind == "integer" else str)
            return RowsOfUsers(empty, np.zeros(1, dtype=np.int64), codes, values)
        users = np.concatenate([own for own, _ in parts])
        starts = np.concatenate([*(own[:-1] for _, own in parts), [len(codes)]])
        return self._in_order(RowsOfUsers(users, starts, codes, values), Path(self.source))

    def _in_order(self, rows: RowsOfUsers, path: Path) -> RowsOfUsers:
        """Return rows with users in ascending order, each once."""
        users, starts = rows.users, rows.starts
        is_new = np.ones(len(users), dtype=bool)
        is_new[1:] = users[1:] != users[:-1]
        if not is_new.all():
            users, starts = users[is_new], np.r_[starts[:-1][is_new], starts[-1]]
        if (users[1:] > users[:-1]).all():
            return RowsOfUsers(users, starts, rows.items, rows.values)
        order = np.argsort(users, kind="stable")
        users = users[order]
        if (same := np.flatnonzero(users[1:] == users[:-1])).size:
            raise TableError(
                f"{path}: the rows of user {shortened(str(users[same[0]]))} are in two places. The "
                f"rows of each user must be together. {SORTING}."
            )
        lengths = np.diff(starts)[order]
        ends = np.cumsum(lengths)
        places = np.repeat(starts[:-1][order] - (ends - lengths), lengths) + np.arange(ends[-1])
        values = rows.values[places] if len(rows.values) else rows.values
        return RowsOfUsers(users, np.r_[0, ends], rows.items[places], values)


def _told_ends(column: pq.ColumnChunkMetaData) -> tuple[Any, Any] | None:
    """Return the lowest and highest value of a column, if the file tells them."""
    told = column.statistics
    return (told.min, told.max) if told is not None and told.has_min_max else None


class _MarkedNumbers:
    """A set of whole numbers: marks within the range of those seen, or, if it is wide, a list."""

    def __init__(self) -> None:
        self._low = 0
        self._marks = np.zeros(0, dtype=np.bool_)
        self._others: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Add numbers, at least one."""
        low, high = int(numbers.min()), int(numbers.max())
        if len(self._marks):
            low, high = min(low, self._low), max(high, self._low + len(self._marks) - 1)
        if high - low >= MOST_MARKED:
            self._others = np.union1d(self._others, numbers)
            return
        if high - low >= len(self._marks):
            marks = np.zeros(high - low + 1, dtype=np.bool_)
            marks[self._low - low :][: len(self._marks)] = self._marks
            self._low, self._marks = low, marks
        _mark(numbers, self._low, self._marks)

    def numbers(self) -> NDArray[np.int64]:
        """Return the different numbers, ascending."""
        marked = np.flatnonzero(self._marks) + self._low
        return np.union1d(marked, self._others) if len(self._others) else marked


@njit(cache=True)
def _descend(starts: NDArray[np.int64], values: NDArray[np.floating]) -> bool:
    """Tell whether the values of each user descend, without equal ones and without NaN."""
    found = True
    # Without a way out, several rows are compared at a time.
    for user in range(len(starts) - 1):
        own = values[starts[user] : starts[user + 1]]
        if len(own):
            found &= own[0] == own[0]
        for row in range(1, len(own)):
            found &= own[row] < own[row - 1]
    return found


@njit(cache=True)
def _starts(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of equal numbers begin, and the number of rows."""
    starts = np.empty(len(rows) + 1, dtype=np.int64)
    n = 0
    for row in range(len(rows)):
        if row == 0 or rows[row] != rows[row - 1]:
            starts[n] = row
            n += 1
    starts[n] = len(rows)
    return starts[: n + 1].copy()


@njit(cache=True)
def _distances(ids: NDArray[np.int64], first: int, span: int, codes: NDArray[np.int32]) -> bool:
    """Write the distance of each identifier from the first, and tell whether all are in a span."""
    are_beyond = False
    # Without a way out, several rows are done at a time.
    for row in range(len(ids)):
        distance = ids[row] - first
        are_beyond |= (distance < 0) | (distance >= span)
        codes[row] = distance
    return not are_beyond


@njit(cache=True)
def _look_up(
    ids: NDArray[np.int64], first: int, table: NDArray[np.int32], codes: NDArray[np.int32]
) -> bool:
    """Write the code of each identifier, and tell whether all are in the table.

    An identifier is in the table at its distance from the first.
    """
    for row in range(len(ids)):
        place = ids[row] - first
        if place < 0 or place >= len(table) or table[place] < 0:
            return False
        codes[row] = table[place]
    return True


@njit(cache=True)
def _mark(numbers: NDArray[np.int64], low: int, marks: NDArray[np.bool_]) -> None:
    for own in numbers:
        marks[own - low] = True


def files_of(source: str) -> tuple[Path, ...]:
    """Return the Parquet files of a path, in the order of their names.

    Raises
    ------
    TableError
        There are none, or other files.
    """
    path = Path(source)
    if not path.exists():
        raise TableError(f"{path}: there is no such file or folder.")
    files = [path]
    if path.is_dir():
        files = [
            own
            for own in sorted(path.rglob("*"))
            if own.is_file()
            and not any(p.startswith((".", "_")) for p in own.relative_to(path).parts)
        ]
    for own in files:
        with own.open("rb") as file:
            if file.read(4) != b"PAR1":
                raise TableError(
                    f"{own} is not a Parquet file. Tables in blocks are Parquet files, or folders "
                    "of them. Convert it, for example with pandas: "
                    "pandas.read_csv('lists.csv').to_parquet('lists.parquet')."
                )
    if not files:
        raise TableError(f"{path} is a folder without files. Name a folder of Parquet files.")
    return tuple(files)


def _encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
