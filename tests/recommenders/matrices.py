# SPDX-License-Identifier: MIT
"""Small matrices of ratings to fit systems on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix

COLD_USER, ONE_RATING_USER, COLD_ITEM = 3, 5, 7


def to_matrix(values: NDArray[Any], rated: NDArray[np.bool_]) -> RatingMatrix:
    """Build the sparse matrix of a dense one; rated zeros stay entries."""
    # Of the type of the workflow's matrices, for which kernels are compiled before.
    users, items = (codes.astype(np.int32) for codes in np.nonzero(rated))
    entries = values[users, items].astype(np.float32)
    return csr_array((entries, (users, items)), shape=values.shape)


def generated(
    n_users: int = 60, n_items: int = 45, seed: int = 1, lowest: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Half-star ratings (0 is one of them) with a cold user, a cold item, a one-rating user."""
    generator = np.random.default_rng(seed)
    values = generator.integers(round(2 * lowest), 11, (n_users, n_items)) / 2
    rated = generator.random((n_users, n_items)) < generator.random(n_items) * 0.6 + 0.05
    rated[COLD_USER] = False
    rated[ONE_RATING_USER] = False
    rated[ONE_RATING_USER, 0] = True
    rated[:, COLD_ITEM] = False
    return values * rated, rated


def generated_matrix() -> RatingMatrix:
    return to_matrix(*generated())


def held_out(train: RatingMatrix) -> RatingMatrix:
    """Test ratings from 0 to 2 of some pairs that have no training rating."""
    generator = np.random.default_rng(8)
    rated = np.zeros(train.shape, dtype=bool)
    rated[np.repeat(np.arange(train.shape[0]), np.diff(train.indptr)), train.indices] = True
    tested = ~rated & (generator.random(train.shape) < 0.2)
    return to_matrix(generator.integers(0, 3, train.shape), tested)


def communities() -> tuple[RatingMatrix, NDArray[np.bool_]]:
    """Two communities that rate their own items 5 and, seldom, the others' 1.

    Returns the matrix and which pairs of user and item lie in the same community.
    """
    generator = np.random.default_rng(5)
    own = np.arange(40)[:, None] // 20 == np.arange(30) // 15
    rated = generator.random(own.shape) < np.where(own, 0.7, 0.1)
    return to_matrix(np.where(own, 5, 1), rated), own
