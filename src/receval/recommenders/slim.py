# SPDX-License-Identifier: MIT
"""Sparse linear methods (SLIM): an item's ratings as a sparse sum of other items' ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer, real
from receval.recommenders.neighbourhood import nearest_rows_for
from receval.recommenders.non_negative_elastic_net import GramRows, solve_columns
from receval.recommenders.products import sparse_products


class SLIM(Recommender):
    """A sparse linear model: the rating vector of an item regressed on those of the others.

    ``s(u, i) = sum_j r_uj w_ji``, where column i of W minimises

    ``1/2 |r_i - R w|^2 + l2/2 |w|^2 + l1 |w|_1`` subject to ``w >= 0``, ``w_i = 0``,

    with missing ratings as 0. The objective has sums, not means, so l1 and l2 are in squared
    ratings, and the same l1 is a heavier penalty for items with few ratings. (scikit-learn's
    ElasticNet divides the first term by the number of users: its ``alpha`` is ``(l1 + l2) /
    n_users``, its ``l1_ratio`` ``l1 / (l1 + l2)``.)

    Every column is solved separately by coordinate descent with covariance updates: steps read only
    the Gram matrix ``R' R``. Descent runs on a working set of items, first those with nonzero
    weights; items whose step would be large join until none is left. A column is done when no step
    d of any item j has ``d^2 |r_j|^2 > tolerance |r_i|^2`` or after the given number of sweeps.

    NaN for all items of users without training ratings. Items without training ratings score 0, and
    so do items without a weight for any item that the user rated.

    At most 1 GiB of the Gram matrix is in memory at a time.

    Parameters
    ----------
    l1, l2 : float
        At least 0, in squared ratings.
    neighbours : int or None
        At least 1: only this many items, those with the largest cosine of the full rating vectors,
        may have a weight (fsSLIM); None allows all items.
    tolerance : float
        Above 0.
    sweeps : int
        Maximum number of passes over a column's working set, at least 1.

    Attributes
    ----------
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings.
    weights_ : csr_array of float32, shape (n_items, n_items)
        W.
    objective_ : ndarray of float64, shape (n_sweeps + 1,)
        The objective, summed over the columns, with W = 0 and after every sweep (columns that are
        done keep their value); it never increases, except for rounding.

    Raises
    ------
    ValueError
        In ``fit``, if the Gram matrix rows of the working set of one item do not fit into memory.

    References
    ----------
    Ning and Karypis, "SLIM: Sparse Linear Methods for Top-N Recommender Systems", ICDM 2011,
    equation 4 and section IV-C (fsSLIM). Covariance updates and active sets: Friedman, Hastie and
    Tibshirani, "Regularization Paths for Generalized Linear Models via Coordinate Descent",
    Journal of Statistical Software 2010, section 2.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> group = [[5, 4, 0], [4, 5, 3], [5, 3, 4]]
    >>> train = csr_array(np.kron(np.eye(2), group).astype(np.float32))
    >>> scores = SLIM(l1=0.1, l2=1.0).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("l1", "l2", "neighbours", "tolerance", "sweeps")

    ratings_: RatingMatrix
    weights_: RatingMatrix
    objective_: NDArray[np.float64]

    def __init__(
        self,
        l1: float = 1.0,
        l2: float = 1000.0,
        neighbours: int | None = None,
        tolerance: float = 1e-5,
        sweeps: int = 1000,
    ) -> None:
        self.l1 = real(self, "l1", l1, lowest=0)
        self.l2 = real(self, "l2", l2, lowest=0)
        self.neighbours = (
            None if neighbours is None else integer(self, "neighbours", neighbours, lowest=1)
        )
        self.tolerance = real(self, "tolerance", tolerance, lowest=0, above=True)
        self.sweeps = integer(self, "sweeps", sweeps, lowest=1)

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_family([self], train)

    @classmethod
    def _fit_family(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        gram = GramRows(train)
        numbers = [model.neighbours for model in models if model.neighbours is not None]
        nearest = iter(nearest_rows_for(train.T.tocsr(), numbers) if numbers else ())
        for model in models:
            allowed = None if model.neighbours is None else next(nearest)
            model.weights_, model.objective_ = solve_columns(
                gram, allowed, model.l1, model.l2, model.tolerance, model.sweeps
            )
            model.ratings_ = train

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        scores[np.diff(self.ratings_.indptr)[users] > 0] = 0
        sparse_products(users, self.ratings_, self.weights_, scores)
