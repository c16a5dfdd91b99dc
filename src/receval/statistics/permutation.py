# SPDX-License-Identifier: MIT
"""The paired permutation test for all pairs of systems and all metrics in one matrix product.

Under the null hypothesis of a pair of systems, exchanging their values for a user changes nothing,
so each user's difference keeps or flips its sign with equal chance. The sum of signed differences
of a pair is the difference of two sums, each of one system's values under the same signs: with
signs shared by all pairs, one product (signs x values) holds what all of them need.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.seeds import block_seed
from receval.statistics.pairs import checked_values, system_pairs
from receval.storage.kernel_cache import njit

MONTE_CARLO_SAMPLES = 100_000
"""The papers' number of Monte Carlo samples."""

BLOCK = 1000
"""Samples of one product: their signs for 10,000 users take 40 MB. A block has its own seed, so
results do not depend on the threads; the number is part of what a seed means."""


# Sums and squares of values up to this power of two stay far within the range of single precision.
_LARGEST_EXPONENT = 40


@dataclass(frozen=True)
class PermutationTest:
    """Counts of a paired permutation test, for every metric and pair of systems.

    Attributes
    ----------
    exceeded : ndarray of int64, shape (n_metrics, n_pairs)
        Samples whose difference is at least as far from 0 as the observed one.
    samples : int
        Number of samples.
    """

    exceeded: NDArray[np.int64]
    samples: int

    @property
    def p_values(self) -> NDArray[np.float64]:
        """Two-sided p-values (c + 1) / (B + 1), which are valid and never 0."""
        return (self.exceeded.astype(np.float64) + 1.0) / (self.samples + 1.0)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The plain shares c / B."""
        return self.exceeded / self.samples


def permutation_test(
    values: NDArray[np.float64],
    seed: np.random.SeedSequence,
    samples: int = MONTE_CARLO_SAMPLES,
    threads: int = 1,
) -> PermutationTest:
    r"""Test the difference in means of every pair of systems, two-sided, under every metric.

    .. math:: p = \frac{1 + \sum_b 1[|\sum_u s_{bu} d_u| \ge |\sum_u d_u|]}{1 + B}

    with differences :math:`d_u` of the users and random signs :math:`s_{bu}`, which all pairs and
    metrics share (Efron and Tibshirani 1993; valcarce2018, section 4).

    Parameters
    ----------
    values : ndarray of float64, shape (n_metrics, n_systems, n_users)
        Finite values; a column holds the same user's.
    seed : SeedSequence
        The blocks of signs take its children, by their number; it is not changed.
    samples : int
        Number B of Monte Carlo samples.
    threads : int
        Blocks computed at a time; the result is the same for any number.

    Returns
    -------
    PermutationTest
        Pairs in the order of :func:`receval.statistics.pairs.system_pairs`.

    Raises
    ------
    ValueError
        The values have another shape, fewer than two systems or no users, or are not finite; or
        there are no samples.

    Notes
    -----
    The product is taken in single precision. A sample whose sum is closer to the observed one than
    about twice the expected rounding error counts as equal to it. The threads are those of blocks:
    leave BLAS one thread each (``OPENBLAS_NUM_THREADS=1``), or they fight for the processor.

    Examples
    --------
    Under the first metric the second and third system are better by one for each of five users:
    signs agree in two of 32 cases, so that the exact p-value is .0625. The second metric tells
    nobody apart.

    >>> precision = [[0, 1, 2, 1, 0], [1, 2, 3, 2, 1], [1, 2, 3, 2, 1]]
    >>> values = np.array([precision, np.ones((3, 5))])
    >>> permutation_test(values, np.random.SeedSequence(1), 10_000).p_values.round(2).tolist()
    [[0.06, 0.06, 1.0], [1.0, 1.0, 1.0]]
    """
    values = checked_values(values)
    if values.ndim != 3:
        raise ValueError(
            f"The values have the shape {values.shape}; it must be (n_metrics, n_systems, n_users)."
        )
    if samples < 1:
        raise ValueError(f"The number of samples is {samples}; at least 1 is needed.")
    values = _within_single_precision(values)
    n_metrics, n_systems, n_users = values.shape
    first, second = system_pairs(n_systems)
    # Differences do not change when a user's values move together, but rounding errors shrink.
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


def _within_single_precision(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of metrics on extreme scales over a power of two, which changes no sign."""
    _, exponents = np.frexp(np.abs(values).max(axis=(1, 2)))
    extreme = np.abs(exponents) > _LARGEST_EXPONENT
    if not extreme.any():
        return values
    return np.ldexp(values, -np.where(extreme, exponents, 0)[:, None, None])


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
    """Count for each pair the samples, shape (n_samples, n_metrics, n_systems), at the limit.

    The pairs of one first system are neighbours, so that a processor compares several at once.
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
