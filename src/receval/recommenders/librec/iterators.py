# SPDX-License-Identifier: MIT
"""Which ratings the loops of LibRec read, as menamaldonado2021 used it.

To keep ratings of value 0, its authors let the value -1 mean "missing" in LibRec's sparse matrix.
The iterators of the matrix still skip some zeros, each in a different way. The functions here
compute which entries of a training matrix they return. Users and items must be numbered as in
LibRec, in the order of their first appearance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix


def read_by_row(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which ratings the iterator over a user's vector returns.

    They are the entries that are not 0, or the last one if all of a user's entries are 0.
    """
    read = train.data != 0
    read[_firsts(train)] = True
    return read


def read_by_column_iterator(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which ratings of users the iterator of the matrix returns.

    It begins at the user's first rating that is not 0, or at the last one if all are 0. Whether it
    then skips an entry depends, by mistake, on the entry at the same position of the *other*
    storage order, in which the ratings are stored item by item.

    Examples
    --------
    Two users have rated two items: the first one 1 and 2, the second one 0 and 2. User by user the
    ratings are 1, 2, 0, 2; item by item they are 1, 0, 2, 2. The second number of the other order
    is 0, so the first user's rating of 2 is skipped. The second user's 0 is skipped because the
    iterator begins after it.

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
    """Return the first nonzero entry, or else the last entry, of each user with entries."""
    ends = train.indptr.astype(np.int64)
    some = np.flatnonzero(np.diff(ends))
    others = np.append(np.flatnonzero(train.data != 0), train.nnz)
    found = others[np.searchsorted(others, ends[some])]
    return np.minimum(found, ends[some + 1] - 1)


# The iteration order of a Java set of integers, in which LibRec's SLIM does its steps.


def hash_set_order(keys: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    """Return the positions of some keys in the order of a ``java.util.HashSet<Integer>``.

    The number of its buckets is a power of two, at least the capacity, and doubles whenever there
    are more keys than three quarters of it. The hash of a key is the key itself with its upper 16
    bits mixed in; its last bits select the bucket, and the key is appended there. (The trees that
    replace buckets of more than eight keys are left out, because items have too few neighbours for
    them.) Keys are distinct numbers from 0 to 2^31 - 1, in the order in which they are added.

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
