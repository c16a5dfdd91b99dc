# SPDX-License-Identifier: MIT
"""Topic models by scikit-learn: pLSA (NMF with Kullback-Leibler loss) and LDA.

scikit-learn trains the models; receval stores and scores them like all others. The package is
imported only when a system is trained, and is part of receval's extra ``workflow``.
:meth:`receval.recommenders.base.Recommender.fit` limits it to one thread, so that equal seeds give
equal bytes on the same machine. Its dense products use BLAS, whose last digits differ between
processors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import integer, real, refuse_negative
from receval.recommenders.packages import imported
from receval.recommenders.products import inner_products

LARGEST_SEED = 2**32 - 1


class _SklearnTopics(Recommender):
    """Users and items by topic; ``s(u, i) = sum_z w_uz h_zi``.

    Attributes
    ----------
    user_topics_ : ndarray of float32, shape (n_users, topics)
        w_uz; NaN for users without training ratings.
    topic_items_ : ndarray of float32, shape (topics, n_items)
        h_zi.
    """

    user_topics_: NDArray[np.float32]
    topic_items_: NDArray[np.float32]

    def _keep(self, train: RatingMatrix, users: NDArray, items: NDArray) -> None:
        """Store the learnt tables, with one row per user and one column per item."""
        self.user_topics_ = users.astype(np.float32)
        self.user_topics_[np.diff(train.indptr) == 0] = np.nan
        self.topic_items_ = np.ascontiguousarray(items, dtype=np.float32)

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_topics_[users], self.topic_items_, scores)


class SklearnNMF(_SklearnTopics):
    """``sklearn.decomposition.NMF`` with Kullback-Leibler loss: pLSA up to a scale per user.

    Minimises ``sum_ui (s(u, i) - r_ui log s(u, i))`` over all pairs by multiplicative updates; at
    the minimum ``s(u, .)`` sums to the user's ratings, and ``s(u, i)`` divided by this sum is the
    p(i | u) of :class:`receval.recommenders.plsa.PLSA` (Gaussier and Goutte). EM updates both
    tables from the old ones, but the package updates the items with the new values of the users, so
    the iterations differ. The tables start with absolute values of normal random numbers.

    NaN for all items of users without training ratings. Users whose ratings are all 0 score 0 for
    all items; so do items without training ratings above 0.

    Parameters
    ----------
    topics : int
        Number of topics, at least 1.
    iterations : int
        Number of updates of both tables, at least 1.
    seed : int
        Seed of the initial tables, at least 0.

    References
    ----------
    Lee and Seung, "Algorithms for Non-negative Matrix Factorization", NIPS 2000; Gaussier and
    Goutte, "Relation between PLSA and NMF and Implications", SIGIR 2005.
    """

    def __init__(self, topics: int = 50, iterations: int = 100, seed: int = 0) -> None:
        self.topics = integer(self, "topics", topics, lowest=1)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0, highest=LARGEST_SEED)

    def _fit(self, train: RatingMatrix) -> None:
        refuse_negative(self, train, "numbers of observations")
        ratings = csr_matrix(train, copy=True)
        ratings.eliminate_zeros()
        if not ratings.nnz:
            # The package would divide by 0.
            empty = np.zeros((train.shape[0], self.topics)), np.zeros((self.topics, train.shape[1]))
            self._keep(train, *empty)
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
        self._keep(train, users, items)


class SklearnLDA(_SklearnTopics):
    """``sklearn.decomposition.LatentDirichletAllocation``, by variational inference in batches.

    The model and the score are those of :class:`receval.recommenders.lda.LDA`, whose names and
    formulas it shares; a rating counts as that many observations. The iterations differ: receval
    updates users and topics once each; the package restarts every user's mixture in each iteration,
    and updates it up to ``user_updates`` times before it updates the topics.

    NaN for all items of users without training ratings. Items without training ratings have the
    small probability of the prior.

    Parameters
    ----------
    topics : int
        Number of topics, at least 1.
    iterations : int
        Number of updates of the topics, at least 1.
    alpha : float
        Prior parameter of each topic in the users' mixtures, above 0.
    beta : float
        Prior parameter of each item in the topics, above 0.
    user_updates : int
        Maximum number of updates of a user's mixture per iteration, at least 1; updates stop
        earlier if it changes by less than .001 per topic. 100 in the package.
    seed : int
        Seed of the initial parameters, at least 0.

    References
    ----------
    Hoffman, Blei and Bach, "Online Learning for Latent Dirichlet Allocation", NIPS 2010.
    """

    def __init__(
        self,
        topics: int = 50,
        iterations: int = 100,
        alpha: float = 0.02,
        beta: float = 0.01,
        user_updates: int = 100,
        seed: int = 0,
    ) -> None:
        self.topics = integer(self, "topics", topics, lowest=1)
        self.iterations = integer(self, "iterations", iterations, lowest=1)
        self.alpha = real(self, "alpha", alpha, lowest=0, above=True)
        self.beta = real(self, "beta", beta, lowest=0, above=True)
        self.user_updates = integer(self, "user_updates", user_updates, lowest=1)
        self.seed = integer(self, "seed", seed, lowest=0, highest=LARGEST_SEED)

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
        self._keep(train, users, items)
