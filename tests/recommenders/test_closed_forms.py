# SPDX-License-Identifier: MIT
"""Closed forms against brute force from the formula, on small matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.matrices import COLD_USER, generated, to_matrix

from receval.recommenders.centred_neighbourhood import CentredNeighbourhood
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.neighbourhood import nearest_rows
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.puresvd import PureSVD

Dense = NDArray[np.float64]
Mask = NDArray[np.bool_]

seeds = st.integers(0, 10_000)
few_neighbours = st.integers(1, 70)


def cosines(values: Dense) -> Dense:
    norms = np.sqrt((values**2).sum(axis=1))
    products = values @ values.T
    np.fill_diagonal(products, 0)
    lengths = np.outer(norms, norms)
    return np.divide(products, lengths, out=np.zeros_like(products), where=products > 0)


def nearest(similarities: Dense, candidates: list[int], neighbours: int) -> list[int]:
    """The most similar candidates, equal float32 similarities by index."""
    similar = [c for c in candidates if similarities[c] > 0]
    return sorted(similar, key=lambda c: (-np.float32(similarities[c]), c))[:neighbours]


def brute_user_knn(values: Dense, rated: Mask, neighbours: int) -> Dense:
    similarities = cosines(values)
    scores = np.full(values.shape, np.nan)
    for user in range(len(values)):
        chosen = nearest(similarities[user], list(range(len(values))), neighbours)
        for item in range(values.shape[1]):
            terms = [similarities[user, v] * values[v, item] for v in chosen if rated[v, item]]
            if terms:
                scores[user, item] = sum(terms)
    return scores


@settings(max_examples=15)
@given(seeds, few_neighbours)
def test_user_knn_is_the_sum_over_the_nearest_users(seed: int, neighbours: int) -> None:
    values, rated = generated(20, 15, seed)
    scores = UserKNN(neighbours).fit(to_matrix(values, rated)).score(np.arange(20))
    np.testing.assert_allclose(scores, brute_user_knn(values, rated, neighbours), rtol=1e-5)


@settings(max_examples=15)
@given(seeds, few_neighbours)
def test_item_knn_is_the_sum_over_the_nearest_items_in_the_profile(
    seed: int, neighbours: int
) -> None:
    values, rated = generated(20, 15, seed)
    scores = ItemKNN(neighbours).fit(to_matrix(values, rated)).score(np.arange(20))
    expected = brute_user_knn(values.T, rated.T, neighbours).T
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_equal_cosines_are_ordered_by_row() -> None:
    rows = np.array([[1, 0], [2, 0], [0, 3], [3, 0], [1, 1], [5, 0]], dtype=float)
    found = nearest_rows(to_matrix(rows, rows > 0), 2).toarray()
    expected = np.zeros((6, 6))
    expected[0, [1, 3]] = expected[1, [0, 3]] = expected[3, [0, 1]] = expected[5, [0, 1]] = 1
    expected[2, 4] = expected[4, 0] = expected[4, 1] = np.sqrt(0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def brute_centred(values: Dense, rated: Mask, model: CentredNeighbourhood) -> Dense:
    mean = values[rated].mean()
    deviations = np.where(rated, values - mean, 0)
    item_biases = np.zeros(values.shape[1])
    user_biases = np.zeros(len(values))
    if "item" in model.baseline:
        sizes = rated.sum(axis=0) + model.item_regularisation
        item_biases = deviations.sum(axis=0) / np.where(sizes > 0, sizes, 1)
    if "user" in model.baseline:
        sizes = rated.sum(axis=1) + model.user_regularisation
        rest = np.where(rated, deviations - item_biases, 0)
        user_biases = rest.sum(axis=1) / np.where(sizes > 0, sizes, 1)
    baselines = mean + user_biases[:, None] + item_biases
    common = rated.astype(float) @ rated.T
    both = np.where(common > 0, common, 1)
    similarities = both / (both + model.shrinkage) * cosines(values)
    scores = baselines.copy()
    for user in range(len(values)):
        for item in range(values.shape[1]):
            raters = np.flatnonzero(rated[:, item]).tolist()
            for other in nearest(similarities[user], raters, model.neighbours):
                deviation = values[other, item] - baselines[other, item]
                scores[user, item] += similarities[user, other] * deviation
    return scores


@given(
    seeds,
    st.integers(1, 25),
    st.sampled_from([0.0, 1.5, 100.0]),
    st.sampled_from(["user-and-item", "item", "user", "global"]),
    st.sampled_from([0.0, 10.0]),
)
@pytest.mark.costly
def test_centred_neighbourhood_adds_the_deviations_of_the_nearest_raters(
    seed: int, neighbours: int, shrinkage: float, baseline: str, regularisation: float
) -> None:
    values, rated = generated(20, 15, seed)
    model = CentredNeighbourhood(
        neighbours=neighbours,
        shrinkage=shrinkage,
        baseline=baseline,
        item_regularisation=regularisation,
        user_regularisation=regularisation / 2,
    )
    scores = model.fit(to_matrix(values, rated)).score(np.arange(20))
    np.testing.assert_allclose(scores, brute_centred(values, rated, model), rtol=1e-5, atol=2e-5)


def test_popularity_counts_ratings_of_any_value() -> None:
    values, rated = generated()
    assert (rated & (values == 0)).any()
    scores = Popularity().fit(to_matrix(values, rated)).score(np.array([0, COLD_USER]))
    np.testing.assert_array_equal(scores, np.tile(rated.sum(axis=0), (2, 1)))


@pytest.mark.parametrize("smoothing", [0.0, 1.0, 7.5])
def test_average_is_the_smoothed_mean(smoothing: float) -> None:
    values, rated = generated()
    scores = AverageRating(smoothing).fit(to_matrix(values, rated)).score(np.array([1, COLD_USER]))
    mean = values[rated].mean()
    for item in range(values.shape[1]):
        ratings = values[rated[:, item], item]
        weight = len(ratings) + smoothing
        expected = (ratings.sum() + smoothing * mean) / weight if weight else np.nan
        np.testing.assert_allclose(scores[:, item], expected, rtol=1e-6)


def test_average_by_hand() -> None:
    values = np.array([[2, 0, 1], [2, 1, 0]], dtype=float)
    rated = np.array([[1, 1, 1], [1, 0, 0]], dtype=bool)
    scores = AverageRating().fit(to_matrix(values * rated, rated)).score(np.array([0]))
    np.testing.assert_allclose(scores, [[5.25 / 3, 1.25 / 2, 2.25 / 2]], rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "factors"),
    [((30, 20), 1), ((30, 20), 6), ((20, 30), 20), ((260, 230), 7), ((230, 260), 7)],
)
def test_puresvd_projects_on_the_leading_right_singular_vectors(
    shape: tuple[int, int], factors: int
) -> None:
    values, rated = generated(*shape)
    model = PureSVD(factors).fit(to_matrix(values, rated))
    _, singular_values, vectors = np.linalg.svd(values, full_matrices=False)
    leading = vectors[:factors]
    expected = values @ leading.T @ leading
    users = np.setdiff1d(np.arange(shape[0]), COLD_USER)
    np.testing.assert_allclose(model.score(users), expected[users], atol=2e-4)
    np.testing.assert_allclose(model.singular_values_, singular_values[:factors], atol=1e-6)
    peaks = np.abs(model.item_factors_).argmax(axis=1)
    signs = np.sign(model.item_factors_[np.arange(factors), peaks])
    np.testing.assert_array_equal(signs, model.singular_values_ > 0)


@pytest.mark.parametrize("shape", [(300, 400), (400, 300), (30, 40)])
def test_puresvd_of_low_rank_gives_the_matrix_back_and_the_same_bytes(
    shape: tuple[int, int],
) -> None:
    generator = np.random.default_rng(2)
    dense = generator.integers(1, 5, (shape[0], 3)) @ generator.integers(0, 3, (3, shape[1]))
    train = to_matrix(dense, dense > 0)
    models = [PureSVD(10).fit(train) for _ in range(3)]
    np.testing.assert_allclose(models[0].score(np.arange(shape[0])), dense, atol=1e-4)
    assert len({model.item_factors_.tobytes() for model in models}) == 1
    np.testing.assert_array_equal(models[0].singular_values_[3:], 0)


def test_random_scores_are_uniform_and_independent() -> None:
    train = to_matrix(np.ones((200, 100)), np.eye(200, 100, dtype=bool))
    scores = Random(seed=4).fit(train).score(np.arange(200)).astype(float)
    assert scores.min() >= 0
    assert scores.max() < 1
    counts: Any = np.histogram(scores, bins=10, range=(0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-squared, 9 degrees of freedom, .1 %
    assert np.abs(np.corrcoef(scores[:20])[np.triu_indices(20, 1)]).max() < 0.45
