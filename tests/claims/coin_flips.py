# SPDX-License-Identifier: MIT
"""Equation 3 of bellogin2017 with the terms that it neglects, to compare the formula with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from receval.data.ratings import Ratings


def expected_precision_over_coin_flips(
    ratings: Ratings, order: NDArray[np.integer], threshold: float, test_share: float, cutoff: int
) -> float:
    r"""Return the expected P@n of one order of all items over random splits, under AR AN.

    Every rating is in test with probability :math:`\sigma` (``test_share``), and the user's
    training items leave the list. An item that u likes is a hit if it is in test and fewer than n
    of the items before it remain. Items that u has not rated always remain, the others with
    probability :math:`\sigma`.

    .. math::

        E[P@n] = \frac{\sigma}{n |U|} \sum_{(u,i) \in PR}
                 Pr[Binomial(a_{ui}, \sigma) + b_{ui} < n]

    with :math:`a_{ui}` the items before i that u has rated and :math:`b_{ui}` those that u has not.
    """
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
