# SPDX-License-Identifier: MIT
"""Which ratings the loops of LibRec read, as menamaldonado2021 used it.

To keep ratings of value 0, its authors let the value -1 mean "missing" in LibRec's sparse matrix.
Its iterators still pass over zeros, each in a way of its own. The functions here say which entries
of a training matrix they return, users and items being numbered as LibRec numbers them: in the
order of their first appearance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix


def read_by_row(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which entries the iterator over the vector of a user returns.

    Those that are not 0; of a user who has no others the last one.

    Parameters
    ----------
    train : csr_array, shape (n_users, n_items)

    Returns
    -------
    ndarray of bool, shape (n_ratings,)
    """
    read = train.data != 0
    read[_firsts(train)] = True
    return read


def read_by_column_iterator(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which entries of users the matrix's own iterator returns.

    It begins at the user's first rating that is not 0, or at the last one where all are 0. Whether
    it then passes over an entry it finds out at the same position of the *other* storage order,
    in which the ratings stand item by item: a mistake.

    Parameters
    ----------
    train : csr_array, shape (n_users, n_items)

    Returns
    -------
    ndarray of bool, shape (n_ratings,)

    Examples
    --------
    Two users have rated two items: the first one 1 and 2, the second one 0 and 2. User by user the
    ratings are 1, 2, 0, 2, item by item 1, 0, 2, 2. The second number of the other order is 0, so
    that the first user's rating of 2 is passed over. The second user's 0 is, too, but because the
    iterator begins behind it.

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(([1.0, 2.0, 0.0, 2.0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    >>> read_by_column_iterator(train).tolist()
    [True, False, False, True]
    """
    read: NDArray[np.bool_] = train.T.tocsr().data != 0
    firsts = _firsts(train)
    owners = np.repeat(np.arange(train.shape[0]), np.diff(train.indptr))
    begin = np.zeros(train.shape[0], dtype=np.int64)
    begin[owners[firsts]] = firsts
    read &= np.arange(train.nnz) >= begin[owners]
    read[firsts] = True
    return read


def _firsts(train: RatingMatrix) -> NDArray[np.int64]:
    """Return each user's first entry that is not 0, or the last one, of users who have some."""
    ends = train.indptr.astype(np.int64)
    some = np.flatnonzero(np.diff(ends))
    others = np.append(np.flatnonzero(train.data != 0), train.nnz)
    found = others[np.searchsorted(others, ends[some])]
    return np.minimum(found, ends[some + 1] - 1)


# The order in which Java goes through a set of whole numbers, which LibRec's SLIM descends in.


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
