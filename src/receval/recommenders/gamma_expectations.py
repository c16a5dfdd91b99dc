"""Expectations of gamma and Dirichlet variables in variational inference, safe from underflow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Shares of a rating below it do not count: products of two entries at least as large are no
# subnormal floats, on which processors are many times slower, and no mixture is 0.
SMALLEST_ENTRY = 1e-15


def exponentiated(
    logarithms: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the exponentials of a table, scaled by row.

    Parameters
    ----------
    logarithms : ndarray of float64, shape (n, k)
        Expected logarithms, possibly far below 0.

    Returns
    -------
    table : ndarray of float32, shape (n, k)
        ``exp(logarithm - highest of the row)``, at least 1e-15.
    highest : ndarray of float64, shape (n,)
        The highest logarithm of every row.
    """
    highest = logarithms.max(axis=1)
    table = np.exp((logarithms - highest[:, None]).astype(np.float32))
    return np.maximum(table, np.float32(SMALLEST_ENTRY)), highest
