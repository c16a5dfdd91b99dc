# SPDX-License-Identifier: MIT
"""Initial factors as LibRec draws them, for users and items of the train file only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.librec.java_random import JavaRandom

DEVIATION = float(np.float32(0.1))
"""Standard deviation of LibRec's initial factors, in single precision."""


def rated_rows(train: RatingMatrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which users and items have training ratings: LibRec knows only these.

    Parameters
    ----------
    train : csr_array of float32, shape (n_users, n_items)
        The training ratings; an entry of value 0 is a rating too.

    Returns
    -------
    users, items : ndarray of bool, shapes (n_users,) and (n_items,)
    """
    items = np.bincount(train.indices, minlength=train.shape[1]) > 0
    return np.diff(train.indptr) > 0, items


def librec_factors(
    java: JavaRandom, train: RatingMatrix, factors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the initial factors of LibRec's matrix factorisations, around 0.

    Users come first, then items. Rows of users and items without training ratings are 0, without
    any draw.

    Parameters
    ----------
    java : JavaRandom
        The source of all draws.
    train : csr_array of float32, shape (n_users, n_items)
        The training ratings.
    factors : int
        The length of each row.

    Returns
    -------
    users, items : ndarray of float64, shapes (n_users, factors) and (n_items, factors)
    """
    of_users, of_items = rated_rows(train)
    n_users = int(of_users.sum())
    drawn = DEVIATION * java.normals(n_users + int(of_items.sum()), factors)
    return spread(drawn[:n_users], of_users), spread(drawn[n_users:], of_items)


def spread(rows: NDArray[np.floating], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a table with the given rows at marked positions, and zeros elsewhere.

    Parameters
    ----------
    rows : ndarray of float, shape (n_given, ...)
        Single numbers, or rows of any length.
    where : ndarray of bool, shape (n,)
        True at n_given positions, in the order of the rows.

    Returns
    -------
    ndarray of float64, shape (n, ...)
    """
    table = np.zeros((len(where), *rows.shape[1:]))
    table[where] = rows
    return table
