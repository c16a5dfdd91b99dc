# SPDX-License-Identifier: MIT
"""Bayesian personalised ranking by matrix factorisation (BPRMF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, NonNegative, OneOf, Positive, Seed
from receval.recommenders.model_grid import TrainingRun, alike_but_for
from receval.recommenders.pairwise import (
    NEGATIVES,
    POSITIVES,
    PairSampler,
    PairwiseFactors,
    Triples,
    descend,
)


@dataclass(eq=False, repr=False)
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
    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
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

    factors: AtLeastOne = 10
    learning_rate: Positive = 0.05
    user_regularisation: NonNegative = 0.0025
    positive_regularisation: NonNegative = 0.0025
    negative_regularisation: NonNegative = 0.00025
    bias_regularisation: NonNegative = 0.0
    epochs: AtLeastOne = 30
    positives: Annotated[str, OneOf(*POSITIVES)] = "users"
    negatives: Annotated[str, OneOf(*NEGATIVES)] = "uniform"
    initial_deviation: NonNegative = 0.1
    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        generator = np.random.Generator(np.random.PCG64(first.seed))
        users, items = (
            generator.standard_normal((size, first.factors), dtype=np.float32)
            for size in train.shape
        )
        items[np.bincount(train.indices, minlength=first.n_items_) == 0] = 0
        sampler = PairSampler(train, generator, first.positives, first.negatives)
        runs = [
            _Run([models[index] for index in indices], train, users, items)
            for indices in alike_but_for(models, ("epochs",))
        ]
        while runs:
            blocks = sampler.blocks(train.nnz)
            # All runs train on the same triples; for a single run they need not be kept.
            held = list(blocks) if len(runs) > 1 else blocks
            for run in runs:
                run.ascend(iter(held))
            runs = [run for run in runs if run.continues]


class _Run(TrainingRun[BPRMF]):
    """A training on triples; the initial factors of users and items are of deviation 1."""

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
            model._keep(self.train, self.biases, self.users, self.items, np.array(self.losses))
