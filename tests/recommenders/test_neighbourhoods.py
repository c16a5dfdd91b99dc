# SPDX-License-Identifier: MIT
"""Systems of neighbours against brute force: user and item kNN, LibRec's, centred ratings."""

from __future__ import annotations

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from recommenders.brute_force import (
    Dense,
    Mask,
    baselines,
    co_rated_cosines,
    cosines,
    nearest,
    scores_of,
    shrunk_by_common,
)
from recommenders.matrices import generated, to_matrix

from receval.recommenders import neighbourhood
from receval.recommenders.centred_item_neighbourhood import CentredItemNeighbourhood
from receval.recommenders.centred_neighbourhood import CentredNeighbourhood
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.librec.knn import LibRecKNN

seeds = st.integers(0, 10_000)


def brute_user_knn(values: Dense, rated: Mask, neighbours: int, overlap: int = 1) -> Dense:
    similarities = cosines(values)
    similarities[rated.astype(int) @ rated.T.astype(int) < overlap] = 0
    scores = np.full(values.shape, np.nan)
    for user in range(len(values)):
        chosen = nearest(similarities[user], range(len(values)), neighbours)
        for item in np.flatnonzero(rated[chosen].any(axis=0)):
            scores[user, item] = similarities[user, chosen] @ values[chosen, item]
    return scores


@given(seeds, st.integers(1, 25), st.integers(1, 8))
def test_user_knn_is_the_sum_over_the_nearest_users(
    seed: int, neighbours: int, overlap: int
) -> None:
    values, rated = generated(20, 15, seed)
    found = scores_of(UserKNN(neighbours, overlap), values, rated)
    expected = brute_user_knn(values, rated, neighbours, overlap)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@tries(15)
@given(seeds, st.integers(1, 70))
def test_item_knn_is_the_sum_over_the_nearest_items_in_the_profile(
    seed: int, neighbours: int
) -> None:
    values, rated = generated(20, 15, seed)
    expected = brute_user_knn(values.T, rated.T, neighbours).T
    np.testing.assert_allclose(scores_of(ItemKNN(neighbours), values, rated), expected, rtol=1e-5)


@given(seeds, st.integers(1, 6), st.sampled_from([-1.0, 0.5, 4.0]))
def test_user_knn_binarises_before_everything_else(
    seed: int, overlap: int, threshold: float
) -> None:
    values, rated = generated(20, 15, seed)
    positive = rated & (values >= threshold)
    expected = brute_user_knn(positive * 1.0, positive, 5, overlap)
    found = scores_of(UserKNN(5, overlap, threshold), values, rated)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@given(seeds, st.sampled_from([0.0, 1.5, 10.0]))
def test_cosine_over_common_ratings_ignores_all_others(seed: int, shrinkage: float) -> None:
    values, rated = generated(20, 15, seed)
    matrix = to_matrix(values, rated)
    rows = np.array([3, 0, 19])
    found = neighbourhood.co_rated_cosines(rows, matrix, matrix.T.tocsr(), shrinkage)
    np.testing.assert_allclose(found, co_rated_cosines(values, rated, shrinkage)[rows], rtol=1e-12)


@given(seeds, st.integers(1, 22), st.sampled_from([0.0, 10.0]), st.sampled_from(["users", "items"]))
def test_librec_knn_adds_the_similarities_of_the_nearest_who_count(
    seed: int, neighbours: int, shrinkage: float, over: str
) -> None:
    values, rated = generated(20, 15, seed)
    found = scores_of(LibRecKNN(neighbours, shrinkage, over), values, rated)
    cold = ~rated.any(axis=1)
    if over == "items":
        values, rated = values.T, rated.T
    similarities = co_rated_cosines(values, rated, shrinkage)
    expected = np.zeros(values.shape)
    for row in range(len(values)):
        for column in range(values.shape[1]):
            terms = similarities[row, rated[:, column] & (similarities[row] > 0)]
            expected[row, column] = np.sort(terms)[::-1][:neighbours].sum()
    expected = expected.T if over == "items" else expected
    expected[cold] = np.nan
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_librec_knn_tells_apart_sums_that_single_precision_does_not() -> None:
    # 1 minus the cosine of (1, 1) and (k, k + 1) is 1 / 8k^2: these two differ in the ninth digit.
    values = np.array([[1, 1, 0, 0], [8000, 8001, 1, 0], [16000, 16001, 0, 1.0]])
    x, y = (2 / 12 * (2 * k + 1) / np.sqrt(2 * (k**2 + (k + 1) ** 2)) for k in (8000.0, 16000.0))
    assert x < y
    assert np.float32(x) == np.float32(y)
    scores = LibRecKNN(1, 10.0).fit(to_matrix(values, values > 0)).score(np.array([0]))
    assert scores[0, 2] < scores[0, 3]
    np.testing.assert_allclose(scores[0, 2:], [x, y], rtol=1e-6)


def test_librec_knn_over_items_tells_apart_sums_that_single_precision_does_not() -> None:
    values = np.array([[1, 8000, 16000], [1, 8001, 16001], [1, 0, 0.0]])
    model = LibRecKNN(1, 10.0, "items").fit(to_matrix(values, values > 0))
    scores = model.score(np.array([2]))
    assert scores[0, 1] < scores[0, 2]
    np.testing.assert_allclose(scores[0, 2], 2 / 12, rtol=1e-6)


def brute_centred(values: Dense, rated: Mask, model: CentredNeighbourhood) -> Dense:
    expected = baselines(values, rated, model)
    scores = expected.copy()
    similarities = shrunk_by_common(cosines(values), rated, model.shrinkage)
    for user, item in np.ndindex(values.shape):
        raters = np.flatnonzero(rated[:, item])
        chosen = nearest(similarities[user], raters, model.neighbours)
        scores[user, item] += similarities[user, chosen] @ (values - expected)[chosen, item]
    return scores


def brute_centred_items(values: Dense, rated: Mask, model: CentredItemNeighbourhood) -> Dense:
    """Return the scores by the nearest items in the profile, in the order of items if equal."""
    expected = baselines(values, rated, model)
    scores = expected.copy()
    if model.cosine == "common":
        similarities = co_rated_cosines(values.T, rated.T, model.shrinkage)
    else:
        similarities = shrunk_by_common(cosines(values.T), rated.T, model.shrinkage)
    for user, item in np.ndindex(values.shape):
        chosen = nearest(similarities[item], np.flatnonzero(rated[user]), model.neighbours)
        scores[user, item] += similarities[item, chosen] @ (values - expected)[user, chosen]
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
    scores = scores_of(model, values, rated)
    np.testing.assert_allclose(scores, brute_centred(values, rated, model), rtol=1e-5, atol=2e-5)


@pytest.mark.costly
@tries(15)
@given(
    seeds,
    st.integers(1, 14),
    st.sampled_from(["full", "common"]),
    st.sampled_from([0.0, 1.5, 100.0]),
    st.sampled_from([0.0, 10.0]),
)
def test_centred_item_neighbourhood_adds_the_deviations_of_the_nearest_items(
    seed: int, neighbours: int, ratings: str, shrinkage: float, regularisation: float
) -> None:
    values, rated = generated(14, 12, seed)
    model = CentredItemNeighbourhood(
        neighbours,
        ratings,
        shrinkage,
        item_regularisation=regularisation,
        user_regularisation=regularisation / 2,
    )
    found = scores_of(model, values, rated)
    np.testing.assert_allclose(
        found, brute_centred_items(values, rated, model), rtol=1e-5, atol=2e-5
    )


@pytest.mark.costly
@pytest.mark.parametrize("neighbours", [2, 12, 40])
def test_of_many_equally_similar_items_those_with_the_smaller_codes_are_nearest(
    neighbours: int,
) -> None:
    # A user gives all items the same rating: all cosines are 1, and similarities differ by the
    # number of users alone. Items are similar to more than the 64 of one word of bits.
    generator = np.random.default_rng(3)
    rated = generator.random((12, 90)) < 0.5
    values = rated * generator.integers(1, 6, (12, 1)).astype(float)
    model = CentredItemNeighbourhood(
        neighbours, "common", 2.0, item_regularisation=5.0, user_regularisation=5.0
    )
    found = scores_of(model, values, rated)
    assert (np.diff(model.similarities_.indptr) > 64).mean() > 0.9
    np.testing.assert_allclose(
        found, brute_centred_items(values, rated, model), rtol=1e-5, atol=2e-5
    )


@pytest.mark.costly
@pytest.mark.parametrize("n_items", [64, 65, 128, 129])
def test_items_similar_to_all_others_are_scored_at_every_number_of_words_of_bits(
    n_items: int,
) -> None:
    # The bit behind the last similar item ends a word of 64 bits, or begins one. The last user has
    # rated the last items alone, which stand anywhere among the similar ones.
    values = np.random.default_rng(4).integers(1, 6, (4, n_items)).astype(float)
    values[3, : n_items - 5] = 0.0
    model = CentredItemNeighbourhood(2, shrinkage=2.0)
    found = scores_of(model, values, values > 0)
    assert np.diff(model.similarities_.indptr).tolist() == [n_items - 1] * n_items
    np.testing.assert_allclose(
        found, brute_centred_items(values, values > 0, model), rtol=1e-5, atol=2e-5
    )
