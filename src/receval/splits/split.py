# SPDX-License-Identifier: MIT
"""A split: for every fold, what each rating is used for; and the judgments it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

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
from receval.splits.part_matrices import matrices_of
from receval.splits.storage import StoredCodes, write_codes
from receval.splits.train_order import by_appearance

TRAIN = 1
"""Bit of the ratings that systems learn from."""

TEST = 2
"""Bit of the ratings that judge the systems."""

UNBIASED = 4
"""Bit of the ratings of randomly drawn items, which judge the systems without selection bias."""

Metadatum = int | float | str | tuple[float, ...]


@dataclass(frozen=True)
class Split:
    """One assignment of the ratings of a dataset to train and test, in one or more folds.

    Attributes
    ----------
    codes : sequence of ndarray of uint8, shape (n_ratings,)
        One array per fold, aligned with the rows of the ratings: a sum of the bits ``TRAIN``,
        ``TEST`` and ``UNBIASED``, or 0 for a rating that the fold leaves out. A rating that trains
        never tests.
    metadata : mapping of str to int, float, str or tuple of float
        What is worth knowing about the split as a whole, such as ``target_items``.

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

    def write(self, path: Path) -> None:
        """Write the split into one ``.npz`` file; see :mod:`receval.splits.storage`."""
        write_codes(path, self.codes, self.metadata)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open a file that :meth:`write` wrote; no fold is loaded before it is asked for."""
        stored = StoredCodes(path)
        return cls(codes=stored, metadata=stored.metadata)


def check_codes(codes: NDArray[np.uint8], number: int) -> None:
    """Raise a ValueError if a rating of a fold has an unknown use, or both trains and tests."""
    allowed = np.zeros(256, dtype=bool)
    allowed[[0, TRAIN, TEST, UNBIASED, TEST | UNBIASED]] = True
    wrong = ~allowed[codes]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"Rating {row} of fold {number} has the code {codes[row]}: a rating trains "
            f"({TRAIN}), tests ({TEST}, {UNBIASED} or their sum) or is left out (0)."
        )


@dataclass(frozen=True)
class Judgments:
    """Judged items per user, sorted by item: a sparse matrix that keeps its zeros.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_users + 1,)
        The judgments of user u lie in ``indptr[u]:indptr[u + 1]``.
    items : ndarray of int32, shape (n_judgments,)
        Item codes, ascending within a user and without repetition.
    values : ndarray of float32, shape (n_judgments,)
        Ratings on the dataset's scale, or numbers of plays.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        checked_codes("items", self.items, np.iinfo(np.int32).max)
        ends = np.asarray(self.indptr)
        if not np.issubdtype(ends.dtype, np.integer):
            raise ValueError(
                f"The ends of users' judgments are {ends.dtype}, and must be whole numbers."
            )
        if len(self.values) != len(self.items) or not len(ends) or ends[-1] != len(self.items):
            raise ValueError(
                f"{len(self.items)} items have {len(self.values)} values, and users' judgments end "
                f"at {ends[-1:].tolist()}: these numbers must be the same."
            )
        behind = np.flatnonzero(np.diff(self.items) <= 0) + 1
        if ends[0] != 0 or (np.diff(ends) < 0).any() or not np.isin(behind, ends).all():
            raise ValueError(
                "Judgments are not in order: users' parts follow one another, and within each the "
                "items ascend without repetition (Judgments.from_pairs sorts them)."
            )
        unknown = np.flatnonzero(~finite_in_single_precision(np.asarray(self.values)))
        if len(unknown):
            user, item, value = (a[unknown[0]] for a in (self.users, self.items, self.values))
            raise ValueError(
                f"The judgment of the item {item} by the user {user} is {value}, and must be a "
                "finite number of single precision: leave it out, or correct it."
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

        Parameters
        ----------
        users, items : array_like of int, shape (n,)
        values : array_like of float, shape (n,)
        n_users : int
        events : bool
            Whether each value is one of several of its pair, such as a play: they are summed.

        Raises
        ------
        ValueError
            Codes are no integers in range, a value is not finite, or a pair has several values.

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
                f"The judgments {repeat[1] + 1} and {repeat[0] + 1} are of the same user and item: "
                "leave one out, or say events=True if they are to be summed."
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
        """Return the judgments as a float32 matrix, shape (n_users, n_items); zeros stay."""
        return csr_array((self.values, self.items, self.indptr), shape=(self.n_users, n_items))

    @property
    def users(self) -> NDArray[np.int32]:
        """User code of each judgment, ascending, shape (n_judgments,)."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True)
class Fold:
    """One fold of a split, ready for training and ranking.

    Attributes
    ----------
    train : csr_array of float32, shape (n_users, n_items)
        Training values, indices sorted; an explicit zero is a rating of zero.
    test : Judgments
        Test ratings.
    unbiased : Judgments or None
        Ratings of randomly drawn items, where the data has such ratings.
    users_by_appearance, items_by_appearance : ndarray of int32, shapes (n_users,) and (n_items,)
        The users and the items as the train file first mentions them, then those without training
        ratings. Its rows are in the order of the raw file, or in another that the split's metadata
        name as ``train_order`` (:mod:`receval.splits.train_order`).
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


def fold(ratings: Ratings, split: Split, number: int) -> Fold:
    """Return the training matrix and the judgments of one fold.

    Parameters
    ----------
    ratings : Ratings
        The table that the split was made for. The plays of a pair are summed in train and in test.
    split : Split
    number : int
        Fold, from 0.

    Raises
    ------
    ValueError
        If there is no such fold or the split was made for another table.

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
            f"There is no fold {number}: the split has the folds 0 to {split.n_folds - 1}."
        )
    if split.n_ratings != len(ratings):
        raise ValueError(
            f"The split was made for {split.n_ratings} ratings, but the table has "
            f"{len(ratings)}: make the split again from this table."
        )
    codes = split.codes[number]
    trains, tests, unbiased = ((codes & bit) > 0 for bit in (TRAIN, TEST, UNBIASED))
    tested_in = ((other & TEST) > 0 for other in split.codes)
    users_met, items_met = by_appearance(ratings, trains, tested_in, split.metadata)
    parts = (trains, tests, unbiased) if unbiased.any() else (trains, tests)
    train, *judged = matrices_of(ratings, parts)
    test, *others = (
        _judgments(ratings, chosen, matrix)
        for chosen, matrix in zip(parts[1:], judged, strict=True)
    )
    return Fold(
        train=train,
        test=test,
        unbiased=others[0] if others else None,
        users_by_appearance=users_met,
        items_by_appearance=items_met,
    )


def _judgments(ratings: Ratings, chosen: NDArray[np.bool_], matrix: csr_array) -> Judgments:
    if not ratings.events and matrix.nnz < np.count_nonzero(chosen):
        # The message names the judgments that are of one pair.
        parts = (ratings.users[chosen], ratings.items[chosen], ratings.values[chosen])
        return Judgments.from_pairs(*parts, ratings.n_users)
    return Judgments(
        indptr=matrix.indptr.astype(np.int64),
        items=matrix.indices.astype(np.int32, copy=False),
        values=matrix.data,
    )
