# SPDX-License-Identifier: MIT
"""Rocchio's framework: a user's neighbours as feedback that suggests items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import AtLeastOne, Flag, OneOf, positive_ratings
from receval.recommenders.neighbourhood import nearest_rows_for
from receval.recommenders.products import sparse_products


@dataclass(eq=False, repr=False)
class Rocchio(Recommender):
    """Weights of the item in the ratings of the user's neighbours, as in pseudo-relevance feedback.

    N are the k users most similar to u by the cosine of the full rating vectors. With
    ``f = sum_{v in N} r_vi``, ``p(i | N) = f / sum_{v in N} sum_j r_vj`` and
    ``p(i) = sum_v r_vi / sum_v sum_j r_vj`` over all users v:

    - ``"rw"``, Rocchio's weights: ``s(u, i) = f / |N|``;
    - ``"rsv"``, Robertson's selection value: ``s(u, i) = f / |N| p(i | N)``;
    - ``"chi2"``, chi-squared: ``s(u, i) = (p(i | N) - p(i))^2 / p(i)``;
    - ``"kld"``, Kullback-Leibler divergence: ``s(u, i) = p(i | N) log(p(i | N) / p(i))``.

    With normalised lengths, p(i | N) is divided by the number of neighbours and p(i) by the number
    of users with ratings, which affects only ``"chi2"`` and ``"kld"``. ``"rsv"`` orders a user's
    items as ``"rw"`` does.

    NaN if f = 0. This includes items without training ratings above 0, and all items of users
    without such ratings or without common items with another user.

    Parameters
    ----------
    weighting : str
        ``"rw"``, ``"rsv"``, ``"chi2"`` or ``"kld"``.
    neighbours : int
        k, at least 1.
    length_normalised : bool
        Whether the two estimates are divided by numbers of users.

    Attributes
    ----------
    neighbours_ : csr_array of float32, shape (n_users, n_users)
        1 for each neighbour of the row's user.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings above 0.
    masses_ : ndarray of float64, shape (n_users,)
        ``sum_{v in N} sum_j r_vj`` for every user.
    sizes_ : ndarray of float64, shape (n_users,)
        Number of neighbours of every user.
    collection_ : ndarray of float64, shape (n_items,)
        p(i), divided by the number of users if lengths are normalised.

    References
    ----------
    Valcarce, Parapar and Barreiro, "Efficient Pseudo-Relevance Feedback Methods for Collaborative
    Filtering Recommendation", ECIR 2016, section 3; after Carpineto et al., "An
    Information-Theoretic Approach to Automatic Query Expansion", TOIS 2001.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = Rocchio().fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("weighting", "neighbours", "length_normalised")

    weighting: Annotated[str, OneOf("rw", "rsv", "chi2", "kld")] = "rw"
    neighbours: AtLeastOne = 200
    length_normalised: Annotated[bool, Flag()] = True

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        ratings = positive_ratings(models[0], train)
        neighbourhoods = nearest_rows_for(ratings, [model.neighbours for model in models])
        for model, nearest in zip(models, neighbourhoods, strict=True):
            model._learn(ratings, nearest)

    def _learn(self, ratings: RatingMatrix, nearest: RatingMatrix) -> None:
        self.ratings_ = ratings
        nearest.data[:] = 1
        self.neighbours_ = nearest
        self.sizes_ = np.diff(nearest.indptr).astype(np.float64)
        lengths = np.asarray(self.ratings_.sum(axis=1, dtype=np.float64))
        totals = np.asarray(self.ratings_.sum(axis=0, dtype=np.float64))
        self.masses_ = np.zeros(self.n_users_)
        users = np.repeat(np.arange(self.n_users_), np.diff(nearest.indptr))
        np.add.at(self.masses_, users, lengths[nearest.indices])
        self.collection_ = np.zeros(self.n_items_)
        n_raters = np.count_nonzero(lengths) if self.length_normalised else 1
        np.divide(totals, lengths.sum() * n_raters, out=self.collection_, where=totals > 0)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        sparse_products(users, self.neighbours_, self.ratings_, scores)
        self._weigh(users, scores)

    @classmethod
    def _score_grid(
        cls, models: Sequence[Self], users: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> None:
        sums: dict[int, NDArray[np.float32]] = {}
        for model, own in zip(models, scores, strict=True):
            if model.neighbours in sums:
                own[:] = sums[model.neighbours]
            else:
                sparse_products(users, model.neighbours_, model.ratings_, own)
                sums[model.neighbours] = own.copy()
            model._weigh(users, own)

    def _weigh(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Turn the sums of the neighbours' ratings into scores, in place."""
        sizes, masses = self.sizes_[users, None], self.masses_[users, None]
        rated = ~np.isnan(scores)
        # In float64, because a divergence is the difference of nearly equal numbers.
        sums = np.where(rated, scores, 1).astype(np.float64)
        # Users without neighbours have no sum to divide.
        weights = sums / np.maximum(sizes, 1)
        estimates = sums / np.where(masses > 0, masses, 1)
        if self.length_normalised:
            estimates /= np.maximum(sizes, 1)
        expected = np.where(self.collection_ > 0, self.collection_, 1)
        if self.weighting == "rsv":
            weights *= estimates
        elif self.weighting == "chi2":
            weights = (estimates - expected) ** 2 / expected
        elif self.weighting == "kld":
            weights = estimates * np.log(estimates / expected)
        np.copyto(scores, weights, where=rated, casting="same_kind")
