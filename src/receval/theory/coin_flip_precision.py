"""Exact expected precision of a fixed order of the items over coin-flip splits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from receval.ratings import Ratings


def expected_precision_over_coin_flips(
    ratings: Ratings, order: NDArray[np.integer], threshold: float, test_share: float, cutoff: int
) -> float:
    r"""Return the expected P@n of one order of all items, under AR with all candidates.

    Every rating tests with probability :math:`\sigma`, and the user's training items leave the
    list. An item that u likes is a hit if it tests and fewer than n of the items before it are
    left: those that u has not rated, and each of the others with probability :math:`\sigma`.

    .. math::

        E[P@n] = \frac{\sigma}{n |U|} \sum_{(u,i) \in PR}
                 Pr[Binomial(a_{ui}, \sigma) + b_{ui} < n]

    with :math:`a_{ui}` the items before i that u has rated and :math:`b_{ui}` those that u has not.
    Equation 3 of bellogin2017 with all of its neglected terms. With all items as candidates (AI) it
    is exact for an order that does not depend on the split; of the test items (TI), and of an
    order by training popularity, it is as good as the split resembles others.

    Parameters
    ----------
    ratings : Ratings
        Without repeated pairs of user and item.
    order : ndarray of int, shape (n_items,)
        Codes of all items, from the first rank on.
    threshold : float
        Ratings at or above it are positive.
    test_share : float
        :math:`\sigma`.
    cutoff : int
        n.

    Raises
    ------
    ValueError
        The order does not hold every item once.
    """
    if not np.array_equal(np.sort(order), np.arange(ratings.n_items)):
        raise ValueError(
            f"The order must hold each of the {ratings.n_items} items once: give the codes from 0 "
            f"to {ratings.n_items - 1}, from the first rank on."
        )
    rank_of = np.empty(ratings.n_items, dtype=np.int64)
    rank_of[order] = np.arange(ratings.n_items)
    ranks = rank_of[ratings.items]
    by_rank = np.lexsort((ranks, ratings.users))
    users = ratings.users[by_rank]
    starts = np.searchsorted(users, np.arange(ratings.n_users))
    rated_before = np.arange(len(users)) - starts[users]
    unrated_before = ranks[by_rank] - rated_before
    liked = ratings.values[by_rank] >= threshold
    hit = binom.cdf(cutoff - 1 - unrated_before[liked], rated_before[liked], test_share)
    return float(test_share * np.sum(hit) / (cutoff * ratings.n_users))
