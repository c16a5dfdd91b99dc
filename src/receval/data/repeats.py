# SPDX-License-Identifier: MIT
"""Encode identifiers of users and items, and merge or refuse repeated pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from receval.data.ratings import checked_codes, first_repeat

if TYPE_CHECKING:
    # This imports pydantic, which is slow and not needed to read a table.
    from receval.spec_types import Duplicates

_LARGEST = np.iinfo(np.int64).max


class IdentifierEncoder:
    """Gives each identifier the next code when it is first seen.

    Codes depend only on the order of the raw rows, so reading a file in pieces of any size gives
    the same table.

    Examples
    --------
    >>> encoder = IdentifierEncoder()
    >>> encoder.encode(["bob", "ann", "bob"]).tolist(), encoder.encode(["eve", "ann"]).tolist()
    ([0, 1, 0], [2, 1])
    >>> encoder.ids.tolist()
    ['bob', 'ann', 'eve']
    """

    def __init__(self) -> None:
        self._codes: dict[int | str, int] = {}

    def encode(self, identifiers: pa.Array | pa.ChunkedArray | NDArray | list[str]) -> NDArray:
        """Return the codes of identifiers, integers or strings, the same kind at every call."""
        array = identifiers
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        elif not isinstance(array, pa.Array):
            array = pa.array(array)
        encoded = array.dictionary_encode()
        # Only distinct identifiers pass through Python, once per piece of the file.
        codes: NDArray[np.int32] = np.fromiter(
            (
                self._codes.setdefault(identifier, len(self._codes))
                for identifier in encoded.dictionary.to_pylist()
            ),
            dtype=np.int32,
            count=len(encoded.dictionary),
        )
        indices: NDArray[np.int32] = encoded.indices.to_numpy()
        return codes[indices]

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def ids(self) -> NDArray[np.str_]:
        """Identifiers by code, as strings, shape (number of identifiers,)."""
        return np.array([str(identifier) for identifier in self._codes], dtype=np.str_)


def identifier_codes(identifiers: NDArray) -> tuple[NDArray, NDArray[np.str_]]:
    """Return the codes of identifiers by first appearance, and the identifiers by code."""
    encoder = IdentifierEncoder()
    return encoder.encode(identifiers), encoder.ids


def last_rows(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the last row of each distinct combination of non-negative keys, in row order."""
    combined = _combine(keys)
    _, from_the_end = np.unique(combined[::-1], return_index=True)
    return np.sort(len(combined) - 1 - from_the_end)


def merge_repeats(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    values: NDArray,
    duplicates: Duplicates,
) -> tuple[NDArray[np.int64], NDArray]:
    """Merge repeated pairs: return the rows that are kept, and their values.

    A pair with several rows is an error; or its first or last row is kept; or its last row with the
    sum or the mean of the values. Sums and means of integers are float32.

    Examples
    --------
    Rows 0 and 2 have the same user and item:

    >>> users, items, values = np.array([7, 7, 7]), np.array([1, 2, 1]), np.array([5.0, 3.0, 2.0])
    >>> for duplicates in ("first", "last", "mean"):
    ...     rows, kept = merge_repeats(users, items, values, duplicates)
    ...     print(duplicates, rows.tolist(), kept.tolist())
    first [0, 1] [5.0, 3.0]
    last [1, 2] [3.0, 2.0]
    mean [1, 2] [3.0, 3.5]
    """
    checked_codes("users", users, _LARGEST)
    checked_codes("items", items, _LARGEST)
    if not len(users) == len(items) == len(values):
        raise ValueError(
            f"There are {len(users)} users, {len(items)} items and {len(values)} values. Every row "
            "must have one of each."
        )
    if duplicates == "error":
        refuse_repeats(users, items, lambda row, reason: ValueError(f"Row {row + 1}: {reason}."))
        return np.arange(len(users)), values
    if duplicates == "first":
        rows = np.sort(np.unique(_combine((users, items)), return_index=True)[1])
        return rows, values[rows]
    if duplicates not in REPEAT_RULES:
        rules = ", ".join(("error", *REPEAT_RULES))
        raise ValueError(f"duplicates is {str(duplicates)[:60]!r}. It must be one of {rules}.")
    rows = last_rows(users, items)
    if duplicates == "last" or len(rows) == len(users):
        return rows, values[rows]
    if not np.issubdtype(values.dtype, np.floating):
        # A mean is rarely a whole number, and a sum may overflow the type.
        values = values.astype(np.float32)
    _, pairs = np.unique(_combine((users, items)), return_inverse=True)
    totals = np.bincount(pairs, weights=values.astype(np.float64))
    if duplicates == "mean":
        totals = np.divide(totals, np.bincount(pairs))
    return rows, totals[pairs[rows]].astype(values.dtype)


def refuse_repeats(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    complain: Callable[[int, str], Exception],
    lines: NDArray[np.int64] | None = None,
) -> None:
    """Raise the error that ``complain`` makes of a row and a reason, if a pair occurs twice.

    ``lines`` are the line numbers by row, unless each row is the line after the one before it.

    Examples
    --------
    >>> users, items = np.array([0, 1, 0]), np.array([5, 5, 5])
    >>> refuse_repeats(users, items, lambda row, reason: ValueError(f"row {row}: {reason}"))
    Traceback (most recent call last):
    ValueError: row 2: this user and item already have a rating 2 line(s) above, ...
    """
    repeat = first_repeat(_combine((users, items)))
    if repeat is not None:
        row, earlier = repeat
        above = row - earlier if lines is None else lines[row] - lines[earlier]
        raise complain(
            row,
            f"this user and item already have a rating {above} line(s) above, but a pair may have "
            "only one here",
        )


REPEAT_RULES: dict[Duplicates, str] = {
    "first": "the first row of each (user, item) stays",
    "last": "the last row of each (user, item) stays",
    "sum": "the values of each (user, item) are summed",
    "mean": "the values of each (user, item) are averaged",
}


def _combine(keys: tuple[NDArray[np.integer], ...]) -> NDArray[np.int64]:
    combined = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        size = int(key.max(initial=0)) + 1
        if int(combined.max(initial=0)) >= np.iinfo(np.int64).max // size:
            # Replaced by ranks, which keep equal rows equal and are small enough to combine
            # further.
            combined = np.unique(combined, return_inverse=True)[1]
        combined = combined * size + key
    return combined
