# SPDX-License-Identifier: MIT
"""Neighbourhoods: overlap and binarising, common ratings only, and the search for neighbours."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, generated_matrix, to_matrix

from receval.recommenders.knn import UserKNN
from receval.recommenders.librec.knn import LibRecKNN
from receval.recommenders.neighbourhood import co_rated_cosines, nearest_rows

Dense = NDArray[np.float64]
Mask = NDArray[np.bool_]

seeds = st.integers(0, 10_000)


def brute_co_rated(values: Dense, rated: Mask, shrinkage: float) -> Dense:
    n = rated.astype(float) @ rated.T
    # Ratings that are missing are zeros: a sum over one row's has the other row's left out.
    norms = np.sqrt((values**2 @ rated.T) * (rated @ (values**2).T))
    has_cosine = norms > 0
    np.fill_diagonal(has_cosine, False)
    similarities = n * (values @ values.T) / np.where(has_cosine, norms * (n + shrinkage), 1)
    return np.where(has_cosine, similarities, 0)


@given(seeds, st.sampled_from([0.0, 1.5, 10.0]))
def test_cosine_over_common_ratings_ignores_all_others(seed: int, shrinkage: float) -> None:
    values, rated = generated(20, 15, seed)
    matrix = to_matrix(values, rated)
    rows = np.array([3, 0, 19])
    found = co_rated_cosines(rows, matrix, matrix.T.tocsr(), shrinkage)
    np.testing.assert_allclose(found, brute_co_rated(values, rated, shrinkage)[rows], rtol=1e-12)


@given(seeds, st.integers(1, 22), st.sampled_from([0.0, 10.0]), st.sampled_from(["users", "items"]))
def test_librec_knn_adds_the_similarities_of_the_nearest_who_count(
    seed: int, neighbours: int, shrinkage: float, over: str
) -> None:
    values, rated = generated(20, 15, seed)
    model = LibRecKNN(neighbours, shrinkage, over).fit(to_matrix(values, rated))
    cold = ~rated.any(axis=1)
    if over == "items":
        values, rated = values.T, rated.T
    similarities = brute_co_rated(values, rated, shrinkage)
    expected = np.zeros(values.shape)
    for row in range(len(values)):
        for column in range(values.shape[1]):
            terms = similarities[row, rated[:, column] & (similarities[row] > 0)]
            expected[row, column] = np.sort(terms)[::-1][:neighbours].sum()
    if over == "items":
        expected = expected.T
    expected[cold] = np.nan
    np.testing.assert_allclose(model.score(np.arange(20)), expected, rtol=1e-6, atol=1e-7)


def test_librec_knn_by_hand() -> None:
    # Users a, b, c on items 0..3; a rating of 0 is a rating, and any rating makes a neighbour.
    values = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [2, 0, 0, 1.0]])
    rated = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
    scores = LibRecKNN(1, 10.0).fit(to_matrix(values, rated)).score(np.array([0]))
    # a with b: 2 common, cosine 4/5, 2/12 of it; a with c: 1 common, cosine 1, 1/11 of it.
    ab, ac = 0.8 * 2 / 12, 1 / 11
    np.testing.assert_allclose(scores, [[ab, ab, ab, ac]], rtol=1e-6)


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


@pytest.mark.parametrize("over", ["users", "items"])
def test_librec_knn_scores_zero_where_there_is_no_neighbour(over: str) -> None:
    scores = LibRecKNN(over=over).fit(generated_matrix()).score(np.arange(60))
    np.testing.assert_array_equal(np.delete(scores[:, COLD_ITEM], COLD_USER), 0)
    assert np.isnan(scores[COLD_USER]).all()


def brute_nearest(values: Dense, rated: Mask, neighbours: int, overlap: int) -> Dense:
    norms = np.sqrt((values**2).sum(axis=1))
    products = values @ values.T
    is_near = (products > 0) & (rated.astype(int) @ rated.T.astype(int) >= overlap)
    np.fill_diagonal(is_near, False)
    cosines = products / np.where(is_near, np.outer(norms, norms), 1)
    for row, near in enumerate(is_near):
        own = np.flatnonzero(near)
        # A stable sort leaves the first of those that are equal in single precision first.
        order = np.argsort(-cosines[row, own].astype(np.float32), kind="stable")
        near[own[order[neighbours:]]] = False
    return np.where(is_near, cosines, 0)


@given(seeds, st.integers(1, 25), st.integers(1, 8))
def test_nearest_rows_have_the_overlap_and_the_largest_cosines(
    seed: int, neighbours: int, overlap: int
) -> None:
    values, rated = generated(22, 15, seed)
    found = nearest_rows(to_matrix(values, rated), neighbours, overlap)
    assert found.has_sorted_indices
    np.testing.assert_allclose(
        found.toarray(), brute_nearest(values, rated, neighbours, overlap), rtol=1e-6
    )


@pytest.mark.parametrize("neighbours", [1, 7, 60, 100])
def test_nearest_rows_are_selected_from_many_more_rows_and_ties_go_by_row(neighbours: int) -> None:
    rated = np.random.default_rng(neighbours).random((160, 8)) < 0.6
    values = rated * 1.0
    expected = brute_nearest(values, rated, neighbours, 1)
    found = nearest_rows(to_matrix(values, rated), neighbours)
    # Cosines of so few ones are equal more often than not: every row drops some that are equal.
    assert (np.count_nonzero(expected, axis=1) == neighbours).mean() > 0.9
    np.testing.assert_array_equal(found.toarray() > 0, expected > 0)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6)


@pytest.mark.costly
def test_neighbours_take_the_memory_of_the_keys_that_they_are_found_by() -> None:
    neighbours = 400
    matrix = to_matrix(np.ones((2_000, 4)), np.ones((2_000, 4), dtype=bool))
    nearest_rows(matrix, neighbours)
    tracemalloc.start()
    try:
        found = nearest_rows(matrix, neighbours)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.nnz == 2_000 * neighbours
    # Keys have as many bytes and half as many to spare. With both side by side it would be 2.5.
    assert 1.5 < peak / (8 * found.nnz) < 2


@given(seeds, st.integers(1, 6), st.sampled_from([-1.0, 0.5, 4.0]))
def test_user_knn_binarises_before_everything_else(
    seed: int, overlap: int, threshold: float
) -> None:
    values, rated = generated(20, 15, seed)
    positive = rated & (values >= threshold)
    similarities = brute_nearest(positive * 1.0, positive, 5, overlap)
    expected = similarities @ positive
    expected[expected == 0] = np.nan
    model = UserKNN(5, minimum_overlap=overlap, threshold=threshold)
    scores = model.fit(to_matrix(values, rated)).score(np.arange(20))
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_users_with_too_little_in_common_get_no_scores_and_the_others_keep_theirs() -> None:
    rated = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]], dtype=bool)
    train = to_matrix(rated * 5.0, rated)
    scores = UserKNN(5, minimum_overlap=3, threshold=4).fit(train).score(np.arange(3))
    assert np.isnan(scores[2]).all()
    np.testing.assert_allclose(scores[0], np.full(4, np.sqrt(3) / 2), rtol=1e-6)


def test_no_rating_at_the_threshold_gives_no_scores() -> None:
    scores = UserKNN(threshold=9).fit(generated_matrix()).score(np.arange(60))
    assert np.isnan(scores).all()


def test_cosines_that_rise_by_less_than_a_millionth_push_out_the_lower_ones() -> None:
    # Row after row comes a little nearer to the first; a millionth is what rounding is allowed.
    slopes = np.linspace(3e-3, 1e-3, 1000)
    values = np.vstack(([[1.0, 0.0]], np.column_stack((np.ones(1000), slopes))))
    train = to_matrix(values, values > 0)
    norms = np.sqrt((train.toarray().astype(np.float64) ** 2).sum(axis=1))
    cosines = (1.0 / norms[1:]).astype(np.float32)
    falling = np.lexsort((np.arange(1, 1001), -cosines))[:5] + 1
    found = nearest_rows(train, 5)[[0]]
    assert found.indices.tolist() == sorted(falling.tolist())
