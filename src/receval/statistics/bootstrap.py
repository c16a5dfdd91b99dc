# SPDX-License-Identifier: MIT
"""Bootstrap over users: a test of the mean, and how often other tests reject on resamples."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, stdtrit

from receval.seeds import block_seed
from receval.statistics.pairs import (
    check_samples,
    checked_rows,
    sampled_values,
    system_pairs,
    within_single_precision,
)

InnerTest = Literal["t", "sign"]

SAMPLES_PER_BLOCK = 50
"""Samples per matrix product. Each block has its own seed; another number changes the results."""


def poisson_resamples(
    n_users: int, n_samples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return how often each user is in each resampled set of users, shape (n_samples, n_users).

    Every user is in a sample a Poisson(1) distributed number of times, independently of the others.
    For many users this is as good as drawing n users with replacement, and the same numbers also
    serve as samples of any subset of the users.

    Source: Hanley and MacGibbon (2006), "Creating non-parametric bootstrap samples using Poisson
    frequencies", Computer Methods and Programs in Biomedicine 83(1).
    """
    return generator.poisson(1.0, (n_samples, n_users)).astype(np.float64)


def rejected_shares(
    differences: ArrayLike,
    resamples: NDArray[np.float64],
    test: InnerTest = "t",
    level: float = 0.05,
) -> NDArray[np.float64]:
    """Return the share of resampled sets of users in which a two-sided test rejects, for each row.

    The differences have one comparison per row, and the resamples are those of
    :func:`poisson_resamples`. The test is Student's t-test of the mean, or the exact sign test; it
    rejects if its p-value is below the level, and never on samples of fewer than two users or
    without a difference. (Cañamares et al. 2020, section 3.10: the fraction of subsets in which the
    test rejects.)
    """
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    if rows.shape[1] != resamples.shape[1]:
        raise ValueError(
            f"The differences are of {rows.shape[1]} users, but the resamples are of "
            f"{resamples.shape[1]} users. Both must be of the same users."
        )
    if test == "sign":
        wins = resamples @ (rows > 0).T.astype(np.float64)
        losses = resamples @ (rows < 0).T.astype(np.float64)
        p = 2.0 * bdtr(np.minimum(wins, losses), (wins + losses).astype(np.int64), 0.5)
        return np.asarray((p < level).mean(axis=0))
    sizes = resamples.sum(axis=1)[:, None]
    sums = resamples @ rows.T
    squares = resamples @ np.square(rows).T
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums / sizes
        deviations = np.sqrt(np.maximum(squares - sizes * means**2, 0.0) / (sizes - 1))
        # A difference that is the same for all users is always significant.
        certain = deviations <= 1e-12 * np.abs(means)
        t = np.where(certain, np.inf, np.abs(means) / (deviations / np.sqrt(sizes)))
        rejected = (t > stdtrit(sizes - 1, 1 - level / 2)) & (means != 0) & (sizes >= 2)
    return np.asarray(rejected.mean(axis=0))


def shifted_bootstrap_test(
    differences: ArrayLike, samples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return the two-sided p-values of the shifted bootstrap test of the mean of each row.

    .. math:: p = \frac{1 + |\{b : |\bar d^{(b)} - \bar d| \ge |\bar d|\}|}{1 + B}

    with :math:`\bar d` the mean of a row of paired differences, shape (k, n_users), and :math:`\bar
    d^{(b)}` the mean over as many users drawn with replacement, B times for all rows together
    (``samples``). A row without any difference has p = 1. Products with the resamples are in single
    precision; a mean within rounding error of the limit counts as being at the limit.

    Sources: Noreen (1989), "Computer-intensive methods for testing hypotheses"; of systems on the
    same queries, Smucker, Allan and Carterette (2007), "A comparison of statistical significance
    tests for information retrieval evaluation", CIKM, who use c / B.

    Examples
    --------
    >>> differences = [[1.0, 2.0, 1.0, 3.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    >>> shifted_bootstrap_test(differences, 999, np.random.default_rng(1)).tolist()
    [0.001, 1.0]
    """
    check_samples(samples)
    rows = within_single_precision(checked_rows(differences)[:, None])[:, 0]
    n_users = rows.shape[1]
    drawn = generator.integers(0, n_users, (samples, n_users))
    drawn += n_users * np.arange(samples)[:, np.newaxis]
    counts = np.bincount(drawn.ravel(), minlength=samples * n_users).reshape(samples, n_users)
    means = rows.mean(axis=1, keepdims=True)
    centred = rows - means
    # Rows are centred, so subtracting 1 from the counts keeps the sums and reduces rounding errors.
    sums = (counts.astype(np.float32) - 1) @ centred.T.astype(np.float32)
    slack = 4 * np.finfo(np.float32).eps * np.sqrt(n_users * np.square(rows).sum(axis=1))
    limits = (np.abs(rows.sum(axis=1)) - slack).astype(np.float32)
    reached = (np.abs(sums) >= limits).sum(axis=0)
    return np.asarray((reached + 1.0) / (samples + 1.0))


def bootstrap_test_of_pairs(
    values: ArrayLike, seed: np.random.SeedSequence, samples: int
) -> NDArray[np.float64]:
    r"""Return the p-values of the shifted bootstrap test for every pair of systems.

    As :func:`shifted_bootstrap_test`, for values of shape (n_metrics, n_systems, n_users), whose
    pairs and metrics share the resamples; the p-values have the shape (n_metrics, n_pairs). Memory
    use does not depend on the number of samples. The seed is not modified.

    Examples
    --------
    >>> values = np.array([[[2.0, 3.0, 1.0, 5.0, 4.0, 3.0], [1.0, 2.0, 1.0, 3.0, 3.0, 1.0]]])
    >>> bootstrap_test_of_pairs(values, np.random.SeedSequence(1), 999).tolist()
    [[0.001]]
    """
    array = sampled_values(values, samples)
    n_metrics, n_systems, n_users = array.shape
    first, second = system_pairs(n_systems)
    # Differences do not depend on what all systems have in common; without it, sums round less.
    array = array - array.mean(axis=1, keepdims=True)
    norms = np.square(array).sum(axis=2)
    slack = 4 * np.finfo(np.float32).eps * np.sqrt(n_users * (norms[:, first] + norms[:, second]))
    sums = array.sum(axis=2)
    limits = (np.abs(sums[:, first] - sums[:, second]) - slack).astype(np.float32)
    centred = array - array.mean(axis=2, keepdims=True)
    columns = np.ascontiguousarray(centred.reshape(-1, n_users).T, dtype=np.float32)
    reached = np.zeros(limits.shape, dtype=np.int64)
    for number, start in enumerate(range(0, samples, SAMPLES_PER_BLOCK)):
        generator = np.random.Generator(np.random.PCG64(block_seed(seed, number)))
        size = min(SAMPLES_PER_BLOCK, samples - start)
        counts = np.empty((size, n_users), dtype=np.float32)
        for own in counts:
            own[:] = np.bincount(generator.integers(0, n_users, n_users), minlength=n_users)
        # Columns sum to 0, so subtracting 1 keeps the sums and reduces rounding errors.
        drawn = ((counts - 1) @ columns).reshape(size, n_metrics, n_systems)
        for system in range(n_systems - 1):
            pairs = first == system
            distances = np.abs(drawn[:, :, [system]] - drawn[:, :, system + 1 :])
            reached[:, pairs] += (distances >= limits[:, pairs]).sum(axis=0)
    return np.asarray((reached + 1.0) / (samples + 1.0))
