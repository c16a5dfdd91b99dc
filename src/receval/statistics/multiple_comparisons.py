# SPDX-License-Identifier: MIT
"""Adjust p-values for multiple comparisons, or sum them to a metric's discriminative power.

Every function takes p-values of shape (..., m), one family per row, such as all pairs of systems
for each metric.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pairs = Literal["unordered", "ordered"]


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    r"""Return p-values adjusted by Holm's step-down method, in the order of the input.

    .. math:: \tilde p_{(k)} = \min\big(1,\; \max_{j \le k}\, (m - j + 1)\, p_{(j)}\big)

    with :math:`p_{(1)} \le \dots \le p_{(m)}` the p-values of one family. If every hypothesis with
    an adjusted value of at most :math:`\alpha` is rejected, the probability of any false rejection
    is at most :math:`\alpha`, whatever the dependence between the tests.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6(2). Implemented here because scipy does not have it, and statsmodels
    would be a large and slow dependency (65 MB, 0.8 seconds to import). The values of its
    ``stats.multitest.multipletests(method="holm")``, version 0.15.0, are the same to the last bit.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    array = _checked(p_values)
    order = np.argsort(array, axis=-1, kind="stable")
    n_tests = array.shape[-1]
    steps = np.take_along_axis(array, order, axis=-1) * np.arange(n_tests, 0, -1)
    adjusted = np.empty_like(steps)
    highest = np.maximum.accumulate(steps, axis=-1)
    np.put_along_axis(adjusted, order, np.minimum(highest, 1.0), axis=-1)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    r"""Return p-values adjusted by the step-up method of Benjamini and Hochberg, in their order.

    .. math:: \tilde p_{(k)} = \min\Big(1,\; \min_{j \ge k}\, \frac{m}{j}\, p_{(j)}\Big)

    with :math:`p_{(1)} \le \dots \le p_{(m)}` the p-values of one family. If every hypothesis with
    an adjusted value of at most :math:`\alpha` is rejected, the expected share of false rejections
    is at most :math:`\alpha`, for tests that are independent or positively dependent.

    Source: Benjamini and Hochberg (1995), "Controlling the false discovery rate", Journal of the
    Royal Statistical Society B 57(1), as ``scipy.stats.false_discovery_control`` computes it.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    # Imported here because scipy.stats takes long to import and other functions do not need it.
    from scipy.stats import false_discovery_control

    return false_discovery_control(_checked(p_values), axis=-1)


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    r"""Return p-values multiplied by their number, in the order of the input.

    .. math:: \tilde p_k = \min(1,\; m\, p_k)

    As with :func:`holm`, the probability of any false rejection is at most :math:`\alpha`; Holm's
    values are never larger.

    Source: Dunn (1961), "Multiple comparisons among means", Journal of the American Statistical
    Association 56(293).

    Examples
    --------
    >>> bonferroni([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.04, 0.16, 0.12, 0.02]
    """
    array = _checked(p_values)
    return np.minimum(array * array.shape[-1], 1.0)


def p_value_curve(p_values: ArrayLike, largest: int | None = None) -> NDArray[np.float64]:
    """Return the p-values of all pairs of systems in descending order, or the ``largest`` of them.

    The nearer the curve is to zero, the more differences are significant (Sakai 2006).
    """
    curve = -np.sort(-_checked(p_values), axis=-1)
    return curve if largest is None else curve[..., :largest]


def discriminative_power(p_values: ArrayLike, pairs: Pairs = "unordered") -> NDArray[np.float64]:
    """Sum the p-values of all pairs of systems: the lower, the more discriminative the metric.

    Parameters
    ----------
    p_values : array_like of float, shape (..., n_pairs)
        One p-value per unordered pair.
    pairs : {"unordered", "ordered"}
        Which pairs to sum over. The released values of Valcarce et al. (2018, table 3) are
        sums over ordered pairs, each pair being tested twice with different samples; here its
        p-value counts twice.

    Examples
    --------
    The first of two metrics distinguishes all three pairs of systems, the second none:

    >>> discriminative_power([[0.01, 0.02, 0.01], [0.5, 0.3, 0.7]]).round(3).tolist()
    [0.04, 1.5]
    """
    if pairs not in ("unordered", "ordered"):
        raise ValueError(f"pairs is {pairs!r}; it must be 'unordered' or 'ordered'.")
    power: NDArray[np.float64] = _checked(p_values).sum(axis=-1)
    return power if pairs == "unordered" else 2.0 * power


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(p_values, dtype=np.float64)
    if array.ndim < 1:
        raise ValueError(
            f"A family of p-values along the last axis is needed, but {p_values!r} is a single "
            "number. Put it in a list."
        )
    wrong = array[~((array >= 0) & (array <= 1))]
    if wrong.size:
        raise ValueError(
            f"p-values must lie between 0 and 1, but {wrong.size} of {array.size} do not; the "
            f"first is {wrong[0]:g}. Leave out comparisons that have no p-value."
        )
    return array
