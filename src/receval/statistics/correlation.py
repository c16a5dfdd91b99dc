# SPDX-License-Identifier: MIT
"""Kendall's tau-b between orderings of systems, and Pearson's correlation between columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.statistics.pairs import system_pairs

TOLERANCE_OF_MEANS = 1e-8
"""Relative tolerance for means of the same values that were summed in another order, such as by
user or by fold. Rounding errors are far below it, real differences far above."""


def pair_signs(values: ArrayLike, tolerance: float = 0.0) -> NDArray[np.float32]:
    """Return which system of each pair has the higher value: 1, 0 or -1, shape (..., n_pairs).

    The values have the shape (..., n_systems), and pairs are in the order of
    :func:`receval.statistics.pairs.system_pairs`. Two systems are tied if their values differ by at
    most a share, the ``tolerance``, of the larger one.
    """
    table = np.asarray(values, dtype=np.float64)
    if np.isinf(table).any():
        raise ValueError(
            "A system has an infinite value, so it cannot be said which system is ahead. Leave "
            "out the system, or leave out the orderings with this value."
        )
    if np.isnan(table).any():
        raise ValueError(
            "A system has no value (NaN), so it has no rank in an ordering. Leave out the system, "
            "or leave out the orderings that lack its value."
        )
    first, second = system_pairs(table.shape[-1])
    # The difference of numbers at both ends of double precision is infinite, with the right sign.
    with np.errstate(over="ignore"):
        differences = table[..., first] - table[..., second]
    if tolerance > 0:
        sizes = np.maximum(np.abs(table[..., first]), np.abs(table[..., second]))
        differences[np.abs(differences) <= tolerance * sizes] = 0.0
    return np.sign(differences).astype(np.float32)


def kendall_tau_b(one: ArrayLike, other: ArrayLike, tolerance: float = 0.0) -> NDArray[np.float64]:
    r"""Return Kendall's tau-b of every ordering of one table with every ordering of another.

    .. math:: \tau_b = \frac{\sum_p s_p t_p}{\sqrt{\sum_p s_p^2 \sum_p t_p^2}}

    with the signs :math:`s_p, t_p \in \{-1, 0, 1\}` of pair :math:`p` in the two orderings,
    computed as one matrix product (Kendall 1945).

    Parameters
    ----------
    one, other : array_like of float, shape (n_orderings, n_systems)
        Values of the systems, one ordering per row.
    tolerance : float
        As for :func:`pair_signs`; use :data:`TOLERANCE_OF_MEANS` if the values are means.

    Returns
    -------
    ndarray of float64, shape (n_one, n_other)
        NaN where all systems of an ordering are tied, or there is only one system.

    Examples
    --------
    Two orderings of three systems against one; the second swaps the last two systems:

    >>> kendall_tau_b([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]], [[1, 2, 3]]).round(3).tolist()
    [[1.0], [0.333]]
    """
    signs, others = (pair_signs(np.atleast_2d(values), tolerance) for values in (one, other))
    if signs.shape[-1] != others.shape[-1]:
        raise ValueError(
            f"The orderings have {np.shape(one)[-1]} and {np.shape(other)[-1]} systems, but both "
            "must be of the same systems."
        )
    # Single precision holds whole numbers exactly up to 16,777,216: the pairs of 5,793 systems.
    untied = np.sqrt(
        np.abs(signs).sum(axis=1, dtype=np.float64)[:, None]
        * np.abs(others).sum(axis=1, dtype=np.float64)
    )
    agreement = (signs @ others.T).astype(np.float64)
    tau = np.full_like(agreement, np.nan)
    np.divide(agreement, untied, out=tau, where=untied > 0)
    return tau


def pearson_r(one: ArrayLike, other: ArrayLike) -> float:
    r"""Return Pearson's correlation of two columns of numbers.

    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
                       {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    It is NaN if a column is constant or has fewer than two numbers.

    Examples
    --------
    >>> round(pearson_r([0, 1, 2], [0, 1, 3]), 3)
    0.982
    """
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(
            f"The columns have the shapes {x.shape} and {y.shape}. Give one number of each per "
            "observation."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(
            "A value is NaN or infinite, so the correlation cannot be computed. Leave out the "
            "observation."
        )
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    # Imported here because it takes long to import and Kendall's tau does not need it.
    from scipy.stats import pearsonr

    return float(pearsonr(x, y).statistic)
