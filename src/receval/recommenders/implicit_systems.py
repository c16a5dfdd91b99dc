# SPDX-License-Identifier: MIT
"""Systems of the package implicit: alternating least squares, BPR and item kNN.

The package trains the models; receval stores and scores them like all others. implicit is imported
only when a system is trained, and is part of receval's extra ``workflow``.

Everything runs on one thread, because the package's results depend on the number of threads (those
of BPR change the same factors without locks). With the same seed, the bytes are the same on the
same machine. The compiled code calls the BLAS of SciPy, whose last digits differ between
processors.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import choice, integer, real, refuse_negative
from receval.recommenders.packages import imported
from receval.recommenders.products import inner_products, sparse_products

WEIGHTS = ("binary", "rating")
SOLVERS = ("conjugate-gradients", "cholesky")


class _ImplicitFactors(Recommender):
    """Factors that implicit learns; ``s(u, i) = x_u . y_i``.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, n_factors)
        x_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (n_factors, n_items)
        y_i, one column each.
    """

    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]

    def _keep(
        self, train: RatingMatrix, users: NDArray[np.float32], items: NDArray[np.float32]
    ) -> None:
        """Store the learnt factors, one row per user or item."""
        self.user_factors_ = users.copy()
        self.user_factors_[np.diff(train.indptr) == 0] = np.nan
        self.item_factors_ = np.ascontiguousarray(items.T)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)


class ImplicitALS(_ImplicitFactors):
    """``implicit.cpu.als.AlternatingLeastSquares``: factors for implicit feedback.

    The objective is that of :class:`receval.recommenders.wrmf.WRMF` with target ``"preference"``:
    rated pairs have the confidence ``1 + alpha`` (``weights="binary"``) or ``1 + alpha r_ui``
    (``weights="rating"``), unrated ones 1. The minimisation differs: the factors start uniform on
    [0, .01), and with ``solver="conjugate-gradients"``, the package's default, every vector takes
    three steps towards the solution per iteration instead of being solved exactly.

    NaN for all items of users without training ratings. Items without training ratings have
    ``y_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        Length of x_u and y_i, at least 1.
    alpha : float
        Confidence of a rating, at least 0.
    regularisation : float
        At least 0; above 0 with ``"cholesky"``, because rows with fewer ratings than factors need
        it.
    iterations : int
        Number of times both sides are solved, users first; at least 1.
    weights : str
        ``"binary"`` or ``"rating"``; the latter refuses ratings below 0.
    solver : str
        ``"conjugate-gradients"`` or ``"cholesky"``.
    seed : int
        Seed of the initial factors, at least 0.

    References
    ----------
    Hu, Koren and Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008;
    Takács, Pilászy and Tikk, "Applications of the conjugate gradient method for implicit feedback
    collaborative filtering", RecSys 2011.

    Examples
    --------
    User 2 has rated only item 0. Other users of item 0 rated item 1, but none rated item 2:

    >>> train = csr_array(np.array([[5, 4, 0], [3, 5, 0], [4, 0, 0], [0, 0, 5]], dtype=np.float32))
    >>> scores = ImplicitALS(factors=2).fit(train).score(np.array([2]))
    >>> bool(scores[0, 1] > scores[0, 2])
    True
    """

    def __init__(
        self,
        factors: int = 10,
        alpha: float = 1.0,
        regularisation: float = 0.015,
        iterations: int = 15,
        weights: str = "binary",
        solver: str = "conjugate-gradients",
        seed: int = 0,
    ) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.alpha = real(self, "alpha", alpha, lowest=0)
        self.solver = choice(self, "solver", solver, SOLVERS)
        exact = self.solver == "cholesky"
        self.regularisation = real(self, "regularisation", regularisation, lowest=0, above=exact)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.weights = choice(self, "weights", weights, WEIGHTS)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        amounts = np.ones_like(train.data)
        if self.weights == "rating":
            refuse_negative(self, train, "confidences")
            amounts = train.data
        confidences = csr_matrix(
            (1 + np.float32(self.alpha) * amounts, train.indices, train.indptr), shape=train.shape
        )
        model = imported(self, "implicit.cpu.als", "implicit").AlternatingLeastSquares(
            factors=self.factors,
            regularization=self.regularisation,
            alpha=1.0,
            iterations=self.iterations,
            use_cg=self.solver == "conjugate-gradients",
            num_threads=1,
            random_state=self.seed,
        )
        model.fit(confidences, show_progress=False)
        self._keep(train, model.user_factors, model.item_factors)


class ImplicitBPR(_ImplicitFactors):
    """``implicit.cpu.bpr.BayesianPersonalizedRanking``: rated items above unrated ones.

    The criterion and the steps are those of :class:`receval.recommenders.bprmf.BPRMF` with
    ``positives="ratings"`` and ``negatives="popularity"``, and one regularisation for all factors
    and biases; the package cannot draw unrated items uniformly. If the second item of a drawn pair
    is rated, the package drops the pair, while receval draws again; so an epoch has fewer steps.
    The factors start uniform on (-.5, .5) / factors.

    The item's bias is the last of its factors, with a user's factor of 1.

    NaN for all items of users without training ratings. Items without training ratings have
    ``y_i = 0`` and score 0.

    Parameters
    ----------
    factors : int
        Length of the vectors without the bias, at least 1.
    learning_rate : float
        Above 0.
    regularisation : float
        Regularisation of factors and biases, at least 0.
    epochs : int
        At least 1.
    seed : int
        Seed of the initial factors and of the pairs, at least 0.

    References
    ----------
    Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian Personalized Ranking from
    Implicit Feedback", UAI 2009.
    """

    def __init__(
        self,
        factors: int = 10,
        learning_rate: float = 0.01,
        regularisation: float = 0.01,
        epochs: int = 30,
        seed: int = 0,
    ) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.learning_rate = real(self, "learning_rate", learning_rate, lowest=0, above=True)
        self.regularisation = real(self, "regularisation", regularisation, lowest=0)
        self.epochs = integer(self, "epochs", epochs, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        model = imported(self, "implicit.cpu.bpr", "implicit").BayesianPersonalizedRanking(
            factors=self.factors,
            learning_rate=self.learning_rate,
            regularization=self.regularisation,
            iterations=self.epochs,
            num_threads=1,
            random_state=self.seed,
        )
        # Every rating counts equally, also those of value 0.
        rated = csr_matrix(
            (np.ones_like(train.data), train.indices, train.indptr), shape=train.shape
        )
        model.fit(rated, show_progress=False)
        self._keep(train, model.user_factors, model.item_factors)


class ImplicitItemKNN(Recommender):
    """``implicit.nearest_neighbours.CosineRecommender``: neighbours of the items that were rated.

    ``s(u, i) = sum_{j rated by u, i in N(j)} cos(j, i) r_uj``, where N(j) are the k items most
    similar to j by the cosine of the full rating vectors. This is not
    :class:`receval.recommenders.knn.ItemKNN`, which uses the neighbours of the target item i: here,
    items that are neighbours of many others, such as popular items, are recommended more often. The
    package counts an item among its own k nearest; here it is an additional neighbour, which only
    affects the scores of rated items.

    NaN if i is not a neighbour of a rated item; ratings of value 0 do not count.

    Parameters
    ----------
    neighbours : int
        k, at least 1.

    Attributes
    ----------
    similarities_ : csr_array of float32, shape (n_items, n_items)
        Row j holds the cosines with j's neighbours.
    ratings_ : csr_array of float32, shape (n_users, n_items)
        The training ratings, without those of value 0.

    References
    ----------
    Sarwar, Karypis, Konstan and Riedl, "Item-Based Collaborative Filtering Recommendation
    Algorithms", WWW 2001.
    """

    similarities_: RatingMatrix
    ratings_: RatingMatrix

    def __init__(self, neighbours: int = 100) -> None:
        self.neighbours = integer(self, "neighbours", neighbours, lowest=1)

    def _fit(self, train: RatingMatrix) -> None:
        package = imported(self, "implicit.nearest_neighbours", "implicit")
        ratings = csr_matrix(train, copy=True)
        ratings.eliminate_zeros()
        # K includes the item itself, and memory is allocated for K neighbours.
        most = min(self.neighbours, ratings.shape[1]) + 1
        model = package.CosineRecommender(K=most, num_threads=1)
        with warnings.catch_warnings(), np.errstate(invalid="ignore"):
            # The package warns about the format of a matrix that it has created itself.
            warnings.simplefilter("ignore")
            model.fit(ratings, show_progress=False)
        similarities = csr_array(model.similarity).astype(np.float32)
        similarities.sum_duplicates()
        similarities.eliminate_zeros()
        self.similarities_ = _with_short_indices(similarities)
        self.ratings_ = _with_short_indices(csr_array(ratings))

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        sparse_products(users, self.ratings_, self.similarities_, scores)


def _with_short_indices(matrix: RatingMatrix) -> RatingMatrix:
    """Return a matrix with the index type for which kernels are compiled."""
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix
