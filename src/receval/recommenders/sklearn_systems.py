# SPDX-License-Identifier: MIT
"""Systems built with scikit-learn: PureSVD, SLIM and user kNN.

scikit-learn trains the models; receval stores and scores them like all others. The package is
imported only when a system is trained, and is part of receval's extra ``workflow``.
:meth:`receval.recommenders.base.Recommender.fit` limits it to one thread, so that equal seeds give
equal bytes on the same machine. Its dense products use BLAS, whose last digits differ between
processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.base import RatingMatrix, imported
from receval.recommenders.checks import (
    LARGEST_SEED,
    AtLeastOne,
    NonNegative,
    Number,
    Positive,
    Whole,
    checked_parameter,
    refuse_beyond_rank,
    with_short_indices,
)
from receval.recommenders.neighbourhood import nearest_rows
from receval.recommenders.products import FactorModel, LinearModel, NeighbourModel

SMALLEST_COSINE = 1e-12
"""Smaller cosines are rounding errors of 0, because distances are subtracted from 1."""


@dataclass(eq=False, repr=False)
class SklearnSVD(FactorModel):
    """``sklearn.decomposition.TruncatedSVD``: a randomised approximation of PureSVD.

    ``s(u, i) = r_u Q q_i`` as in :class:`receval.recommenders.puresvd.PureSVD`, which finds
    the singular vectors exactly. The package multiplies random vectors by the matrix and its
    transpose ``power_iterations`` times; more iterations give a better approximation.

    Parameters
    ----------
    factors : int
        At least 1 and at most the smaller of the numbers of users and items.
    power_iterations : int
        At least 0; 5 in the package.

    References
    ----------
    Halko, Martinsson and Tropp, "Finding Structure with Randomness", SIAM Review 2011.
    """

    factors: AtLeastOne = 25
    power_iterations: Annotated[int, Whole(0)] = 5
    seed: Annotated[int, Whole(0, LARGEST_SEED)] = 0

    def check_size(self, n_users: int, n_items: int) -> None:
        """Refuse more factors than the smaller side of the matrix."""
        super().check_size(n_users, n_items)
        refuse_beyond_rank(self, self.factors, n_users, n_items)

    def _fit(self, train: RatingMatrix) -> None:
        model = imported(self, "sklearn.decomposition", "scikit-learn").TruncatedSVD(
            n_components=self.factors,
            algorithm="randomized",
            n_iter=self.power_iterations,
            random_state=self.seed,
        )
        # It also computes shares of the variance, which are 0 / 0 if all ratings are 0.
        with np.errstate(invalid="ignore", divide="ignore"):
            model.fit(csr_matrix(train.astype(np.float64)))
        vectors = np.asarray(model.components_, dtype=np.float64)
        # Rounding would rank unrated items.
        vectors[:, np.bincount(train.indices, minlength=self.n_items_) == 0] = 0
        self._keep_factors(train, train.astype(np.float64) @ vectors.T, vectors.T)
        # In the package's order of memory, which the bytes of a model file depend on.
        self.item_factors_ = vectors.astype(np.float32)


@dataclass(eq=False, repr=False)
class SklearnElasticNet(LinearModel):
    """``sklearn.linear_model.ElasticNet``, one per item: SLIM with the nearest items.

    ``s(u, i) = sum_j r_uj w_ji`` as in :class:`receval.recommenders.slim.SLIM` with as many
    neighbours, whose objective it minimises: the package divides the squared error by the number of
    users, so that its ``alpha`` is ``(l1 + l2) / n_users`` and its ``l1_ratio`` ``l1 / (l1 + l2)``.
    The columns that may have a weight are receval's nearest items. The stopping criterion differs:
    coordinate descent ends when the duality gap is below the tolerance times the squared norm of
    the item's ratings. It uses the Gram matrix of the dense columns.

    Parameters
    ----------
    l1, l2 : float
        At least 0, in squared ratings; not both 0.
    neighbours : int
        At least 1: only this many items, those with the largest cosine, may have a weight.
    tolerance : float
        Above 0; 1e-4 in the package.
    sweeps : int
        Maximum number of passes over a column's items, at least 1; 1,000 in the package, which
        warns if they do not suffice.

    References
    ----------
    Ning and Karypis, "SLIM: Sparse Linear Methods for Top-N Recommender Systems", ICDM 2011,
    equation 4 and section IV-C (fsSLIM).
    """

    l1: NonNegative = 1.0
    l2: float = 1000.0
    neighbours: AtLeastOne = 50
    tolerance: Positive = 1e-4
    sweeps: AtLeastOne = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.l2 = checked_parameter(self, "l2", self.l2, Number(0, above=self.l1 == 0))

    def _fit(self, train: RatingMatrix) -> None:
        model = imported(self, "sklearn.linear_model", "scikit-learn").ElasticNet(
            alpha=(self.l1 + self.l2) / train.shape[0],
            l1_ratio=self.l1 / (self.l1 + self.l2),
            positive=True,
            fit_intercept=False,
            # Three times as fast as steps along columns with one entry per user.
            precompute=True,
            copy_X=False,
            tol=self.tolerance,
            max_iter=self.sweeps,
        )
        columns = train.astype(np.float64).tocsc()
        allowed = nearest_rows(train.T.tocsr(), self.neighbours)
        # One row per item: the weights of its neighbours, at their positions in `allowed`.
        weights = np.zeros(allowed.nnz, dtype=np.float32)
        # The columns are in the required format; checking would take longer than fitting.
        with imported(self, "sklearn", "scikit-learn").config_context(
            skip_parameter_validation=True
        ):
            for item in range(train.shape[1]):
                own = slice(allowed.indptr[item], allowed.indptr[item + 1])
                if own.start < own.stop:
                    others = columns[:, allowed.indices[own]].toarray(order="F")
                    ratings = columns[:, [item]].toarray().ravel()
                    weights[own] = model.fit(others, ratings, check_input=False).coef_
        by_target = csr_array((weights, allowed.indices, allowed.indptr), shape=allowed.shape)
        by_target.eliminate_zeros()
        self.weights_ = by_target.T.tocsr()
        self.ratings_ = train


@dataclass(eq=False, repr=False)
class SklearnNeighbours(NeighbourModel):
    """``sklearn.neighbors.NearestNeighbors`` with the cosine: user kNN.

    ``s(u, i) = sum_{v in N(u), v rated i} cos(u, v) r_vi`` as in
    :class:`receval.recommenders.knn.UserKNN`. The package returns distances, 1 minus the cosine,
    which lose digits of small cosines, and does not document the order of equal ones. Users with a
    cosine of 0 are no neighbours.

    NaN if no neighbour rated the item; ratings of value 0 do not count.

    Parameters
    ----------
    neighbours : int
        Number of nearest users, at least 1; all other users if there are fewer.

    References
    ----------
    As for :class:`receval.recommenders.knn.UserKNN`.
    """

    _similarities_are_of_users = True

    neighbours: AtLeastOne = 100

    def _fit(self, train: RatingMatrix) -> None:
        ratings: RatingMatrix = train.copy()
        ratings.eliminate_zeros()
        n_users = train.shape[0]
        cosines = csr_array((n_users, n_users), dtype=np.float32)
        number = min(self.neighbours, n_users - 1)
        if number and ratings.nnz:
            model = imported(self, "sklearn.neighbors", "scikit-learn").NearestNeighbors(
                n_neighbors=number, algorithm="brute", metric="cosine", n_jobs=1
            )
            distances, nearest = model.fit(csr_matrix(ratings.astype(np.float64))).kneighbors()
            starts = np.arange(n_users + 1) * number
            cosines = csr_array(
                ((1 - distances).ravel().astype(np.float32), nearest.ravel(), starts),
                shape=(n_users, n_users),
            )
            cosines.data[cosines.data < SMALLEST_COSINE] = 0
            cosines.eliminate_zeros()
            cosines.sort_indices()
        self.similarities_ = with_short_indices(cosines)
        self.ratings_ = ratings
