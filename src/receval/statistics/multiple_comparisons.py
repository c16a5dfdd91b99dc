# SPDX-License-Identifier: MIT
"""Multiple comparisons: adjusted p-values, discriminative power, and Tukey's HSD.

Functions of p-values take them in shape (..., m), one family per row, such as all pairs of systems
for each metric.

Tukey's honestly significant difference (HSD), also randomised, limits the probability of any false
difference among all pairs of systems. Both tests take the values of all metrics at once, shape
(..., n_systems, n_users). Values that are not finite, fewer than two systems or too few users are
refused with a ValueError.

Sources: Tukey (1953), "The problem of multiple comparisons"; for systems on the same topics,
Carterette (2012), "Multiple testing in statistical analysis of systems-based information retrieval
experiments", ACM TOIS 30(1).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.seeds import block_seed
from receval.statistics.pairs import checked_values, system_pairs
from receval.storage.kernel_cache import njit

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

    adjusted: NDArray[np.float64] = false_discovery_control(_checked(p_values), axis=-1)
    return adjusted


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
        Which pairs to sum over. The released values of valcarce2018 (its table 3) are sums over
        ordered pairs, each pair being tested twice with different samples; here its p-value counts
        twice.

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


# Each block of samples has its own generator, so blocks can be drawn in any order. Changing the
# block size changes the samples that belong to a seed.
SAMPLES_PER_BLOCK = 50
# Sums of the same numbers in another order differ by about sqrt(n) 1e-16 of their size.
TOLERANCE_OF_SUMS = 1e-12


def residual_mean_squares(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return the residual mean square of a two-way layout without replication.

    .. math:: MSE = \frac{1}{(m - 1)(n - 1)} \sum_{s=1}^m \sum_{u=1}^n
              (x_{su} - \bar x_{s \cdot} - \bar x_{\cdot u} + \bar x_{\cdot \cdot})^2
    """
    array = checked_values(values, min_users=2)
    n_systems, n_users = array.shape[-2:]
    residuals = array - array.mean(axis=-2, keepdims=True)
    residuals -= residuals.mean(axis=-1, keepdims=True)
    squares = np.einsum("...su,...su->...", residuals, residuals)
    return squares / ((n_systems - 1) * (n_users - 1))


def honestly_significant_differences(values: ArrayLike, level: float) -> NDArray[np.float64]:
    r"""Return the smallest mean difference that is significant by Tukey's HSD.

    .. math:: q_{1 - \alpha;\, m, (m - 1)(n - 1)} \sqrt{MSE / n}

    with level :math:`\alpha`, m systems, n users, MSE the residual mean square
    (:func:`residual_mean_squares`) and q the quantile of the studentized range. With two systems it
    is the paired t-test. For many families of the same size this is faster than their p-values,
    with the same decisions.
    """
    array = checked_values(values, min_users=2)
    n_systems, n_users = array.shape[-2:]
    quantile = _studentized_range_quantile(level, n_systems, (n_systems - 1) * (n_users - 1))
    return quantile * np.sqrt(residual_mean_squares(array) / n_users)


@lru_cache(maxsize=64)
def _studentized_range_quantile(level: float, n_systems: int, freedom: int) -> float:
    # Imported here because scipy.stats takes long to import.
    from scipy.stats import studentized_range

    return float(studentized_range.isf(level, n_systems, freedom))


def randomised_tukey_hsd(
    values: ArrayLike,
    *,
    samples: int,
    seed: np.random.SeedSequence,
) -> NDArray[np.float64]:
    r"""Return the p-values of the randomised Tukey HSD test, shape (..., n_pairs).

    .. math:: p = \frac{c + 1}{B + 1}, \qquad
              c = \Big|\Big\{b : \max_s \bar x^{(b)}_s - \min_s \bar x^{(b)}_s \ge |\bar d|
              \Big\}\Big|

    In each of B ``samples``, the values of every user are permuted at random among the systems,
    independently of other users. The mean difference of a pair is compared with the range of the
    means of all systems. Ranges that equal the difference up to rounding count, and the observed
    values count as one of the permutations. With two systems it is the permutation test of the
    paired difference. Identical systems have p = 1. Pairs are in the order of
    :func:`receval.statistics.pairs.system_pairs`.

    All metrics share the same permutations, so the p-values of a metric do not depend on the other
    metrics. Blocks of samples draw from children of the seed, which is not modified: the first
    samples do not depend on how many follow.

    Sources: Carterette (2012); Sakai (2012), "Evaluation with informational and navigational
    intents", WWW, who uses c / B, which can be 0 and rejects a little too often. Counting the
    observed values: Phipson and Smyth (2010), "Permutation p-values should never be zero",
    Statistical Applications in Genetics and Molecular Biology 9(1).
    """
    array = checked_values(values)
    *leading, n_systems, n_users = array.shape
    tables = array.reshape(-1, n_systems, n_users)
    ranges = np.sort(_permuted_ranges(tables, samples, seed), axis=0)

    sums = tables.sum(axis=-1)
    first, second = system_pairs(n_systems)
    distances = np.abs(sums[:, first] - sums[:, second])
    distances -= TOLERANCE_OF_SUMS * np.abs(tables).max(axis=-2).sum(axis=-1)[:, np.newaxis]
    counts = np.empty(distances.shape)
    for metric, distance in enumerate(distances):
        counts[metric] = samples - np.searchsorted(ranges[:, metric], distance, side="left")
    p_values = (counts + 1) / (samples + 1)
    return p_values.reshape(*leading, len(first))


def _permuted_ranges(
    tables: NDArray[np.float64], samples: int, seed: np.random.SeedSequence
) -> NDArray[np.float64]:
    """Return the ranges of the systems' sums of permuted values, shape (samples, n_metrics)."""
    if samples < 1:
        raise ValueError(
            "The randomised test needs at least one sample, but the number of samples is "
            f"{samples}. Thousands of samples are usual."
        )
    # Metrics are on the last axis: a permutation is drawn once and used for all of them.
    by_user = np.ascontiguousarray(tables.transpose(2, 1, 0))
    n_users, n_systems, n_metrics = by_user.shape

    def block(start: int) -> NDArray[np.float64]:
        child = block_seed(seed, start // SAMPLES_PER_BLOCK)
        generator = np.random.Generator(np.random.PCG64(child))
        ranges = np.empty((min(SAMPLES_PER_BLOCK, samples - start), n_metrics))
        for sample in range(len(ranges)):
            draws = generator.integers(0, 2**32, (n_users, n_systems - 1), dtype=np.uint32)
            sums = np.zeros((n_systems, n_metrics))
            _add_permuted(by_user, draws, sums)
            ranges[sample] = sums.max(axis=0) - sums.min(axis=0)
        return ranges

    return np.concatenate([block(start) for start in range(0, samples, SAMPLES_PER_BLOCK)])


@njit(cache=True)
def _add_permuted(
    by_user: NDArray[np.float64], draws: NDArray[np.uint32], sums: NDArray[np.float64]
) -> None:
    """Add the values of every user, shape (n_systems, n_metrics), to the sums in random order."""
    n_users, n_systems, n_metrics = by_user.shape
    # A shuffle may start from any order, so it starts from that of the last user.
    order = np.arange(n_systems)
    for user in range(n_users):
        for index in range(n_systems - 1, -1, -1):
            if index > 0:
                # One of index + 1 numbers, whose probabilities differ by at most 2**-32.
                chosen = (np.int64(draws[user, index - 1]) * (index + 1)) >> 32
                order[index], order[chosen] = order[chosen], order[index]
            system = order[index]
            for metric in range(n_metrics):
                sums[index, metric] += by_user[user, system, metric]
