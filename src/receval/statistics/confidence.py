# SPDX-License-Identifier: MIT
"""Means over users with their confidence intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

CONFIDENCE = 0.95
"""How often the interval would hold the mean of all users, were others drawn."""


def mean_with_interval(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the means over users, each with half the width of its confidence interval.

    .. math:: h = t_{n-1}(0.975)\, s / \sqrt{n}

    with :math:`s` the standard deviation over the :math:`n` users.

    Parameters
    ----------
    values : array_like of float, shape (..., n_users)
        Of those who are averaged: see :func:`receval.metrics.evaluation.evaluated_lists`.

    Returns
    -------
    means, half_intervals : ndarray of float64, shape (...,)
        The interval is NaN with a single user.

    Examples
    --------
    >>> mean, half = mean_with_interval([0.1, 0.2, 0.6])
    >>> round(float(mean), 3), round(float(half), 3)
    (0.3, 0.657)
    """
    table = np.asarray(values, dtype=np.float64)
    size = table.shape[-1]
    means = table.mean(axis=-1)
    if size < 2:
        return means, np.full_like(means, np.nan)
    factor = stdtrit(size - 1, (1 + CONFIDENCE) / 2) / np.sqrt(size)
    return means, factor * np.std(table, axis=-1, ddof=1)
