# SPDX-License-Identifier: MIT
"""Latent Dirichlet allocation (LDA) with users as documents, by variational inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln, psi

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, OneOf, Positive, Seed, refuse_negative
from receval.recommenders.em import SharedRatings, exponentiated
from receval.recommenders.products import TopicModel

# Initial parameters are gamma distributed with this shape and mean 1, as in Hoffman's code.
INITIAL_SHAPE = 100.0


@dataclass(eq=False, repr=False)
class LDA(TopicModel):
    """The expected probability of the item under the user's topics.

    Every user has a mixture of topics drawn from a Dirichlet distribution of parameter ``alpha``,
    every topic a distribution of items drawn from one of parameter ``beta``, and an observation is
    an item of one of the user's topics; a rating counts as that many observations
    (``weights="rating"``) or as one (``weights="binary"``). Variational inference approximates the
    posterior by Dirichlet distributions of parameters g_uz and l_zi, independent of each other, and
    increases the evidence lower bound in alternating steps: the share of topic z in a rating is in
    proportion to ``exp(E[log p(z|u)] + E[log p(i|z)])``, then ``g_uz = alpha + sum_i r_ui
    share_uiz`` and ``l_zi = beta + sum_u r_ui share_uiz``. Score

    ``s(u, i) = sum_z E[p(z|u)] E[p(i|z)] = sum_z g_uz / sum_y g_uy * l_zi / sum_j l_zj``.

    NaN for all items of users without training ratings. Items without training ratings have the
    small probability of the prior, ``beta / sum_j l_zj``.

    Parameters
    ----------
    topics : int
        Number of topics, at least 1.
    iterations : int
        Number of updates of both sides, at least 1.
    alpha : float
        Prior parameter of each topic in the users' mixtures, above 0.
    beta : float
        Prior parameter of each item in the topics, above 0.
    weights : str
        ``"rating"`` or ``"binary"``.

    Attributes
    ----------
    bound_ : ndarray of float64, shape (iterations + 1,)
        The evidence lower bound (without the logarithm of the multinomial coefficients, which are
        constant) before the first and after every iteration; it never decreases, except for
        rounding to float32.

    References
    ----------
    Blei, Ng and Jordan, "Latent Dirichlet Allocation", JMLR 2003, sections 5.2 and 5.4 (with the
    smoothed topics); in this form Hoffman, Blei and Bach, "Online Learning for Latent Dirichlet
    Allocation", NIPS 2010, equations 2, 4 and 5.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = LDA(topics=2, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    topics: AtLeastOne = 50
    iterations: AtLeastOne = 100
    alpha: Positive = 0.02
    beta: Positive = 0.01
    weights: Annotated[str, OneOf("rating", "binary")] = "rating"
    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        if self.weights == "rating":
            refuse_negative(self, train, "numbers of observations")
        counts = train.data if self.weights == "rating" else np.ones_like(train.data)
        ratings = SharedRatings(csr_array((counts, train.indices, train.indptr), shape=train.shape))
        by_user = np.add.reduceat(np.append(counts, 0), train.indptr[:-1], dtype=np.float64)
        by_user[np.diff(train.indptr) == 0] = 0
        by_item = np.bincount(train.indices, counts, minlength=self.n_items_)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        users, items = (
            generator.gamma(INITIAL_SHAPE, 1 / INITIAL_SHAPE, (size, self.topics))
            for size in (self.n_users_, self.n_items_)
        )
        self.bound_: NDArray[np.float64] = np.empty(self.iterations + 1)
        for iteration in range(self.iterations + 1):
            user_logarithms = psi(users) - psi(users.sum(axis=1, keepdims=True))
            item_logarithms = psi(items) - psi(items.sum(axis=0))
            user_table, user_scales = exponentiated(user_logarithms)
            item_table, item_scales = exponentiated(item_logarithms)
            ratios = ratings.ratios(user_table, item_table)
            self.bound_[iteration] = (
                ratios.log_likelihood
                + by_user @ user_scales
                + by_item @ item_scales
                - _divergence(users, user_logarithms, self.alpha, axis=1)
                - _divergence(items, item_logarithms, self.beta, axis=0)
            )
            if iteration < self.iterations:
                users = self.alpha + (user_table * ratios.users).astype(np.float64)
                items = self.beta + (item_table * ratios.items).astype(np.float64)
        users /= users.sum(axis=1, keepdims=True)
        items /= items.sum(axis=0)
        self._keep_topics(train, users.astype(np.float32), items.astype(np.float32))


def _divergence(
    parameters: NDArray[np.float64], logarithms: NDArray[np.float64], prior: float, axis: int
) -> float:
    """Return the sum of Kullback-Leibler divergences of Dirichlet distributions from their prior.

    The distributions are along the axis of a table of their parameters, with their expected
    logarithms in another; the prior is symmetric.
    """
    size, number = parameters.shape[axis], parameters.shape[1 - axis]
    normalised = gammaln(parameters.sum(axis=axis)).sum() - gammaln(parameters).sum()
    expected = ((parameters - prior) * logarithms).sum()
    return float(normalised + expected - number * (gammaln(size * prior) - size * gammaln(prior)))
