# SPDX-License-Identifier: MIT
"""Topic models by scikit-learn: pLSA (NMF with Kullback-Leibler loss) and LDA.

:mod:`receval.recommenders.sklearn_systems` says what holds for all systems that it trains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.sparse import csr_matrix

from receval.recommenders.base import RatingMatrix, imported
from receval.recommenders.checks import LARGEST_SEED, AtLeastOne, Positive, Whole, refuse_negative
from receval.recommenders.products import TopicModel


@dataclass(eq=False, repr=False)
class SklearnNMF(TopicModel):
    """``sklearn.decomposition.NMF`` with Kullback-Leibler loss: pLSA up to a scale per user.

    Minimises ``sum_ui (s(u, i) - r_ui log s(u, i))`` over all pairs by multiplicative updates; at
    the minimum ``s(u, .)`` sums to the user's ratings, and ``s(u, i)`` divided by this sum is the
    p(i | u) of :class:`receval.recommenders.plsa.PLSA` (Gaussier and Goutte). EM updates both
    tables from the old ones, but the package updates the items with the new values of the users, so
    the iterations differ. The tables start with absolute values of normal random numbers.

    NaN for all items of users without training ratings. Users whose ratings are all 0 score 0 for
    all items; so do items without training ratings above 0.

    References
    ----------
    Lee and Seung, "Algorithms for Non-negative Matrix Factorization", NIPS 2000; Gaussier and
    Goutte, "Relation between PLSA and NMF and Implications", SIGIR 2005.
    """

    topics: AtLeastOne = 50
    iterations: AtLeastOne = 100
    seed: Annotated[int, Whole(0, LARGEST_SEED)] = 0

    def _fit(self, train: RatingMatrix) -> None:
        refuse_negative(self, train, "numbers of observations")
        ratings = csr_matrix(train, copy=True)
        ratings.eliminate_zeros()
        if not ratings.nnz:
            # The package would divide by 0.
            users, items = (np.zeros((size, self.topics), np.float32) for size in train.shape)
            self._keep_topics(train, users, items)
            return
        model = imported(self, "sklearn.decomposition", "scikit-learn").NMF(
            n_components=self.topics,
            init="random",
            solver="mu",
            beta_loss="kullback-leibler",
            # With a tolerance it would stop before the given number of iterations.
            tol=0,
            max_iter=self.iterations,
            random_state=self.seed,
        )
        users = model.fit_transform(ratings)
        items = model.components_
        # Unrated items get values near 0, whose order would be due to rounding.
        users[np.diff(ratings.indptr) == 0] = 0
        items[:, np.bincount(ratings.indices, minlength=self.n_items_) == 0] = 0
        self._keep_topics(train, users.astype(np.float32), items.T.astype(np.float32))


@dataclass(eq=False, repr=False)
class SklearnLDA(TopicModel):
    """``sklearn.decomposition.LatentDirichletAllocation``, by variational inference in batches.

    The model and the score are those of :class:`receval.recommenders.lda.LDA`, whose names and
    formulas it shares; a rating counts as that many observations. The iterations differ: receval
    updates users and topics once each; the package restarts every user's mixture in each iteration,
    and updates it up to ``user_updates`` times before it updates the topics.

    NaN for all items of users without training ratings. Items without training ratings have the
    small probability of the prior.

    Parameters
    ----------
    alpha : float
        Prior parameter of each topic in the users' mixtures, above 0.
    beta : float
        Prior parameter of each item in the topics, above 0.
    user_updates : int
        Maximum number of updates of a user's mixture per iteration, at least 1; updates stop
        earlier if it changes by less than .001 per topic. 100 in the package.

    References
    ----------
    Hoffman, Blei and Bach, "Online Learning for Latent Dirichlet Allocation", NIPS 2010.
    """

    topics: AtLeastOne = 50
    iterations: AtLeastOne = 100
    alpha: Positive = 0.02
    beta: Positive = 0.01
    user_updates: AtLeastOne = 100
    seed: Annotated[int, Whole(0, LARGEST_SEED)] = 0

    def _fit(self, train: RatingMatrix) -> None:
        refuse_negative(self, train, "numbers of observations")
        package = imported(self, "sklearn.decomposition", "scikit-learn")
        model = package.LatentDirichletAllocation(
            n_components=self.topics,
            doc_topic_prior=self.alpha,
            topic_word_prior=self.beta,
            learning_method="batch",
            max_iter=self.iterations,
            max_doc_update_iter=self.user_updates,
            n_jobs=1,
            random_state=self.seed,
        )
        # It also computes the perplexity, which divides by the number of observations.
        with np.errstate(divide="ignore"):
            users = model.fit_transform(csr_matrix(train))
        items = model.components_ / model.components_.sum(axis=1, keepdims=True)
        self._keep_topics(train, users.astype(np.float32), items.T.astype(np.float32))
