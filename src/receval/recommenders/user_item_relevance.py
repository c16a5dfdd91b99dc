# SPDX-License-Identifier: MIT
"""User-item relevance model: rank items by probability of relevance to the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import Number, positive_ratings, with_short_indices
from receval.recommenders.products import sparse_products

ITEMS_A_BLOCK = 256
"""Rows of the matrix whose gains are computed together, in float64."""


@dataclass(eq=False, repr=False)
class UserItemRelevance(Recommender):
    """The item-based user-item relevance model (UIR-Item) on binary profiles.

    ``s(u, i) = log p(i) + sum_b log(1 + (1 - l) p(b | i) / (l p(b)))`` over the items b that u
    rated and that at least one user rated together with i, where c(i) is the number of users who
    rated i, c(b, i) that of those who rated both, ``p(i) = c(i) / sum_j c(j)``,
    ``p(b | i) = c(b, i) / c(i)`` and l the smoothing. This is the logarithm of ``p(i) prod_b ((1 -
    l) p(b | i) + l p(b))`` without terms that depend only on b. Only ratings above 0 count.

    As l approaches 1, the ranking approaches popularity; with l = 1 it equals popularity.

    NaN for items without training ratings above 0, and for all items of users without them.

    Parameters
    ----------
    smoothing : float
        l, above 0 and at most 1.

    Attributes
    ----------
    gains_ : csr_array of float32, shape (n_items, n_items)
        ``log(1 + (1 - l) p(b | i) / (l p(b)))``, symmetric, for items rated together. If most pairs
        of items are, it takes as much memory as a full matrix.
    log_priors_ : ndarray of float64, shape (n_items,)
        log p(i); NaN for items without ratings above 0.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        1 for every training rating above 0.

    References
    ----------
    Wang, de Vries and Reinders, "A User-Item Relevance Model for Log-Based Collaborative
    Filtering", ECIR 2006, section 3 (item-based generation, linear smoothing).
    """

    SHARED_OVER = ("smoothing",)

    smoothing: Annotated[float, Number(0, 1, above=True)] = 0.9

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        ratings = positive_ratings(models[0], train)
        ratings.data[:] = 1
        n_items = ratings.shape[1]
        counts = np.bincount(ratings.indices, minlength=n_items).astype(np.float64)
        total = max(counts.sum(), 1)
        log_priors = np.full(n_items, np.nan)
        np.log(counts / total, out=log_priors, where=counts > 0)
        # Sums of ones are exact in float32 up to 2**24 users.
        together = with_short_indices((ratings.T.tocsr() @ ratings).tocsr())
        together.sort_indices()
        indices, indptr = together.indices, together.indptr
        gains = [np.empty(together.nnz, dtype=np.float32) for _ in models]
        # In blocks of items, because lifts of all pairs in float64 would take too much memory.
        for start in range(0, n_items, ITEMS_A_BLOCK):
            stop = min(start + ITEMS_A_BLOCK, n_items)
            items = np.repeat(np.arange(start, stop), np.diff(indptr[start : stop + 1]))
            block = slice(indptr[start], indptr[stop])
            lifts = together.data[block] * (total / (counts[items] * counts[indices[block]]))
            for model, of_model in zip(models, gains, strict=True):
                of_model[block] = np.log1p((1 - model.smoothing) / model.smoothing * lifts)
        for model, of_model in zip(models, gains, strict=True):
            model._keep(
                csr_array((of_model, indices, indptr), shape=together.shape), log_priors, ratings
            )

    def _keep(
        self, gains: RatingMatrix, log_priors: NDArray[np.float64], ratings: RatingMatrix
    ) -> None:
        self.gains_, self.log_priors_, self.ratings_ = gains, log_priors, ratings

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        sparse_products(users, self.ratings_, self.gains_, scores)
        # An item that shares no rater with the profile has only its prior.
        scores[np.isnan(scores)] = 0
        scores += self.log_priors_
        scores[np.diff(self.ratings_.indptr)[users] == 0] = np.nan
