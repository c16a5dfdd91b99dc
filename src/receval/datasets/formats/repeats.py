"""Rows that name a (user, item) pair more than once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def last_rows(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the last row of each distinct combination of keys, in the order of the rows.

    Parameters
    ----------
    *keys : ndarray of non-negative integers, shape (n,)
        Columns that together tell rows apart, such as user codes and item codes.
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
