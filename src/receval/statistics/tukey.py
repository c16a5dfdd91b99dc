# SPDX-License-Identifier: MIT
"""Tukey's honestly significant difference (HSD) for all pairs of systems, also randomised.

Both tests limit the probability of any false difference among all pairs of systems. They take the
values of all metrics at once, shape (..., n_systems, n_users). Values that are not finite, fewer
than two systems or too few users are refused with a ValueError.

Sources: Tukey (1953), "The problem of multiple comparisons"; for systems on the same topics,
Carterette (2012), "Multiple testing in statistical analysis of systems-based information retrieval
experiments", ACM TOIS 30(1).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.seeds import block_seed
from receval.statistics.pairs import checked_values, system_pairs
from receval.storage.kernel_cache import njit

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
