"""How ratings are distributed: density, inequality, cumulative distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.ratings import Ratings


def density(ratings: Ratings) -> float:
    r"""Return the share of (user, item) pairs with a rating.

    .. math:: |\{(u, i) : u \text{ rated } i\}| / (|U| |I|)

    A pair that occurs several times, as plays do, counts once.
    """
    # Some users at a time: all pairs of a hundred million ratings at once take ten gigabytes.
    n_blocks = 1 + len(ratings) // 2**22
    step = 1 + ratings.n_users // n_blocks
    distinct = 0
    for start in range(0, ratings.n_users, step):
        rows = (ratings.users >= start) & (ratings.users < start + step)
        pairs = ratings.users[rows].astype(np.int64) * ratings.n_items + ratings.items[rows]
        distinct += len(np.unique(pairs))
    return distinct / (ratings.n_users * ratings.n_items)


def gini(counts: ArrayLike) -> float:
    r"""Return the Gini coefficient of some counts: 0 if all are equal, near 1 if one has all.

    .. math:: G = \frac{\sum_{k=1}^{n} (2k - n - 1)\, x_{(k)}}{n \sum_k x_k}

    with :math:`x_{(k)}` in increasing order (the *item Gini* of valcarce2018, table 2).

    Parameters
    ----------
    counts : array_like, shape (n,)
        Not negative, such as the number of ratings of every item.

    Raises
    ------
    ValueError
        There are no counts, one is negative, or all are 0.
    """
    values = np.sort(np.asarray(counts, dtype=np.float64))
    if not values.size or values[0] < 0 or values[-1] <= 0:
        raise ValueError(
            "The Gini coefficient needs counts that are not negative and not all 0; "
            f"there are {values.size} of them"
            + (f", from {values[0]:g} to {values[-1]:g}." if values.size else ".")
        )
    n = len(values)
    weights = 2.0 * np.arange(1, n + 1) - n - 1
    return float(weights @ values / (n * values.sum()))


def share_at_most(counts: ArrayLike, limits: ArrayLike) -> NDArray[np.float64]:
    """Return the share of counts that are at most each limit (the empirical distribution)."""
    values = np.sort(np.asarray(counts))
    return np.searchsorted(values, np.asarray(limits), side="right") / len(values)
