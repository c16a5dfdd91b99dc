# SPDX-License-Identifier: MIT
"""The data structure of a split, its file format, and the train and test data of its folds.

LibRec numbers users and items in the order in which its train file first mentions them, and breaks
ties by that order, so a fold can keep the order of rows in its train file (:class:`Fold`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from receval.data.ratings import (
    Ratings,
    checked_codes,
    finite_in_single_precision,
    first_repeat,
    summed_matrix,
)
from receval.storage.archives import Archive, write_archive
from receval.storage.files import DamagedFileError, refusing_damage

TRAIN_ORDERS = ("rows", "folds", "least-liked-first", "time", "last-users-first")

# Rows processed together, so that intermediate results take only a few MiB.
_BLOCK_ROWS = 2**20


def order_by_time(ratings: Ratings) -> str:
    """Return the name of the order of a train file that was sorted by time.

    Without timestamps it is ``"last-users-first"``: in MovieLens 1M, late users have low numbers,
    so that this order is closer to time than the raw file.
    """
    return "last-users-first" if ratings.timestamps is None else "time"


def in_train_order(
    rows: NDArray[np.int64],
    ratings: Ratings,
    tested_in: Iterable[NDArray[np.bool_]],
    metadata: Mapping[str, Any],
) -> NDArray[np.int64]:
    """Sort the rows of a train file, given in ascending order.

    The metadatum ``train_order`` of the split is one of

    - ``"rows"``: the order of the raw file;
    - ``"folds"``: the other folds one after the other, whose test ratings ``tested_in`` marks;
    - ``"least-liked-first"``: the same, each fold from the item with the fewest ratings of at
      least the metadatum ``relevant_from`` to the one with the most;
    - ``"time"``: by timestamp;
    - ``"last-users-first"``: from the last user of the raw file to the first.

    Rows that are tied in this order stay in the order of the raw file.
    """
    name = metadata["train_order"]
    if name not in TRAIN_ORDERS:
        raise ValueError(
            f"The order of the split's train file is '{name}'. It must be one of {TRAIN_ORDERS}. "
            "Make the split again."
        )
    if name == "time":
        assert ratings.timestamps is not None
        return rows[np.argsort(ratings.timestamps[rows], kind="stable")]
    if name == "last-users-first":
        return rows[np.argsort(-ratings.users[rows].astype(np.int64), kind="stable")]
    if name == "least-liked-first":
        liked = ratings.items[ratings.values >= metadata["relevant_from"]]
        position = np.empty(ratings.n_items, dtype=np.int64)
        counts = np.bincount(liked, minlength=ratings.n_items)
        position[np.argsort(counts, kind="stable")] = np.arange(ratings.n_items)
        rows = rows[np.argsort(position[ratings.items[rows]], kind="stable")]
    if name != "rows":
        fold_of_rating = np.zeros(len(ratings), dtype=np.uint8)
        for number, tested in enumerate(tested_in):
            fold_of_rating[tested] = number
        rows = rows[np.argsort(fold_of_rating[rows], kind="stable")]
    return rows


def by_appearance(
    ratings: Ratings,
    trains: NDArray[np.bool_],
    tested_in: Iterable[NDArray[np.bool_]],
    metadata: Mapping[str, Any],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return users and items in the order in which the train file mentions them first.

    Those that it does not mention come last, in the order of their codes. ``trains`` marks the
    ratings in the train file; without the metadatum ``train_order`` they are in the order of the
    raw file.
    """
    first_of_user = np.full(ratings.n_users, len(trains), dtype=np.int64)
    first_of_item = np.full(ratings.n_items, len(trains), dtype=np.int64)
    in_file = None
    if "train_order" in metadata:
        in_file = in_train_order(np.flatnonzero(trains), ratings, tested_in, metadata)
    size = len(trains) if in_file is None else len(in_file)
    # Written from the last row to the first, so that the first mention is kept.
    for end in range(size, 0, -_BLOCK_ROWS):
        start = max(0, end - _BLOCK_ROWS)
        if in_file is None:
            rows = start + np.flatnonzero(trains[start:end])[::-1]
            places = rows
        else:
            rows = in_file[start:end][::-1]
            places = np.arange(end - 1, start - 1, -1)
        first_of_user[ratings.users[rows]] = places
        first_of_item[ratings.items[rows]] = places
    users, items = (
        np.argsort(first, kind="stable").astype(np.int32)
        for first in (first_of_user, first_of_item)
    )
    return users, items


TRAIN = 1
"""Bit of the ratings that systems train on."""

TEST = 2
"""Bit of the test ratings."""

UNBIASED = 4
"""Bit of the ratings of randomly drawn items, a test without selection bias."""

VALIDATION = 8
"""Bit of the ratings that are set aside for tuning: they neither train nor test."""

FOLD_IN = 16
"""Bit of the ratings of held-out users that systems are given after training."""

KNOWN_BEFORE = TRAIN | FOLD_IN
"""Bits of the ratings that a system knows when it recommends."""

Metadatum = int | float | str | tuple[float, ...]


# A split is stored with a few bits per rating and fold. Each fold can be read on its own.
#
# The file is a ``.npz`` archive with these members:
#
# ``palette``
#     The distinct codes of the split, ascending, uint8.
# ``n_ratings``
#     Number of ratings, int64.
# ``metadata``
#     The split's metadata as UTF-8 JSON, uint8.
# ``fold0``, ``fold1``, ...
#     Position in the palette of each rating's code, in ceil(log2(len(palette))) bit planes, least
#     significant first, each packed eight ratings to a byte: uint8 of shape (planes, bytes). A
#     split into train and test alone takes one bit per rating and fold before compression.
#
# Equal splits give equal bytes (:func:`receval.storage.archives.write_archive`).

_BESIDE_FOLDS = ("palette", "n_ratings", "metadata")


class StoredCodes(Sequence[NDArray[np.uint8]]):
    """The codes of a stored split; each fold is read from the file when it is accessed.

    A file that :func:`write_codes` did not write is refused, here or when a fold is accessed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with Archive(path) as archive:
            self._palette: NDArray[np.uint8] = archive.array("palette", np.uint8, (None,))
            self.n_ratings = int(archive.array("n_ratings", np.int64, ()))
            encoded = archive.array("metadata", np.uint8, (None,)).tobytes()
            self._n_folds = sum(name.startswith("fold") for name in archive.names)
            archive.check_names((*_BESIDE_FOLDS, *map(_fold, range(self._n_folds))))
        with refusing_damage(path):
            self.metadata: dict[str, Metadatum] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in json.loads(encoded).items()
            }

    def __len__(self) -> int:
        return self._n_folds

    @overload
    def __getitem__(self, number: int) -> NDArray[np.uint8]: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[NDArray[np.uint8], ...]: ...

    def __getitem__(self, number: int | slice) -> NDArray[np.uint8] | tuple[NDArray[np.uint8], ...]:
        if isinstance(number, slice):
            return tuple(self[position] for position in range(*number.indices(len(self))))
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self.path} holds {len(self)} folds, numbered from 0.")
        planes = self._planes(number % len(self))
        positions = np.zeros(self.n_ratings, dtype=np.uint8)
        for significance, plane in enumerate(planes):
            positions |= np.unpackbits(plane, count=self.n_ratings) << significance
        if positions.max(initial=0) >= len(self._palette) > 0:
            raise DamagedFileError(self.path, f"fold {number} has codes that no rating can have")
        return self._palette[positions]

    def _planes(self, number: int) -> NDArray[np.uint8]:
        """Read the bit planes of one fold, shape (planes, bytes)."""
        shape = (_n_planes(self._palette), _n_bytes(self.n_ratings))
        with Archive(self.path) as archive:
            return archive.array(_fold(number), np.uint8, shape)

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[number] for number in range(len(self)))


def write_codes(
    path: Path, codes: Sequence[NDArray[np.uint8]], metadata: Mapping[str, Metadatum]
) -> None:
    """Write the codes of each fold and the metadata of a split atomically."""
    used = np.zeros(256, dtype=bool)
    n_ratings = 0
    for fold_codes in codes:
        used |= np.bincount(fold_codes, minlength=256) > 0
        n_ratings = len(fold_codes)
    palette = np.flatnonzero(used).astype(np.uint8)
    position_of_code = np.zeros(256, dtype=np.uint8)
    position_of_code[palette] = np.arange(len(palette))
    n_planes = _n_planes(palette)
    arrays: dict[str, NDArray[np.generic]] = {
        "palette": palette,
        "n_ratings": np.array(n_ratings, dtype=np.int64),
        "metadata": np.frombuffer(
            json.dumps(dict(metadata), sort_keys=True).encode(), dtype=np.uint8
        ),
    }
    for number, fold_codes in enumerate(codes):
        positions = position_of_code[fold_codes]
        planes = np.empty((n_planes, _n_bytes(n_ratings)), dtype=np.uint8)
        for significance in range(n_planes):
            planes[significance] = np.packbits((positions >> significance) & 1)
        arrays[_fold(number)] = planes
    write_archive(path, arrays)


def _fold(number: int) -> str:
    return f"fold{number}"


def _n_planes(palette: NDArray[np.uint8]) -> int:
    return max(len(palette) - 1, 0).bit_length()


def _n_bytes(n_ratings: int) -> int:
    return (n_ratings + 7) // 8


@dataclass(frozen=True)
class Split:
    """The assignment of ratings to train and test, in one or more folds.

    Attributes
    ----------
    codes : sequence of ndarray of uint8, shape (n_ratings,)
        One array per fold, aligned with the rows of the ratings: a sum of the bits ``TRAIN``,
        ``TEST`` and ``UNBIASED``, or ``VALIDATION`` or ``FOLD_IN`` alone, or 0 for a rating that
        the fold leaves out. A rating that trains never tests.
    metadata : mapping of str to int, float, str or tuple of float
        Facts about the split as a whole, such as ``target_items``.

    Raises
    ------
    ValueError
        If there is no fold, the folds differ in length, or a rating both trains and tests.
    """

    codes: Sequence[NDArray[np.uint8]]
    metadata: Mapping[str, Metadatum] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.codes):
            raise ValueError("A split needs at least one fold, but it has none.")
        if isinstance(self.codes, StoredCodes):
            return
        for number, codes in enumerate(self.codes):
            if codes.dtype != np.uint8 or codes.shape != (len(self.codes[0]),):
                raise ValueError(
                    f"Fold {number} has codes of type {codes.dtype} and shape {codes.shape}, "
                    f"but one uint8 per rating was expected, shape ({len(self.codes[0])},)."
                )
            check_codes(codes, number)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.codes)

    @property
    def n_ratings(self) -> int:
        """Number of ratings that the split was made for."""
        if isinstance(self.codes, StoredCodes):
            return self.codes.n_ratings
        return len(self.codes[0])

    def check_table(self, ratings: Ratings) -> None:
        """Refuse any table other than the one that the split was made for."""
        if self.n_ratings != len(ratings):
            raise ValueError(
                f"The split was made for {self.n_ratings} ratings, but the table has "
                f"{len(ratings)}. Make the split again from this table."
            )

    def write(self, path: Path) -> None:
        """Write the split into one ``.npz`` file; see :mod:`receval.splits.split`."""
        write_codes(path, self.codes, self.metadata)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open a file that :meth:`write` wrote; each fold is loaded when it is accessed."""
        stored = StoredCodes(path)
        return cls(codes=stored, metadata=stored.metadata)


def check_codes(codes: NDArray[np.uint8], number: int) -> None:
    """Raise a ValueError if a rating has an unknown code, or both trains and tests."""
    allowed = np.zeros(256, dtype=bool)
    allowed[[0, TRAIN, TEST, UNBIASED, TEST | UNBIASED, VALIDATION, FOLD_IN]] = True
    wrong = ~allowed[codes]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"Rating {row} of fold {number} has the code {codes[row]}. A rating must train "
            f"({TRAIN}), test ({TEST}, {UNBIASED} or their sum), validate ({VALIDATION}), be "
            f"folded in ({FOLD_IN}) or be left out (0)."
        )


@dataclass(frozen=True)
class Judgments:
    """Judged items per user, sorted by item, as a sparse matrix with explicit zeros.

    The judgments of user u lie in ``indptr[u]:indptr[u + 1]``. Item codes ascend within a user,
    without repetition; values are ratings on the dataset's scale, or numbers of plays.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        items = checked_codes("items", self.items, np.iinfo(np.int32).max)
        ends = np.asarray(self.indptr)
        if not np.issubdtype(ends.dtype, np.integer):
            raise ValueError(
                f"The ends of users' judgments have the type {ends.dtype}. They must be whole "
                "numbers."
            )
        if len(self.values) != len(self.items) or not len(ends) or ends[-1] != len(self.items):
            raise ValueError(
                f"{len(self.items)} items have {len(self.values)} values, and users' judgments end "
                f"at {ends[-1:].tolist()}. These numbers must be the same."
            )
        behind = np.flatnonzero(items[1:] <= items[:-1]) + 1
        begins = np.zeros(len(self.items) + 1, dtype=bool)
        are_ends = ends[0] == 0 and (ends[1:] >= ends[:-1]).all()
        begins[ends if are_ends else 0] = True
        if not are_ends or not begins[behind].all():
            raise ValueError(
                "Judgments are not in order. Users must follow one another, and the items of each "
                "user must ascend without repetition (Judgments.from_pairs sorts them)."
            )
        unknown = np.flatnonzero(~finite_in_single_precision(np.asarray(self.values)))
        if len(unknown):
            user, item, value = (a[unknown[0]] for a in (self.users, self.items, self.values))
            raise ValueError(
                f"The judgment of the item {item} by the user {user} is {value}. It must be a "
                "finite number of single precision. Correct it, or leave it out."
            )

    @classmethod
    def from_pairs(
        cls,
        users: ArrayLike,
        items: ArrayLike,
        values: ArrayLike,
        n_users: int,
        events: bool = False,
    ) -> Self:
        """Collect judgments in any order.

        Only with ``events`` may a pair have several values, such as plays, which are summed.

        Examples
        --------
        User 0 has no judgment, and user 1 played item 2 twice:

        >>> judgments = Judgments.from_pairs([1, 1, 1], [2, 0, 2], [1, 5, 1], 2, events=True)
        >>> judgments.indptr.tolist(), judgments.items.tolist(), judgments.values.tolist()
        ([0, 0, 2], [0, 2], [5.0, 2.0])
        """
        user_codes = checked_codes("users", users, n_users)
        item_codes = checked_codes("items", items, np.iinfo(np.int32).max)
        n_items = int(item_codes.max()) + 1 if item_codes.size else 1
        matrix = summed_matrix(user_codes, item_codes, values, (n_users, n_items))
        if not events and matrix.nnz < len(user_codes):
            repeat = first_repeat(user_codes.astype(np.int64) * n_items + item_codes)
            assert repeat is not None
            raise ValueError(
                f"The judgments {repeat[1] + 1} and {repeat[0] + 1} have the same user and item. "
                "Remove one of them, or set events=True to sum them."
            )
        return cls(
            indptr=matrix.indptr.astype(np.int64),
            items=matrix.indices.astype(np.int32, copy=False),
            values=matrix.data,
        )

    def __len__(self) -> int:
        return len(self.items)

    @property
    def n_users(self) -> int:
        """Number of users, with or without judgments."""
        return len(self.indptr) - 1

    def matrix(self, n_items: int) -> csr_array:
        """Return the judgments as a float32 matrix (n_users, n_items) with explicit zeros."""
        return csr_array((self.values, self.items, self.indptr), shape=(self.n_users, n_items))

    @property
    def users(self) -> NDArray[np.int32]:
        """User code of each judgment, ascending, shape (n_judgments,)."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True)
class Fold:
    """One fold of a split, ready for training and ranking.

    ``train`` is a float32 matrix (n_users, n_items) with sorted indices, in which an explicit zero
    is a rating of zero. ``unbiased`` holds the ratings of randomly drawn items, if the data has
    any. Users and items by appearance are in the order in which the train file first mentions them,
    then those without training ratings. The rows of the train file are in the order of the raw
    file, or in the order ``train_order`` of the split's metadata
    (:mod:`receval.splits.split`).

    If users are held out, ``fold_in`` holds the ratings that systems are given of them after
    training. They are in ``train``, too, because they are known and no candidates; systems must
    learn from :attr:`learnt`.
    """

    train: csr_array
    test: Judgments
    unbiased: Judgments | None = None
    users_by_appearance: NDArray[np.int32] = field(
        default_factory=lambda: np.empty(0, dtype=np.int32)
    )
    items_by_appearance: NDArray[np.int32] = field(
        default_factory=lambda: np.empty(0, dtype=np.int32)
    )
    fold_in: csr_array | None = None

    @property
    def learnt(self) -> csr_array:
        """The ratings that systems learn from: the training ratings without held-out users."""
        if self.fold_in is None:
            return self.train
        held_out = np.diff(self.fold_in.indptr) > 0
        rows = np.repeat(~held_out, np.diff(self.train.indptr))
        ends = np.concatenate([[0], np.cumsum(np.where(held_out, 0, np.diff(self.train.indptr)))])
        return csr_array(
            (
                self.train.data[rows],
                self.train.indices[rows],
                ends.astype(self.train.indptr.dtype),
            ),
            shape=self.train.shape,
        )


# Matrices of parts of the ratings, such as train and test, are built by blocks of users.


def matrices_of(ratings: Ratings, parts: Sequence[NDArray[np.bool_]]) -> list[csr_array]:
    """Return the float32 matrix of each part of the ratings, equal to that of ``summed_matrix``.

    Each part marks its ratings. Repeated pairs are summed, and zeros stay explicit.
    """
    filled = [_Rows(int(np.count_nonzero(chosen)), ratings) for chosen in parts]
    for start, size, rows in ratings.blocks_of_users():
        for chosen, part in zip(parts, filled, strict=True):
            own = rows[chosen[rows]]
            part.add(
                start,
                summed_matrix(
                    ratings.users[own] - start,
                    ratings.items[own],
                    ratings.values[own],
                    (size, ratings.n_items),
                ),
            )
    return [part.matrix() for part in filled]


class _Rows:
    """A sparse matrix that is filled from the first row to the last."""

    def __init__(self, most: int, ratings: Ratings) -> None:
        self._shape = (ratings.n_users, ratings.n_items)
        # The type that scipy chooses (`get_index_dtype`, which older versions do not export).
        dtype = np.int32 if max(most, *self._shape) <= np.iinfo(np.int32).max else np.int64
        self._ends = np.zeros(ratings.n_users + 1, dtype=dtype)
        self._items = np.empty(most, dtype=dtype)
        self._values = np.empty(most, dtype=np.float32)
        self._filled = 0

    def add(self, start: int, rows: csr_array) -> None:
        end = self._filled + rows.nnz
        self._items[self._filled : end] = rows.indices
        self._values[self._filled : end] = rows.data
        self._ends[start + 1 : start + 1 + rows.shape[0]] = self._filled + rows.indptr[1:]
        self._filled = end

    def matrix(self) -> csr_array:
        items, values = self._items, self._values
        if self._filled < len(items):
            items, values = items[: self._filled].copy(), values[: self._filled].copy()
        matrix = csr_array((values, items, self._ends), shape=self._shape)
        # Each block has this property; scipy would check all entries to find out.
        matrix.has_canonical_format = True
        return matrix


def fold(ratings: Ratings, split: Split, number: int) -> Fold:
    """Return the training matrix and the judgments of one fold.

    Parameters
    ----------
    ratings : Ratings
        The table that the split was made for. Plays of a pair are summed within train and within
        test.
    number : int
        Fold, from 0.

    Raises
    ------
    ValueError
        There is no such fold, the split was made for another table, or a part has a pair twice that
        is no event.

    Examples
    --------
    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ... )
    >>> split = Split((np.array([TRAIN, TEST, TRAIN], dtype=np.uint8),))
    >>> first = fold(ratings, split, 0)
    >>> first.train.toarray().tolist(), first.test.matrix(n_items=2).toarray().tolist()
    ([[5.0, 0.0], [0.0, 4.0]], [[0.0, 2.0], [0.0, 0.0]])
    """
    if not 0 <= number < split.n_folds:
        raise ValueError(
            f"There is no fold {number}. The split has the folds 0 to {split.n_folds - 1}."
        )
    split.check_table(ratings)
    codes = split.codes[number]
    trains, tests, unbiased = ((codes & bits) > 0 for bits in (KNOWN_BEFORE, TEST, UNBIASED))
    folds_in = codes == FOLD_IN
    tested_in = ((other & TEST) > 0 for other in split.codes)
    users_met, items_met = by_appearance(ratings, trains, tested_in, split.metadata)
    parts = (trains, tests, unbiased) if unbiased.any() else (trains, tests)
    train, *judged = matrices_of(ratings, parts)
    for chosen, matrix in zip(parts, (train, *judged), strict=True):
        if not ratings.events and matrix.nnz < np.count_nonzero(chosen):
            # A pair may be rated once for each value of ``known``; the error names it.
            pairs = (ratings.users[chosen], ratings.items[chosen], ratings.values[chosen])
            Judgments.from_pairs(*pairs, ratings.n_users)
    test, *others = map(_judgments, judged)
    return Fold(
        train=train,
        test=test,
        unbiased=others[0] if others else None,
        users_by_appearance=users_met,
        items_by_appearance=items_met,
        fold_in=matrices_of(ratings, [folds_in])[0] if folds_in.any() else None,
    )


def _judgments(matrix: csr_array) -> Judgments:
    return Judgments(
        indptr=matrix.indptr.astype(np.int64),
        items=matrix.indices.astype(np.int32, copy=False),
        values=matrix.data,
    )
