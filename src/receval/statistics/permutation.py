# SPDX-License-Identifier: MIT
"""Paired permutation test of all pairs of systems under all metrics at once.

Under the null hypothesis for a pair of systems, exchanging their values for a user changes nothing,
so each user's difference keeps or flips its sign with equal probability. The sum of signed
differences of a pair is the difference of the two systems' signed sums. All pairs share the same
signs, so one matrix product (signs x values) gives the sums for all of them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.seeds import block_seed
from receval.statistics.pairs import sampled_values, system_pairs
from receval.storage.kernel_cache import njit

MONTE_CARLO_SAMPLES = 100_000
"""Number of Monte Carlo samples in the papers."""

BLOCK = 1000
"""Samples per matrix product: their signs for 10,000 users take 40 MB. Each block has its own seed,
so results do not depend on the threads. Changing this number changes the results of a seed."""


@dataclass(frozen=True)
class PermutationTest:
    """Result of a paired permutation test, for every metric and pair of systems.

    `exceeded`, of shape (n_metrics, n_pairs), counts the samples whose difference is at least as
    far from 0 as the observed one.
    """

    exceeded: NDArray[np.int64]
    samples: int

    @property
    def p_values(self) -> NDArray[np.float64]:
        """Two-sided p-values (c + 1) / (B + 1), which are never 0."""
        return (self.exceeded.astype(np.float64) + 1.0) / (self.samples + 1.0)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares c / B of samples, without counting the observed difference."""
        return self.exceeded / self.samples


def permutation_test(
    values: NDArray[np.float64],
    seed: np.random.SeedSequence,
    samples: int = MONTE_CARLO_SAMPLES,
    threads: int = 1,
) -> PermutationTest:
    r"""Test the difference in means of every pair of systems, two-sided, under every metric.

    .. math:: p = \frac{1 + \sum_b 1[|\sum_u s_{bu} d_u| \ge |\sum_u d_u|]}{1 + B}

    with the differences :math:`d_u` of the users and random signs :math:`s_{bu}`, which all pairs
    and metrics share (Efron and Tibshirani 1993; Valcarce et al. 2018, section 4).

    Parameters
    ----------
    values : ndarray of float64, shape (n_metrics, n_systems, n_users)
        Finite values; each column holds the values of one user.
    seed : SeedSequence
        Each block of signs uses one of its children. It is not modified.
    samples : int
        Number B of Monte Carlo samples.
    threads : int
        Number of blocks computed in parallel, which does not affect the result.

    Returns
    -------
    PermutationTest
        Pairs in the order of :func:`receval.statistics.pairs.system_pairs`.

    Notes
    -----
    The product is in single precision. A sample whose sum differs from the observed one by less
    than about twice the expected rounding error counts as equal to it. Set BLAS to one thread
    (``OPENBLAS_NUM_THREADS=1``), because its threads would compete with those of the blocks.

    Examples
    --------
    Under the first metric, the second and third systems are better by one for each of five users.
    All signs agree in two of 32 cases, so the exact p-value is .0625. Under the second metric all
    systems are equal.

    >>> precision = [[0, 1, 2, 1, 0], [1, 2, 3, 2, 1], [1, 2, 3, 2, 1]]
    >>> values = np.array([precision, np.ones((3, 5))])
    >>> permutation_test(values, np.random.SeedSequence(1), 10_000).p_values.round(2).tolist()
    [[0.06, 0.06, 1.0], [1.0, 1.0, 1.0]]
    """
    values = sampled_values(values, samples)
    n_metrics, n_systems, n_users = values.shape
    first, second = system_pairs(n_systems)
    # Centring each user's values keeps the differences and reduces rounding errors.
    centred = values - values.mean(axis=1, keepdims=True)
    columns = np.ascontiguousarray(centred.reshape(-1, n_users).T, dtype=np.float32)
    sums = centred.sum(axis=2)
    norms = np.sqrt((centred**2).sum(axis=2))
    tolerance = np.finfo(np.float32).eps * np.sqrt(n_users) * (norms[:, first] + norms[:, second])
    observed = np.abs(sums[:, first] - sums[:, second])
    limits = np.ascontiguousarray(observed - tolerance, dtype=np.float32)
    sizes = [min(BLOCK, samples - start) for start in range(0, samples, BLOCK)]

    def count(block: tuple[int, np.random.SeedSequence]) -> NDArray[np.int64]:
        size, own_seed = block
        signed = _random_signs(own_seed, size, n_users) @ columns
        exceeded = np.zeros(limits.shape, dtype=np.int32)
        _count_exceeding(signed.reshape(size, n_metrics, n_systems), limits, exceeded)
        return exceeded.astype(np.int64)

    blocks = [(size, block_seed(seed, number)) for number, size in enumerate(sizes)]
    with ThreadPoolExecutor(threads) as pool:
        exceeded = sum(pool.map(count, blocks), np.zeros((n_metrics, len(first)), dtype=np.int64))
    return PermutationTest(exceeded, samples)


def _random_signs(seed: np.random.SeedSequence, size: int, n_users: int) -> NDArray[np.float32]:
    generator = np.random.Generator(np.random.SFC64(seed))
    words = generator.integers(0, 2**64, size=(size, -(-n_users // 64)), dtype=np.uint64)
    signs = np.empty((size, n_users), dtype=np.float32)
    _spread_bits(words, signs)
    return signs


@njit(cache=True, nogil=True)
def _spread_bits(words: NDArray[np.uint64], signs: NDArray[np.float32]) -> None:
    for sample in range(len(signs)):
        for word in range(words.shape[1]):
            bits = words[sample, word]
            own = signs[sample, word * 64 : word * 64 + 64]
            for user in range(len(own)):
                own[user] = np.float32(np.int64((bits >> np.uint64(user)) & np.uint64(1)) * 2 - 1)


@njit(cache=True, nogil=True)
def _count_exceeding(
    signed: NDArray[np.float32], limits: NDArray[np.float32], exceeded: NDArray[np.int32]
) -> None:
    """Count, for each pair, the samples whose difference reaches the limit.

    Pairs with the same first system are adjacent, so that the processor compares several at once.
    """
    n_samples, n_metrics, n_systems = signed.shape
    for sample in range(n_samples):
        for metric in range(n_metrics):
            values = signed[sample, metric]
            start = 0
            for first in range(n_systems - 1):
                others = values[first + 1 :]
                stop = start + len(others)
                own_limits = limits[metric, start:stop]
                own = exceeded[metric, start:stop]
                for n in range(len(others)):
                    own[n] += abs(values[first] - others[n]) >= own_limits[n]
                start = stop
