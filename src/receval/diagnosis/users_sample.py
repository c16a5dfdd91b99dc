# SPDX-License-Identifier: MIT
"""A sample of whole users, so that ratings of any size are diagnosed in about a minute."""

from __future__ import annotations

import numpy as np

from receval.data.ratings import Ratings
from receval.seeds import generator

MOST_RATINGS = 1_500_000
"""Ratings of the users for whom systems are trained and measured."""

MOST_SCORES = 200_000_000
"""Pairs of such a user and an item: a system scores each of them."""

FEWEST_USERS = 500
"""As many users are taken, if there are as many, however many items there are."""


def sampled_users(ratings: Ratings, seed: int) -> Ratings:
    """Return the ratings of some users drawn at random, or all of them if they are not too many.

    Users keep all of their ratings, so that profiles are as long as in the data; there are fewer
    ratings of each item. Users are taken in a random order as long as they have no more than
    :data:`MOST_RATINGS` ratings and :data:`MOST_SCORES` pairs with items, but
    :data:`FEWEST_USERS` of them in any case.

    Returns
    -------
    Ratings
        The same object where nobody is left out; otherwise codes are new, those of the users and
        items that are left, and identifiers are as before.

    Examples
    --------
    >>> ratings = Ratings(
    ...     *np.array([[0, 0, 1], [0, 1, 1]], dtype=np.int32),
    ...     values=np.array([5, 2, 4], dtype=np.float32),
    ...     user_ids=np.array(["ann", "bob"]),
    ...     item_ids=np.array(["book", "film"]),
    ... )
    >>> sampled_users(ratings, seed=1) is ratings
    True
    """
    n_users, n_items = ratings.n_users, ratings.n_items
    if len(ratings) <= MOST_RATINGS and n_users * n_items <= MOST_SCORES:
        return ratings
    order = generator(seed, "diagnosis", "users").permutation(n_users)
    cumulated = np.cumsum(np.bincount(ratings.users, minlength=n_users)[order])
    by_ratings = int(np.searchsorted(cumulated, MOST_RATINGS, side="right"))
    size = max(FEWEST_USERS, min(by_ratings, MOST_SCORES // n_items))
    if size >= n_users:
        return ratings
    is_taken = np.zeros(n_users, dtype=np.bool_)
    is_taken[order[:size]] = True
    return ratings.select(is_taken[ratings.users]).compacted()
