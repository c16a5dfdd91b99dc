"""PLSA and BiasedMF: dense re-implementations, and a step along the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.objectives import gradient
from recommenders.systems import pcg

from receval.recommenders.biased_mf import BiasedMF, _descend
from receval.recommenders.plsa import PLSA, initial_tables

Dense = NDArray[np.float64]


def dense_plsa(values: Dense, topics: int, iterations: int, seed: int) -> tuple[Dense, list[float]]:
    """EM as in Hofmann's equations, responsibilities in full."""
    tables = initial_tables(pcg(seed), *values.shape, topics)
    users, items = (table.astype(float) for table in tables)
    trace = []
    for _ in range(iterations + 1):
        joint = users[:, None, :] * items[None, :, :]
        mixture = joint.sum(axis=2)
        positive = values > 0
        trace.append(float((values[positive] * np.log(mixture[positive])).sum()))
        share = values / np.where(positive, mixture, 1)
        expected = joint * share[:, :, None]
        previous = users, items
        mass = expected.sum(axis=(1, 2))
        users = expected.sum(axis=1) / np.where(mass > 0, mass, 1)[:, None]
        items = expected.sum(axis=0) / expected.sum(axis=(0, 1))
    return previous[0] @ previous[1].T, trace


@pytest.mark.parametrize("topics", [1, 4, 7])
def test_plsa_equals_dense_expectation_maximisation(topics: int) -> None:
    values, rated = generated()
    model = PLSA(topics=topics, iterations=30, seed=3).fit(to_matrix(values, rated))
    expected, trace = dense_plsa(values, topics, 30, 3)
    warm = np.setdiff1d(np.arange(60), COLD_USER)
    np.testing.assert_allclose(model.score(warm), expected[warm], rtol=2e-3, atol=1e-6)
    np.testing.assert_allclose(model.log_likelihood_, trace, rtol=1e-6)


def test_plsa_scores_are_probabilities() -> None:
    values, rated = generated(lowest=0.5)
    model = PLSA(topics=6, iterations=50, seed=1).fit(to_matrix(values, rated))
    warm = np.setdiff1d(np.arange(60), COLD_USER)
    np.testing.assert_allclose(model.score(warm).sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.topic_items_[:, COLD_ITEM], 0)


def test_plsa_scores_zero_for_users_whose_ratings_are_all_zero() -> None:
    values, rated = generated()
    values[0] = 0
    scores = PLSA(topics=3, iterations=5).fit(to_matrix(values, rated)).score(np.array([0, 1]))
    np.testing.assert_array_equal(scores[0], 0)
    assert (scores[1] > 0).any()


def test_biased_mf_step_follows_the_gradient() -> None:
    generator = np.random.default_rng(8)
    rating, mean, rate, regularisation = 4.5, 3.2, 1e-3, 0.3
    start = np.concatenate([[0.2, -0.4], generator.standard_normal(14)])

    def objective(parameters: Dense) -> float:
        p, q = parameters[2:9], parameters[9:]
        error = rating - (mean + parameters[0] + parameters[1] + p @ q)
        return float(error**2 + regularisation * (parameters**2).sum())

    arrays = [start[0:1], start[1:2], start[None, 2:9], start[None, 9:]]
    stepped = [array.astype(np.float32) for array in arrays]
    squared_error = _descend(
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.array([rating], dtype=np.float32),
        np.float32(mean),
        *stepped,
        np.float32(rate),
        np.float32(regularisation),
        np.float32(rate),
        np.float32(regularisation),
    )
    moved = np.concatenate([array.ravel() for array in stepped]) - start
    np.testing.assert_allclose(moved, -rate / 2 * gradient(objective, start), rtol=2e-3, atol=1e-6)
    expected = objective(start) - regularisation * (start**2).sum()
    assert squared_error == pytest.approx(expected, rel=1e-5)


def test_biased_mf_epoch_steps_through_the_ratings_in_order() -> None:
    values, rated = generated(12, 10)
    users, items = (codes.astype(np.int32) for codes in np.nonzero(rated))
    ratings = values[users, items].astype(np.float32)
    generator = np.random.default_rng(1)
    shapes = [(12,), (10,), (12, 11), (10, 11)]
    arrays = [0.1 * generator.standard_normal(shape) for shape in shapes]
    stepped = [array.astype(np.float32) for array in arrays]
    rates = (np.float32(0.05), np.float32(0.1))
    _descend(users, items, ratings, np.float32(2), *stepped, *rates, *rates)
    b, c, p, q = arrays
    for user, item, rating in zip(users, items, ratings, strict=True):
        error = rating - (2 + b[user] + c[item] + p[user] @ q[item])
        b[user] += 0.05 * (error - 0.1 * b[user])
        c[item] += 0.05 * (error - 0.1 * c[item])
        old = p[user].copy()
        p[user] += 0.05 * (error * q[item] - 0.1 * old)
        q[item] += 0.05 * (error * old - 0.1 * q[item])
    for got, expected in zip(stepped, arrays, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_biased_mf_score_is_baseline_plus_product() -> None:
    values, rated = generated()
    model = BiasedMF(factors=6, learning_rate=0.02, epochs=10, seed=4)
    scores = model.fit(to_matrix(values, rated)).score(np.arange(60))
    expected = (
        model.mean_
        + model.user_biases_[:, None]
        + model.item_biases_
        + model.user_factors_ @ model.item_factors_
    )
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(scores[COLD_USER], model.mean_ + model.item_biases_, rtol=1e-6)
    user_means = model.mean_ + model.user_biases_
    np.testing.assert_allclose(scores[:, COLD_ITEM], user_means, rtol=1e-6)


def test_biased_mf_that_diverges_names_the_learning_rate() -> None:
    values, rated = generated()
    with pytest.raises(ValueError, match="BiasedMF diverged: the parameter learning_rate is 5"):
        BiasedMF(learning_rate=5, epochs=50).fit(to_matrix(values, rated))
