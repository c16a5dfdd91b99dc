# SPDX-License-Identifier: MIT
"""GBPR, WBPR and RankSGD with LibRec's draws: whole fits one triple after the other.

Their samplers alone are in test_java_random.py and test_librec_popularity.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import Dense, OracleRandom, oracle_factors, oracle_uniform
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.objectives import Tables, gradients, group_objective, ln_sigmoid
from recommenders.test_librec_popularity import ListsOfLibRec

from receval.recommenders import gbpr, rank_sgd
from receval.recommenders.base import RatingMatrix
from receval.recommenders.gbpr import GBPR
from receval.recommenders.rank_sgd import RankSGD
from receval.recommenders.wbpr import WBPR

N_USERS, N_ITEMS, FACTORS = 23, 17, 3
SEED = 3
WARM = np.setdiff1d(np.arange(N_USERS), COLD_USER)


def sample() -> tuple[Dense, NDArray[np.bool_], RatingMatrix]:
    values, rated = generated(N_USERS, N_ITEMS, seed=2)
    return values, rated, to_matrix(values, rated)


def started(java: OracleRandom, rated: NDArray[np.bool_], highest_bias: float) -> Tables:
    """Return biases and factors; the factors are drawn first."""
    users, items = oracle_factors(java, rated, FACTORS)
    biases = highest_bias * oracle_uniform(java, rated.any(axis=0), 1)[:, 0]
    return [biases, users, items]


def assert_fitted(model: Any, tables: Tables) -> None:
    # In double precision throughout: what is left is that of the factors as they are stored, and
    # of the parameters, which LibRec keeps in single precision.
    biases, users, items = tables
    np.testing.assert_allclose(model.item_biases_, biases, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.user_factors_[WARM], users[WARM], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=1e-5, atol=1e-7)
    assert (model.score(WARM)[:, COLD_ITEM] == 0).all()


@pytest.mark.costly
@pytest.mark.parametrize(("updates", "size"), [("triple", 3), ("epoch", 2)])
def test_gbpr_equals_a_loop_over_librec_s_draws(
    updates: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, rated, train = sample()
    monkeypatch.setattr(gbpr, "BLOCK", 7)
    model = GBPR(
        FACTORS,
        1.5,
        size,
        learning_rate=0.25,
        regularisation=0.125,
        epochs=2,
        samples_per_user=1,
        updates=updates,
        seed=9,
        librec_seed=SEED,
    ).fit(train)
    java = OracleRandom(SEED)
    biases, users, items = started(java, rated, 1.0)
    known = np.flatnonzero(rated.any(axis=0))
    for _ in range(2):
        at_once = updates == "triple"
        new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
        for _ in WARM:
            user = java.one_of(WARM)
            above = java.one_of(np.flatnonzero(rated[user]))
            raters = np.flatnonzero(rated[:, above])
            group = [user]
            if len(raters) <= size:
                group += [int(rater) for rater in raters if rater != user]
            while len(group) < min(size, len(raters)):
                rater = java.one_of(raters)
                if rater not in group:
                    group.append(rater)
            below = java.one_of(known)
            while rated[user, below]:
                below = java.one_of(known)

            def objective(
                tables: Tables, codes: Any = (user, above, below), group: Any = group
            ) -> float:
                return group_objective(tables, codes, group, 1.5, 0.125)

            slopes = gradients(objective, [biases, users, items])
            biases += 0.25 * slopes[0]
            new_users += 0.25 * slopes[1]
            new_items += 0.25 * slopes[2]
        users, items = new_users, new_items
    assert_fitted(model, [biases, users, items])


@pytest.mark.costly
def test_wbpr_equals_a_loop_over_librec_s_draws() -> None:
    _, rated, train = sample()
    model = WBPR(
        FACTORS,
        learning_rate=0.25,
        regularisation=0.125,
        epochs=2,
        samples_per_user=20,
        seed=9,
        librec_seed=SEED,
    ).fit(train)
    java = OracleRandom(SEED)
    biases, users, items = tables = started(java, rated, 0.01)
    lists = ListsOfLibRec(rated)
    for epoch in range(2):
        losses = []
        for _ in range(20 * len(WARM)):
            u, i, j = lists.drawn(java)
            p, q, r = users[u].copy(), items[i].copy(), items[j].copy()
            b, c = biases[i], biases[j]
            x = b - c + p @ q - p @ r
            losses.append(-ln_sigmoid(x))
            g = 1 / (1 + np.exp(x))
            biases[i] += 0.25 * (g - 0.125 * b)
            biases[j] += 0.25 * (-g - 0.125 * c)
            users[u] += 0.25 * (g * (q - r) - 0.125 * p)
            items[i] += 0.25 * (g * p - 0.125 * q)
            items[j] += 0.25 * (-g * p - 0.125 * r)
        assert model.loss_[epoch] == pytest.approx(np.mean(losses), rel=1e-9)
    assert lists.ways_out > 0
    assert_fitted(model, tables)


def test_rank_sgd_equals_a_loop_over_librec_s_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values, rated, train = sample()
    monkeypatch.setattr(rank_sgd, "BLOCK", 7)
    model = RankSGD(FACTORS, 0.0625, 0.125, epochs=2, seed=9, librec_seed=SEED).fit(train)
    java = OracleRandom(SEED)
    p, q = oracle_factors(java, rated, FACTORS)
    popularity = rated.sum(axis=0)
    rising = sorted(np.flatnonzero(popularity), key=lambda item: popularity[item])
    sums = np.cumsum(popularity[rising] / rated.sum())
    for epoch in range(2):
        squares = []
        for u, i in zip(*np.nonzero(rated), strict=True):
            j = i
            while rated[u, j]:
                j = rising[int(np.argmax(sums >= java.double()))]
            error = p[u] @ (q[i] - q[j]) - values[u, i]
            squares.append(error**2)
            steps = error * (q[i] - q[j]), error * p[u]
            p[u] -= 0.0625 * (steps[0] + 0.125 * p[u])
            q[i] -= 0.0625 * (steps[1] + 0.125 * q[i])
            q[j] -= 0.0625 * (-steps[1] + 0.125 * q[j])
        assert model.squared_error_[epoch] == pytest.approx(np.mean(squares), rel=1e-9)
    np.testing.assert_allclose(model.user_factors_[WARM], p[WARM], rtol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, q, rtol=1e-6)
    assert np.isnan(model.user_factors_[COLD_USER]).all()
