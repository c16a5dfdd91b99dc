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

from receval.data.columns import FoundColumns
from receval.data.packed_files import files_in
from receval.data.ratings import finite_in_single_precision
from receval.data.reading import TableError
from receval.data.tables import checked_group, checked_table, sentences_for_damage
from receval.storage.kernel_cache import njit
from receval.storage.messages import enumerated, quoted, shortened

IdentifierKind = Literal["integer", "text"]
TypedIdentifier = int | str

MOST_MARKED = 1 << 27
"""Items whose numbers are within such a range are found by one look-up."""

PART = 1 << 20
"""Rows that are read at a time of a row group that is larger than some of them."""

_MOST_PARTS = 4

BUFFER = 1 << 20
"""Bytes of a column that are read at a time where only some rows are wanted."""

SORTING = (
    "Write it in the order of users, for example with DuckDB: COPY (FROM 'lists.parquet' ORDER BY "
    "user) TO 'ordered.parquet'"
)


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file, or a part of one, with its lowest and highest user.

    ``first_row`` counts from 0 in the file. ``items`` are the lowest and highest item, if the file
    tells them, and ``skipped`` the rows of the group before a part; None of a whole group.
    """

    path: Path
    number: int
    first_row: int
    rows: int
    lowest: Any
    highest: Any
    items: tuple[Any, Any] | None = None
    skipped: int | None = None

    @property
    def key(self) -> tuple[Path, int]:
        """The file and the first row, which no other one has."""
        return self.path, self.first_row

    def parts(self) -> list[RowGroup]:
        """Return the parts that are read at a time, or the group itself."""
        if self.rows <= _MOST_PARTS * PART:
            return [self]
        return [
            replace(
                self,
                first_row=self.first_row + skipped,
                rows=min(PART, self.rows - skipped),
                skipped=skipped,
            )
            for skipped in range(0, self.rows, PART)
        ]


class _RowsInOrder:
    """The rows of a row group from the first to the last, without holding all of them."""

    def __init__(self, path: Path, group: int, names: list[str], texts: list[str]) -> None:
        # Buffered, since the pages of a column would be read at once otherwise.
        file = pq.ParquetFile(path, read_dictionary=texts, buffer_size=BUFFER)
        self._batches = file.iter_batches(PART, [group], names, use_threads=False)
        self._held: pa.RecordBatch | None = None
        self.next_row = 0

    def table(self, first: int, rows: int) -> pa.Table:
        """Return rows behind those that were returned before."""
        parts = []
        while rows:
            held = next(self._batches) if self._held is None else self._held
            own = held.slice(first - self.next_row, rows)
            end = min(len(held), first - self.next_row + len(own))
            self._held = held.slice(end) if end < len(held) else None
            self.next_row += end
            if len(own):
                parts.append(own)
                first, rows = first + len(own), rows - len(own)
        return pa.Table.from_batches(parts)


@dataclass(frozen=True)
class RowsOfUsers:
    """The rows of some users, user by user.

    Users are identifiers, ascending, whole numbers or strings. The rows of the user i are
    ``starts[i]:starts[i + 1]``. Items are codes of the catalogue; `others` are the values of the
    column ``other``, if there is one. Values, of float64 or of float32 as in the files, and others
    are left out where those of each user `descend`: none is equal or NaN. The `ends` are the lowest
    and highest value, also of those; NaN if all are.
    """

    users: NDArray[Any]
    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.floating]
    others: NDArray[np.float64] | None = None
    descend: bool = False
    ends: tuple[float, float] = (np.nan, np.nan)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The place of the user of each row, shape (n_rows,)."""
        return np.repeat(np.arange(len(self.users)), np.diff(self.starts))

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
            None if self.others is None else self.others[rows],
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

    def find(self, ids: NDArray[np.int64], codes: NDArray[np.int32]) -> bool:
        """Write the codes of whole numbers, and tell whether all are known."""
        if self._span:
            return bool(_distances(ids, self.ids[0], self._span, codes))
        if self._codes is not None:
            return bool(_look_up(ids, self.ids[0], self._codes, codes))
        codes[:] = self._searched(ids)
        return bool((codes >= 0).all())

    def find_texts(
        self, places: NDArray[np.int32], ids: NDArray[np.str_], codes: NDArray[np.int32]
    ) -> bool:
        """Write the codes of texts, given once with the place of each row's; as :meth:`find`."""
        codes[:] = self._searched(ids)[places]
        return bool((codes >= 0).all())

    def _searched(self, ids: NDArray[Any]) -> NDArray[np.int32]:
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int32)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[places] == ids, places, -1).astype(np.int32)


@dataclass
class ParquetByUser:
    """A table in Parquet files whose rows are read by ranges of users.

    The source is a file or folder. Columns have the names of ``user``, ``item`` and, perhaps,
    ``value`` and ``other``: scores beside ranks, or ranks beside scores. Values are multiplied by
    the `sign`, -1 for ranks, and some rows of a run may lack them. If they are read `as_written`,
    texts such as ``10.0`` are identifiers; otherwise they are refused.
    """

    source: str
    columns: dict[str, str]
    sign: int = 1
    is_run: bool = False
    as_written: bool = False
    _kept: dict[tuple[Path, int], RowsOfUsers] = field(default_factory=dict, repr=False)
    _room: tuple[NDArray[np.int32], NDArray[np.floating]] = field(
        default_factory=lambda: (np.empty(0, dtype=np.int32), np.empty(0)), repr=False
    )
    _opened: tuple[Path, pq.ParquetFile] | None = field(default=None, repr=False)
    _in_order: tuple[tuple[Path, int, list[str]], _RowsInOrder] | None = field(
        default=None, repr=False
    )

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: no open file, and no rows."""
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        return {**vars(self), "_kept": {}, "_room": nothing, "_opened": None, "_in_order": None}

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

    @cached_property
    def _schemas(self) -> dict[Path, pa.Schema]:
        """The columns of each file; all files must have the same."""
        found: dict[Path, pa.Schema] = {}
        for path in self.files:
            with sentences_for_damage(path):
                found[path] = pq.read_schema(path)
            first = found[self.files[0]]
            if set(found[path].names) != set(first.names):
                raise TableError(
                    f"{path} and {self.files[0]} have different columns "
                    f"({enumerated(found[path].names)}; {enumerated(first.names)}). The files of a "
                    "folder must be parts of one table."
                )
        return found

    def _kind(self, role: str) -> IdentifierKind:
        name = self.columns[role]
        kinds: set[IdentifierKind] = set()
        for path, schema in self._schemas.items():
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
        types = set()
        for path, schema in self._schemas.items():
            for role in {"value", "other"} & self.columns.keys():
                kind = schema.field(self.columns[role]).type
                if not _is_number(kind):
                    raise TableError(
                        f"{path}: the column {quoted(self.columns[role])} has the type {kind}. "
                        "Tables in blocks need numbers as ratings, scores and ranks. Convert the "
                        "column."
                    )
                types |= {kind} if role == "value" else set()
        return np.float32 if types == {pa.float32()} else np.float64

    def check_types(self) -> None:
        """Refuse columns of other types than numbers and texts, before their rows are read."""
        _ = self.kind, self.kind_of_items, self._dtype

    @cached_property
    def groups(self) -> tuple[RowGroup, ...]:
        """All row groups with rows, file by file; large ones in parts."""
        found = []
        for path in self.files:
            with sentences_for_damage(path):
                # Mapped, since the check would otherwise copy the whole row groups.
                parquet = pq.ParquetFile(path, memory_map=True)
                metadata = parquet.metadata
                of_each = [checked_group(parquet, n) for n in range(metadata.num_row_groups)]
            names = metadata.schema.to_arrow_schema().names
            leaves = {metadata.schema.column(n).path: n for n in range(metadata.num_columns)}
            users, items = (
                leaves.get(name, names.index(name))
                for name in (self.columns["user"], self.columns["item"])
            )
            first_row = 0
            for number, own in enumerate(of_each):
                if own.num_rows:
                    of_items = _told_ends(own.column(items))
                    whole = RowGroup(path, number, first_row, own.num_rows, None, None, of_items)
                    parts = whole.parts()
                    told = _told_ends(own.column(users)) if len(parts) == 1 else None
                    for part in parts:
                        ends = told or self._ends(part)
                        if ends[0] is None:
                            raise self._missing(part, 0, "user")
                        found.append(replace(part, lowest=ends[0], highest=ends[1]))
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
                marked.add(self._whole_numbers(column, group))
            else:
                texts.update(self._texts(column, group, "item")[1].tolist())
        if self.kind_of_items == "integer":
            return marked.numbers()
        return np.array(sorted(texts), dtype=str)

    def frequencies(
        self, role: str, ids: NDArray[Any], groups: Sequence[RowGroup]
    ) -> NDArray[np.int64]:
        """Return how often each of some ascending identifiers is in a column, and last all others.

        Each is counted in some row groups.
        """
        found = np.zeros(len(ids) + 1, dtype=np.int64)
        for group in groups:
            counted = pc.value_counts(self._column(group, role))
            column = pa.chunked_array([counted.field("values")])
            if self._kind(role) == "integer":
                own = self._whole_numbers(column, group)
            else:
                own = np.array(column.cast(pa.string()).to_pylist(), dtype=str)
            places = np.minimum(np.searchsorted(ids, own), len(ids) - 1)
            places[ids[places] != own] = len(ids)
            np.add.at(found, places, counted.field("counts").to_numpy(zero_copy_only=False))
        return found

    def different_values(self, group: RowGroup) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the different ratings of a row group, ascending, and how often each is there."""
        if "value" not in self.columns:
            return np.ones(1, dtype=np.float32), np.array([group.rows])
        column = self._column(group, "value")
        self._refuse_missing(column, group, "value")
        counted = pc.value_counts(column)
        found = self._numbers(counted.field("values"))
        self._refuse_infinite(found, column, group)
        values, places = np.unique(found.astype(np.float32), return_inverse=True)
        counts = counted.field("counts").to_numpy(zero_copy_only=False)
        return values, np.bincount(places, weights=counts).astype(np.int64)

    def _refuse_infinite(
        self, found: NDArray[Any], column: pa.ChunkedArray, group: RowGroup
    ) -> None:
        """Refuse ratings that are no finite numbers."""
        if finite_in_single_precision(found).all():
            return
        values = self._numbers(column)
        row = int(np.argmin(finite_in_single_precision(values)))
        if np.isnan(values[row]):
            raise self._missing(group, row, "value")
        raise TableError(
            f"{_where(group, row)} has the rating {values[row]:g}. It must be a finite number of "
            "single precision."
        )

    def _refuse_missing(self, column: pa.ChunkedArray, group: RowGroup, role: str) -> None:
        if column.null_count:
            raise self._missing(group, pc.index(pc.is_null(column), True).as_py(), role)

    def _missing(self, group: RowGroup, row: int, role: str) -> TableError:
        what = "rating" if role == "value" else role
        return TableError(
            f"{_where(group, row)} has no {what} ({quoted(self.columns[role])}). Give it one, or "
            "leave the row out."
        )

    def _whole_numbers(self, column: pa.ChunkedArray, group: RowGroup) -> NDArray[np.int64]:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_uint64(column.type):
            try:
                column = column.cast(pa.int64())
            except pa.ArrowInvalid:
                raise TableError(
                    f"{group.path}: row group {group.number} has identifiers from 2**63 on. Write "
                    "them as texts."
                ) from None
        return column.to_numpy().astype(np.int64, copy=False)

    def _texts(
        self, column: pa.ChunkedArray, group: RowGroup, role: str
    ) -> tuple[NDArray[np.int32], NDArray[np.str_]]:
        """Return codes and texts by code, by the rules of tables that are read at once."""
        first = group.first_row + 1
        encoded = _encoded(column)
        found = FoundColumns(
            *(str(group.path), first, "row", {role: encoded}), are_as_written=self.as_written
        )
        try:
            codes, ids = found.codes(role)
        except TableError:
            # Categories that no row has are no identifiers.
            used = pc.dictionary_encode(column.cast(pa.string()))
            codes, ids = replace(found, arrays={role: used}).codes(role)
        if found.rewritten:
            raise TableError(
                f"{group.path}: {found.rewritten[role].replace('were read as', 'seem to be')}. In "
                "blocks they cannot be rewritten, as this would change their order. Convert the "
                "column, or set identifiers='as-written' (in a command: --identifiers as-written)."
            )
        return codes, ids

    def _numbers(self, column: pa.ChunkedArray) -> NDArray[Any]:
        """Return numbers, with NaN where there is none."""
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            column = column.cast(pa.float64(), safe=False)
        if isinstance(column, pa.Array):
            return column.to_numpy(zero_copy_only=False)
        return column.to_numpy()

    def first_rows(self, names: list[str], rows: int) -> pa.Table:
        """Return some columns of the first rows, of several row groups if these are small."""
        parts: list[pa.Table] = []
        for group in self.groups:
            if (left := rows - sum(map(len, parts))) <= 0:
                break
            own = self._read(group, names).slice(0, left)
            parts.append(pa.table([_plain(one) for one in own.columns], names))
        return pa.concat_tables(parts)

    def rows_of_pair(self, user: TypedIdentifier, item: TypedIdentifier) -> list[str]:
        """Return the file and row of each row of a pair, for messages."""
        found = []
        for group in self.in_range(user, None):
            if group.lowest > user:
                continue
            columns = self._read(group, [self.columns["user"], self.columns["item"]]).columns
            are_equal = [
                pc.equal(_plain(own), pa.scalar(wanted))
                for own, wanted in zip(columns, (user, item), strict=True)
            ]
            rows = pc.indices_nonzero(pc.and_(*are_equal)).to_pylist()
            found += [_where(group, row) for row in rows]
        return found

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
        user descend. A TableError is raised if the rows of a user are not together, or a row lacks
        something.
        """
        groups = self.in_range(low, high)
        known = [self._kept.get(group.key) for group in groups]
        rows = sum(
            group.rows if own is None else len(own.items)
            for group, own in zip(groups, known, strict=True)
        )
        if rows > len(self._room[0]):
            self._room = np.empty(rows, dtype=np.int32), np.empty(rows, dtype=self._dtype)
        codes, values = self._room[0][:rows], self._room[1][: 0 if only_order else rows]
        parts = []
        last: tuple[Any, float, float] | None = None
        others: list[NDArray[np.float64]] = []
        ends: list[float] = []
        kept: dict[tuple[Path, int], RowsOfUsers] = {}
        at = 0
        for group, whole in zip(groups, known, strict=True):
            if whole is None:
                whole = self._decoded(group, catalogue, codes[at : at + group.rows])
            # The next range begins in the same row group.
            if high is not None and group.highest >= high:
                rest = whole.between(high, None)
                kept[group.key] = replace(
                    rest,
                    items=rest.items.copy(),
                    values=rest.values.copy(),
                    others=None if rest.others is None else rest.others.copy(),
                )
            own = whole.between(low, high)
            place = codes[at : at + len(own.items)]
            if own.items.ctypes.data != place.ctypes.data:
                place[:] = own.items
            beside = own.values if own.others is None else own.others
            if not only_order:
                ends += _ends_of(own.values)
                values[at : at + len(own.values)] = own.values
                others += [] if own.others is None else [own.others]
            elif len(own.items):
                rises = (
                    last is not None
                    and last[0] == own.users[0]
                    and not (last[1] > own.values[0] and last[2] > beside[0])
                )
                descend = _descend(own.starts, own.values)
                if rises or not (descend and (own.others is None or _descend(own.starts, beside))):
                    return self.rows(low, high, catalogue)
                last = own.users[-1], own.values[-1], beside[-1]
                # The first of each user are the highest, and the last ones the lowest.
                firsts, lasts = own.starts[:-1], own.starts[1:] - 1
                ends += [float(own.values[lasts].min()), float(own.values[firsts].max())]
            parts.append((own.users, own.starts + at))
            at += len(own.items)
        self._kept = kept
        of_others = np.concatenate(others) if others else None
        found = self._joined(parts, codes[:at], values[:at], of_others)
        low_value, high_value = (min(ends), max(ends)) if ends else (np.nan, np.nan)
        return replace(found, descend=only_order, ends=(low_value, high_value))

    def _column(self, group: RowGroup, role: str) -> pa.ChunkedArray:
        name = self.columns[role]
        return self._read(group, [name]).column(name)

    def _read(self, group: RowGroup, names: list[str]) -> pa.Table:
        with sentences_for_damage(group.path):
            if group.skipped is not None:
                return checked_table(self._read_part(group, group.skipped, names))
            file = self._open(group.path)
            return checked_table(
                file.read_row_group(group.number, columns=names, use_threads=False)
            )

    def _read_part(self, group: RowGroup, skipped: int, names: list[str]) -> pa.Table:
        """Return a part of a row group, of which the rows before are read if they were not."""
        key = (group.path, group.number, names)
        known, rows = self._in_order or (None, None)
        if rows is None or known != key or rows.next_row > skipped:
            rows = _RowsInOrder(group.path, group.number, names, self._columns_of_texts)
            self._in_order = key, rows
        return rows.table(skipped, group.rows)

    def _open(self, path: Path) -> pq.ParquetFile:
        """Return a file, which is open until another one is."""
        if self._opened is None or self._opened[0] != path:
            self._opened = path, pq.ParquetFile(path, read_dictionary=self._columns_of_texts)
        return self._opened[1]

    @cached_property
    def _columns_of_texts(self) -> list[str]:
        """The columns whose identifiers are texts."""
        kinds = (("user", self.kind), ("item", self.kind_of_items))
        return [self.columns[role] for role, kind in kinds if kind == "text"]

    def _decoded(
        self,
        group: RowGroup,
        catalogue: Catalogue,
        codes: NDArray[np.int32],
    ) -> RowsOfUsers:
        """Return a row group, whose codes are written into the given array."""
        table = self._read(group, list(self.columns.values()))
        for role, name in self.columns.items():
            if not (self.is_run and role in ("value", "other")):
                self._refuse_missing(table.column(name), group, role)
        users, starts = self._runs(table.column(self.columns["user"]), group)
        items = table.column(self.columns["item"])
        if self.kind_of_items == "text":
            are_known = catalogue.find_texts(*self._texts(items, group, "item"), codes)
        else:
            are_known = catalogue.find(self._whole_numbers(items, group), codes)
        if not are_known:
            raise TableError(
                f"{group.path}: row group {group.number} has items that were not there when the "
                "plan was made, or beyond the lowest and highest that it tells. Write the file "
                "again, and make a new plan in another folder."
            )
        if "value" in self.columns:
            values = self._numbers(table.column(self.columns["value"]))
            values = values.astype(self._dtype, copy=False)
            if self.sign < 0:
                self._refuse_negative(values, group)
                values = -values
        elif self.sign > 0:
            values = np.ones(table.num_rows)
        else:
            values = -np.arange(float(group.first_row), group.first_row + table.num_rows)
        others = None
        if "other" in self.columns:
            others = self._numbers(table.column(self.columns["other"])).astype(np.float64)
            if self.sign > 0:
                self._refuse_negative(others, group)
                others = -others
        return self._ordered(RowsOfUsers(users, starts, codes, values, others), group.path)

    def _refuse_negative(self, ranks: NDArray[np.floating], group: RowGroup) -> None:
        if (negative := ranks < 0).any():
            row = int(np.argmax(negative))
            raise TableError(
                f"{_where(group, row)} has the rank {ranks[row]:g}. A rank counts from the best "
                "item, which has 1. If these are scores, name the column (score=..., in a command: "
                "--run-score ...)."
            )

    def _runs(
        self, column: pa.ChunkedArray, group: RowGroup
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the user of each run of rows, and where runs begin and the last one ends."""
        if self.kind == "integer":
            rows = self._whole_numbers(column, group)
            starts = _starts(rows)
            return rows[starts[:-1]], starts
        codes, ids = self._texts(column, group, "user")
        starts = _starts(codes.astype(np.int64))
        return ids[codes[starts[:-1]]], starts

    def _joined(
        self,
        parts: Sequence[tuple[NDArray[Any], NDArray[np.int64]]],
        codes: NDArray[np.int32],
        values: NDArray[np.floating],
        others: NDArray[np.float64] | None,
    ) -> RowsOfUsers:
        """Return the rows of several parts, of which one may go on with the last user before."""
        if not parts:
            empty = np.empty(0, dtype=np.int64 if self.kind == "integer" else str)
            return RowsOfUsers(empty, np.zeros(1, dtype=np.int64), codes, values)
        users = np.concatenate([own for own, _ in parts])
        starts = np.concatenate([*(own[:-1] for _, own in parts), [len(codes)]])
        rows = RowsOfUsers(users, starts, codes, values, others)
        return self._ordered(rows, Path(self.source))

    def _ordered(self, rows: RowsOfUsers, path: Path) -> RowsOfUsers:
        """Return rows with users in ascending order, each once."""
        users, starts = rows.users, rows.starts
        is_new = np.ones(len(users), dtype=bool)
        is_new[1:] = users[1:] != users[:-1]
        if not is_new.all():
            users, starts = users[is_new], np.r_[starts[:-1][is_new], starts[-1]]
        if (users[1:] > users[:-1]).all():
            return RowsOfUsers(users, starts, rows.items, rows.values, rows.others)
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
        others = None if rows.others is None else rows.others[places]
        return RowsOfUsers(users, np.r_[0, ends], rows.items[places], values, others)


def _where(group: RowGroup, row: int) -> str:
    """Return the name of a row of a group, counted from 0, for a message."""
    return f"{group.path}, row {group.first_row + row + 1}"


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return any(
        own(kind) for own in (types.is_integer, types.is_floating, types.is_boolean)
    ) or types.is_decimal(kind)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a column of codes and texts."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _ends_of(values: NDArray[np.floating]) -> list[float]:
    """Return the lowest and highest value but for NaN; none if there is none."""
    if not len(values):
        return []
    ends = float(values.min()), float(values.max())
    if np.isnan(ends[0]):
        known = values[~np.isnan(values)]
        return [float(known.min()), float(known.max())] if len(known) else []
    return list(ends)


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
    """Return the Parquet files of a path by name; other files, or none, are refused."""
    path = Path(source)
    if not path.exists():
        raise TableError(f"{path}: there is no such file or folder.")
    files = files_in(path)[1] if path.is_dir() else [path]
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
