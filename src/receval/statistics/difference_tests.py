# SPDX-License-Identifier: MIT
"""Two-sided tests of many rows of paired differences, one comparison a row, all at once.

The tests of :mod:`receval.statistics.paired_tests`, :mod:`receval.statistics.sign_groups` and
:mod:`receval.statistics.bootstrap`, for simulations in which no two comparisons share users.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from receval.statistics.bootstrap import shifted_bootstrap_test
from receval.statistics.paired_tests import sign_test_of_counts, signed_ranks
from receval.statistics.sign_groups import GENERATORS, sign_group_test

TIES_AT_RANDOM = "permutation-random-ties"
"""The permutation test whose p-values are uniform also where few users have a difference."""

TESTS = ("t", "permutation", "bootstrap", "wilcoxon", "sign", TIES_AT_RANDOM)
"""Names of the tests, in their order."""

RESAMPLES = 499
"""Of the bootstrap: with the observed mean 500, of which a twentieth is a whole number."""


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
