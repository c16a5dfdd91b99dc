# SPDX-License-Identifier: MIT
"""Euclidean norms of the rows of a sparse matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix


def row_norms(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, shape (n_rows,)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = matrix.data.astype(np.float64)
    np.square(squares, out=squares)
    return np.sqrt(np.bincount(rows, weights=squares, minlength=matrix.shape[0]))
