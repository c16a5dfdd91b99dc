# SPDX-License-Identifier: MIT
"""How unequal values are over users, within groups of users, and between these groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from receval.statistics.concentration import gini

MEASURES = ("SD", "Gini", "Atkinson")
"""Measures of inequality: 0 if all values are equal; the larger, the less fair."""

_ROUNDING = 1e-9


def inequalities(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    r"""Return the inequality over users, within and between groups, shape (3, 3).

    With the values :math:`x_u` of users, those :math:`g_j` of a group with the mean
    :math:`\bar g_j`, and the group's share :math:`s_j` of the sum of all values, inequality is

    - *SD*, the standard deviation of a population: over users of the :math:`x_u`, between groups of
      the :math:`\bar g_j`;
    - *Gini*, the coefficient of :func:`.gini`, of the same;
    - *Atkinson*, :math:`1 - f(x) / \bar x` with the value :math:`f(x) = (\sum_u \sqrt{x_u} / n)^2`
      that would be worth as much if all users had it. Between groups it is that of the
      :math:`f(g_j)`, weighted by the groups' numbers of users.

    Within groups it is :math:`\sum_j s_j\, I(g_j)`. Only Atkinson's index divides into its parts,
    :math:`1 - I = (1 - I_{within}) (1 - I_{between})`; for SD and Gini a group of two users counts
    as much between groups as one of thousands. Groups are numbered from 0, and each has a user.
    NaN where a value is negative, or all are 0.

    Source: Rampisela et al. (2025), "Stairway to fairness: connecting group and individual
    fairness", appendix A.3; Atkinson (1970), "On the measurement of inequality"; Blackorby et al.
    (1999), "Income inequality measurement: the normative approach", for the division.

    Examples
    --------
    Both groups have the same mean, but each user of the first has all or nothing:

    >>> values, groups = np.array([0.0, 1.0, 0.5, 0.5]), np.array([0, 0, 1, 1])
    >>> for measure, own in zip(MEASURES, inequalities(values, groups).T, strict=True):
    ...     print(measure, own.round(3).tolist())
    SD [0.354, 0.25, 0.0]
    Gini [0.375, 0.25, 0.0]
    Atkinson [0.271, 0.25, 0.029]
    """
    total = values.sum()
    if (values < 0).any() or not total > 0:
        return np.full((3, len(MEASURES)), np.nan)
    within = np.zeros(len(MEASURES))
    for place in range(int(groups.max()) + 1):
        own = values[groups == place]
        if own.any():
            within += own.sum() / total * over_users(own)
    return np.array([over_users(values), within, between_groups(values, [groups])[0]])


def over_users(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inequality of values, not all 0, by each of the :data:`MEASURES`."""
    atkinson = 1 - np.sqrt(values).mean() ** 2 / values.mean()
    return np.array([values.std(), gini(values), atkinson])


def between_groups(
    values: NDArray[np.float64], divisions: Iterable[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Return the inequality between groups, one row per division of the users into groups."""
    roots, rows = np.sqrt(values), []
    for groups in divisions:
        sizes = np.bincount(groups).astype(np.float64)
        means = np.bincount(groups, values) / sizes
        equal = (np.bincount(groups, roots) / sizes) ** 2
        worth = np.average(np.sqrt(equal), weights=sizes) ** 2
        atkinson = 1 - worth / np.average(equal, weights=sizes)
        rows.append([means.std(), gini(means), atkinson])
    return np.array(rows)


def by_chance(
    values: NDArray[np.float64],
    groups: NDArray[np.int64],
    generator: np.random.Generator,
    samples: int,
    strata: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean inequality between random groups of the same sizes, and p-values.

    A p-value is the share of such divisions whose inequality is at least that of the groups, which
    count as one of them (a permutation test). Both have one value per measure. With strata, users
    change places only with users of the same stratum.
    """
    of_users = np.zeros_like(groups) if strata is None else strata
    parts = [np.flatnonzero(of_users == stratum) for stratum in np.unique(of_users)]

    def divisions() -> Iterator[NDArray[np.int64]]:
        for _ in range(samples):
            found = np.empty_like(groups)
            for part in parts:
                found[part] = generator.permutation(groups[part])
            yield found

    drawn = between_groups(values, divisions())
    own = between_groups(values, [groups])[0]
    exceeded = (drawn >= own * (1 - _ROUNDING)).sum(axis=0)
    return drawn.mean(axis=0), (exceeded + 1) / (samples + 1)
