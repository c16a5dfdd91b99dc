# SPDX-License-Identifier: MIT
"""The order in which Java goes through a set of whole numbers, which LibRec's SLIM descends in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def hash_set_order(keys: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    """Return the positions of some keys in the order of a ``java.util.HashSet<Integer>``.

    It has a power of two of lists: at least its capacity, and twice as many as before whenever it
    gets more keys than three quarters of that. A key, which is its own hash but for the upper 16
    bits, is put at the end of the list that its last bits name. (The trees that take the place of
    lists of more than eight keys are left out: neighbours of items are too few for them.)

    Parameters
    ----------
    keys : ndarray of int64, shape (n_keys,)
        Different numbers from 0 to 2^31 - 1, in the order in which they are added.
    capacity : int
        The one that the set is made with, at least 0.

    Returns
    -------
    ndarray of int64, shape (n_keys,)

    References
    ----------
    Java's documentation of ``HashMap`` (capacity, load factor), and OpenJDK 8's ``HashMap.hash``.

    Examples
    --------
    >>> hash_set_order(np.array([17, 3, 1, 16]), 16).tolist()
    [3, 0, 2, 1]
    """
    lists = 1
    while lists < capacity or 4 * len(keys) > 3 * lists:
        lists *= 2
    return np.argsort((keys ^ (keys >> 16)) & (lists - 1), kind="stable")
