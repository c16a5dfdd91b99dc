# SPDX-License-Identifier: MIT
"""The paired permutation test over a random group of sign flips: exact, and cheap for many tests.

Independent random signs of a Monte Carlo test cost samples x users. In a group that k random flips
generate, every user has a code of k bits, and all 2^k signed sums are one Walsh-Hadamard transform
of the sums of the users of each code: users + k 2^k operations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
