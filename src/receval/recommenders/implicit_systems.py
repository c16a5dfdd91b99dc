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
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.base import RatingMatrix, imported
from receval.recommenders.checks import (
    AtLeastOne,
    NonNegative,
    Number,
    OneOf,
    Positive,
    Seed,
    checked_parameter,
    refuse_negative,
    with_short_indices,
)
from receval.recommenders.products import FactorModel, NeighbourModel


@dataclass(eq=False, repr=False)
class ImplicitALS(FactorModel):
    """``implicit.cpu.als.AlternatingLeastSquares``: factors for implicit feedback.

    The objective is that of :class:`receval.recommenders.wrmf.WRMF` with target ``"preference"``:
    rated pairs have the confidence ``1 + alpha`` (``weights="binary"``) or ``1 + alpha r_ui``
    (``weights="rating"``), unrated ones 1. The minimisation differs: the factors start uniform on
    [0, .01), and with ``solver="conjugate-gradients"``, the package's default, every vector takes
    three steps towards the solution per iteration instead of being solved exactly.

    Parameters
    ----------
    alpha : float
        Confidence of a rating, at least 0.
    regularisation : float
        At least 0; above 0 with ``"cholesky"``, because rows with fewer ratings than factors need
        it.
    iterations : int
        Number of times both sides are solved, users first; at least 1.
    weights : str
        ``"binary"`` or ``"rating"``; the latter refuses ratings below 0.

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

    factors: AtLeastOne = 10
    alpha: NonNegative = 1.0
    regularisation: float = 0.015
    iterations: AtLeastOne = 15
    weights: Annotated[str, OneOf("binary", "rating")] = "binary"
    solver: Annotated[str, OneOf("conjugate-gradients", "cholesky")] = "conjugate-gradients"
    seed: Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = Number(0, above=self.solver == "cholesky")
        self.regularisation = checked_parameter(self, "regularisation", self.regularisation, kind)

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
        self._keep_factors(train, model.user_factors, model.item_factors)


@dataclass(eq=False, repr=False)
class ImplicitBPR(FactorModel):
    """``implicit.cpu.bpr.BayesianPersonalizedRanking``: rated items above unrated ones.

    The criterion and the steps are those of :class:`receval.recommenders.bprmf.BPRMF` with
    ``positives="ratings"`` and ``negatives="popularity"``, and one regularisation for all factors
    and biases; the package cannot draw unrated items uniformly. If the second item of a drawn pair
    is rated, the package drops the pair, while receval draws again; so an epoch has fewer steps.
    The factors start uniform on (-.5, .5) / factors.

    The item's bias is the last of its factors, with a user's factor of 1.

    Parameters
    ----------
    regularisation : float
        Regularisation of factors and biases, at least 0.

    References
    ----------
    Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian Personalized Ranking from
    Implicit Feedback", UAI 2009.
    """

    factors: AtLeastOne = 10
    learning_rate: Positive = 0.01
    regularisation: NonNegative = 0.01
    epochs: AtLeastOne = 30
    seed: Seed = 0

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
        self._keep_factors(train, model.user_factors, model.item_factors)


@dataclass(eq=False, repr=False)
class ImplicitItemKNN(NeighbourModel):
    """``implicit.nearest_neighbours.CosineRecommender``: neighbours of the items that were rated.

    ``s(u, i) = sum_{j rated by u, i in N(j)} cos(j, i) r_uj``, where N(j) are the k items most
    similar to j by the cosine of the full rating vectors. This is not
    :class:`receval.recommenders.knn.ItemKNN`, which uses the neighbours of the target item i: here,
    items that are neighbours of many others, such as popular items, are recommended more often. The
    package counts an item among its own k nearest; here it is an additional neighbour, which only
    affects the scores of rated items.

    NaN if i is not a neighbour of a rated item; ratings of value 0 do not count.

    References
    ----------
    Sarwar, Karypis, Konstan and Riedl, "Item-Based Collaborative Filtering Recommendation
    Algorithms", WWW 2001.
    """

    neighbours: AtLeastOne = 100

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
        self.similarities_ = with_short_indices(similarities)
        self.ratings_ = with_short_indices(csr_array(ratings))
