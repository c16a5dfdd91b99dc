# SPDX-License-Identifier: MIT
"""Two-sided tests of many rows of paired differences, one comparison a row, all at once.

The tests of :mod:`receval.statistics.paired_tests`, :mod:`receval.statistics.difference_tests` and
:mod:`receval.statistics.bootstrap`, for simulations in which no two comparisons share users.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr

from receval.statistics.bootstrap import shifted_bootstrap_test
from receval.statistics.paired_tests import sign_test_of_counts, signed_ranks

TIES_AT_RANDOM = "permutation-random-ties"
"""The permutation test whose p-values are uniform also where few users have a difference."""

TESTS = ("t", "permutation", "bootstrap", "wilcoxon", "sign", TIES_AT_RANDOM)
"""Names of the tests, in their order."""

RESAMPLES = 499
"""Of the bootstrap: with the observed mean 500, of which a twentieth is a whole number."""


# The paired permutation test over a random group of sign flips: exact, and cheap for many tests.
#
# Independent random signs of a Monte Carlo test cost samples x users. In a group that k random
# flips generate, every user has a code of k bits, and all 2^k signed sums are one Walsh-Hadamard
# transform of the sums of the users of each code: users + k 2^k operations.

GENERATORS = 10
"""Random flips that generate a group: 1,024 members, the identity among them."""

TOLERANCE = 1e-12
"""Signed sums that differ by less than this share of the sum of all sizes are equal."""


class SignGroupTest(NamedTuple):
    """Where the observed sum stands among the sums of all members of the group, a test an entry."""

    greater: NDArray[np.int64]
    """Members whose sum is farther from 0 than the observed one."""
    equal: NDArray[np.int64]
    """Members whose sum is as far from 0, the identity among them."""
    members: int
    """Size of the group."""

    @property
    def p_values(self) -> NDArray[np.float64]:
        """Two-sided p-values, at most p with a probability of p at most."""
        return (self.greater + self.equal) / self.members

    def randomised(self, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return p-values with ties broken at random: uniform on 0..1 under the hypothesis."""
        return (self.greater + self.equal * generator.random(len(self.equal))) / self.members


def sign_group_test(
    differences: ArrayLike, generator: np.random.Generator, generators: int = GENERATORS
) -> SignGroupTest:
    r"""Test whether rows of paired differences have a mean of 0, each with a group of its own.

    .. math:: p = \frac{1}{2^k} \Big|\Big\{a : \big|\sum_u (-1)^{a \cdot c_u} d_u\big| \ge
              \big|\sum_u d_u\big|\Big\}\Big|

    with random codes :math:`c_u` of k bits for the users, a over all codes, and a . c the number of
    bits that both have. The flips of all a are a group, so that under the hypothesis that every
    difference is as likely with the other sign, the observed sum is any of the 2^k with equal
    chance, whatever the codes: the test is exact, and not only for many samples.

    Parameters
    ----------
    differences : array_like, shape (k, n_users)
        A row a test.
    generator : Generator
        Draws the codes of every row.
    generators : int
        Of the group, k; from 1 to 20.

    Returns
    -------
    SignGroupTest

    Raises
    ------
    ValueError
        The number of generators is not from 1 to 20, or the differences are no table.

    Notes
    -----
    Source: Hemerik and Goeman (2018), "Exact testing with random permutations", TEST 27(4): a
    permutation test is exact over a group, and need not be over part of one.

    Examples
    --------
    Five users, all of them for the first system. A group of 2^20 holds every choice of signs about
    equally often, of which two in 32 are as far from 0:

    >>> test = sign_group_test([[1, 1, 1, 1, 1]], np.random.default_rng(1), 16)
    >>> test.p_values.round(4).tolist()
    [0.0625]
    """
    rows = np.asarray(differences, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"The differences have the shape {rows.shape}; it must be (k, n_users).")
    if not 1 <= generators <= 20:
        raise ValueError(f"A group has 1 to 20 generators; {generators} are asked for.")
    n_tests, _ = rows.shape
    members = 1 << generators
    codes = generator.integers(0, members, rows.shape)
    codes += members * np.arange(n_tests)[:, np.newaxis]
    sums = np.bincount(codes.ravel(), weights=rows.ravel(), minlength=n_tests * members)
    sizes = np.abs(walsh_hadamard(sums.reshape(n_tests, members).astype(np.float64)))
    slack = TOLERANCE * np.abs(rows).sum(axis=1, keepdims=True)
    observed = sizes[:, :1]
    greater = (sizes > observed + slack).sum(axis=1)
    equal = (sizes >= observed - slack).sum(axis=1) - greater
    return SignGroupTest(greater, equal, members)


def walsh_hadamard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums over the last axis with the signs (-1)^(a . c), for every a.

    Parameters
    ----------
    values : ndarray of float64, shape (..., 2^k)

    Returns
    -------
    ndarray of float64, shape (..., 2^k)

    Examples
    --------
    >>> walsh_hadamard(np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [10.0, -2.0, -4.0, 0.0]
    """
    *leading, size = values.shape
    found = values
    step = 1
    while step < size:
        halves = found.reshape(*leading, size // (2 * step), 2, step)
        one, other = halves[..., 0, :], halves[..., 1, :]
        found = np.stack([one + other, one - other], axis=-2).reshape(*leading, size)
        step *= 2
    return found


def p_values_of_tests(
    differences: NDArray[np.float64],
    generator: np.random.Generator,
    resamples: int = RESAMPLES,
    generators: int = GENERATORS,
) -> dict[str, NDArray[np.float64]]:
    """Return the p-values of every row under all tests.

    Parameters
    ----------
    differences : ndarray of float64, shape (k, n_users)
        Differences that are equal must be so as floating-point numbers.
    generator : Generator
        Of the groups of signs, a group a row; of ties; and of the bootstrap's resamples, which all
        rows share.
    resamples : int
        Of the bootstrap.
    generators : int
        Of the groups of signs.

    Returns
    -------
    dict of str to ndarray of float64, shape (k,)
        By the names of ``TESTS``. A row without any difference has p = 1, but ties at random.
    """
    permutation = sign_group_test(differences, generator, generators)
    found = {
        "t": t_test_of_rows(differences),
        "permutation": permutation.p_values,
        "bootstrap": shifted_bootstrap_test(differences, resamples, generator),
        "wilcoxon": wilcoxon_test_of_rows(differences),
        "sign": sign_test_of_counts((differences > 0).sum(axis=1), (differences < 0).sum(axis=1)),
        TIES_AT_RANDOM: permutation.randomised(generator),
    }
    return {name: found[name] for name in TESTS}


def t_test_of_rows(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-values of Student's t-test of every row.

    The same as :func:`receval.statistics.paired_tests.t_test` of two systems with these
    differences.
    """
    n_users = differences.shape[1]
    means = differences.mean(axis=1)
    errors = differences.std(axis=1, ddof=1) / np.sqrt(n_users)
    certain = differences.max(axis=1) == differences.min(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(certain, np.where(means == 0, 0.0, np.inf), np.abs(means) / errors)
    found: NDArray[np.float64] = 2.0 * stdtr(n_users - 1, -t)
    return found


def wilcoxon_test_of_rows(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-values of Wilcoxon's signed-rank test of every row.

    The same as :func:`receval.statistics.paired_tests.wilcoxon_test` of two systems with these
    differences: zeros left out, normal approximation with correction for ties.
    """
    k, positive, negative, ties = signed_ranks(differences)
    variance = k * (k + 1) * (2 * k + 1) / 24 - ties / 48
    z = (positive - negative) / 2 / np.sqrt(np.where(k > 0, variance, 1.0))
    found: NDArray[np.float64] = 2.0 * ndtr(-np.abs(z))
    return found
