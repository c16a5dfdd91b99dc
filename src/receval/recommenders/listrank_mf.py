# SPDX-License-Identifier: MIT
"""ListRank-MF: matrix factorisation fitted to the order of each user's rated items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, LibRecSeed, NonNegative, OneOf, Positive, Seed
from receval.recommenders.librec.java_random import (
    JavaRandom,
    librec_factors,
    rated_rows,
    read_by_column_iterator,
    read_by_row,
    spread,
)
from receval.recommenders.products import FactorModel
from receval.storage.kernel_cache import njit

# The learning rate is not halved below this value, where steps no longer change the objective.
SMALLEST_RATE = 1e-9


@dataclass(eq=False, repr=False)
class ListRankMF(FactorModel):
    """Factors fitted to order each user's rated items as the ratings do.

    ``s(u, i) = p_u . q_i``; minimises ``-sum_ui t_ui ln f_ui + regularisation / 2 (sum |p_u|^2 +
    sum |q_i|^2)`` over the training ratings: the cross-entropy between the probabilities of the
    items of u's list to be its first, ``t_ui = exp(r_ui / r_max) / sum_j exp(r_uj / r_max)`` by the
    ratings and ``f_ui = exp(sigmoid(s(u, i))) / sum_j exp(sigmoid(s(u, j)))`` by the scores. r_max
    is the largest training rating (1 if none is above 0).

    Gradient descent on all factors at once: an iteration doubles the learning rate, then halves it
    until the objective does not rise. Training ends early if no step is small enough.

    The loops of Mena-Maldonado et al.'s (2021) LibRec skip some ratings (``zeros="misread"``): all
    ratings are in the sums of the two quotients, but only those of
    :func:`~receval.recommenders.librec.java_random.read_by_row` have a term in the gradient, and
    those of :func:`~receval.recommenders.librec.java_random.read_by_column_iterator` one in the
    objective.
    The objective then stops decreasing after a few iterations, which ends the training. With
    ``zeros="rated"``, ratings of value 0 count like all others.

    Factors start uniform on [0, highest]. LibRec intends 0.1, but discards the scaling, so that it
    is 1.

    Parameters
    ----------
    learning_rate : float
        Learning rate before the first doubling, above 0.
    highest : float
        Bound of the initial factors, above 0.

    Attributes
    ----------
    objective_ : ndarray of float64, shape (iterations + 1,)
        The objective before the first and after every iteration; it never increases.

    References
    ----------
    Shi, Larson and Hanjalic, "List-wise Learning to Rank with Matrix Factorization for
    Collaborative Filtering", RecSys 2010. The step lengths, the initial factors and the defaults
    are those of LibRec 2.0.0 as configured in Mena-Maldonado et al. (2021).
    """

    factors: AtLeastOne = 5
    regularisation: NonNegative = 0.06
    learning_rate: Positive = 1.0
    iterations: AtLeastOne = 30
    zeros: Annotated[str, OneOf("rated", "misread")] = "rated"
    highest: Positive = 0.1
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        users, items = self._initial(train)
        items[np.bincount(train.indices, minlength=self.n_items_) == 0] = 0
        users[np.diff(train.indptr) == 0] = 0
        everything = np.ones(train.nnz, dtype=np.bool_)
        in_gradient = read_by_row(train) if self.zeros == "misread" else everything
        in_objective = read_by_column_iterator(train) if self.zeros == "misread" else everything
        ratings = (train.indptr, train.indices, self._targets(train))

        def objective(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
            penalty = np.sum(p**2) + np.sum(q**2)
            entropy = _cross_entropy(*ratings, in_objective, p, q)
            return float(entropy + self.regularisation / 2 * penalty)

        rate = self.learning_rate
        lowest = objective(users, items)
        self.objective_: NDArray[np.float64] = np.full(self.iterations + 1, lowest)
        for iteration in range(self.iterations):
            user_slopes = self.regularisation * users
            item_slopes = self.regularisation * items
            _add_slopes(*ratings, in_gradient, users, items, user_slopes, item_slopes)
            rate *= 2
            lowest = self.objective_[iteration]
            while rate >= SMALLEST_RATE:
                new_users, new_items = users - rate * user_slopes, items - rate * item_slopes
                reached = objective(new_users, new_items)
                if reached <= lowest:
                    break
                rate /= 2
            else:
                break
            users, items = new_users, new_items
            self.objective_[iteration + 1 :] = reached
        self._keep_factors(train, users, items)

    def _initial(self, train: RatingMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Draw factors in double precision, because comparing objectives decides every step."""
        if self.librec_seed is None:
            generator = np.random.Generator(np.random.PCG64(self.seed))
            users = self.highest * generator.random((self.n_users_, self.factors))
            return users, self.highest * generator.random((self.n_items_, self.factors))
        java = JavaRandom(self.librec_seed)
        # LibRec first draws the usual initial factors, and then draws new ones.
        librec_factors(java, train, self.factors)
        of_users, of_items = rated_rows(train)
        users, items = (
            spread(self.highest * java.doubles(int(of.sum()), self.factors), of)
            for of in (of_users, of_items)
        )
        return users, items

    def _targets(self, train: RatingMatrix) -> NDArray[np.float64]:
        """Return t_ui of every rating."""
        largest = float(train.data.max())
        owners = np.repeat(np.arange(self.n_users_), np.diff(train.indptr))
        strengths = np.exp(train.data.astype(np.float64) / (largest if largest > 0 else 1.0))
        return strengths / np.bincount(owners, strengths, minlength=self.n_users_)[owners]


@njit(cache=True)
def _sigmoids(first, last, rated, p, items, sigmoids):  # type: ignore[no-untyped-def]
    """Write the sigmoids of a user's scores, and return the sum of their exponentials."""
    total = 0.0
    for rating in range(first, last):
        q = items[np.uint64(rated[rating])]
        score = 0.0
        for factor in range(len(p)):
            score += p[factor] * q[factor]
        sigmoid = 1 / (1 + np.exp(-score))
        sigmoids[rating - first] = sigmoid
        total += np.exp(sigmoid)
    return total


@njit(cache=True)
def _cross_entropy(starts, rated, targets, counted, users, items):  # type: ignore[no-untyped-def]
    sigmoids = np.empty(items.shape[0])
    entropy = 0.0
    for user in range(len(users)):
        first, last = starts[user], starts[user + 1]
        if first == last:
            continue
        logarithm = np.log(_sigmoids(first, last, rated, users[user], items, sigmoids))
        for rating in range(first, last):
            if counted[rating]:
                entropy -= targets[rating] * (sigmoids[rating - first] - logarithm)
    return entropy


@njit(cache=True)
def _add_slopes(  # type: ignore[no-untyped-def]
    starts, rated, targets, counted, users, items, user_slopes, item_slopes
):
    sigmoids = np.empty(items.shape[0])
    for user in range(len(users)):
        first, last = starts[user], starts[user + 1]
        if first == last:
            continue
        p = users[user]
        total = _sigmoids(first, last, rated, p, items, sigmoids)
        for rating in range(first, last):
            if counted[rating]:
                item = np.uint64(rated[rating])
                sigmoid = sigmoids[rating - first]
                error = np.exp(sigmoid) / total - targets[rating]
                error *= sigmoid * (1 - sigmoid)
                for factor in range(len(p)):
                    user_slopes[user, factor] += error * items[item, factor]
                    item_slopes[item, factor] += error * p[factor]
