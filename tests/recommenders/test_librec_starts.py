# SPDX-License-Identifier: MIT
"""What LibRec's systems draw first: short fits in plain Python from java.util.Random.

Users and items without ratings lie among the others: LibRec knows neither, and draws nothing for
them. The samplers of the pairwise systems are in test_librec_pairs.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import Dense, OracleRandom, oracle_factors, oracle_uniform
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.objectives import gradient

from receval.recommenders.base import RatingMatrix
from receval.recommenders.eals import EALS
from receval.recommenders.librec.random import LibRecRandom
from receval.recommenders.listrank_mf import ListRankMF
from receval.recommenders.plsa import PLSA
from receval.recommenders.pnmf import PNMF
from receval.recommenders.poisson_factorisation import UntrainedPoissonFactorisation
from receval.recommenders.svdpp import SVDPlusPlus
from receval.recommenders.wrmf import WRMF

N_USERS, N_ITEMS, FACTORS = 13, 11, 3
SEED = 5
WARM = np.setdiff1d(np.arange(N_USERS), COLD_USER)


def sample() -> tuple[Dense, NDArray[np.bool_], RatingMatrix]:
    values, rated = generated(N_USERS, N_ITEMS, seed=4)
    return values, rated, to_matrix(values, rated)


def assert_factors(model: Any, users: Dense, items: Dense, rtol: float = 1e-5) -> None:
    """Check users' and items' factors; items without ratings have none."""
    np.testing.assert_allclose(model.user_factors_[WARM], users[WARM], rtol=rtol, atol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=rtol, atol=1e-6)
    assert np.isnan(model.user_factors_[COLD_USER]).all()
    assert (model.item_factors_[:, COLD_ITEM] == 0).all()


def test_random_scores_are_drawn_for_unrated_items_alone() -> None:
    _, rated, train = sample()
    # Ascending, LibRec draws for each user that it knows and each item that it knows.
    java, expected = OracleRandom(SEED), np.full(rated.shape, np.nan)
    for user in np.flatnonzero(rated.any(axis=1)):
        for item in np.flatnonzero(rated.any(axis=0)):
            # Nothing is drawn for a rated item.
            if not rated[user, item]:
                expected[user, item] = java.double()
    assert np.isnan(expected[COLD_USER]).all()
    assert np.isnan(expected[:, COLD_ITEM]).all()
    model = LibRecRandom(librec_seed=SEED, seed=9).fit(train)
    np.testing.assert_array_equal(model.score(np.arange(N_USERS)), expected.astype(np.float32))
    # Whoever is asked for alone has the same scores.
    some = np.array([N_USERS - 1, COLD_USER, 0])
    np.testing.assert_array_equal(model.score(some), expected[some].astype(np.float32))


def test_eals_starts_from_normal_factors_of_both_sides() -> None:
    values, rated, train = sample()
    model = EALS(FACTORS, 1.0, 0.2, iterations=1, seed=9, librec_seed=SEED).fit(train)
    users, items = oracle_factors(OracleRandom(SEED), rated, FACTORS)
    weights = np.where(rated, 1 + values, 1.0)
    for solved, fixed, w, target in (
        (users, items, weights, rated),
        (items, users, weights.T, rated.T),
    ):
        for row in np.flatnonzero(target.any(axis=1)):
            for factor in range(FACTORS):
                rest = solved[row] @ fixed.T - solved[row, factor] * fixed[:, factor]
                above = w[row] @ (fixed[:, factor] * (target[row] - rest))
                solved[row, factor] = above / (w[row] @ fixed[:, factor] ** 2 + 0.2)
    assert_factors(model, users, items, rtol=1e-3)


@pytest.mark.parametrize("first", ["users", "items"])
def test_wrmf_starts_from_normal_factors_of_the_side_solved_last(first: str) -> None:
    values, rated, train = sample()
    model = WRMF(
        FACTORS, 4.0, 0.01, iterations=1, weights="logarithm", first=first, librec_seed=SEED
    ).fit(train)
    confidences = 1 + np.log(1 + 1e4 * values)
    users, items = oracle_factors(OracleRandom(SEED), rated, FACTORS)
    sides = [(users, items, confidences, rated), (items, users, confidences.T, rated.T)]
    for solved, fixed, w, target in sides if first == "users" else sides[::-1]:
        for row in range(len(solved)):
            weighted = fixed * w[row][:, None]
            normal = fixed.T @ weighted + 0.01 * np.eye(FACTORS)
            solved[row] = np.linalg.solve(normal, weighted.T @ target[row])
    # Unlike everywhere else in double precision, and stored in single.
    assert_factors(model, users, items, rtol=1e-6)


def test_svdpp_draws_factors_then_biases_then_implicit_factors() -> None:
    values, rated, train = sample()
    model = SVDPlusPlus(FACTORS, 0.03, epochs=1, seed=9, librec_seed=SEED).fit(train)
    java = OracleRandom(SEED)
    p, q = oracle_factors(java, rated, FACTORS)

    def drawn(warm: NDArray[np.bool_], width: int) -> Dense:
        table = np.zeros((len(warm), width))
        for row in np.flatnonzero(warm):
            table[row] = [float(np.float32(0.1)) * java.normal() for _ in range(width)]
        return table

    of_items = rated.any(axis=0)
    b, c = drawn(rated.any(axis=1), 1)[:, 0], drawn(of_items, 1)[:, 0]
    y = drawn(of_items, FACTORS)
    mean = values[rated].mean()
    for u, i in zip(*np.nonzero(rated), strict=True):
        own = rated[u]
        norm = own.sum() ** -0.5
        z = norm * y[own].sum(axis=0)
        e = values[u, i] - (mean + b[u] + c[i] + q[i] @ (p[u] + z))
        old_p, old_q = p[u].copy(), q[i].copy()
        b[u] += 0.03 * (e - 0.01 * b[u])
        c[i] += 0.03 * (e - 0.01 * c[i])
        p[u] += 0.03 * (e * old_q - 0.01 * old_p)
        q[i] += 0.03 * (e * (old_p + z) - 0.01 * old_q)
        y[own] += 0.03 * (e * norm * old_q - 0.01 * y[own])
    norms = np.maximum(rated.sum(axis=1, keepdims=True), 1) ** -0.5
    expected = mean + b[:, None] + c + (p + norms * (rated @ y)) @ q.T
    np.testing.assert_allclose(model.score(np.arange(N_USERS)), expected, atol=5e-6)
    assert model.user_biases_[COLD_USER] == model.item_biases_[COLD_ITEM] == 0


def test_listrank_draws_normal_factors_in_vain_and_then_uniform_ones() -> None:
    values, rated, train = sample()
    model = ListRankMF(
        FACTORS, 0.4, learning_rate=0.5, iterations=1, highest=1.0, seed=9, librec_seed=SEED
    ).fit(train)
    java = OracleRandom(SEED)
    oracle_factors(java, rated, FACTORS)
    start = np.concatenate([oracle_uniform(java, rated.any(axis=a), FACTORS) for a in (1, 0)])
    strengths = np.exp(values / values.max()) * rated
    targets = strengths / np.maximum(strengths.sum(axis=1, keepdims=True), 1)

    def objective(tables: Dense) -> float:
        scores = tables[:N_USERS] @ tables[N_USERS:].T
        exponentials = np.exp(1 / (1 + np.exp(-scores)))
        totals = np.maximum((exponentials * rated).sum(axis=1, keepdims=True), 1)
        entropy = -(targets * np.log(exponentials / totals))[rated].sum()
        return float(entropy + 0.4 / 2 * (tables**2).sum())

    # Twice the rate, which is not too long a step.
    end = start - 2 * 0.5 * gradient(objective, start)
    np.testing.assert_allclose(model.objective_, [objective(start), objective(end)], rtol=1e-8)
    assert_factors(model, end[:N_USERS], end[N_USERS:])


def test_plsa_starts_from_whole_numbers() -> None:
    values, rated, train = sample()
    model = PLSA(topics=FACTORS, iterations=1, seed=9, librec_seed=SEED).fit(train)
    java = OracleRandom(SEED)
    users, items = np.zeros((N_USERS, FACTORS)), np.zeros((N_ITEMS, FACTORS))
    for user in WARM:
        users[user] = [1 + java.integer(FACTORS) for _ in range(FACTORS)]
        users[user] /= users[user].sum()
    known = np.flatnonzero(rated.any(axis=0))
    for topic in range(FACTORS):
        items[known, topic] = [1 + java.integer(len(known)) for _ in known]
    items /= items.sum(axis=0)
    mixtures = users @ items.T
    inside = values > 0
    assert model.log_likelihood_[0] == pytest.approx(
        (values[inside] * np.log(mixtures[inside])).sum(), rel=1e-6
    )
    ratios = values / np.where(inside, mixtures, 1)
    new_users, new_items = users * (ratios @ items), items * (ratios.T @ users)
    new_users[WARM] /= new_users[WARM].sum(axis=1, keepdims=True)
    new_items /= new_items.sum(axis=0)
    np.testing.assert_allclose(model.user_topics_[WARM], new_users[WARM], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.topic_items_.T, new_items, rtol=1e-4, atol=1e-6)


def test_pnmf_draws_one_pattern_after_the_other() -> None:
    _, rated, train = sample()
    model = PNMF(FACTORS, iterations=1, seed=9, librec_seed=SEED).fit(train)
    java = OracleRandom(SEED)
    known = np.flatnonzero(rated.any(axis=0))
    weights = np.zeros((N_ITEMS, FACTORS))
    for factor in range(FACTORS):
        weights[known, factor] = [(1 + java.double()) / (2 * len(known)) for _ in known]
    estimate = rated @ weights @ weights.T
    divergence = estimate.sum() - rated.sum() - np.log(estimate[rated]).sum()
    assert model.divergence_[0] == pytest.approx(divergence, rel=1e-6)
    ratio = rated / np.where(rated, estimate, 1)
    raised = ratio.T @ (rated @ weights) + rated.T @ (ratio @ weights)
    lowered = np.outer(rated.sum(axis=0), weights.sum(axis=0)) + (rated @ weights).sum(axis=0)
    weights *= np.sqrt(raised / lowered)
    assert_factors(model, rated @ weights, weights)


def test_untrained_poisson_factors_are_the_third_that_librec_draws() -> None:
    _, rated, train = sample()
    model = UntrainedPoissonFactorisation(FACTORS, seed=9, librec_seed=SEED).fit(train)
    java = OracleRandom(SEED)
    # Normal factors and rates, both replaced.
    oracle_factors(java, rated, FACTORS)
    for _ in range(2 * FACTORS):
        java.double()
    tables = []
    for axis in (1, 0):
        warm = rated.any(axis=axis)
        table, rates = np.zeros((len(warm), FACTORS)), np.zeros(FACTORS)
        for number, row in enumerate(np.flatnonzero(warm)):
            for factor in range(FACTORS):
                table[row, factor] = 0.1 + 0.01 * java.double()
                if number == 0:
                    rates[factor] = 0.1 + 0.1 * java.double()
        tables.append(table / rates)
    assert_factors(model, *tables)
