# SPDX-License-Identifier: MIT
"""Confidence intervals of means over users and of probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

CONFIDENCE = 0.95
"""Confidence level of the intervals."""


def mean_with_interval(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the means over users, on the last axis, and half of their confidence intervals.

    .. math:: h = t_{n-1}(0.975)\, s / \sqrt{n}

    with :math:`s` the standard deviation over the :math:`n` users. It is NaN with a single user.

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


def binomial_interval(
    successes: ArrayLike, trials: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the exact confidence interval of a probability estimated from independent trials.

    .. math:: l = B^{-1}_{k,\, n - k + 1}(\alpha / 2), \qquad
              h = B^{-1}_{k + 1,\, n - k}(1 - \alpha / 2)

    with quantiles of the beta distribution and :math:`\alpha = .05`. The lower end is 0 without a
    success, and the upper end is 1 without a failure.

    Source: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the
    case of the binomial", Biometrika 26(4). The same as ``scipy.stats.binomtest(k,
    n).proportion_ci()``.

    Examples
    --------
    >>> low, high = binomial_interval(5, 100)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0164, 0.1128)
    """
    found, of = np.broadcast_arrays(
        np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    )
    tail = (1 - CONFIDENCE) / 2
    low = np.where(found > 0, betaincinv(np.maximum(found, 1), of - found + 1, tail), 0.0)
    high = np.where(found < of, betaincinv(found + 1, np.maximum(of - found, 1), 1 - tail), 1.0)
    return np.asarray(low), np.asarray(high)
