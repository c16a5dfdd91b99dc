# SPDX-License-Identifier: MIT
"""RankSGD, SVD++, rates of BiasedMF: gradients, whole epochs in plain Python.

A step is compared with the finite differences of the objective it is said to follow; an epoch with
a re-implementation in double precision, one rating after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import COLD_USER, generated, to_matrix
from recommenders.systems import pcg

from receval.recommenders.biased_mf import BiasedMF
from receval.recommenders.pairwise import PairSampler
from receval.recommenders.rank_sgd import RankSGD
from receval.recommenders.svdpp import SVDPlusPlus

Dense = NDArray[np.float64]


# --- RankSGD ---------------------------------------------------------------------------------


def test_rank_sgd_epochs_visit_the_ratings_in_order() -> None:
    values, rated = generated(14, 11)
    train = to_matrix(values, rated)
    model = RankSGD(factors=4, epochs=3, learning_rate=0.02, regularisation=0.1, seed=3).fit(train)
    rng = pcg(3)
    p = (np.float32(0.1) * rng.standard_normal((14, 4), dtype=np.float32)).astype(float)
    q = (np.float32(0.1) * rng.standard_normal((11, 4), dtype=np.float32)).astype(float)
    q[~rated.any(axis=0)] = 0
    sampler = PairSampler(train, rng, negatives="popularity")
    users, items = np.nonzero(rated)
    for epoch in range(3):
        total = 0.0
        for u, i, j in zip(users, items, sampler.negatives(users.astype(np.int32)), strict=True):
            error = p[u] @ (q[i] - q[j]) - values[u, i]
            total += error**2
            steps = error * (q[i] - q[j]), error * p[u]
            p[u] -= 0.02 * (steps[0] + 0.1 * p[u])
            q[i] -= 0.02 * (steps[1] + 0.1 * q[i])
            q[j] -= 0.02 * (-steps[1] + 0.1 * q[j])
        assert model.squared_error_[epoch] == pytest.approx(total / len(users), rel=1e-4)
    expected = p @ q.T
    expected[COLD_USER] = np.nan
    np.testing.assert_allclose(model.score(np.arange(14)), expected, rtol=1e-3, atol=1e-5)


# --- SVD++ -----------------------------------------------------------------------------------


def test_svdpp_equals_updating_every_implicit_factor_at_every_rating() -> None:
    values, rated = generated(14, 11)
    model = SVDPlusPlus(
        factors=11,
        epochs=4,
        learning_rate=0.03,
        user_regularisation=0.1,
        item_regularisation=0.2,
        implicit_regularisation=0.3,
        bias_regularisation=0.05,
        seed=7,
    ).fit(to_matrix(values, rated))
    rng = pcg(7)

    def initial(*shape: int) -> Dense:
        draws = np.float32(0.1) * rng.standard_normal(shape, dtype=np.float32)
        return draws.astype(float)

    p, b, q, c, y = initial(14, 11), initial(14), initial(11, 11), initial(11), initial(11, 11)
    unrated = ~rated.any(axis=0)
    b[COLD_USER], p[COLD_USER], c[unrated], q[unrated] = 0, 0, 0, 0
    mean = values[rated].mean()
    for epoch in range(4):
        total = 0.0
        for u, i in zip(*np.nonzero(rated), strict=True):
            own = np.flatnonzero(rated[u])
            norm = len(own) ** -0.5
            z = norm * y[own].sum(axis=0)
            e = values[u, i] - (mean + b[u] + c[i] + q[i] @ (p[u] + z))
            total += e**2
            old_p, old_q = p[u].copy(), q[i].copy()
            b[u] += 0.03 * (e - 0.05 * b[u])
            c[i] += 0.03 * (e - 0.05 * c[i])
            p[u] += 0.03 * (e * old_q - 0.1 * old_p)
            q[i] += 0.03 * (e * (old_p + z) - 0.2 * old_q)
            y[own] += 0.03 * (e * norm * old_q - 0.3 * y[own])
        assert model.squared_error_[epoch] == pytest.approx(total / rated.sum(), rel=1e-4)
    norms = np.maximum(rated.sum(axis=1, keepdims=True), 1) ** -0.5
    expected = mean + b[:, None] + c + (p + norms * (rated @ y)) @ q.T
    np.testing.assert_allclose(model.score(np.arange(14)), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(model.score(np.array([COLD_USER]))[0], mean + c, rtol=1e-4)


# --- The rate of BiasedMF, divergence, parameters --------------------------------------------


def test_biased_mf_biases_have_a_rate_and_a_regularisation_of_their_own_and_rates_decay() -> None:
    values, rated = generated(12, 10)
    model = BiasedMF(
        factors=3,
        regularisation=0.2,
        learning_rate=0.05,
        epochs=3,
        decay=0.5,
        bias_rate_ratio=0.4,
        bias_regularisation_ratio=0.1,
        seed=6,
    ).fit(to_matrix(values, rated))
    rng = pcg(6)
    factors = (np.float32(0.1) * rng.standard_normal((22, 3), dtype=np.float32)).astype(float)
    p, q, b, c = factors[:12], factors[12:], np.zeros(12), np.zeros(10)
    p[COLD_USER], q[~rated.any(axis=0)] = 0, 0
    users, items = np.nonzero(rated)
    mean = values[rated].mean()
    for rate in (0.05, 0.025, 0.0125):
        for entry in rng.permutation(len(users)):
            u, i = users[entry], items[entry]
            e = values[u, i] - (mean + b[u] + c[i] + p[u] @ q[i])
            b[u] += 0.4 * rate * (e - 0.02 * b[u])
            c[i] += 0.4 * rate * (e - 0.02 * c[i])
            old = p[u].copy()
            p[u] += rate * (e * q[i] - 0.2 * old)
            q[i] += rate * (e * old - 0.2 * q[i])
    expected = mean + b[:, None] + c + p @ q.T
    np.testing.assert_allclose(model.score(np.arange(12)), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        RankSGD(learning_rate=50),
        SVDPlusPlus(learning_rate=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_system_that_diverges_names_the_learning_rate(model: Any) -> None:
    values, rated = generated()
    name = type(model).__name__
    with pytest.raises(ValueError, match=f"{name} diverged: the parameter learning_rate is"):
        model.fit(to_matrix(values, rated))
