# SPDX-License-Identifier: MIT
"""Adapter for scikit-learn estimators that reconstruct ratings from a few components.

scikit-learn has no recommenders, but its decompositions can score items: a user's row of ratings is
projected onto components, and the row reconstructed from these has a value for every item.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.adapters.scores import libraries_of
from receval.recommenders.base import on_one_thread
from receval.recommenders.products import with_rows_of
from receval.top_lists import ListSystem

_TOPICS = "LatentDirichletAllocation"


class AdaptedDecomposition(ListSystem):
    """A decomposition of scikit-learn that receval trains and scores, made by :func:`of_sklearn`.

    The given estimator is never changed: ``estimator_`` is the trained copy.
    """

    estimator_: Any

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(self, train: csr_array) -> Self:
        """Train a copy of the estimator on the rows of the users, with 0 for unrated items.

        It is refused if it has found no components, or does not accept such ratings.
        """
        self._train = csr_matrix(train)
        estimator = copy.deepcopy(self._estimator)
        with on_one_thread():
            # Steps with copy=False change what they are given.
            estimator.fit(self._train.copy())
        if not hasattr(_last_step(estimator), "components_"):
            raise ValueError(
                f"The {type(estimator).__name__} of scikit-learn has no components after training, "
                "so its output says nothing about items that a user has not rated. Give a "
                "decomposition, for example TruncatedSVD or NMF."
            )
        self.estimator_ = estimator
        return self

    def fold_in(self, ratings: csr_array) -> Self:
        """Take the ratings of users who were not in the training data, to transform them."""
        self._train = csr_matrix(with_rows_of(csr_array(self._train), ratings))
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the rows of some users, reconstructed from the components, shape (n, n_items).

        All items of users without training ratings are NaN.
        """
        rows = self._train[users]
        scores = np.full(rows.shape, np.nan)
        rated = np.diff(rows.indptr) > 0
        if rated.any():
            with on_one_thread():
                scores[rated] = self._rebuilt(rows[rated])
        return scores

    def _rebuilt(self, rows: csr_matrix) -> NDArray[np.floating]:
        shares = self.estimator_.transform(rows)
        if hasattr(self.estimator_, "inverse_transform"):
            return np.asarray(self.estimator_.inverse_transform(shares))
        components = self.estimator_.components_
        return shares @ (components / components.sum(axis=1, keepdims=True))


def of_sklearn(estimator: Any) -> AdaptedDecomposition:
    r"""Turn an estimator of scikit-learn into a system, if possible.

    A decomposition with ``inverse_transform`` (``TruncatedSVD``, ``NMF``, ``PCA`` and others, also
    as the last step of a ``Pipeline``) gives

    .. math:: s(u, \cdot) = \text{inverse\_transform}(\text{transform}(r_u)),

    with the user's training ratings :math:`r_u`, 0 for unrated items. ``LatentDirichletAllocation``
    gives the probability of the item, :math:`s(u, i) = \sum_k p(k|u) p(i|k)`.

    Parameters
    ----------
    estimator : sklearn.base.BaseEstimator
        It need not be trained: each fold trains a copy. Set its ``random_state=``, if it has one,
        or values differ from run to run.

    Raises
    ------
    ValueError
        The estimator cannot be used as a recommender: it predicts from features, clusters, finds
        neighbours, or scales columns.
    """
    parents = [parent.__name__ for parent in type(estimator).__mro__]
    name = type(estimator).__name__
    if "sklearn" not in libraries_of(estimator) or not hasattr(estimator, "fit"):
        raise ValueError(
            f"A {name} is not an estimator of scikit-learn. Give one, for example "
            "sklearn.decomposition.TruncatedSVD(n_components=20, random_state=1)."
        )
    if "predict" in dir(estimator) and "ClusterMixin" not in parents:
        raise ValueError(
            f"The {name} of scikit-learn predicts from features of a pair of user and item, which "
            "ratings alone do not define. Compute the predictions for all pairs yourself, and "
            "give the scores as an array of the shape (n_users, n_items)."
        )
    if "OneToOneFeatureMixin" in parents:
        raise ValueError(
            f"The {name} of scikit-learn works column by column: it returns the users' own "
            "ratings, and says nothing about other items. Give a decomposition, for example "
            "TruncatedSVD or NMF, or a Pipeline that ends in one."
        )
    if "ClusterMixin" in parents or not (
        hasattr(estimator, "inverse_transform") or _TOPICS in parents
    ):
        raise ValueError(
            f"The {name} of scikit-learn does not score items. Give a decomposition that has "
            "inverse_transform, for example TruncatedSVD or NMF, or give the scores as an array. "
            "For neighbours, use UserKNN or ItemKNN of receval."
        )
    return AdaptedDecomposition(estimator)


def _last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
