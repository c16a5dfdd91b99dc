# SPDX-License-Identifier: MIT
"""Convert scores from double to single precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.storage.kernel_cache import njit


def rounded_apart(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to single precision without changing the order within each row.

    LibRec ranks by numbers in double precision, some of which would be equal in single precision.
    Of these, the larger one becomes the next higher number.

    Parameters
    ----------
    values : ndarray of float64, shape (n, m)

    Returns
    -------
    ndarray of float32, shape (n, m)
        Two numbers of a row are equal if and only if their values are.

    Examples
    --------
    >>> rounded_apart(np.array([[1.0, 1.0 + 1e-12, 1.0, 2.0]])).tolist()
    [[1.0, 1.0000001192092896, 1.0, 2.0]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    rounded = rising.astype(np.float32)
    _part(rising, rounded)
    apart = np.empty_like(rounded)
    np.put_along_axis(apart, order, rounded, axis=1)
    return apart


@njit(cache=True)
def _part(rising, rounded):  # type: ignore[no-untyped-def]
    for row in range(rising.shape[0]):
        for column in range(1, rising.shape[1]):
            if rising[row, column] == rising[row, column - 1]:
                rounded[row, column] = rounded[row, column - 1]
            elif rounded[row, column] <= rounded[row, column - 1]:
                rounded[row, column] = np.nextafter(rounded[row, column - 1], np.float32(np.inf))
