"""The canonical table of ratings: what every dataset becomes, whatever its raw format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from receval.storage.damage import DamagedFileError
from receval.storage.tables import count_rows, read_columns, write_columns

RATINGS_FILE = "ratings.parquet"
USERS_FILE = "users.parquet"
ITEMS_FILE = "items.parquet"

TABLE_FILES = (RATINGS_FILE, USERS_FILE, ITEMS_FILE)
"""The files of a written table, which lie in one folder."""

# Those of the columns of a written table; None where there may be no such column.
_TYPES = {
    "user": (pa.int32(),),
    "item": (pa.int32(),),
    "rating": (pa.float32(), pa.int8()),
    "timestamp": (pa.int64(), pa.int32(), None),
    "known": (pa.bool_(), None),
}

# Ratings summed at a time: all pairs of a hundred million at once take gigabytes.
_BLOCK_RATINGS = 2**22


@dataclass(frozen=True)
class Ratings:
    """The ratings of one dataset in the order of its raw file, ids coded from 0.

    Attributes
    ----------
    users, items : ndarray of int32, shape (n_ratings,)
        Codes in ``0..n_users-1`` and ``0..n_items-1``.
    values : ndarray of float32 or int8, shape (n_ratings,)
        Ratings on the dataset's scale; 1 per play for event data.
    timestamps : ndarray of int64 or int32, shape (n_ratings,), or None
        Seconds since 1970-01-01 UTC; None where the raw variant has none.
    known : ndarray of bool, shape (n_ratings,), or None
        True where the user chose or already knew the item (missing not at random), False where
        the item was drawn for the user (missing at random). None where the data does not say.
    user_ids, item_ids : ndarray of str, shapes (n_users,) and (n_items,)
        Raw identifiers by code.

    Notes
    -----
    A pair (user, item) may occur more than once only in event data (plays); splits sum such rows.

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
    timestamps: NDArray[np.int64] | NDArray[np.int32] | None = None
    known: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        columns: dict[str, NDArray] = {"items": self.items, "values": self.values}
        if self.timestamps is not None:
            columns["timestamps"] = self.timestamps
        if self.known is not None:
            columns["known"] = self.known
        for name, column in columns.items():
            if column.shape != self.users.shape:
                raise ValueError(
                    f"The column {name} has shape {column.shape}, but users has "
                    f"{self.users.shape}: every column needs one entry per rating."
                )
        for name, codes, ids in (
            ("users", self.users, self.user_ids),
            ("items", self.items, self.item_ids),
        ):
            if codes.size and (codes.min() < 0 or codes.max() >= len(ids)):
                raise ValueError(
                    f"The column {name} holds codes from {codes.min()} to {codes.max()}, "
                    f"but there are {len(ids)} identifiers: codes must lie in 0..{len(ids) - 1}."
                )

    def __len__(self) -> int:
        return len(self.users)

    @property
    def n_users(self) -> int:
        """Number of users, with or without ratings in some split."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """Number of items, with or without ratings in some split."""
        return len(self.item_ids)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Ratings:
        """Return the ratings of some rows; codes and identifiers stay as they are."""
        return Ratings(
            users=self.users[rows],
            items=self.items[rows],
            values=self.values[rows],
            user_ids=self.user_ids,
            item_ids=self.item_ids,
            timestamps=None if self.timestamps is None else self.timestamps[rows],
            known=None if self.known is None else self.known[rows],
        )

    def write(self, folder: Path) -> None:
        """Write ``ratings.parquet``, ``users.parquet`` and ``items.parquet`` into a folder."""
        checksums = {
            name: write_columns(folder / name, {"id": pa.array(ids.tolist(), type=pa.string())})
            for name, ids in ((USERS_FILE, self.user_ids), (ITEMS_FILE, self.item_ids))
        }
        columns: dict[str, NDArray] = {
            "user": self.users,
            "item": self.items,
            "rating": self.values,
        }
        if self.timestamps is not None:
            columns["timestamp"] = self.timestamps
        if self.known is not None:
            columns["known"] = self.known
        write_columns(folder / RATINGS_FILE, columns, checksums)

    @staticmethod
    def sizes(folder: Path) -> tuple[int, int]:
        """Return the numbers of users and items of a written table, without reading its rows."""
        return count_rows(folder / USERS_FILE), count_rows(folder / ITEMS_FILE)

    @classmethod
    def read(cls, folder: Path) -> Ratings:
        """Read what :meth:`write` wrote.

        Raises
        ------
        DamagedFileError
            A file is not as it was written, or is that of another table.
        """
        table, checksums = read_columns(folder / RATINGS_FILE, _TYPES)
        names = set(table.column_names)

        def column(name: str) -> NDArray:
            return _as_array(table.column(name).combine_chunks())

        def ids(name: str) -> NDArray[np.str_]:
            own, metadata = read_columns(folder / name, {"id": (pa.string(),)})
            if checksums.get(name) != metadata["checksum"]:
                raise DamagedFileError(folder / name, f"it belongs to another {RATINGS_FILE}")
            return np.array(own.column("id").to_pylist(), dtype=np.str_)

        return cls(
            users=column("user"),
            items=column("item"),
            values=column("rating"),
            user_ids=ids(USERS_FILE),
            item_ids=ids(ITEMS_FILE),
            timestamps=column("timestamp") if "timestamp" in names else None,
            known=column("known") if "known" in names else None,
        )


def table_folder(files: Sequence[Path]) -> Path:
    """Return the folder of a written table, given all its files.

    Raises
    ------
    ValueError
        These are not the files of one table: a job that reads one must declare them all.
    """
    folders = {path.parent for path in files}
    names = tuple(path.name for path in files)
    if len(folders) != 1 or names != TABLE_FILES:
        raise ValueError(
            f"The ratings of a dataset are {', '.join(TABLE_FILES)}, in this order and in one "
            f"folder; declared are {', '.join(map(str, files)) or 'none'}."
        )
    return folders.pop()


def summed_matrix(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    values: ArrayLike,
    shape: tuple[int, int],
) -> csr_array:
    """Return a float32 matrix with sorted indices; repeated pairs are summed, zeros stay."""
    matrix = coo_array((np.asarray(values, dtype=np.float32), (users, items)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix


def positive_counts(ratings: Ratings, threshold: float) -> NDArray[np.int64]:
    r"""Return the number of users who like each item, :math:`|PR(i)|`, shape (n_items,).

    Parameters
    ----------
    ratings : Ratings
        The values of a repeated pair, such as plays, are summed.
    threshold : float
        A pair whose value reaches it is positive.
    """
    return positives_and_highest(ratings, threshold)[0]


def positives_and_highest(ratings: Ratings, threshold: float) -> tuple[NDArray[np.int64], float]:
    """Return the positive counts and the highest value of a pair, in one pass.

    Parameters and counts are those of :func:`positive_counts`; without ratings the highest value is
    minus infinity.
    """
    counts = np.zeros(ratings.n_items, dtype=np.int64)
    highest = -np.inf
    for pairs in _pairs_of_blocks(ratings):
        positive = pairs.indices[pairs.data >= threshold]
        counts += np.bincount(positive, minlength=ratings.n_items)
        highest = max(highest, float(pairs.data.max(initial=-np.inf)))
    return counts, highest


def _as_array(column: pa.Array) -> NDArray:
    """Return a column of numbers or of truth values.

    Arrow's own conversion, like its reader of datasets, imports pandas, which takes longer than
    most jobs of the demo and is needed by none that trains or ranks.
    """
    if pa.types.is_boolean(column.type):
        return np.from_dlpack(column.cast(pa.uint8())).astype(np.bool_)
    return np.from_dlpack(column)


def _pairs_of_blocks(ratings: Ratings) -> Iterator[csr_array]:
    """Yield the summed ratings of some users after others."""
    n_blocks = 1 + len(ratings) // _BLOCK_RATINGS
    step = -(-ratings.n_users // n_blocks)
    for start in range(0, ratings.n_users, step):
        size = min(step, ratings.n_users - start)
        rows = (ratings.users >= start) & (ratings.users < start + size)
        yield summed_matrix(
            ratings.users[rows] - start,
            ratings.items[rows],
            ratings.values[rows],
            (size, ratings.n_items),
        )
