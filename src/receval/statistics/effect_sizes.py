# SPDX-License-Identifier: MIT
"""Effect sizes of the difference between two systems measured on the same users.

Every function takes the values of all metrics and systems at once, shape (..., n_systems, n_users),
and returns one number per unordered pair of systems, shape (..., n_pairs), in the order of
:func:`receval.statistics.pairs.system_pairs`. Differences are the first system minus the second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtri

from receval.statistics.paired_tests import signed_ranks, t_statistics
from receval.statistics.pairs import checked_values, over_pairs


def mean_differences(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return the mean difference, :math:`\bar d = \frac{1}{n} \sum_u (x_u - y_u)`.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        In the unit of the values.

    Raises
    ------
    ValueError
        There are fewer than two systems or no users, or a value is not finite.
    """
    return over_pairs(checked_values(values), lambda differences: differences.mean(axis=-1))


def cohen_dz(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return Cohen's standardised paired difference.

    .. math:: d_z = \bar d / s_d = t / \sqrt n

    with :math:`s_d` the standard deviation of the differences (denominator n - 1). It is 0 if all
    differences are 0, and infinite, with their sign, if all differences are equal and not 0.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        In standard deviations of the difference.

    Raises
    ------
    ValueError
        There are fewer than two systems or two users, or a value is not finite.

    Notes
    -----
    Source: Cohen (1988), "Statistical power analysis for the behavioral sciences".
    """
    array = checked_values(values, min_users=2)
    return t_statistics(array) / np.sqrt(array.shape[-1])


def hedges_gz(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return Hedges' standardised paired difference: Cohen's, corrected for small-sample bias.

    .. math:: g_z = d_z \, \frac{\Gamma(\nu / 2)}{\sqrt{\nu / 2}\; \Gamma((\nu - 1) / 2)},
              \qquad \nu = n - 1

    The factor is nearly :math:`1 - 3 / (4 \nu - 1)`. It is 0 or infinite where :func:`cohen_dz` is.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        In standard deviations of the difference.

    Raises
    ------
    ValueError
        There are fewer than two systems or three users (with two the expectation of :math:`d_z`
        does not exist, so it has no correction), or a value is not finite.

    Notes
    -----
    Source: Hedges (1981), "Distribution theory for Glass's estimator of effect size and related
    estimators", Journal of Educational Statistics 6(2).
    """
    array = checked_values(values, min_users=3)
    half = (array.shape[-1] - 1) / 2
    factor = np.exp(gammaln(half) - gammaln(half - 0.5)) / np.sqrt(half)
    return factor * cohen_dz(array)


def rank_biserial(values: ArrayLike, *, decimals: int | None = None) -> NDArray[np.float64]:
    r"""Return the matched-pairs rank-biserial correlation.

    .. math:: r = \frac{W^+ - W^-}{W^+ + W^-}

    with :math:`W^+` and :math:`W^-` the sums of Wilcoxon's ranks of the positive and the negative
    differences (:func:`receval.statistics.paired_tests.wilcoxon_test`), leaving out zeros. It is 1
    if the first system is never worse and sometimes better, and 0 if all differences are 0.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)
    decimals : int, optional
        Number of decimals to round differences to, as for the test.

    Returns
    -------
    ndarray of float64, shape (..., n_pairs)
        From -1 to 1.

    Raises
    ------
    ValueError
        There are fewer than two systems or no users, or a value is not finite.

    Notes
    -----
    Source: Kerby (2014), "The simple difference formula: an approach to teaching nonparametric
    correlation", Comprehensive Psychology 3.
    """

    def correlations(differences: NDArray[np.float64]) -> NDArray[np.float64]:
        _, positive, negative, _ = signed_ranks(differences, decimals)
        total = positive + negative
        return (positive - negative) / np.where(total > 0, total, 1.0)

    return over_pairs(checked_values(values), correlations)


class OutcomeShares(NamedTuple):
    """Shares of users, each of shape (..., n_pairs); the three of a pair sum to 1."""

    better: NDArray[np.float64]
    """Share of users for whom the first system has the higher value."""
    equal: NDArray[np.float64]
    """Share of users for whom both have the same value."""
    worse: NDArray[np.float64]
    """Share of users for whom the first system has the lower value."""


def outcome_shares(values: ArrayLike) -> OutcomeShares:
    """Return the shares of users for whom the first system is better, equal and worse.

    Parameters
    ----------
    values : array_like, shape (..., n_systems, n_users)
        Higher is better.

    Returns
    -------
    OutcomeShares
        Three arrays of float64, shape (..., n_pairs).

    Raises
    ------
    ValueError
        There are fewer than two systems or no users, or a value is not finite.
    """
    array = checked_values(values)
    return OutcomeShares(
        better=over_pairs(array, lambda differences: (differences > 0).mean(axis=-1)),
        equal=over_pairs(array, lambda differences: (differences == 0).mean(axis=-1)),
        worse=over_pairs(array, lambda differences: (differences < 0).mean(axis=-1)),
    )


def users_for_power(
    effects: ArrayLike, power: float = 0.8, level: float = 0.05
) -> NDArray[np.float64]:
    r"""Return how many users a two-sided test of the mean needs to detect an effect.

    .. math:: n = \Big(\frac{z_{1 - \alpha / 2} + z_{1 - \beta}}{d_z}\Big)^2

    by the normal approximation, which is good from a few dozen users.

    Parameters
    ----------
    effects : array_like, shape (...)
        Cohen's d_z of the population of users.
    power : float
        The desired probability :math:`1 - \beta` that the test rejects.
    level : float
        :math:`\alpha`.

    Returns
    -------
    ndarray of float64, shape (...)
        Infinite where the effect is 0.

    Notes
    -----
    Source: Cohen (1988), "Statistical power analysis for the behavioral sciences".

    Examples
    --------
    >>> users_for_power([0.5, 0.1, 0.0]).round(1).tolist()
    [31.4, 784.9, inf]
    """
    sizes = np.abs(np.asarray(effects, dtype=np.float64))
    with np.errstate(divide="ignore"):
        return np.square((ndtri(1 - level / 2) + ndtri(power)) / sizes)
