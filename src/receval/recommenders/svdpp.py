# SPDX-License-Identifier: MIT
"""SVD++: a rating predictor that also uses which items the user has rated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import (
    AtLeastOne,
    LibRecSeed,
    NonNegative,
    Positive,
    Seed,
    refuse_divergence,
)
from receval.recommenders.librec.java_random import (
    DEVIATION,
    JavaRandom,
    librec_factors,
    rated_rows,
    spread,
)
from receval.recommenders.products import BiasedFactorModel
from receval.storage.kernel_cache import njit


@dataclass(eq=False, repr=False)
class SVDPlusPlus(BiasedFactorModel):
    """A predicted rating: mean, biases, and a product of factors with implicit feedback.

    ``s(u, i) = m + b_u + b_i + q_i . (p_u + z_u)`` with ``z_u = |I_u|^-1/2 sum_{j in I_u} y_j``, m
    the mean of all training ratings and I_u the items that u has rated; minimises the sum of
    ``(r_ui - s_ui)^2`` and of the squared parameters, each times its regularisation, over the
    training ratings. Stochastic gradient descent: each epoch visits the users in order and the
    ratings of each in order, and steps, with e = r_ui - s_ui and the old values on the right,

    - ``b_u += learning_rate (e - bias_regularisation b_u)``, likewise b_i;
    - ``p_u += learning_rate (e q_i - user_regularisation p_u)``;
    - ``q_i += learning_rate (e (p_u + z_u) - item_regularisation q_i)``;
    - ``y_j += learning_rate (e q_i |I_u|^-1/2 - implicit_regularisation y_j)`` for all j in I_u.

    Because a user's ratings are visited one after the other, all these y_j change by the same
    factor and the same vector, which are applied once after the user's last rating. This is exact,
    and avoids a pass over I_u for every rating.

    Biases and factors start normally distributed around 0.

    No score is NaN: users without training ratings have ``b_u = 0`` and ``p_u = z_u = 0`` and score
    m + b_i; items without have ``b_i = 0`` and ``q_i = 0`` and score m + b_u.

    Parameters
    ----------
    initial_deviation : float
        Standard deviation of the initial factors and biases, at least 0; not used with
        ``librec_seed``, which has LibRec's 0.1.

    Attributes
    ----------
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u + z_u.

    References
    ----------
    Koren, "Factorization Meets the Neighborhood: a Multifaceted Collaborative Filtering Model",
    KDD 2008, equation 15. The order of the steps and the defaults are those of LibRec 2.0.0 as
    configured in Mena-Maldonado et al. (2021).
    """

    factors: AtLeastOne = 20
    learning_rate: Positive = 0.002
    user_regularisation: NonNegative = 0.01
    item_regularisation: NonNegative = 0.01
    implicit_regularisation: NonNegative = 0.01
    bias_regularisation: NonNegative = 0.01
    epochs: AtLeastOne = 100
    initial_deviation: NonNegative = 0.1
    seed: Seed = 0
    librec_seed: LibRecSeed = None

    def _fit(self, train: RatingMatrix) -> None:
        users, user_biases, items, item_biases, implicit = self._initial(train)
        cold = np.diff(train.indptr) == 0
        users[cold], user_biases[cold] = 0, 0
        unrated = np.bincount(train.indices, minlength=self.n_items_) == 0
        items[unrated], item_biases[unrated] = 0, 0

        self.mean_ = float(train.data.mean(dtype=np.float64))
        self.squared_error_ = np.empty(self.epochs)
        for epoch in range(self.epochs):
            total = _descend(
                train.indptr,
                train.indices,
                train.data,
                np.float32(self.mean_),
                user_biases,
                item_biases,
                users,
                items,
                implicit,
                np.float32(self.learning_rate),
                np.float32(self.user_regularisation),
                np.float32(self.item_regularisation),
                np.float32(self.implicit_regularisation),
                np.float32(self.bias_regularisation),
            )
            self.squared_error_[epoch] = total / train.nnz
        refuse_divergence(self, self.learning_rate, self.squared_error_[-1])
        _add_implicit(train.indptr, train.indices, implicit, users)
        self.user_biases_, self.item_biases_ = user_biases, item_biases
        self.user_factors_ = users
        self.item_factors_ = np.ascontiguousarray(items.T)

    def _initial(self, train: RatingMatrix) -> tuple[NDArray[np.float32], ...]:
        """Draw factors and biases of users and of items, and implicit factors."""
        if self.librec_seed is not None:
            java = JavaRandom(self.librec_seed)
            of_users, of_items = rated_rows(train)
            user_table, item_table = librec_factors(java, train, self.factors)
            of_users_biases = spread(DEVIATION * java.normals(int(of_users.sum())), of_users)
            n_items = int(of_items.sum())
            of_items_biases = spread(DEVIATION * java.normals(n_items), of_items)
            implicit = spread(DEVIATION * java.normals(n_items, self.factors), of_items)
            tables = user_table, of_users_biases, item_table, of_items_biases, implicit
            return tuple(table.astype(np.float32) for table in tables)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        scale = np.float32(self.initial_deviation)

        def initial(*shape: int) -> NDArray[np.float32]:
            return scale * generator.standard_normal(shape, dtype=np.float32)

        users, user_biases = initial(self.n_users_, self.factors), initial(self.n_users_)
        items, item_biases = initial(self.n_items_, self.factors), initial(self.n_items_)
        return users, user_biases, items, item_biases, initial(self.n_items_, self.factors)


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    starts,
    rated,
    values,
    mean,
    user_biases,
    item_biases,
    users,
    items,
    implicit,
    learning_rate,
    user_regularisation,
    item_regularisation,
    implicit_regularisation,
    bias_regularisation,
):
    n_factors = users.shape[1]
    whole = n_factors - n_factors % 4
    z = np.empty(n_factors, dtype=np.float32)
    shift = np.empty(n_factors, dtype=np.float32)
    keep = np.float32(1) - learning_rate * implicit_regularisation
    squared_error = 0.0
    for user in range(len(starts) - 1):
        first = starts[user]
        last = starts[user + 1]
        if first == last:
            continue
        norm = np.float32(1 / np.sqrt(last - first))
        z[:] = np.float32(0)
        for rating in range(np.uint64(first), np.uint64(last)):
            y = implicit[np.uint64(rated[rating])]
            for factor in range(n_factors):
                z[factor] += y[factor]
        for factor in range(n_factors):
            z[factor] *= norm
        # If y_j is the value before the user's first rating, its current value is kept y_j + shift.
        kept = np.float32(1)
        shift[:] = np.float32(0)
        p = users[user]
        bias = user_biases[user]
        for rating in range(np.uint64(first), np.uint64(last)):
            item = np.uint64(rated[rating])
            q = items[item]
            # Four partial sums, so that an addition need not wait for the one before it; unrolled
            # by hand, so that the order of summation is the same on every processor.
            sum0 = sum1 = sum2 = sum3 = np.float32(0)
            for factor in range(0, whole, 4):
                at = np.uint64(factor)
                sum0 += q[at] * (p[at] + z[at])
                at += np.uint64(1)
                sum1 += q[at] * (p[at] + z[at])
                at += np.uint64(1)
                sum2 += q[at] * (p[at] + z[at])
                at += np.uint64(1)
                sum3 += q[at] * (p[at] + z[at])
            for factor in range(whole, n_factors):
                sum0 += q[factor] * (p[factor] + z[factor])
            predicted = mean + bias + item_biases[item] + ((sum0 + sum1) + (sum2 + sum3))
            error = values[rating] - predicted
            squared_error += np.float64(error) * np.float64(error)
            bias += learning_rate * (error - bias_regularisation * bias)
            item_biases[item] += learning_rate * (error - bias_regularisation * item_biases[item])
            kept *= keep
            step = learning_rate * error
            implicit_step = step * norm
            for factor in range(n_factors):
                old = q[factor]
                own = p[factor]
                q[factor] += step * (own + z[factor]) - learning_rate * item_regularisation * old
                p[factor] += step * old - learning_rate * user_regularisation * own
                # The |I_u| shifts of the y_j, each step norm q_i, times norm again.
                z[factor] = keep * z[factor] + step * old
                shift[factor] = keep * shift[factor] + implicit_step * old
        user_biases[user] = bias
        for rating in range(np.uint64(first), np.uint64(last)):
            y = implicit[np.uint64(rated[rating])]
            for factor in range(n_factors):
                y[factor] = kept * y[factor] + shift[factor]
    return squared_error


@njit(cache=True)
def _add_implicit(starts, rated, implicit, users):  # type: ignore[no-untyped-def]
    """Add z_u to every p_u."""
    n_factors = users.shape[1]
    z = np.empty(n_factors, dtype=np.float32)
    for user in range(len(starts) - 1):
        if starts[user] == starts[user + 1]:
            continue
        norm = np.float32(1 / np.sqrt(starts[user + 1] - starts[user]))
        z[:] = np.float32(0)
        for rating in range(starts[user], starts[user + 1]):
            z += implicit[rated[rating]]
        users[user] += norm * z
