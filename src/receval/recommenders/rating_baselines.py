# SPDX-License-Identifier: MIT
"""Baseline predictions of ratings: means and biases of users and items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix

BASELINES = ("user-and-item", "item", "user", "global")


@dataclass(frozen=True)
class RatingBaselines:
    """Mean and biases: ``b_ui = mean + users[u] + items[i]``.

    Attributes
    ----------
    mean : float
        Mean of all ratings.
    users, items : ndarray of float64, shapes (n_users,) and (n_items,)
        Biases, 0 for users or items without ratings.
    """

    mean: float
    users: NDArray[np.float64]
    items: NDArray[np.float64]


def rating_baselines(
    ratings: RatingMatrix, baseline: str, item_regularisation: float, user_regularisation: float
) -> RatingBaselines:
    """Estimate the biases of the items, and then those of the users.

    With m the mean of all ratings, ``b_i = sum_u (r_ui - m) / (n_i + item_regularisation)`` and
    ``b_u = sum_i (r_ui - m - b_i) / (n_u + user_regularisation)``.

    Parameters
    ----------
    ratings : csr_array of float32, shape (n_users, n_items)
        The ratings.
    baseline : str
        ``"user-and-item"``; ``"item"``: ``b_u = 0``; ``"user"``: ``b_i = 0``; ``"global"``: both.
    item_regularisation, user_regularisation : float
        At least 0, in ratings; 0 gives plain means.

    Returns
    -------
    RatingBaselines
        Mean and biases.

    References
    ----------
    Koren, "Factor in the Neighbors: Scalable and Accurate Collaborative Filtering", TKDD 2010,
    section 2.1.
    """
    n_users, n_items = ratings.shape
    users = np.repeat(np.arange(n_users), np.diff(ratings.indptr))
    values = ratings.data.astype(np.float64)
    mean = float(values.mean())
    item_biases, user_biases = np.zeros(n_items), np.zeros(n_users)
    if baseline in ("user-and-item", "item"):
        item_biases = _shrunk_means(ratings.indices, values - mean, n_items, item_regularisation)
    if baseline in ("user-and-item", "user"):
        rest = values - mean - item_biases[ratings.indices]
        user_biases = _shrunk_means(users, rest, n_users, user_regularisation)
    return RatingBaselines(mean, user_biases, item_biases)


def _shrunk_means(
    groups: NDArray[np.integer], values: NDArray[np.float64], size: int, regularisation: float
) -> NDArray[np.float64]:
    sums = np.bincount(groups, weights=values, minlength=size)
    weights = np.bincount(groups, minlength=size) + regularisation
    means = np.zeros(size)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means
