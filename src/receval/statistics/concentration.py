# SPDX-License-Identifier: MIT
"""How ratings are distributed over users and items: density, inequality, popularity."""

from __future__ import annotations

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

    with :math:`x_{(k)}` in increasing order (the *item Gini* of valcarce2018, table 2).

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

    with :math:`x_{(k)}` the ratings of each item in decreasing order (bellogin2017, figure 5).
    Items without ratings are left out. Returned are at most ``points`` numbers of items r, evenly
    spread from 1 to all, and the share of the ratings that this many items have.

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
