# SPDX-License-Identifier: MIT
"""Read tables of users and items that are larger than memory, some users at a time.

The table is a Parquet file, or a folder of them, in which the rows of each user are together. Row
groups tell their lowest and highest user, so that the rows of some users are found without reading
the others. That is fast if each file is in the order of users; the files may share users' ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from receval.data.reading import TableError
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

    ``first_row`` counts from 0 in the file.
    """

    path: Path
    number: int
    first_row: int
    rows: int
    lowest: Any
    highest: Any


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
        Codes, or -1 for items that are not in the catalogue.
    values : ndarray of float64, shape (n_rows,)
    """

    users: NDArray[Any]
    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float64]

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
    """All items by code; codes are in descending order of identifiers as text.

    Examples
    --------
    >>> Catalogue(np.array([9, 10])).texts.tolist()
    ['9', '10']
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        texts = ids.astype(str)
        order = np.argsort(texts, kind="stable")[::-1]
        self.ids = ids[order]
        self.texts = texts[order]
        self._ascending = np.argsort(self.ids, kind="stable").astype(np.int32)
        self._sorted = self.ids[self._ascending]
        self._table: NDArray[np.int32] | None = None
        if len(ids) and ids.dtype.kind == "i":
            self._first = int(self._sorted[0])
            span = int(self._sorted[-1]) - self._first + 1
            if span <= MOST_MARKED:
                self._table = np.full(span, -1, dtype=np.int32)
                self._table[self._sorted - self._first] = self._ascending

    def __len__(self) -> int:
        return len(self.ids)

    def codes(self, column: pa.ChunkedArray) -> NDArray[np.int32]:
        """Return the codes of a column of identifiers."""
        if pa.types.is_dictionary(column.type):
            found = [
                self._searched(chunk.dictionary.to_numpy(zero_copy_only=False).astype(str))[
                    chunk.indices.to_numpy(zero_copy_only=False)
                ]
                for chunk in column.chunks
            ]
            return np.concatenate(found) if found else np.empty(0, dtype=np.int32)
        ids = column.to_numpy().astype(np.int64, copy=False)
        if self._table is None:
            return self._searched(ids)
        return self._table[ids - self._first]

    def _searched(self, ids: NDArray[Any]) -> NDArray[np.int32]:
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int32)
        places = np.minimum(np.searchsorted(self._sorted, ids), len(self.ids) - 1)
        return np.where(self._sorted[places] == ids, self._ascending[places], np.int32(-1))


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
    def groups(self) -> tuple[RowGroup, ...]:
        """All row groups with rows, file by file."""
        found = []
        for path in self.files:
            metadata = pq.read_metadata(path)
            names = metadata.schema.to_arrow_schema().names
            place = next(
                (
                    number
                    for number in range(metadata.num_columns)
                    if metadata.schema.column(number).path == self.columns["user"]
                ),
                names.index(self.columns["user"]),
            )
            first_row = 0
            for number in range(metadata.num_row_groups):
                own = metadata.row_group(number)
                if own.num_rows:
                    bounds = own.column(place).statistics
                    if bounds is not None and bounds.has_min_max:
                        ends = (bounds.min, bounds.max)
                    else:
                        ends = self._ends(path, number)
                    found.append(RowGroup(path, number, first_row, own.num_rows, *ends))
                    first_row += own.num_rows
        if not found:
            raise TableError(f"{self.source} has no rows.")
        return tuple(found)

    def _ends(self, path: Path, number: int) -> tuple[Any, Any]:
        """Return the lowest and highest user of a row group that does not tell them."""
        column = _column(pq.ParquetFile(path), number, self.columns["user"])
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        ends = pc.min_max(column).as_py()
        return ends["min"], ends["max"]

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

    def items(self, group: RowGroup) -> NDArray[Any]:
        """Return the different items of a row group, ascending."""
        column = _column(pq.ParquetFile(group.path), group.number, self.columns["item"])
        self._refuse_missing(column, group, "item")
        if self.kind_of_items == "integer":
            ids = column.to_numpy().astype(np.int64, copy=False)
            low = int(ids.min())
            if int(ids.max()) - low < MOST_MARKED:
                marks = np.zeros(int(ids.max()) - low + 1, dtype=bool)
                marks[ids - low] = True
                return np.flatnonzero(marks) + low
            return np.unique(ids)
        texts = {own for chunk in _encoded(column).chunks for own in chunk.dictionary.to_pylist()}
        return np.array(sorted(texts), dtype=str)

    def different_values(self, group: RowGroup) -> NDArray[np.float32]:
        """Return the different values of a row group."""
        if "value" not in self.columns:
            return np.ones(1, dtype=np.float32)
        column = _column(pq.ParquetFile(group.path), group.number, self.columns["value"])
        self._refuse_missing(column, group, "value")
        return pc.unique(column).to_numpy().astype(np.float32)

    def _refuse_missing(self, column: pa.ChunkedArray, group: RowGroup, role: str) -> None:
        if column.null_count:
            raise TableError(
                f"{group.path}: {column.null_count:,} rows of row group {group.number} have no "
                f"{role} ({quoted(self.columns[role])}). Remove them."
            )

    def rows(
        self, low: TypedIdentifier | None, high: TypedIdentifier | None, catalogue: Catalogue
    ) -> RowsOfUsers:
        """Return the rows of users from ``low`` to before ``high``; None is without a bound.

        Raises
        ------
        TableError
            The rows of a user are not together, or a row has no user, item or value.
        """
        parts = []
        kept: dict[tuple[Path, int], RowsOfUsers] = {}
        for group in self.in_range(low, high):
            key = group.path, group.number
            whole = self._kept.get(key)
            if whole is None:
                whole = self._decoded(group, catalogue)
            # The next range begins in the same row group.
            if high is not None and group.highest >= high:
                kept[key] = whole
            parts.append(whole.between(low, high))
        self._kept = kept
        return self._joined(parts)

    def _decoded(self, group: RowGroup, catalogue: Catalogue) -> RowsOfUsers:
        texts = [
            self.columns[role]
            for role, kind in (("user", self.kind), ("item", self.kind_of_items))
            if kind == "text"
        ]
        file = pq.ParquetFile(group.path, read_dictionary=texts)
        table = file.read_row_group(
            group.number, columns=list(self.columns.values()), use_threads=False
        )
        for role, name in self.columns.items():
            self._refuse_missing(table.column(name), group, role)
        users, starts = self._runs(table.column(self.columns["user"]))
        items = table.column(self.columns["item"])
        codes = catalogue.codes(_encoded(items) if self.kind_of_items == "text" else items)
        if "value" in self.columns:
            values = self.sign * table.column(self.columns["value"]).to_numpy().astype(np.float64)
        elif self.sign > 0:
            values = np.ones(table.num_rows)
        else:
            values = -np.arange(float(group.first_row), group.first_row + table.num_rows)
        return self._in_order(RowsOfUsers(users, starts, codes, values), group.path)

    def _runs(self, column: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the user of each run of rows, and where runs begin and the last one ends."""
        if self.kind == "integer":
            rows = column.to_numpy()
            starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
            return rows[starts].astype(np.int64), np.r_[starts, len(rows)]
        one = _encoded(column).unify_dictionaries().combine_chunks()
        codes = one.indices.to_numpy(zero_copy_only=False)
        starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
        texts = one.dictionary.take(pa.array(codes[starts]))
        return texts.to_numpy(zero_copy_only=False).astype(str), np.r_[starts, len(codes)]

    def _joined(self, parts: Sequence[RowsOfUsers]) -> RowsOfUsers:
        """Return the rows of several parts, of which one may go on with the last user before."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            empty = np.empty(0, dtype=np.int64 if self.kind == "integer" else str)
            nothing = np.empty(0, dtype=np.int32), np.empty(0)
            return RowsOfUsers(empty, np.zeros(1, dtype=np.int64), *nothing)
        users = np.concatenate([part.users for part in parts])
        before = np.cumsum([0, *(len(part.items) for part in parts)])
        starts = np.concatenate(
            [part.starts[:-1] + begin for part, begin in zip(parts, before, strict=False)]
        )
        ends = np.r_[starts, before[-1]]
        joined = RowsOfUsers(
            users,
            ends,
            np.concatenate([part.items for part in parts]),
            np.concatenate([part.values for part in parts]),
        )
        return self._in_order(joined, Path(self.source))

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
        return RowsOfUsers(users, np.r_[0, ends], rows.items[places], rows.values[places])


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


def _column(file: pq.ParquetFile, number: int, name: str) -> pa.ChunkedArray:
    return file.read_row_group(number, columns=[name], use_threads=False).column(name)


def _encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
