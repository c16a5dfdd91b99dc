# SPDX-License-Identifier: MIT
"""How unequal values are: ratings over users and items, and values over and within groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from receval.data.ratings import Ratings

# Figures import this module even if they are only drawn from their CSV.


def density(ratings: Ratings) -> float:
    r"""Return the density of a rating matrix: the share of (user, item) pairs with a rating.

    .. math:: |\{(u, i) : u \text{ rated } i\}| / (|U| |I|)

    A pair that occurs several times, as plays do, counts once.
    """
    if not ratings.events and ratings.known is None:
        return len(ratings) / (ratings.n_users * ratings.n_items)
    distinct = 0
    for _, _, rows in ratings.blocks_of_users():
        pairs = ratings.users[rows].astype(np.int64) * ratings.n_items + ratings.items[rows]
        distinct += len(np.unique(pairs))
    return distinct / (ratings.n_users * ratings.n_items)


def gini(counts: ArrayLike) -> float:
    r"""Return the Gini coefficient: 0 if all counts are equal, near 1 if one count has it all.

    .. math:: G = \frac{\sum_{k=1}^{n} (2k - n - 1)\, x_{(k)}}{n \sum_k x_k}

    with :math:`x_{(k)}` in increasing order (the *item Gini* of Valcarce et al. 2018, table 2).

    Examples
    --------
    >>> gini([3, 3, 3]), gini([0, 0, 0, 8])
    (0.0, 0.75)
    """
    values = np.sort(np.asarray(counts, dtype=np.float64))
    if not values.size or values[0] < 0 or values[-1] <= 0:
        raise ValueError(
            "The Gini coefficient needs counts that are not negative and not all 0, but it was "
            f"given {values.size} counts"
            + (f", from {values[0]:g} to {values[-1]:g}." if values.size else ".")
        )
    n = len(values)
    weights = 2.0 * np.arange(1, n + 1) - n - 1
    return float(weights @ values / (n * values.sum()))


def share_at_most(counts: ArrayLike, limits: ArrayLike) -> NDArray[np.float64]:
    """Return the share of counts that are at most each limit (the empirical distribution)."""
    values = np.sort(np.asarray(counts))
    return np.searchsorted(values, np.asarray(limits), side="right") / len(values)


def cumulative_shares(
    counts: ArrayLike, points: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    r"""Return the share of all ratings that the most popular items have.

    .. math:: F(r) = \sum_{k=1}^{r} x_{(k)} \big/ \sum_k x_{(k)}

    with :math:`x_{(k)}` the ratings of each item in decreasing order (Bellogín et al. 2017, figure
    5). Items without ratings are left out. Returned are at most ``points`` numbers of items r,
    evenly spread from 1 to all, and the share of the ratings that this many items have.

    Examples
    --------
    >>> ranks, shares = cumulative_shares([1, 6, 3, 0], points=3)
    >>> ranks.tolist(), shares.tolist()
    ([1, 2, 3], [0.6, 0.9, 1.0])
    """
    falling = np.sort(np.asarray(counts, dtype=np.int64))[::-1]
    if not falling.size or falling[-1] < 0 or falling[0] == 0:
        raise ValueError(
            "A curve of popularity needs counts that are not negative and not all 0, but it was "
            f"given {falling.size} counts"
            + (f", from {falling[-1]} to {falling[0]}." if falling.size else ".")
        )
    falling = falling[falling > 0]
    ranks = np.unique(np.linspace(1, len(falling), points).round().astype(np.int64))
    cumulated = np.cumsum(falling)
    return ranks, cumulated[ranks - 1] / cumulated[-1]


def popularity_segments(
    order: NDArray[np.int64], segments: int, **quantities: NDArray
) -> pd.DataFrame:
    """Return the mean of each quantity over popularity segments with equal numbers of items.

    ``order`` has the items by falling popularity, and each quantity one number per item. Columns:
    segment (from 1, the most popular items); first_rank, last_rank (popularity ranks of the items
    in it, from 1); items; then the quantities.
    """
    columns = {name: values[order] for name, values in quantities.items()}
    ranks = np.arange(1, len(order) + 1)
    items = pd.DataFrame({"segment": (ranks - 1) * segments // len(order) + 1, "rank": ranks})
    return (
        items.assign(**columns)
        .groupby("segment", as_index=False)
        .agg(
            first_rank=("rank", "min"),
            last_rank=("rank", "max"),
            items=("rank", "size"),
            **{name: (name, "mean") for name in columns},
        )
    )


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
    if not _are_shares(values):
        return np.full((3, len(MEASURES)), np.nan)
    within = np.zeros(len(MEASURES))
    for place in range(int(groups.max()) + 1):
        own = values[groups == place]
        if own.any():
            within += own.sum() / total * over_users(own)
    return np.array([over_users(values), within, between_groups(values, [groups])[0]])


def _are_shares(values: NDArray[np.float64]) -> bool:
    """Tell whether values can be divided unequally: none is below 0, and not all are 0."""
    return bool((values >= 0).all() and values.sum() > 0)


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
    change places only with users of the same stratum. Both are NaN where :func:`inequalities` is.
    """
    if not _are_shares(values):
        return np.full(len(MEASURES), np.nan), np.full(len(MEASURES), np.nan)
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
