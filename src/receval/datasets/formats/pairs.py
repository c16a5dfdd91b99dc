"""What raw rows name: codes of users and items, and pairs that occur more than once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class IdentifierEncoder:
    """Gives each identifier the next code when it is first seen.

    Codes depend on the order of the raw rows alone, so that a file can be read in pieces of any
    size and still gives the same table.

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
        """Return the codes of some identifiers.

        Parameters
        ----------
        identifiers : arrow array, ndarray or list, shape (n,)
            Integers or strings, the same kind at every call.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
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


def last_rows(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the last row of each distinct combination of keys, in the order of the rows.

    Parameters
    ----------
    *keys : ndarray of non-negative integers, shape (n,)
        Columns that together tell rows apart, such as user codes and item codes.

    Examples
    --------
    The first and the last row are of one user and item:

    >>> last_rows(np.array([0, 0, 1, 0]), np.array([5, 6, 5, 5])).tolist()
    [1, 2, 3]
    """
    combined = _combine(keys)
    _, from_the_end = np.unique(combined[::-1], return_index=True)
    return np.sort(len(combined) - 1 - from_the_end)


def first_repeat(*keys: NDArray[np.integer]) -> tuple[int, int] | None:
    """Return the first row that repeats an earlier one, and that earlier row.

    Parameters
    ----------
    *keys : ndarray of non-negative integers, shape (n,)
        Columns that together tell rows apart.

    Returns
    -------
    (int, int) or None
        Row numbers from 0; None if all rows differ.
    """
    combined = _combine(keys)
    order = np.argsort(combined, kind="stable")
    repeats = np.flatnonzero(combined[order[1:]] == combined[order[:-1]])
    if not len(repeats):
        return None
    first = repeats[np.argmin(order[repeats + 1])]
    return int(order[first + 1]), int(order[first])


def refuse_repeats(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    complain: Callable[[int, str], Exception],
) -> None:
    """Raise an error if a (user, item) pair occurs twice where a format has each pair once.

    Parameters
    ----------
    users, items : ndarray of non-negative integers, shape (n,)
        Codes by row.
    complain : callable
        Makes the error from a row number and a reason.

    Examples
    --------
    >>> users, items = np.array([0, 1, 0]), np.array([5, 5, 5])
    >>> refuse_repeats(users, items, lambda row, reason: ValueError(f"row {row}: {reason}"))
    Traceback (most recent call last):
    ValueError: row 2: this user and item already have a rating 2 line(s) above; ...
    """
    repeat = first_repeat(users, items)
    if repeat is not None:
        row, earlier = repeat
        raise complain(
            row,
            f"this user and item already have a rating {row - earlier} line(s) above; "
            "the format has one line per pair",
        )


def _combine(keys: tuple[NDArray[np.integer], ...]) -> NDArray[np.int64]:
    combined = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        size = int(key.max(initial=0)) + 1
        if int(combined.max(initial=0)) >= np.iinfo(np.int64).max // size:
            # Ranks keep equal rows equal and are small enough to go on.
            combined = np.unique(combined, return_inverse=True)[1]
        combined = combined * size + key
    return combined
