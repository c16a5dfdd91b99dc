# SPDX-License-Identifier: MIT
"""Bayesian personalised ranking by matrix factorisation (BPRMF)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import choice, real
from receval.recommenders.family import Course, alike_but_for
from receval.recommenders.pairwise_factors import PairwiseFactors, Triples, descend
from receval.recommenders.pairwise_sampling import NEGATIVES, POSITIVES, PairSampler


class BPRMF(PairwiseFactors):
    """Factors fitted to rank rated items above unrated ones.

    ``s(u, i) = b_i + p_u . q_i``; every rated item, whatever its rating, should rank above every
    unrated one. Maximises over the triples (u, i, j), i rated by u and j not, ``sum ln sigmoid(x) -
    penalty`` with ``x = s(u, i) - s(u, j)`` by stochastic gradient ascent: an epoch draws as many
    triples as there are ratings and updates, with ``g = sigmoid(-x)``,

    - ``b_i += learning_rate (g - bias_regularisation b_i)``;
    - ``b_j += learning_rate (-g - bias_regularisation b_j)``;
    - ``p_u += learning_rate (g (q_i - q_j) - user_regularisation p_u)``;
    - ``q_i += learning_rate (g p_u - positive_regularisation q_i)``;
    - ``q_j += learning_rate (-g p_u - negative_regularisation q_j)``,

    with the old values on the right. Biases start at 0, factors normally distributed around 0.

    NaN for all items of users without training ratings. Items without training ratings are never
    drawn, have ``b_i = 0`` and ``q_i = 0``, and score 0.

    Parameters
    ----------
    factors : int
        Length of p_u and q_i, at least 1.
    learning_rate : float
        Above 0.
    user_regularisation, positive_regularisation, negative_regularisation : float
        Regularisation of p_u, q_i and q_j, at least 0.
    bias_regularisation : float
        Regularisation of b_i and b_j, at least 0.
    epochs : int
        At least 1.
    positives : str
        How u and i are drawn: ``"users"`` (a uniformly random user, then one of the user's rated
        items) or ``"ratings"`` (a uniformly random rating, as in the paper).
    negatives : str
        How j is drawn among the items that u has not rated and others have: ``"uniform"``, as in
        the paper, or in proportion to the number of ratings (``"popularity"``).
    initial_deviation : float
        Standard deviation of the initial factors, at least 0.
    seed : int
        Seed of the initial factors and of the triples, at least 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(x)`` over each epoch, every x taken before its step; 0 where no user
        has an unrated item.

    References
    ----------
    Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian Personalized Ranking from
    Implicit Feedback", UAI 2009, sections 4.1 to 4.3 (figure 4, LearnBPR). The item biases, the
    uniform users and the defaults are those of MyMediaLite.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> from scipy.sparse import csr_array
    >>> group = [[5, 4, 0], [4, 5, 3], [5, 3, 4]]
    >>> train = csr_array(np.kron(np.eye(2), group).astype(np.float32))
    >>> scores = BPRMF(factors=2, epochs=200, seed=1).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = (
        "learning_rate",
        "user_regularisation",
        "positive_regularisation",
        "negative_regularisation",
        "bias_regularisation",
        "epochs",
        "initial_deviation",
    )

    def __init__(
        self,
        factors: int = 10,
        learning_rate: float = 0.05,
        user_regularisation: float = 0.0025,
        positive_regularisation: float = 0.0025,
        negative_regularisation: float = 0.00025,
        bias_regularisation: float = 0.0,
        epochs: int = 30,
        positives: str = "users",
        negatives: str = "uniform",
        initial_deviation: float = 0.1,
        seed: int = 0,
    ) -> None:
        super().__init__(factors, learning_rate, epochs, seed)
        self.user_regularisation = real(self, "user_regularisation", user_regularisation, lowest=0)
        self.positive_regularisation = real(
            self, "positive_regularisation", positive_regularisation, lowest=0
        )
        self.negative_regularisation = real(
            self, "negative_regularisation", negative_regularisation, lowest=0
        )
        self.bias_regularisation = real(self, "bias_regularisation", bias_regularisation, lowest=0)
        self.positives = choice(self, "positives", positives, POSITIVES)
        self.negatives = choice(self, "negatives", negatives, NEGATIVES)
        self.initial_deviation = real(self, "initial_deviation", initial_deviation, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_family([self], train)

    @classmethod
    def _fit_family(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        generator = np.random.Generator(np.random.PCG64(first.seed))
        users, items = (
            generator.standard_normal((size, first.factors), dtype=np.float32)
            for size in train.shape
        )
        items[np.bincount(train.indices, minlength=first.n_items_) == 0] = 0
        sampler = PairSampler(train, generator, first.positives, first.negatives)
        courses = [
            _Course([models[index] for index in indices], train, users, items)
            for indices in alike_but_for(models, ("epochs",))
        ]
        while courses:
            blocks = sampler.blocks(train.nnz)
            # All courses train on the same triples; for a single course they need not be kept.
            held = list(blocks) if len(courses) > 1 else blocks
            for course in courses:
                course.ascend(iter(held))
            courses = [course for course in courses if course.continues]


class _Course(Course[BPRMF]):
    """A course of training on triples.

    Parameters
    ----------
    models : sequence of BPRMF
        Models that differ only in their epochs.
    train : csr_array of float32, shape (n_users, n_items)
        The training ratings.
    users, items : ndarray of float32, shapes (n_users, factors) and (n_items, factors)
        Initial factors of deviation 1.
    """

    def __init__(
        self,
        models: Sequence[BPRMF],
        train: RatingMatrix,
        users: NDArray[np.float32],
        items: NDArray[np.float32],
    ) -> None:
        super().__init__(models)
        self.train = train
        scale = np.float32(models[0].initial_deviation)
        self.users, self.items = scale * users, scale * items
        self.biases = np.zeros(len(items), dtype=np.float32)

    def ascend(self, triples: Triples) -> None:
        """Do an epoch with the given triples."""
        model = self.models[0]
        loss = descend(
            triples,
            self.biases,
            self.users,
            self.items,
            model.learning_rate,
            model.user_regularisation,
            model.positive_regularisation,
            model.negative_regularisation,
            model.bias_regularisation,
        )
        for model in self.finished_with(loss):
            learnt = (self.biases.copy(), self.users.copy(), self.items.copy())
            model._keep(self.train, *learnt, np.array(self.losses))
