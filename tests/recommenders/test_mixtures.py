# SPDX-License-Identifier: MIT
"""PLSA, PNMF, LDA, Poisson factorisation: dense re-implementations, and their divergences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom, oracle_factors, oracle_table
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.systems import pcg
from scipy.special import gammaln, psi
from scipy.stats import dirichlet, gamma

from receval.recommenders.em import SMALLEST_ENTRY, SharedRatings, exponentiated
from receval.recommenders.lda import LDA
from receval.recommenders.plsa import PLSA, initial_tables
from receval.recommenders.pnmf import PNMF
from receval.recommenders.poisson_factorisation import (
    PoissonFactorisation,
    UntrainedPoissonFactorisation,
)

Dense = NDArray[np.float64]
WARM = np.setdiff1d(np.arange(60), COLD_USER)
LIBREC_SEED = 5


def dense_shares(values: Dense, users: Dense, items: Dense) -> Dense:
    """How a rating is shared among the k of two tables: shape (n_users, n_items, k)."""
    joint = users[:, None, :] * items[None, :, :]
    shares: Dense = values[:, :, None] * joint / joint.sum(axis=2, keepdims=True)
    return shares


@pytest.mark.each("topics", [1, 3, 10])
def test_shared_ratings_equal_the_dense_sums(topics: int) -> None:
    values, rated = generated(n_users=23, n_items=31)
    generator = np.random.default_rng(3)
    users = generator.random((23, topics)).astype(np.float32)
    items = generator.random((31, topics)).astype(np.float32)
    ratios = SharedRatings(to_matrix(values, rated)).ratios(users, items)
    shares = dense_shares(values, users.astype(float), items.astype(float))
    np.testing.assert_allclose(users * ratios.users, shares.sum(axis=1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(items * ratios.items, shares.sum(axis=0), rtol=1e-4, atol=1e-6)
    mixtures = users.astype(float) @ items.T.astype(float)
    expected = (values * np.log(mixtures)).sum()
    assert ratios.log_likelihood == pytest.approx(expected, rel=1e-5)


def test_exponentials_are_scaled_by_row_and_never_too_small() -> None:
    table, highest = exponentiated(np.array([[-2000.0, -2001.0, -9000.0], [3.0, 3.0, 2.0]]))
    np.testing.assert_array_equal(highest, [-2000, 3])
    expected = [[1, np.exp(-1), SMALLEST_ENTRY], [1, 1, np.exp(-1)]]
    np.testing.assert_allclose(table, expected, rtol=1e-6)
    assert table.dtype == np.float32


def dense_plsa(values: Dense, users: Dense, items: Dense, iterations: int) -> tuple[Dense, list]:
    """EM as in Hofmann's equations, responsibilities in full: probabilities and log-likelihoods."""
    trace = []
    for _ in range(iterations):
        mixture = users @ items.T
        positive = values > 0
        trace.append((values[positive] * np.log(mixture[positive])).sum())
        share = values / np.where(positive, mixture, 1)
        expected = users[:, None, :] * items[None, :, :] * share[:, :, None]
        mass = expected.sum(axis=(1, 2))
        users = expected.sum(axis=1) / np.where(mass > 0, mass, 1)[:, None]
        items = expected.sum(axis=0) / expected.sum(axis=(0, 1))
    return users @ items.T, trace


def plsa_tables(rated: NDArray[np.bool_], topics: int) -> list[Dense]:
    """Draw tables as LibRec does: whole numbers up to the length of a distribution."""
    java, tables = OracleRandom(LIBREC_SEED), []
    known_users, known = rated.any(axis=1), rated.any(axis=0)
    tables.append(oracle_table(lambda: 1 + java.integer(topics), known_users, topics))
    tables.append(np.zeros((len(known), topics)))
    for topic in range(topics):
        tables[1][known, topic] = [1 + java.integer(known.sum()) for _ in range(known.sum())]
    tables[0][known_users] /= tables[0][known_users].sum(axis=1, keepdims=True)
    return [tables[0], tables[1] / tables[1].sum(axis=0)]


@pytest.mark.each(("topics", "librec_seed"), [(1, None), (4, None), (7, None), (4, 5)])
def test_plsa_equals_dense_expectation_maximisation(topics: int, librec_seed: int | None) -> None:
    values, rated = generated()
    model = PLSA(topics, iterations=30, seed=3, librec_seed=librec_seed)
    model.fit(to_matrix(values, rated))
    drawn = initial_tables(pcg(3), *values.shape, topics)
    tables = plsa_tables(rated, topics) if librec_seed else [own.astype(float) for own in drawn]
    expected, trace = dense_plsa(values, *tables, 30)
    np.testing.assert_allclose(model.score(WARM), expected[WARM], rtol=2e-3, atol=1e-6)
    np.testing.assert_allclose(model.score(WARM).sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(model.log_likelihood_[:-1], trace, rtol=1e-6)
    np.testing.assert_array_equal(model.topic_items_[:, COLD_ITEM], 0)


def test_plsa_scores_zero_for_users_whose_ratings_are_all_zero() -> None:
    values, rated = generated()
    values[0] = 0
    scores = PLSA(topics=3, iterations=5).fit(to_matrix(values, rated)).score(np.array([0, 1]))
    np.testing.assert_array_equal(scores[0], 0)
    assert (scores[1] > 0).any()


def dense_pnmf(rated: Dense, weights: Dense, iterations: int) -> tuple[Dense, list[float]]:
    """The update and the divergence of V from V W W^T with all matrices in full."""
    trace = []
    for _ in range(iterations):
        estimate = rated @ weights @ weights.T
        inside = rated > 0
        trace.append(float(estimate.sum() - rated.sum() - np.log(estimate[inside]).sum()))
        ratio = rated / np.where(inside, estimate, 1)
        raised = ratio.T @ (rated @ weights) + rated.T @ (ratio @ weights)
        popularity, projections = rated.sum(axis=0), (rated @ weights).sum(axis=0)
        lowered = np.outer(popularity, weights.sum(axis=0)) + projections
        weights = weights * np.sqrt(raised / lowered)
    return weights, trace


@pytest.mark.parametrize("librec_seed", [None, LIBREC_SEED])
def test_pnmf_equals_the_dense_updates_whatever_the_values(librec_seed: int | None) -> None:
    values, rated = generated()
    model = PNMF(factors=4, iterations=15, seed=6, librec_seed=librec_seed)
    model.fit(to_matrix(values, rated))
    start = (1 + pcg(6).random((45, 4))) / (2 * 45)
    if librec_seed:
        # One pattern after the other, for the items that LibRec knows.
        java, known = OracleRandom(LIBREC_SEED), np.flatnonzero(rated.any(axis=0))
        start = np.zeros((45, 4))
        for factor in range(4):
            start[known, factor] = [(1 + java.double()) / (2 * len(known)) for _ in known]
    weights, trace = dense_pnmf(rated.astype(float), start, 15)
    np.testing.assert_allclose(model.item_factors_.T, weights, rtol=2e-3, atol=1e-6)
    np.testing.assert_allclose(model.divergence_[:-1], trace, rtol=1e-5)
    scores = rated[WARM].astype(float) @ weights @ weights.T
    np.testing.assert_allclose(model.score(WARM), scores, rtol=5e-3, atol=1e-5)
    np.testing.assert_array_equal(model.item_factors_[:, COLD_ITEM], 0)


def dense_lda(values: Dense, model: LDA) -> tuple[Dense, Dense, list[float]]:
    generator = pcg(model.seed)
    users, items = (generator.gamma(100, 0.01, (size, model.topics)) for size in values.shape)
    trace = []
    for iteration in range(model.iterations + 1):
        user_logs = psi(users) - psi(users.sum(axis=1, keepdims=True))
        item_logs = psi(items) - psi(items.sum(axis=0))
        terms = user_logs[:, None, :] + item_logs[None, :, :]
        shares = dense_shares(values, np.exp(user_logs), np.exp(item_logs))
        # E[log joint] + entropy, term by term as in Blei, Ng and Jordan, equations 14 and 15.
        parts = shares[values > 0] / values[values > 0][:, None]
        bound = (values[values > 0][:, None] * parts * (terms[values > 0] - np.log(parts))).sum()
        for table, logs, prior, axis in (
            (users, user_logs, model.alpha, 1),
            (items, item_logs, model.beta, 0),
        ):
            vectors = table if axis == 1 else table.T
            size = vectors.shape[1]
            bound += len(vectors) * (gammaln(size * prior) - size * gammaln(prior))
            bound += ((prior - 1) * logs).sum()
            bound += sum(dirichlet(vector).entropy() for vector in vectors)
        trace.append(float(bound))
        if iteration < model.iterations:
            users = model.alpha + shares.sum(axis=1)
            items = model.beta + shares.sum(axis=0)
    return users, items, trace


@pytest.mark.parametrize("weights", ["rating", "binary"])
@pytest.mark.costly
def test_lda_equals_dense_variational_inference(weights: str) -> None:
    values, rated = generated()
    model = LDA(topics=4, iterations=12, alpha=0.3, beta=0.2, weights=weights, seed=2)
    model.fit(to_matrix(values, rated))
    counts = values if weights == "rating" else rated.astype(float)
    users, items, trace = dense_lda(counts, model)
    users /= users.sum(axis=1, keepdims=True)
    items /= items.sum(axis=0)
    np.testing.assert_allclose(model.user_topics_[WARM], users[WARM], rtol=2e-3, atol=1e-5)
    np.testing.assert_allclose(model.topic_items_.T, items, rtol=2e-3, atol=1e-5)
    np.testing.assert_allclose(model.bound_, trace, rtol=1e-5)


def test_lda_scores_are_probabilities() -> None:
    model = LDA(topics=6, iterations=50, seed=1).fit(to_matrix(*generated()))
    np.testing.assert_allclose(model.score(WARM).sum(axis=1), 1, rtol=1e-5)
    assert (model.score(WARM)[:, COLD_ITEM] > 0).all()


def dense_poisson(values: Dense, model: PoissonFactorisation) -> tuple[Dense, Dense, list[float]]:
    """Figure 4 of the paper, phi in full, and the evidence lower bound by its definition."""
    a, activity, k = model.shape, model.activity_shape, model.factors
    rate = activity / model.activity_mean
    generator = pcg(model.seed)
    sides, trace = [], []
    for size in values.shape:
        spread = 1 + 0.01 * generator.random((2, size, k))
        sides.append([a * spread[0], model.activity_mean * spread[1], np.full(size, rate)])
    for iteration in range(model.iterations + 1):
        logs = [psi(shapes) - np.log(rates) for shapes, rates, _ in sides]
        shares = dense_shares(values, np.exp(logs[0]), np.exp(logs[1]))
        counts = values[values > 0][:, None]
        parts = shares[values > 0] / counts
        terms = (logs[0][:, None, :] + logs[1][None, :, :])[values > 0] - np.log(parts)
        means = [shapes / rates for shapes, rates, _ in sides]
        bound = (counts * parts * terms).sum() - means[0].sum(axis=0) @ means[1].sum(axis=0)
        for (shapes, rates, above), own, mean in zip(sides, logs, means, strict=True):
            # E[log p] of the factors and of their prior's rates, and the entropies of both.
            expected, log = (activity + k * a) / above, psi(activity + k * a) - np.log(above)
            bound += (a * log[:, None] - gammaln(a) + (a - 1) * own).sum()
            bound -= (expected[:, None] * mean).sum()
            bound += len(above) * (activity * np.log(rate) - gammaln(activity))
            bound += ((activity - 1) * log - rate * expected).sum()
            bound += gamma(shapes, scale=1 / rates).entropy().sum()
            bound += gamma(activity + k * a, scale=1 / above).entropy().sum()
        trace.append(float(bound))
        if iteration == model.iterations:
            break
        for side, other, axis in ((0, 1, 1), (1, 0, 0)):
            theirs = sides[other][0] / sides[other][1]
            shapes = a + shares.sum(axis=axis)
            rates = ((activity + k * a) / sides[side][2])[:, None] + theirs.sum(axis=0)
            sides[side] = [shapes, rates, rate + (shapes / rates).sum(axis=1)]
    return sides[0][0] / sides[0][1], sides[1][0] / sides[1][1], trace


@pytest.mark.costly
def test_poisson_factorisation_equals_the_paper_s_algorithm() -> None:
    values, rated = generated()
    model = PoissonFactorisation(
        factors=4, iterations=12, shape=0.4, activity_shape=0.6, activity_mean=1.5, seed=3
    ).fit(to_matrix(values, rated))
    users, items, trace = dense_poisson(values, model)
    np.testing.assert_allclose(model.user_factors_[WARM], users[WARM], rtol=5e-3, atol=1e-5)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=5e-3, atol=1e-5)
    np.testing.assert_allclose(model.score(WARM), users[WARM] @ items.T, rtol=5e-3, atol=1e-5)
    np.testing.assert_allclose(model.bound_, trace, rtol=1e-5)


def test_untrained_poisson_factors_lie_in_librec_s_ranges_and_ignore_the_ratings() -> None:
    values, rated = generated()
    model = UntrainedPoissonFactorisation(seed=4).fit(to_matrix(values, rated))
    users = np.delete(model.user_factors_, COLD_USER, axis=0)
    assert users.min() >= 0.1 / 0.2
    assert users.max() <= 0.11 / 0.1
    ratios = users.max(axis=0) / users.min(axis=0)
    assert (ratios < 1.1 + 1e-6).all()
    other = UntrainedPoissonFactorisation(seed=4).fit(to_matrix(5 - values, rated))
    np.testing.assert_array_equal(model.score(WARM), other.score(WARM))


def test_untrained_poisson_factors_are_the_third_that_librec_draws() -> None:
    values, rated = generated()
    model = UntrainedPoissonFactorisation(3, seed=9, librec_seed=LIBREC_SEED)
    model.fit(to_matrix(values, rated))
    java = OracleRandom(LIBREC_SEED)
    # Normal factors and rates, both replaced.
    oracle_factors(java, rated, 3)
    for _ in range(2 * 3):
        java.double()
    tables = []
    for axis in (1, 0):
        warm = rated.any(axis=axis)
        table, rates = np.zeros((len(warm), 3)), np.zeros(3)
        for number, row in enumerate(np.flatnonzero(warm)):
            for factor in range(3):
                table[row, factor] = 0.1 + 0.01 * java.double()
                if number == 0:
                    rates[factor] = 0.1 + 0.1 * java.double()
        tables.append(table / rates)
    np.testing.assert_allclose(model.user_factors_[WARM], tables[0][WARM], rtol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, tables[1], rtol=1e-6)
