# SPDX-License-Identifier: MIT
"""PLSA and BiasedMF: dense re-implementations, and a step along the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.systems import pcg

from receval.recommenders.biased_mf import BiasedMF
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
