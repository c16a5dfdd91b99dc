# SPDX-License-Identifier: MIT
"""The canonical table of ratings, to which every dataset is converted, and its file.

A table is stored as Parquet with a checksum that is verified before anything is parsed. Parquet
pages have checksums, but their descriptions have none, and one changed bit of these can change the
numbers. So the metadata of a file holds a checksum of all its bytes, with zeros in place of the
checksum itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from receval.storage.files import DamagedFileError, refusing_damage, write_atomically
from receval.storage.messages import how_many, shortened

RATINGS_FILE = "ratings.parquet"
USERS_FILE = "users.parquet"
ITEMS_FILE = "items.parquet"

TABLE_FILES = (RATINGS_FILE, USERS_FILE, ITEMS_FILE)
"""The files of a written table, all in one folder."""

_EVENTS = "events"

_COLUMNS = ("users", "items", "values", "timestamps", "known")

# The types that a column may have, as numpy kinds and in words.
_KINDS = {"values": ("fiub", "numbers"), "timestamps": ("iuf", "numbers"), "known": ("b", "bool")}

# The types of the columns of a written table, the usual one first; None if it may be absent.
_TYPES = {
    "user": (pa.int32(),),
    "item": (pa.int32(),),
    "rating": (pa.float32(), pa.int8()),
    "timestamp": (pa.int64(), pa.int32(), pa.float64(), None),
    "known": (pa.bool_(), None),
}

# Ratings that are processed together: their pairs take 32 MiB, instead of gigabytes for all.
_BLOCK_RATINGS = 2**22


@dataclass(frozen=True, repr=False)
class Ratings:
    """The ratings of one dataset, in the order of its raw file, with identifiers coded from 0.

    Attributes
    ----------
    users, items : ndarray of int32, shape (n_ratings,)
        Codes in ``0..n_users-1`` and ``0..n_items-1``.
    values : ndarray of float32 or int8, shape (n_ratings,)
        Ratings on the dataset's scale; 1 per play for event data.
    timestamps : ndarray of int64, int32 or float64, shape (n_ratings,), or None
        Seconds since 1970-01-01 UTC, float64 if they have fractions; None if the raw data has none.
    known : ndarray of bool, shape (n_ratings,), or None
        True where the user chose or already knew the item (missing not at random), False where
        the item was drawn for the user (missing at random). None if the data does not say.
    user_ids, item_ids : ndarray of str, shapes (n_users,) and (n_items,)
        Raw identifiers by code.
    events : bool
        Whether a row is one event, such as a play. A pair may then have several, which splits sum.
        Otherwise a pair is rated once, or once for each value of ``known``.

    Parameters
    ----------
    checked : bool
        Whether the pairs are known to be distinct, such as those of some rows of another table.

    Raises
    ------
    ValueError
        Columns have different lengths or wrong types, codes are not integers or have no identifier,
        values are not finite, or rows repeat a pair: merge these first
        (:func:`receval.data.repeats.merge_repeats`).

    Examples
    --------
    >>> ratings = Ratings(
    ...     users=np.array([0, 0, 1], dtype=np.int32),
    ...     items=np.array([0, 1, 1], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ... )
    >>> len(ratings), ratings.n_users, ratings.n_items
    (3, 2, 2)
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32] | NDArray[np.int8]
    user_ids: NDArray[np.str_]
    item_ids: NDArray[np.str_]
    timestamps: NDArray[np.int64] | NDArray[np.int32] | NDArray[np.float64] | None = None
    known: NDArray[np.bool_] | None = None
    events: bool = False
    checked: InitVar[bool] = False

    def __post_init__(self, checked: bool) -> None:
        for name in ("user_ids", "item_ids"):
            ids = getattr(self, name)
            if not (isinstance(ids, np.ndarray) and ids.dtype.kind == "U"):
                # Such as objects of pandas, whose bytes are addresses.
                object.__setattr__(self, name, np.array(np.asarray(ids).tolist(), dtype=np.str_))
        for name in _COLUMNS:
            column = getattr(self, name)
            if column is None and name in ("timestamps", "known"):
                continue
            if not isinstance(column, np.ndarray) or column.ndim != 1:
                raise ValueError(f"The column {name} is not a one-dimensional array.")
            if column.shape != self.users.shape:
                raise ValueError(
                    f"The column {name} has shape {column.shape}, but users has "
                    f"{self.users.shape}: every column needs one entry per rating."
                )
            kinds, what = _KINDS.get(name, (column.dtype.kind, ""))
            if column.size and column.dtype.kind not in kinds:
                raise ValueError(f"The column {name} is of type {column.dtype}, not of {what}.")
        checked_codes("users", self.users, self.n_users)
        checked_codes("items", self.items, self.n_items)
        finite = finite_in_single_precision(self.values)
        if not finite.all():
            row = int(np.argmin(finite))
            raise ValueError(
                f"Row {row + 1} has the value {self.values[row]}. Every rating must be a finite "
                "number of single precision."
            )
        if self.timestamps is not None and not np.isfinite(self.timestamps).all():
            row = int(np.argmin(np.isfinite(self.timestamps)))
            raise ValueError(
                f"Row {row + 1} has the timestamp {self.timestamps[row]}. It must be a finite "
                "number."
            )
        repeat = None if checked or self.events else _first_repeated_pair(self)
        if repeat is not None:
            row, earlier = repeat
            user, item = self.user_ids[self.users[row]], self.item_ids[self.items[row]]
            raise ValueError(
                f"Row {row + 1} rates the same pair as row {earlier + 1}: user "
                f"{shortened(str(user))} and item {shortened(str(item))}. Merge such rows first "
                "(merge_repeats of receval.data.repeats). If each row is one event and the values "
                "are to be summed, set events=True."
            )

    def __len__(self) -> int:
        return len(self.users)

    def __repr__(self) -> str:
        return (
            f"<{how_many(len(self), 'rating')} of {how_many(self.n_items, 'item')} by "
            f"{how_many(self.n_users, 'user')}>"
        )

    @property
    def n_users(self) -> int:
        """Number of users, including those without ratings in a split."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """Number of items, including those without ratings in a split."""
        return len(self.item_ids)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Ratings:
        """Return the ratings of some rows; codes and identifiers are unchanged."""
        return Ratings(
            **self._columns_of(rows),
            user_ids=self.user_ids,
            item_ids=self.item_ids,
            events=self.events,
            # A mask selects no row twice.
            checked=rows.dtype == np.bool_,
        )

    def _columns_of(self, rows: NDArray[Any]) -> dict[str, Any]:
        columns = {name: getattr(self, name) for name in _COLUMNS}
        return {name: None if own is None else own[rows] for name, own in columns.items()}

    def compacted(self) -> Ratings:
        """Return the same ratings with codes only for users and items that have a rating."""
        has_user = np.bincount(self.users, minlength=self.n_users) > 0
        has_item = np.bincount(self.items, minlength=self.n_items) > 0
        if has_user.all() and has_item.all():
            return self
        # The new codes are looked up by the old ones, since sorting millions of rows would be slow.
        user_codes = (np.cumsum(has_user) - 1).astype(np.int32)
        item_codes = (np.cumsum(has_item) - 1).astype(np.int32)
        return Ratings(
            users=user_codes[self.users],
            items=item_codes[self.items],
            values=self.values,
            user_ids=self.user_ids[has_user],
            item_ids=self.item_ids[has_item],
            timestamps=self.timestamps,
            known=self.known,
            events=self.events,
            checked=True,
        )

    def reordered(self, rows: NDArray[np.integer]) -> Self:
        """Return the same ratings in another order, given all rows, each once."""
        return replace(self, **self._columns_of(rows), checked=True)

    def in_order_of_identifiers(self, *, keep_codes: bool = False) -> Self:
        """Return the same ratings, coded and sorted in the order of their identifiers.

        Codes follow the order of identifiers (unless they are kept), and rows that of users and
        items. Rows of the same pair (events) are sorted by time, by whether they are known, and by
        value. The same ratings thus give the same arrays whatever the order of their rows, and
        random draws by row do not depend on it. If everything is already in this order, the same
        object is returned.

        Examples
        --------
        >>> ratings = Ratings(
        ...     users=np.array([0, 1, 1], dtype=np.int32),
        ...     items=np.array([0, 0, 1], dtype=np.int32),
        ...     values=np.array([4, 2, 5], dtype=np.float32),
        ...     user_ids=np.array(["bob", "ann"]),
        ...     item_ids=np.array(["film", "book"]),
        ... )
        >>> in_order = ratings.in_order_of_identifiers()
        >>> in_order.user_ids.tolist(), in_order.users.tolist(), in_order.values.tolist()
        (['ann', 'bob'], [0, 0, 1], [5.0, 2.0, 4.0])
        """
        users, user_ids = coded_in_order(self.users, self.user_ids)
        items, item_ids = coded_in_order(self.items, self.item_ids)
        rows = _rows_in_order(users, items, (self.timestamps, self.known, self.values))
        if keep_codes or (user_ids is self.user_ids and item_ids is self.item_ids):
            return self if rows is None else self.reordered(rows)
        coded = replace(
            self, users=users, items=items, user_ids=user_ids, item_ids=item_ids, checked=True
        )
        return coded if rows is None else coded.reordered(rows)

    def digest(self) -> str:
        """Return a digest of the ratings that does not depend on the order of their rows.

        Ratings that were written and read have the same: types are those of files.
        """
        own = self.in_order_of_identifiers()
        made = hashlib.blake2b(digest_size=16)
        values = np.int8 if own.values.dtype == np.int8 else np.float32
        types: dict[str, Any] = {"users": np.int32, "items": np.int32, "values": values}
        for name in ("user_ids", "item_ids", *_COLUMNS):
            column = getattr(own, name)
            if name in ("user_ids", "item_ids"):  # A longer one may have been left out.
                types[name] = f"U{max(1, np.char.str_len(column).max(initial=0))}"
            if column is not None:
                column = column.astype(types.get(name, column.dtype), copy=False)
                made.update(f"{name} {column.dtype} {len(column)} ".encode())
                made.update(np.ascontiguousarray(column).data.cast("B"))
        return made.hexdigest()

    def blocks_of_users(self) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Yield blocks of users: the first code, their number, and the rows of their ratings."""
        n_blocks = 1 + len(self) // _BLOCK_RATINGS
        step = max(1, -(-self.n_users // n_blocks))
        starts = range(0, self.n_users, step)
        # Sorted part by part: searching all ratings for each block would be quadratic, and sorting
        # all rows at once would take twice the memory.
        parts = [
            _rows_by_block(self.users[first : first + _BLOCK_RATINGS] // step, first, len(starts))
            for first in range(0, len(self), _BLOCK_RATINGS)
        ]
        for number, start in enumerate(starts):
            own = [rows[ends[number] : ends[number + 1]] for rows, ends in parts]
            rows = np.concatenate([np.empty(0, dtype=np.int64), *own])
            yield start, min(step, self.n_users - start), rows

    def write(self, folder: Path) -> None:
        """Write ``ratings.parquet``, ``users.parquet`` and ``items.parquet`` into a folder."""
        checksums = {
            name: write_columns(folder / name, {"id": pa.array(ids.tolist(), type=pa.string())})
            for name, ids in ((USERS_FILE, self.user_ids), (ITEMS_FILE, self.item_ids))
        }
        columns: dict[str, NDArray | None] = {"user": self.users, "item": self.items}
        columns |= {"rating": self.values, "timestamp": self.timestamps, "known": self.known}
        present = {name: column for name, column in columns.items() if column is not None}
        metadata = {**checksums, _EVENTS: str(self.events)}
        write_columns(folder / RATINGS_FILE, present, metadata, _TYPES)

    @staticmethod
    def sizes(folder: Path) -> tuple[int, int]:
        """Return the numbers of users and items of a written table, without reading its rows."""
        return count_rows(folder / USERS_FILE), count_rows(folder / ITEMS_FILE)

    @classmethod
    def read(cls, folder: Path) -> Ratings:
        """Read a table that :meth:`write` wrote; refuse files that changed or are of another."""
        table, metadata = read_columns(folder / RATINGS_FILE, _TYPES)
        columns = {name: values_of(table.column(name)) for name in table.column_names}

        def ids(name: str) -> NDArray[np.str_]:
            own, described = read_columns(folder / name, {"id": (pa.string(),)})
            if metadata.get(name) != described["checksum"]:
                raise DamagedFileError(folder / name, f"it belongs to another {RATINGS_FILE}")
            return np.array(own.column("id").to_pylist(), dtype=np.str_)

        return cls(
            users=columns["user"],
            items=columns["item"],
            values=columns["rating"],
            user_ids=ids(USERS_FILE),
            item_ids=ids(ITEMS_FILE),
            timestamps=columns.get("timestamp"),
            known=columns.get("known"),
            events=metadata.get(_EVENTS) == str(True),
            # Written tables have been checked.
            checked=True,
        )


def table_folder(files: Sequence[Path]) -> Path:
    """Return the folder of a written table, given all its files, which a job must declare."""
    folders = {path.parent for path in files}
    names = tuple(path.name for path in files)
    if len(folders) != 1 or names != TABLE_FILES:
        raise ValueError(
            f"The declared files of ratings are {', '.join(map(str, files)) or 'none'}. They must "
            f"be {', '.join(TABLE_FILES)}, in this order and in one folder."
        )
    return folders.pop()


def coded_in_order(
    codes: NDArray[np.int32], ids: NDArray[np.str_]
) -> tuple[NDArray[np.int32], NDArray[np.str_]]:
    """Return codes in the order of identifiers, and the identifiers; unchanged if already so."""
    if (ids[1:] >= ids[:-1]).all():
        return codes, ids
    order = np.argsort(ids, kind="stable")
    code_of = np.empty(len(ids), dtype=np.int32)
    code_of[order] = np.arange(len(ids), dtype=np.int32)
    return code_of[codes], ids[order]


def _rows_in_order(
    users: NDArray[np.int32], items: NDArray[np.int32], columns: Sequence[NDArray[Any] | None]
) -> NDArray[np.int64] | None:
    """Return the row order by user, item and the other columns, or None if already so."""
    same_user = users[1:] == users[:-1]
    if ((users[1:] > users[:-1]) | (same_user & (items[1:] > items[:-1]))).all():
        return None
    by_item, users_by_item = ordered_by(items, users)
    order = ordered_by(users_by_item, by_item)[1].astype(np.int64)
    of_users, of_items = users[order], items[order]
    again = (of_users[1:] == of_users[:-1]) & (of_items[1:] == of_items[:-1])
    if again.any():
        several = np.r_[again, False] | np.r_[False, again]
        pairs = np.cumsum(~np.r_[False, again][several])
        own = order[several]
        keys = [column[own] for column in columns[::-1] if column is not None]
        order[several] = own[np.lexsort([*keys, pairs])]
        if (order[1:] > order[:-1]).all():
            return None
    return order


def ordered_by(
    codes: NDArray[np.int32], carried: NDArray[Any]
) -> tuple[NDArray[np.integer], NDArray[Any]]:
    """Return the order of non-negative codes, and another column in this order.

    Equal codes keep their order. Nothing is compared, so that it takes linear time: codes are
    counted, as a matrix with one entry per row is when it is stored by columns.
    """
    n = len(codes)
    starts = np.arange(n + 1, dtype=np.int32 if n < 2**31 - 1 else np.int64)
    shape = (n, int(codes.max(initial=0)) + 1)
    by_code = csr_array((carried, codes, starts), shape=shape).tocsc()
    return by_code.indices, by_code.data


def _rows_by_block(
    block_of: NDArray[np.integer], first: int, n_blocks: int
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Return the rows ordered by block, and where the rows of each block end, starting with 0."""
    # numpy sorts such narrow integers with a radix sort, in linear time.
    narrow = block_of.astype(np.uint8 if n_blocks <= 256 else np.uint16)
    order = np.argsort(narrow, kind="stable") + first
    ends = np.r_[0, np.bincount(narrow, minlength=n_blocks)].cumsum()
    return order.astype(np.int32 if first < 2**31 - _BLOCK_RATINGS else np.int64), ends


def summed_matrix(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    values: ArrayLike,
    shape: tuple[int, int],
) -> csr_array:
    """Return a float32 matrix with sorted indices; repeated pairs are summed, zeros are kept."""
    matrix = coo_array((np.asarray(values, dtype=np.float32), (users, items)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix


def finite_in_single_precision(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are finite in float32, as matrices store them."""
    largest = np.finfo(np.float32).max
    # Usually all are, and checking the minimum and maximum takes a third of the time.
    if values.dtype.kind != "f" or (
        values.size and -largest <= values.min() and values.max() <= largest
    ):
        return np.ones(values.shape, dtype=np.bool_)
    return np.asarray(np.abs(values) <= largest)


def checked_codes(name: str, codes: ArrayLike, size: int) -> NDArray[np.integer]:
    """Return codes as an array, after checking that they are integers from 0 to below a size."""
    array = np.asarray(codes)
    if not array.size:
        return array.astype(np.int32)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"The column {name} has the type {array.dtype}. Codes must be integers from 0."
        )
    if array.min() < 0 or array.max() >= size:
        raise ValueError(
            f"The column {name} holds codes from {array.min()} to {array.max()}, but they must lie "
            f"in 0..{size - 1}."
        )
    return array


def first_repeat(keys: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the positions of the first repeated key and of its first occurrence, or None."""
    # Most tables are in order, and then have no repeat.
    if (keys[1:] > keys[:-1]).all():
        return None
    in_order = np.sort(keys)
    if not (in_order[1:] == in_order[:-1]).any():
        return None
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    first = repeats[np.argmin(order[repeats + 1])]
    return int(order[first + 1]), int(order[first])


def _first_repeated_pair(ratings: Ratings) -> tuple[int, int] | None:
    """Return the first row that repeats a pair, and the row that has the pair first, or None."""
    for _, _, rows in ratings.blocks_of_users():
        keys = ratings.users[rows].astype(np.int64) * ratings.n_items + ratings.items[rows]
        if ratings.known is not None:
            keys = 2 * keys + ratings.known[rows]
        found = first_repeat(keys)
        if found is not None:
            return int(rows[found[0]]), int(rows[found[1]])
    return None


_CHECKSUM = "checksum"

# Marks the checksum, so that it is found without parsing the file.
_CHECKSUM_MARK = "receval sha256 "
_CHECKSUM_LENGTH = hashlib.sha256().digest_size * 2
_NO_CHECKSUM = b"0" * _CHECKSUM_LENGTH

# More bytes than the metadata at the end of any table.
_TAIL_BYTES = 2**20


def write_columns(
    path: Path,
    columns: Mapping[str, NDArray | pa.Array],
    metadata: Mapping[str, str] | None = None,
    types: Mapping[str, tuple[Any, ...]] | None = None,
) -> str:
    """Write columns of equal length as parquet, in one step, and return the file's checksum.

    With types, as for :func:`read_columns`, a column of another type is converted to the first one.
    """
    table = pa.table(dict(columns))
    for at, column in enumerate(table.schema):
        allowed = types[column.name] if types is not None else (column.type,)
        if column.type not in allowed:
            table = table.set_column(at, column.name, table.column(at).cast(allowed[0]))
    sink = pa.BufferOutputStream()
    # Arrow's own schema adds nothing to parquet's types.
    with pq.ParquetWriter(
        sink, table.schema, compression="zstd", write_page_checksum=True, store_schema=False
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(
            {**(metadata or {}), _CHECKSUM: f"{_CHECKSUM_MARK}{_NO_CHECKSUM.decode()}"}
        )
    content = bytearray(sink.getvalue())
    start = _checksum_place(content)
    checksum = hashlib.sha256(content).hexdigest()
    content[start : start + _CHECKSUM_LENGTH] = checksum.encode()
    write_atomically(path, content)
    return checksum


def read_columns(
    path: Path, types: Mapping[str, tuple[Any, ...]]
) -> tuple[pa.Table, dict[str, str]]:
    """Read a table that :func:`write_columns` wrote, and its metadata with the ``checksum``.

    ``types`` has the types that each column may have; they include None if it may be absent. A file
    that is not as it was written, or has other columns, is refused as damaged.
    """
    with refusing_damage(path):
        content = _verified(path)
        file = pq.ParquetFile(content, page_checksum_verification=True)
        # Column by column: combining all at once would hold everything twice in memory.
        names = file.schema_arrow.names
        table = pa.table(
            {name: _in_one_piece(file.read([name], use_threads=False).column(0)) for name in names}
        )
        metadata = {
            key.decode(): value.decode().removeprefix(_CHECKSUM_MARK)
            for key, value in file.metadata.metadata.items()
        }
    absent = [name for name, allowed in types.items() if name not in table.column_names]
    for name in absent:
        if None not in types[name]:
            raise DamagedFileError(path, f"it has no column {name}")
    for column in table.schema:
        if column.type not in types.get(column.name, ()):
            raise DamagedFileError(path, f"it has a column {column.name} of type {column.type}")
        if table.column(column.name).null_count:
            raise DamagedFileError(path, f"its column {column.name} has gaps")
    return table, metadata


def count_rows(path: Path) -> int:
    """Return the number of rows of a table without reading them."""
    with refusing_damage(path):
        return int(pq.read_metadata(_verified(path)).num_rows)


def values_of(column: pa.ChunkedArray) -> NDArray:
    """Return a column of numbers or booleans as an array.

    Arrow's own conversion imports pandas, which takes longer than most jobs of the demo and which
    jobs that train or rank do not need.
    """
    array = _in_one_piece(column)
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).astype(np.bool_)
    return np.from_dlpack(array)


def _in_one_piece(column: pa.ChunkedArray) -> pa.Array:
    # Arrow would copy even a single chunk.
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _verified(path: Path) -> pa.BufferReader:
    """Verify the checksum of a file, and open its bytes without copying them."""
    buffer = pa.memory_map(str(path)).read_buffer()
    content = memoryview(buffer)
    start = _checksum_place(content)
    digest = hashlib.sha256(content[:start])
    digest.update(_NO_CHECKSUM)
    digest.update(content[start + _CHECKSUM_LENGTH :])
    if content[start : start + _CHECKSUM_LENGTH] != digest.hexdigest().encode():
        raise ValueError("its bytes do not match the checksum that was written with them")
    return pa.BufferReader(buffer)


def _checksum_place(content: bytearray | memoryview) -> int:
    """Return where the checksum begins: in the metadata at the end of the file."""
    tail = max(0, len(content) - _TAIL_BYTES)
    found = bytes(content[tail:]).rfind(_CHECKSUM_MARK.encode())
    if found < 0:
        raise ValueError("it has no checksum, unlike files that receval has written")
    return tail + found + len(_CHECKSUM_MARK)
