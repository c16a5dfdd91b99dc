# SPDX-License-Identifier: MIT
"""Enumerate all pairs of systems measured on the same users, and compare their values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.05
"""A difference is significant if its p-value is below this level."""

BLOCK_DIFFERENCES = 2**17
"""Number of differences computed at a time, where this affects no result: they fit into the
cache."""

# Sums and squares of values up to this power of two stay far within the range of single precision.
_LARGEST_EXPONENT = 40


def system_pairs(n_systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second system of every unordered pair, each of shape (n_pairs,).

    They are in the order of ``numpy.triu_indices(n_systems, 1)``: (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> first, second = system_pairs(3)
    >>> list(zip(first.tolist(), second.tolist(), strict=True))
    [(0, 1), (0, 2), (1, 2)]
    """
    first, second = np.triu_indices(n_systems, 1)
    return first, second


def checked_values(values: ArrayLike, min_users: int = 1) -> NDArray[np.float64]:
    """Return values of systems on users, shape (..., n_systems, n_users), as an array of floats.

    Each column holds the values of one user, and there must be ``min_users`` of them. There must be
    at least two systems, and no value that is not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2 or array.shape[-2] < 2 or array.shape[-1] < min_users:
        raise ValueError(
            "Comparing systems needs values of shape (..., n_systems, n_users) with at least 2 "
            f"systems and {min_users} user(s), but the shape is {array.shape}. Put the systems on "
            "the second-to-last axis. Put the users on whom all of them were measured on the last "
            "axis."
        )
    if not np.isfinite(array).all():
        *_, system, user = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"The value of system {system} for user {user} is not a finite number. Compare the "
            "systems only on users for whom all of them have a value, or replace missing values "
            "by the one that the metric declares for them."
        )
    return array


def checked_rows(differences: ArrayLike) -> NDArray[np.float64]:
    """Return paired differences, shape (k, n_users), as an array of floats."""
    rows = np.asarray(differences, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"The differences have the shape {rows.shape}; it must be (k, n_users).")
    return rows


def check_samples(samples: int) -> None:
    """Refuse a test without a sample."""
    if samples < 1:
        raise ValueError(f"The number of samples is {samples}; at least 1 is needed.")


def sampled_values(values: ArrayLike, samples: int) -> NDArray[np.float64]:
    """Return values of shape (n_metrics, n_systems, n_users) for a test in single precision."""
    array = checked_values(values)
    if array.ndim != 3:
        raise ValueError(
            f"The values have the shape {array.shape}; it must be (n_metrics, n_systems, n_users)."
        )
    check_samples(samples)
    return within_single_precision(array)


def within_single_precision(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide values on extreme scales by a power of two, which changes no sign."""
    _, exponents = np.frexp(np.abs(values).max(axis=(1, 2)))
    extreme = np.abs(exponents) > _LARGEST_EXPONENT
    if not extreme.any():
        return values
    return np.ldexp(values, -np.where(extreme, exponents, 0)[:, None, None])


def over_pairs(
    values: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    exact: bool = False,
) -> NDArray[np.float64]:
    """Compute a statistic of the paired differences (first minus second system) for all pairs.

    The statistic takes differences of shape (k, n_users) and returns one number per row. The pairs
    are in the order of :func:`system_pairs`. Memory use is about the size of the values of one
    metric, however many pairs there are.

    An ``exact`` statistic only counts and ranks, so that its sums are not rounded. The rounding of
    numpy's sums depends on the number of rows. So an inexact statistic is computed for all pairs
    with the same first system at a time, an exact one for as many pairs as is fastest.
    """
    *leading, n_systems, n_users = values.shape
    tables = values.reshape(-1, n_systems, n_users)
    first, second = system_pairs(n_systems)
    found = np.empty((len(tables), len(first)))
    if exact:
        filled = found.reshape(-1)
        step = max(1, BLOCK_DIFFERENCES // n_users)
        for start in range(0, len(filled), step):
            rows = np.arange(start, min(start + step, len(filled)))
            table, pair = np.divmod(rows, len(first))
            filled[rows] = statistic(tables[table, first[pair]] - tables[table, second[pair]])
    else:
        for row, own in enumerate(tables):
            for system in range(n_systems - 1):
                pairs = first == system
                found[row, pairs] = statistic(own[system] - own[system + 1 :])
    return found.reshape(*leading, len(first))
