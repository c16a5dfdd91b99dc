# SPDX-License-Identifier: MIT
"""Adapter for models of the package implicit.

The systems of :mod:`receval.recommenders.implicit_systems` are also trained by implicit, but
receval stores and scores them. Here, an object of the package itself is used.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from receval.recommenders.adapters.scores import libraries_of
from receval.recommenders.base import on_one_thread
from receval.top_lists import ListSystem


class AdaptedImplicitModel(ListSystem):
    """A model of implicit that receval trains and scores, made by :func:`of_implicit`.

    The given model is never changed: each :meth:`fit` trains a copy, ``model_``, so that folds are
    independent.
    """

    model_: Any

    def __init__(self, model: Any, threads: int) -> None:
        self._model = model
        self._threads = threads

    def fit(self, train: csr_array) -> Self:
        """Train a copy of the model.

        The package uses ratings as weights (confidences); an entry of 0 has no effect.
        """
        self._train = csr_matrix(train, dtype=np.float32, copy=True)
        self._train.eliminate_zeros()
        model = copy.deepcopy(self._model)
        model.num_threads = self._threads
        # The package warns about the format of matrices that it has created itself.
        with warnings.catch_warnings(), np.errstate(invalid="ignore"), on_one_thread():
            warnings.simplefilter("ignore")
            # Without weights of its own, a model of item neighbours takes double precision alone.
            is_plain = type(model).fit.__qualname__ == "ItemItemRecommender.fit"
            weights = self._train.astype(np.float64 if is_plain else np.float32)
            model.fit(weights, show_progress=False)
        self.model_ = model
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the scores of the package's ``recommend`` for all items, including training items.

        Items that the package does not list, such as items that are not neighbours of a rated item,
        are NaN. The shape is (n, n_items).
        """
        n_items = self._train.shape[1]
        scores = np.full((len(users), n_items), np.nan, dtype=np.float32)
        if len(users) == 0:
            return scores
        with on_one_thread():
            items, values = self.model_.recommend(
                users, self._train[users], N=n_items, filter_already_liked_items=False
            )
        # The package pads lists shorter than N with the item -1.
        listed = np.asarray(items) >= 0
        rows = np.broadcast_to(np.arange(len(users))[:, None], listed.shape)
        scores[rows[listed], np.asarray(items)[listed]] = np.asarray(values)[listed]
        return scores


def of_implicit(model: Any, *, threads: int = 1) -> AdaptedImplicitModel:
    """Turn a model of the package implicit into a system.

    Scores are those of its ``recommend`` for all items; the protocol decides which items are
    ranked.

    Parameters
    ----------
    model : implicit.recommender_base.RecommenderBase
        An untrained model: alternating least squares, BPR, logistic factors, item neighbours, or a
        class derived from them. Set its ``random_state=``, if it has one, or values differ from run
        to run.
    threads : int
        Threads of the package, at least 1. With several threads, BPR and logistic factors differ
        from run to run, because threads change the same factors without locks.

    Raises
    ------
    ValueError
        It is not a model of the package, or already trained, or ``threads`` is below 1.

    Notes
    -----
    A trained factor model continues from its factors when it is trained again, and might have seen
    the test ratings. It is therefore refused.
    """
    if "implicit" not in libraries_of(model) or not callable(getattr(model, "recommend", None)):
        raise ValueError(
            f"A {type(model).__name__} is not a model of implicit. Give one, for example "
            "implicit.als.AlternatingLeastSquares(random_state=1)."
        )
    if threads < 1:
        raise ValueError(f"threads is {threads}; it must be at least 1.")
    if getattr(model, "user_factors", None) is not None:
        raise ValueError(
            f"The {type(model).__name__} of implicit is already trained, perhaps on test ratings, "
            "and training would continue from there. Give an untrained model, or its scores as an "
            "array."
        )
    return AdaptedImplicitModel(model, threads)
