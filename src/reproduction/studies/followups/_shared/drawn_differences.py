# SPDX-License-Identifier: MIT
"""Paired differences of users drawn from a population with a known effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment

TEST_LEVEL = 0.05
"""A test rejects if its p-value is at most this; a permutation test is then exact."""

ALL = "all"
"""Stands in the column ``metric`` for tests under all metrics together."""

Draw = Callable[[int, int, np.random.Generator], NDArray[np.float64]]
"""Draws differences for a number of tests and of users, shape (n_tests, n_users)."""


def values_by_metric(
    experiment: Experiment, names: Sequence[str], labels: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return the values per user under each metric, shape (n_systems, n_users), by its name."""
    from receval.metrics.registry import parse_named
    from reproduction.experiments.user_means import means_of_users

    metrics = parse_named(names, labels)
    values = means_of_users(experiment, list(metrics.values()))
    return dict(zip(metrics, values, strict=True))


def differences_of_pairs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the differences of all pairs in which each system leads for some user.

    Differences are rounded, so that equal ones share their rank. Pairs are in the order of
    :func:`receval.statistics.pairs.system_pairs`; signs are such that the mean is at least 0.
    """
    from receval.metrics.averages import MEAN_DECIMALS
    from receval.statistics.pairs import system_pairs

    first, second = system_pairs(len(values))
    differences = np.round(values[first] - values[second], MEAN_DECIMALS)
    kept = (differences.max(axis=1) > 0) & (differences.min(axis=1) < 0)
    differences = differences[kept]
    turned = np.where(differences.mean(axis=1) < 0, -1.0, 1.0)
    return differences * turned[:, np.newaxis]


# Populations of users with a given effect, by exponential tilting of real paired differences.
#
# A constant shift would give all tied users the same difference. Drawing users with unequal
# probabilities changes no difference.

_LARGEST_TILT = 1e3  # of differences in units of their standard deviation


def tilted_to_effect(differences: ArrayLike, effect: float) -> NDArray[np.float64]:
    r"""Return probabilities of the users that give the wanted standardised difference.

    .. math:: p_u \propto e^{\lambda d_u}, \qquad
              \frac{\sum_u p_u d_u}{\sqrt{\sum_u p_u d_u^2 - (\sum_u p_u d_u)^2}} = \delta

    Among all probabilities with the same mean, these have the least Kullback-Leibler divergence
    from equal ones.

    Parameters
    ----------
    effect : float
        The wanted mean difference in standard deviations (population Cohen's d_z), :math:`\delta`.
        With 0 both systems have the same mean, and the differences need not be symmetric.

    Notes
    -----
    Source: Efron (1981), "Nonparametric standard errors and confidence intervals", Canadian Journal
    of Statistics 9(2), where tilting makes a resampled population obey a hypothesis.

    Examples
    --------
    One of four users gains 3 and the others lose 1, so the mean is 0 already.

    >>> tilted_to_effect([3, -1, -1, -1], 0.0).round(3).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    from scipy.optimize import brentq

    values = np.asarray(differences, dtype=np.float64)
    if not (values.max() > 0 > values.min()):
        raise ValueError(
            "Tilting needs users with differences above 0 and users with differences below; these "
            f"go from {values.min():g} to {values.max():g}. Leave out pairs of systems of which "
            "one is nowhere better."
        )
    scaled = values / values.std()

    def probabilities(tilt: float) -> NDArray[np.float64]:
        weights = np.exp(tilt * scaled - (tilt * scaled).max())
        found: NDArray[np.float64] = weights / weights.sum()
        return found

    def excess(tilt: float) -> float:
        weights = probabilities(tilt)
        mean = float(weights @ scaled)
        variance = float(weights @ np.square(scaled - mean))
        return mean - effect * float(np.sqrt(variance))

    # Extreme tilting leaves only the least or the largest difference, without any spread.
    low = high = 0.0
    step = 0.125
    while excess(low) > 0 and low > -_LARGEST_TILT:
        low -= step
        step *= 2
    step = 0.125
    while excess(high) < 0 and high < _LARGEST_TILT:
        high += step
        step *= 2
    if low == high:
        return probabilities(0.0)
    return probabilities(float(brentq(excess, low, high, xtol=1e-13, rtol=1e-13)))


def tilted_pairs(differences: NDArray[np.float64], effect: float, pairs: int) -> Draw:
    """Return draws of users of the pairs nearest to an effect, tilted to have this effect.

    Parameters
    ----------
    pairs : int
        How many pairs to use, those whose own effect is nearest; tests take turns.
    """
    effects = differences.mean(axis=1) / differences.std(axis=1)
    chosen = differences[np.argsort(np.abs(effects - effect), kind="stable")[:pairs]]
    cumulated = np.cumsum([tilted_to_effect(row, effect) for row in chosen], axis=1)

    def draw(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        found = np.empty((n_tests, n_users))
        for pair, (row, sums) in enumerate(zip(chosen, cumulated, strict=True)):
            own = found[pair :: len(chosen)]
            users = np.searchsorted(sums, generator.random(own.shape) * sums[-1], side="right")
            own[:] = row[np.minimum(users, len(row) - 1)]
        return found

    return draw


def flipped_pairs(differences: NDArray[np.float64], pairs: int) -> Draw:
    """Return draws of users of the nearest pairs, with their two values swapped at random."""
    effects = differences.mean(axis=1) / differences.std(axis=1)
    chosen = differences[np.argsort(effects, kind="stable")[:pairs]]

    def draw(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(chosen)
        users = generator.integers(0, chosen.shape[1], (n_tests, n_users))
        signs = 1.0 - 2.0 * generator.integers(0, 2, (n_tests, n_users))
        return np.asarray(chosen[rows, users] * signs)

    return draw


def matched_users(values: NDArray[np.float64]) -> Draw:
    """Return draws of the differences between two random users under the same system.

    This compares a system with itself on two random halves of the users, which differ only by
    chance.
    """
    from receval.metrics.averages import MEAN_DECIMALS

    def draw(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(values)
        one, other = (
            values[rows, generator.integers(0, values.shape[1], (n_tests, n_users))]
            for _ in range(2)
        )
        return np.asarray(np.round(one - other, MEAN_DECIMALS))

    return draw


def rejections(
    cell: Mapping[str, object],
    draw: Draw,
    n_tests: int,
    n_users: int,
    generator: np.random.Generator,
) -> list[dict[str, object]]:
    """Count the rejections of each kind of test among the drawn tests."""
    from receval.statistics.difference_tests import p_values_of_tests

    found = p_values_of_tests(draw(n_tests, n_users, generator), generator)
    return [
        {
            **cell,
            "sampled_users": n_users,
            "test": name,
            "tests": n_tests,
            "rejected": int((p_values <= TEST_LEVEL).sum()),
        }
        for name, p_values in found.items()
    ]


def shares_with_intervals(
    counted: Sequence[Mapping[str, object]], keys: Sequence[str], share: str
) -> pd.DataFrame:
    """Return the shares of rejections with exact 95 % intervals, also for all metrics together."""
    from receval.statistics.confidence import binomial_interval

    table = pd.DataFrame(counted)
    together = table.assign(metric=ALL).groupby(list(keys), sort=False, as_index=False)
    table = pd.concat([table, together[["tests", "rejected"]].sum()], ignore_index=True)
    low, high = binomial_interval(table["rejected"], table["tests"])
    table[share] = table["rejected"] / table["tests"]
    return table[[*keys, "tests", share]].assign(low=low, high=high)
