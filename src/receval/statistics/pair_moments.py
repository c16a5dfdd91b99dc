# SPDX-License-Identifier: MIT
"""Fast t-tests of all pairs of systems from one matrix of products of their values.

They are for simulations of many families of systems, because they never compute the differences of
a pair. Tiny differences are rounded differently than in
:func:`receval.statistics.paired_tests.t_test`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from receval.statistics.pairs import checked_values, system_pairs

_NO_SPREAD = 1e-13
"""Variances and values below this share of those of the systems count as rounding errors."""


def t_statistics_by_moments(values: ArrayLike) -> NDArray[np.float64]:
    """Return the t statistic of every pair of systems.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        As for :func:`receval.statistics.paired_tests.t_statistics`, in the same order.

    Raises
    ------
    ValueError
        There are fewer than two systems or two users, or a value is not finite.
    """
    array = checked_values(values, min_users=2)
    n_systems, n_users = array.shape[-2:]
    first, second = system_pairs(n_systems)
    # Subtract what all values of a user have in common, which does not affect differences.
    centred = array - array.mean(axis=-2, keepdims=True)
    means = centred.mean(axis=-1)
    centred -= means[..., np.newaxis]
    products = centred @ np.swapaxes(centred, -1, -2)
    squares = np.diagonal(products, axis1=-2, axis2=-1)
    sums = squares[..., first] + squares[..., second]
    spread = sums - 2.0 * products[..., first, second]
    sizes = np.abs(array).max(axis=(-2, -1))[..., np.newaxis]
    rounding = np.maximum(_NO_SPREAD * sums, n_users * np.square(_NO_SPREAD * sizes))
    spread = np.where(spread <= rounding, 0.0, spread)
    distances = means[..., first] - means[..., second]
    errors = np.sqrt(spread / (n_users - 1) / n_users)
    certain = np.where(np.abs(distances) <= _NO_SPREAD * sizes, 0.0, np.copysign(np.inf, distances))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, distances / errors, certain)


def t_test_by_moments(values: ArrayLike) -> NDArray[np.float64]:
    """Return the p-values of the paired t-test of every pair of systems.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        As for :func:`receval.statistics.paired_tests.t_test`, in the same order.

    Raises
    ------
    ValueError
        As for :func:`t_statistics_by_moments`.
    """
    array = checked_values(values, min_users=2)
    found: NDArray[np.float64] = 2.0 * stdtr(
        array.shape[-1] - 1, -np.abs(t_statistics_by_moments(array))
    )
    return found
