# SPDX-License-Identifier: MIT
"""Which ratings the loops of menamaldonado2021's LibRec read.

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
