# SPDX-License-Identifier: MIT
"""Language models and what builds on their probabilities against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.brute_force import Dense, cosines, language_models, scores_of
from recommenders.matrices import generated, to_matrix

from receval.recommenders.base import RatingMatrix
from receval.recommenders.hitting_time import HittingTime
from receval.recommenders.language_model_neighbourhood import (
    LanguageModelNeighbourhood,
    smoothed_models,
)
from receval.recommenders.user_item_relevance import UserItemRelevance

seeds = st.integers(0, 10_000)
smoothings = st.sampled_from(
    [
        ("jelinek-mercer", 0.01),
        ("jelinek-mercer", 0.9),
        ("jelinek-mercer", 1.0),
        ("absolute-discounting", 0.1),
        ("absolute-discounting", 2.0),
        ("dirichlet", 30.0),
    ]
)


@given(seeds, smoothings)
def test_smoothed_models_are_the_formulas_and_sum_to_one(
    seed: int, smoothing: tuple[str, float]
) -> None:
    values, _ = generated(12, 10, seed)
    models = smoothed_models(to_matrix(values, values > 0), *smoothing)
    found = models.seen.toarray() + models.unseen[:, None] * models.collection
    np.testing.assert_allclose(found, language_models(values, *smoothing), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.sum(axis=1), values.any(axis=1))


def brute_likeliest(
    values: Dense, model: LanguageModelNeighbourhood
) -> tuple[Dense, NDArray[np.bool_]]:
    """Cosines of every row of a matrix with the rows that make it likeliest, else 0.

    Also which rows have certain neighbours. Others have rows that are equally likely by the formula
    and differ in their last bits, so that any of them may be the last neighbour.
    """
    models = language_models(values, model.smoothing, model.strength)
    similarities = cosines(values)
    weights = np.zeros((len(values), len(values)))
    certain = np.ones(len(values), dtype=bool)
    for row, ratings in enumerate(values):
        used = np.flatnonzero(ratings)
        others = [v for v in range(len(values)) if v != row and values[v].any()]
        likelihoods = {v: ratings[used] @ np.log(models[v, used]) for v in others}
        order = sorted(others, key=lambda v: (-round(likelihoods[v], 9), v))
        for other in order[: model.neighbours]:
            weights[row, other] = similarities[row, other]
        ends = order[model.neighbours - 1 : model.neighbours + 1]
        certain[row] = (
            len({round(likelihoods[v], 9) for v in ends}) == len(ends)
            or not similarities[row, order].any()
        )
    return weights, certain


@given(seeds, st.integers(1, 16), st.sampled_from(["users", "items"]), smoothings)
def test_language_model_neighbourhood_sums_over_the_likeliest_rows(
    seed: int, neighbours: int, over: str, smoothing: tuple[str, float]
) -> None:
    values, rated = generated(14, 12, seed)
    model = LanguageModelNeighbourhood(over, neighbours, *smoothing)
    found = scores_of(model, values, rated)
    rows = values if over == "users" else values.T
    weights, certain = brute_likeliest(rows, model)
    expected = np.where((weights > 0) @ (rows > 0), weights @ rows, np.nan)
    of_rows = found if over == "users" else found.T
    np.testing.assert_allclose(of_rows[certain], expected[certain], rtol=1e-5)


def brute_user_item_relevance(values: Dense, smoothing: float) -> Dense:
    profiles = values > 0
    counts = profiles.sum(axis=0)
    scores = np.full(values.shape, np.nan)
    for user in np.flatnonzero(profiles.any(axis=1)):
        for item in np.flatnonzero(counts):
            score = np.log(counts[item] / counts.sum())
            for other in np.flatnonzero(profiles[user]):
                together = (profiles[:, other] & profiles[:, item]).sum()
                likelihood = together / counts[item]
                background = counts[other] / counts.sum()
                score += np.log(1 + (1 - smoothing) * likelihood / (smoothing * background))
            scores[user, item] = score
    return scores


@pytest.mark.costly
@tries(12)
@given(seeds, st.sampled_from([0.1, 0.9, 0.999, 1.0]))
def test_user_item_relevance_is_the_formula(seed: int, smoothing: float) -> None:
    values, rated = generated(14, 12, seed)
    found = scores_of(UserItemRelevance(smoothing), values, rated)
    expected = brute_user_item_relevance(values, smoothing)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def transition_probabilities(values: Dense) -> Dense:
    n_users, n_items = values.shape
    weights = np.zeros((n_users + n_items, n_users + n_items))
    weights[:n_users, n_users:] = values
    weights[n_users:, :n_users] = values.T
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=weights, where=sums > 0)


@tries(12)
@given(seeds, st.integers(2, 16))
def test_hitting_time_is_the_recurrence(seed: int, steps: int) -> None:
    values, rated = generated(12, 10, seed)
    found = scores_of(HittingTime(steps), values, rated)
    probabilities = transition_probabilities(values)
    for user in range(12):
        times = np.zeros(22)
        for _ in range(steps):
            times = 1 + probabilities @ times
            times[user] = 0
        expected = np.where(values.any(axis=0), steps - times[12:], np.nan)
        if not values[user].any():
            expected[:] = np.nan
        np.testing.assert_allclose(found[user], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("steps", [2, 3, 8])
@pytest.mark.costly
def test_a_walk_adds_up_in_the_order_of_the_ratings(steps: int) -> None:
    values, rated = generated(40, 25, 5)
    model = HittingTime(steps).fit(to_matrix(values, rated))
    found = model.score(np.arange(40))

    def step(transitions: RatingMatrix, source: NDArray[np.float32]) -> NDArray[np.float32]:
        target = np.zeros(transitions.shape[0], dtype=np.float32)
        for row in range(len(target)):
            for entry in range(transitions.indptr[row], transitions.indptr[row + 1]):
                target[row] += transitions.data[entry] * source[transitions.indices[entry]]
        return target

    for user in np.flatnonzero(values.any(axis=1)):
        from_items = np.zeros(25, dtype=np.float32)
        for number in range(1 + steps % 2, steps, 2):
            from_users = step(model.from_users_, from_items)
            from_users[user] = number
            from_items = step(model.from_items_, from_users)
        from_items[~values.any(axis=0)] = np.nan
        np.testing.assert_array_equal(found[user], from_items)


def first_met(values: Dense, user: int, wanted: int) -> list[int]:
    """The items that a search in breadth meets first, neighbours visited by code."""
    queue: list[tuple[str, int]] = [("user", user)]
    met = {queue[0]}
    items: list[int] = []
    while queue:
        kind, node = queue.pop(0)
        other = "item" if kind == "user" else "user"
        for number in np.flatnonzero(values[node] if kind == "user" else values[:, node]):
            if (other, number) not in met:
                met.add((other, number))
                queue.append((other, number))
                if other == "item":
                    items.append(number)
    return items[:wanted]


@pytest.mark.costly
@tries(12)
@given(seeds, st.integers(1, 40))
def test_only_the_items_nearest_in_the_graph_are_scored(seed: int, nearest: int) -> None:
    values, rated = generated(30, 40, seed)
    values[:, 4:] *= np.random.default_rng(seed).random((30, 36)) < 0.2
    everywhere = scores_of(HittingTime(6), values, rated)
    found = scores_of(HittingTime(6, nearest), values, rated)
    for user in range(30):
        expected = np.full(40, np.nan)
        near = first_met(values, user, nearest)
        expected[near] = everywhere[user, near]
        np.testing.assert_array_equal(found[user], expected)
