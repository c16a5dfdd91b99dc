"""How LibRec's systems start: tables drawn for the users and items of its train file alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.java_random import JavaRandom

DEVIATION = float(np.float32(0.1))
"""Of the factors with which LibRec's matrix factorisations start, in its single precision."""


def rated_rows(train: RatingMatrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which users and which items have training ratings: LibRec knows no others."""
    items = np.bincount(train.indices, minlength=train.shape[1]) > 0
    return np.diff(train.indptr) > 0, items


def librec_factors(
    java: JavaRandom, train: RatingMatrix, factors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the factors with which LibRec's matrix factorisations start, around 0.

    First those of the users, then those of the items; rows of users and items without training
    ratings are 0, and nothing is drawn for them.

    Returns
    -------
    users, items : ndarray of float64, shapes (n_users, factors) and (n_items, factors)
    """
    of_users, of_items = rated_rows(train)
    n_users = int(of_users.sum())
    drawn = DEVIATION * java.normals(n_users + int(of_items.sum()), factors)
    return spread(drawn[:n_users], of_users), spread(drawn[n_users:], of_items)


def spread(rows: NDArray[np.floating], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a table with the given rows where they belong, and zeros elsewhere."""
    table = np.zeros((len(where), *rows.shape[1:]))
    table[where] = rows
    return table
