# SPDX-License-Identifier: MIT
"""Whole epochs of RankSGD, SVD++ and BiasedMF, and the steps of ListRank-MF.

The re-implementations in plain Python are in double precision, one rating after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom, oracle_factors, oracle_normals, oracle_table
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.objectives import gradient
from recommenders.systems import pcg

from receval.recommenders import rank_sgd
from receval.recommenders.biased_mf import BiasedMF
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.gbpr import GBPR
from receval.recommenders.librec.java_random import read_by_column_iterator, read_by_row
from receval.recommenders.listrank_mf import ListRankMF
from receval.recommenders.pairwise import PairSampler
from receval.recommenders.rank_sgd import RankSGD
from receval.recommenders.svdpp import SVDPlusPlus
from receval.recommenders.wbpr import WBPR

Dense = NDArray[np.float64]

LIBREC_SEED = 5


def normals(generator: np.random.Generator, *shape: int) -> Dense:
    return (np.float32(0.1) * generator.standard_normal(shape, dtype=np.float32)).astype(float)


@pytest.mark.each("block", [1, 2, 3, -1])
@pytest.mark.each("librec_seed", [None, LIBREC_SEED])
def test_rank_sgd_epochs_visit_the_ratings_in_order(
    librec_seed: int | None, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, rated = generated(14, 11)
    if not librec_seed:
        # Who has rated everything has no unrated item, and is not visited.
        rated[9] = rated.any(axis=0)
    train = to_matrix(values, rated)
    users, items = np.nonzero(rated & (rated.sum(axis=1) < rated.any(axis=0).sum())[:, None])
    monkeypatch.setattr(rank_sgd, "BLOCK", block % len(users))
    model = RankSGD(4, 0.0625, 0.125, epochs=3, seed=3, librec_seed=librec_seed).fit(train)
    generator, java = pcg(3), OracleRandom(LIBREC_SEED)
    popularity = rated.sum(axis=0)
    rising = sorted(np.flatnonzero(popularity), key=lambda item: popularity[item])
    sums = np.cumsum(popularity[rising] / rated.sum())
    if librec_seed:
        p, q = oracle_factors(java, rated, 4)
    else:
        p, q = normals(generator, 14, 4), normals(generator, 11, 4)
        q[~rated.any(axis=0)] = 0
        sampler = PairSampler(train, generator, negatives="popularity")

    def negative(user: int) -> int:
        if not librec_seed:
            return int(sampler.negatives(np.array([user], dtype=np.int32))[0])
        while rated[user, other := rising[int(np.argmax(sums >= java.double()))]]:
            pass
        return int(other)

    for epoch in range(3):
        squares = []
        for u, i in zip(users, items, strict=True):
            j = negative(u)
            error = p[u] @ (q[i] - q[j]) - values[u, i]
            squares.append(error**2)
            steps = error * (q[i] - q[j]), error * p[u]
            p[u] -= 0.0625 * (steps[0] + 0.125 * p[u])
            q[i] -= 0.0625 * (steps[1] + 0.125 * q[i])
            q[j] -= 0.0625 * (-steps[1] + 0.125 * q[j])
        expected = pytest.approx(np.mean(squares), rel=1e-9 if librec_seed else 1e-4)
        assert model.squared_error_[epoch] == expected
    scores = p @ q.T
    scores[COLD_USER] = np.nan
    np.testing.assert_allclose(model.score(np.arange(14)), scores, rtol=1e-3, atol=1e-5)


def implicit_starts(rated: NDArray[np.bool_], factors: int, librec_seed: int | None) -> list[Dense]:
    """Return factors and biases of users and of items, and implicit factors."""
    of_users, of_items = rated.any(axis=1), rated.any(axis=0)
    if librec_seed:
        java = OracleRandom(librec_seed)
        p, q = oracle_factors(java, rated, factors)
        b, c = (oracle_normals(java, of, 1)[:, 0] for of in (of_users, of_items))
        return [p, b, q, c, oracle_normals(java, of_items, factors)]
    generator, (n_users, n_items) = pcg(7), rated.shape
    shapes = (n_users, factors), (n_users,), (n_items, factors), (n_items,), (n_items, factors)
    tables = [normals(generator, *shape) for shape in shapes]
    for table, of in zip(tables, (of_users, of_users, of_items, of_items), strict=False):
        table[~of] = 0
    return tables


@pytest.mark.parametrize("librec_seed", [None, LIBREC_SEED])
def test_svdpp_equals_updating_every_implicit_factor_at_every_rating(
    librec_seed: int | None,
) -> None:
    values, rated = generated(14, 11)
    model = SVDPlusPlus(11, 0.03, 0.1, 0.2, 0.3, 0.05, epochs=4, seed=7, librec_seed=librec_seed)
    model.fit(to_matrix(values, rated))
    p, b, q, c, y = implicit_starts(rated, 11, librec_seed)
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


def test_biased_mf_equals_epochs_in_random_order_at_decaying_rates() -> None:
    values, rated = generated(12, 10)
    model = BiasedMF(
        factors=11,
        regularisation=0.2,
        learning_rate=0.05,
        epochs=3,
        decay=0.5,
        bias_rate_ratio=0.4,
        bias_regularisation_ratio=0.1,
        seed=6,
    ).fit(to_matrix(values, rated))
    rng = pcg(6)
    factors = normals(rng, 22, 11)
    p, q, b, c = factors[:12], factors[12:], np.zeros(12), np.zeros(10)
    p[COLD_USER], q[~rated.any(axis=0)] = 0, 0
    users, items = np.nonzero(rated)
    mean = values[rated].mean()
    for epoch, rate in enumerate((0.05, 0.025, 0.0125)):
        squares = []
        for entry in rng.permutation(len(users)):
            u, i = users[entry], items[entry]
            e = values[u, i] - (mean + b[u] + c[i] + p[u] @ q[i])
            squares.append(e**2)
            b[u] += 0.4 * rate * (e - 0.02 * b[u])
            c[i] += 0.4 * rate * (e - 0.02 * c[i])
            old = p[u].copy()
            p[u] += rate * (e * q[i] - 0.2 * old)
            q[i] += rate * (e * old - 0.2 * q[i])
        assert model.squared_error_[epoch] == pytest.approx(np.mean(squares), rel=1e-4)
    expected = mean + b[:, None] + c + p @ q.T
    np.testing.assert_allclose(model.score(np.arange(12)), expected, rtol=1e-4, atol=1e-4)
    assert model.user_biases_[COLD_USER] == model.item_biases_[COLD_ITEM] == 0


@pytest.mark.costly
@pytest.mark.parametrize(
    "model",
    [
        *(
            RankSGD(learning_rate=50),
            SVDPlusPlus(learning_rate=5),
            BiasedMF(learning_rate=5, epochs=50),
        ),
        BPRMF(learning_rate=1e6, user_regularisation=1, positive_regularisation=1),
        *(WBPR(learning_rate=1e6), GBPR(learning_rate=1e6)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_system_that_diverges_names_the_learning_rate(model: Any) -> None:
    values, rated = generated()
    name = type(model).__name__
    with pytest.raises(ValueError, match=f"{name} diverged: the parameter learning_rate is"):
        model.fit(to_matrix(values, rated))


# --- ListRank-MF -----------------------------------------------------------------------------


def sigmoid(x: Dense) -> Dense:
    return 1 / (1 + np.exp(-x))


def list_objective(values: Dense, rated: NDArray[np.bool_], p: Dense, q: Dense) -> float:
    strengths = np.exp(values / values.max()) * rated
    targets = strengths / np.maximum(strengths.sum(axis=1, keepdims=True), 1)
    firsts = np.exp(sigmoid(p @ q.T)) * rated
    firsts /= np.where(rated.any(axis=1), firsts.sum(axis=1), 1)[:, None]
    return float(-(targets[rated] * np.log(firsts[rated])).sum())


@pytest.mark.parametrize("librec_seed", [None, LIBREC_SEED])
def test_listrank_steps_along_the_gradient_of_its_objective(librec_seed: int | None) -> None:
    values, rated = generated(7, 9, seed=3)
    known = rated.any(axis=1), rated.any(axis=0)
    if librec_seed:
        # LibRec draws normal factors in vain, and then uniform ones.
        java = OracleRandom(librec_seed)
        oracle_factors(java, rated, 3)
        start = 0.1 * np.concatenate([oracle_table(java.double, of, 3) for of in known])
    else:
        start = 0.1 * pcg(2).random((16, 3))
        start[~np.concatenate(known)] = 0

    def objective(tables: Dense) -> float:
        penalty = 0.4 / 2 * float((tables**2).sum())
        return list_objective(values, rated, tables[:7], tables[7:]) + penalty

    # The first step is twice the rate, unless it is too long.
    model = ListRankMF(3, 0.4, 0.5, iterations=1, seed=2, librec_seed=librec_seed)
    model.fit(to_matrix(values, rated))
    end = start - 2 * 0.5 * gradient(objective, start)
    found = np.nan_to_num(np.concatenate([model.user_factors_, model.item_factors_.T]))
    np.testing.assert_allclose(found, end, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.objective_, [objective(start), objective(end)], rtol=1e-8)


def test_listrank_objective_is_that_of_the_factors() -> None:
    values, rated = generated()
    model = ListRankMF(factors=4, iterations=60, seed=2).fit(to_matrix(values, rated))
    users = np.nan_to_num(model.user_factors_).astype(float)
    items = model.item_factors_.T.astype(float)
    expected = 0.03 * ((users**2).sum() + (items**2).sum())
    expected += list_objective(values, rated, users, items)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("highest", [0.1, 1.0])
def test_listrank_passes_over_ratings_but_keeps_them_in_the_list(highest: float) -> None:
    values = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    model = ListRankMF(
        2, 0.0, learning_rate=0.5, iterations=1, zeros="misread", highest=highest, seed=4
    )
    train = to_matrix(values, np.ones(values.shape, dtype=bool))
    model.fit(train)
    in_gradient = read_by_row(train).reshape(values.shape)
    in_objective = read_by_column_iterator(train).reshape(values.shape)
    assert (in_gradient != in_objective).any()
    generator = pcg(4)
    p, q = highest * generator.random((4, 2)), highest * generator.random((3, 2))
    strengths = np.exp(values / 2)
    targets = strengths / strengths.sum(axis=1, keepdims=True)

    def objective(p: Dense, q: Dense) -> float:
        firsts = np.exp(sigmoid(p @ q.T))
        firsts /= firsts.sum(axis=1, keepdims=True)
        return float(-(targets * np.log(firsts))[in_objective].sum())

    g = sigmoid(p @ q.T)
    firsts = np.exp(g) / np.exp(g).sum(axis=1, keepdims=True)
    errors = (firsts - targets) * g * (1 - g) * in_gradient
    # Twice the rate, then half of it until the objective does not rise.
    rate = 1.0
    while objective(p - rate * errors @ q, q - rate * errors.T @ p) > objective(p, q):
        rate /= 2
    end = p - rate * errors @ q, q - rate * errors.T @ p
    np.testing.assert_allclose(model.objective_, [objective(p, q), objective(*end)])
    np.testing.assert_allclose(model.user_factors_, end[0], rtol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, end[1], rtol=1e-6)


def test_listrank_ends_where_no_step_is_small_enough() -> None:
    values, rated = generated()
    train = to_matrix((values > 3) * 1.0, rated)
    model = ListRankMF(zeros="misread", highest=1.0, iterations=40, seed=2).fit(train)
    steps = np.diff(model.objective_)
    assert (steps <= 0).all()
    last = int(np.flatnonzero(steps)[-1])
    assert last < 10
    again = ListRankMF(zeros="misread", highest=1.0, iterations=last + 2, seed=2).fit(train)
    np.testing.assert_array_equal(again.user_factors_, model.user_factors_)
