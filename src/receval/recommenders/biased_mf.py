# SPDX-License-Identifier: MIT
"""Matrix factorisation with biases: predicts ratings, fitted by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import (
    AtLeastOne,
    NonNegative,
    Number,
    Positive,
    Seed,
    refuse_divergence,
)
from receval.recommenders.model_grid import TrainingRun, alike_but_for
from receval.recommenders.products import BiasedFactorModel
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class BiasedMF(BiasedFactorModel):
    """A predicted rating: mean, biases of user and item, and a product of factors.

    ``s(u, i) = m + b_u + b_i + p_u . q_i``, with m the mean of all training ratings; minimises
    ``sum_ui (r_ui - s_ui)^2 + regularisation (b_u^2 + b_i^2 + |p_u|^2 + |q_i|^2)`` over the
    training ratings. Stochastic gradient descent: each epoch visits every rating once in a new
    random order and steps, with e = r_ui - s_ui,

    - ``b_u += learning_rate (e - regularisation b_u)``, likewise b_i;
    - ``p_u += learning_rate (e q_i - regularisation p_u)``, likewise q_i (with the old p_u),

    where the learning rate and the regularisation of the biases are multiplied by a ratio each.
    After each epoch, the learning rate is multiplied by decay.

    Biases start at 0, factors normally distributed around 0.

    No score is NaN: users without training ratings have ``b_u = 0`` and ``p_u = 0`` and score m +
    b_i; items without have ``b_i = 0`` and ``q_i = 0`` and score m + b_u.

    Parameters
    ----------
    factors : int
        Length of the vectors of users and items, at least 1.
    regularisation : float
        At least 0.
    learning_rate : float
        Of the first epoch, above 0.
    epochs : int
        At least 1.
    initial_deviation : float
        Standard deviation of the initial factors, at least 0.
    decay : float
        Factor of the learning rate from one epoch to the next, above 0 and at most 1.
    bias_rate_ratio, bias_regularisation_ratio : float
        Factors of the learning rate and the regularisation for the biases, at least 0.

    References
    ----------
    Koren, Bell and Volinsky, "Matrix Factorization Techniques for Recommender Systems", IEEE
    Computer 2009, equations 4 and 5. Takács, Pilászy, Németh and Tikk, "Scalable Collaborative
    Filtering Approaches for Large Recommender Systems", JMLR 2009, as in Mahout's
    ParallelSGDFactorizer: deviation 0.02, bias_rate_ratio 0.5, bias_regularisation_ratio 0.1.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> train = csr_array(np.array([[5, 1], [4, 2], [5, 1]], dtype=np.float32))
    >>> liked, disliked = BiasedMF(factors=1, epochs=50).fit(train).score(np.array([0]))[0]
    >>> bool(liked > disliked)
    True
    """

    SHARED_OVER = (
        "regularisation",
        "learning_rate",
        "epochs",
        "initial_deviation",
        "decay",
        "bias_rate_ratio",
        "bias_regularisation_ratio",
    )

    factors: AtLeastOne = 50
    regularisation: NonNegative = 0.02
    learning_rate: Positive = 0.01
    epochs: AtLeastOne = 20
    initial_deviation: NonNegative = 0.1
    decay: Annotated[float, Number(0, 1, above=True)] = 1.0
    bias_rate_ratio: NonNegative = 1.0
    bias_regularisation_ratio: NonNegative = 1.0
    seed: Seed = 0

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        n_users, n_items = train.shape
        generator = np.random.Generator(np.random.PCG64(models[0].seed))
        drawn = generator.standard_normal((n_users + n_items, models[0].factors), dtype=np.float32)
        drawn[:n_users][np.diff(train.indptr) == 0] = 0
        drawn[n_users:][np.bincount(train.indices, minlength=n_items) == 0] = 0
        mean = float(train.data.mean(dtype=np.float64))
        runs = [
            _Run([models[index] for index in indices], drawn, n_users, mean)
            for indices in alike_but_for(models, ("epochs",))
        ]
        users = np.repeat(np.arange(n_users, dtype=np.int32), np.diff(train.indptr))
        while runs:
            order = generator.permutation(train.nnz)
            ratings = users[order], train.indices[order], train.data[order]
            for run in runs:
                run.descend(*ratings)
            runs = [run for run in runs if run.continues]


class _Run(TrainingRun[BiasedMF]):
    """A training on ratings, whose losses are mean squared errors.

    ``drawn`` are initial factors of deviation 1 of users, then items, 0 where there is no rating.
    """

    def __init__(
        self, models: Sequence[BiasedMF], drawn: NDArray[np.float32], n_users: int, mean: float
    ) -> None:
        super().__init__(models)
        self.mean = mean
        factors = np.float32(models[0].initial_deviation) * drawn
        self.user_factors, self.item_factors = factors[:n_users], factors[n_users:]
        self.user_biases = np.zeros(n_users, dtype=np.float32)
        self.item_biases = np.zeros(len(drawn) - n_users, dtype=np.float32)

    def descend(
        self, users: NDArray[np.int32], items: NDArray[np.int32], values: NDArray[np.float32]
    ) -> None:
        """Do an epoch with the ratings in the given order."""
        model = self.models[0]
        rate = model.learning_rate * model.decay ** len(self.losses)
        total = _descend(
            users,
            items,
            values,
            np.float32(self.mean),
            self.user_biases,
            self.item_biases,
            self.user_factors,
            self.item_factors,
            np.float32(rate),
            np.float32(model.regularisation),
            np.float32(rate * model.bias_rate_ratio),
            np.float32(model.regularisation * model.bias_regularisation_ratio),
        )
        for model in self.finished_with(total / len(values)):
            self._finish(model)

    def _finish(self, model: BiasedMF) -> None:
        refuse_divergence(model, model.learning_rate, self.losses[-1])
        model.mean_ = self.mean
        model.user_biases_ = self.user_biases.copy()
        model.item_biases_ = self.item_biases.copy()
        model.user_factors_ = self.user_factors.copy()
        model.item_factors_ = np.array(self.item_factors.T, order="C")
        model.squared_error_ = np.array(self.losses)


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    users,
    items,
    values,
    mean,
    user_biases,
    item_biases,
    user_factors,
    item_factors,
    learning_rate,
    regularisation,
    bias_rate,
    bias_regularisation,
):
    n_factors = user_factors.shape[1]
    whole = n_factors - n_factors % 4
    squared_error = 0.0
    for entry in range(len(values)):
        # Unsigned positions avoid numba's check for negative indices.
        user = np.uint64(users[entry])
        item = np.uint64(items[entry])
        p = user_factors[user]
        q = item_factors[item]
        # Four partial sums, so that an addition need not wait for the one before it; unrolled by
        # hand, so that the order of summation is the same on every processor.
        first = np.float32(0)
        second = np.float32(0)
        third = np.float32(0)
        fourth = np.float32(0)
        for factor in range(0, whole, 4):
            at = np.uint64(factor)
            first += p[at] * q[at]
            second += p[at + np.uint64(1)] * q[at + np.uint64(1)]
            third += p[at + np.uint64(2)] * q[at + np.uint64(2)]
            fourth += p[at + np.uint64(3)] * q[at + np.uint64(3)]
        for factor in range(whole, n_factors):
            first += p[factor] * q[factor]
        predicted = mean + user_biases[user] + item_biases[item]
        predicted += (first + second) + (third + fourth)
        error = values[entry] - predicted
        squared_error += np.float64(error) * np.float64(error)
        user_biases[user] += bias_rate * (error - bias_regularisation * user_biases[user])
        item_biases[item] += bias_rate * (error - bias_regularisation * item_biases[item])
        for factor in range(n_factors):
            old = p[factor]
            p[factor] += learning_rate * (error * q[factor] - regularisation * old)
            q[factor] += learning_rate * (error * old - regularisation * q[factor])
    return squared_error
