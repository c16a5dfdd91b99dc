# SPDX-License-Identifier: MIT
"""Language models and what builds on their probabilities against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.matrices import generated, generated_matrix, to_matrix

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.centred_item_neighbourhood import CentredItemNeighbourhood
from receval.recommenders.hitting_time import HittingTime
from receval.recommenders.language_model_neighbourhood import (
    LanguageModelNeighbourhood,
    smoothed_models,
)
from receval.recommenders.user_item_relevance import UserItemRelevance

Dense = NDArray[np.float64]
Mask = NDArray[np.bool_]

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


def scores_of(model: Recommender, values: Dense, rated: Mask) -> Dense:
    return model.fit(to_matrix(values, rated)).score(np.arange(len(values))).astype(float)


def cosine(one: Dense, two: Dense) -> float:
    product = one @ two
    return float(product / np.sqrt((one @ one) * (two @ two))) if product > 0 else 0.0


def brute_models(values: Dense, smoothing: str, strength: float) -> Dense:
    collection = values.sum(axis=0) / values.sum()
    models = np.zeros_like(values)
    for row, ratings in enumerate(values):
        mass = ratings.sum()
        if mass == 0:
            continue
        if smoothing == "jelinek-mercer":
            models[row] = (1 - strength) * ratings / mass + strength * collection
        elif smoothing == "absolute-discounting":
            kept = np.maximum(ratings - strength, 0)
            models[row] = (kept + (mass - kept.sum()) * collection) / mass
        else:
            models[row] = (ratings + strength * collection) / (mass + strength)
    return models


@given(seeds, smoothings)
def test_smoothed_models_are_the_formulas_and_sum_to_one(
    seed: int, smoothing: tuple[str, float]
) -> None:
    values, _ = generated(12, 10, seed)
    models = smoothed_models(to_matrix(values, values > 0), *smoothing)
    found = models.seen.toarray() + models.unseen[:, None] * models.collection
    np.testing.assert_allclose(found, brute_models(values, *smoothing), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.sum(axis=1), values.any(axis=1))


def brute_likeliest(values: Dense, model: LanguageModelNeighbourhood) -> Dense:
    """Cosines of every row of a matrix with the rows that make it likeliest, else 0."""
    models = brute_models(values, model.smoothing, model.strength)
    weights = np.zeros((len(values), len(values)))
    for row, ratings in enumerate(values):
        used = np.flatnonzero(ratings)
        others = [v for v in range(len(values)) if v != row and values[v].any()]
        likelihoods = {v: ratings[used] @ np.log(models[v, used]) for v in others}
        # Rounded: rows equally likely by the formula differ in their last bits.
        order = sorted(others, key=lambda v: (-round(likelihoods[v], 9), v))
        for other in order[: model.neighbours]:
            weights[row, other] = cosine(ratings, values[other])
    return weights


@given(seeds, st.integers(1, 16), st.sampled_from(["users", "items"]), smoothings)
def test_language_model_neighbourhood_sums_over_the_likeliest_rows(
    seed: int, neighbours: int, over: str, smoothing: tuple[str, float]
) -> None:
    values, rated = generated(14, 12, seed)
    model = LanguageModelNeighbourhood(over, neighbours, *smoothing)
    found = scores_of(model, values, rated)
    if over == "users":
        weights = brute_likeliest(values, model)
        expected, any_term = weights @ values, (weights > 0) @ (values > 0)
    else:
        weights = brute_likeliest(values.T, model)
        expected, any_term = values @ weights.T, (values > 0) @ (weights.T > 0)
    np.testing.assert_allclose(found, np.where(any_term, expected, np.nan), rtol=1e-5)


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
@settings(max_examples=12)
@given(seeds, st.sampled_from([0.1, 0.9, 0.999, 1.0]))
def test_user_item_relevance_is_the_formula(seed: int, smoothing: float) -> None:
    values, rated = generated(14, 12, seed)
    found = scores_of(UserItemRelevance(smoothing), values, rated)
    expected = brute_user_item_relevance(values, smoothing)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("items_a_block", [1, 5])
def test_user_item_relevance_is_the_same_for_any_blocks(
    items_a_block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = to_matrix(*generated(14, 12, 3))
    whole, blocks = UserItemRelevance(0.5), UserItemRelevance(0.5)
    whole.fit(train)
    monkeypatch.setattr("receval.recommenders.user_item_relevance.ITEMS_A_BLOCK", items_a_block)
    blocks.fit(train)
    assert whole.gains_.nnz > 0
    for name in ("indptr", "indices", "data"):
        assert getattr(blocks.gains_, name).tobytes() == getattr(whole.gains_, name).tobytes()


def transition_probabilities(values: Dense) -> Dense:
    n_users, n_items = values.shape
    weights = np.zeros((n_users + n_items, n_users + n_items))
    weights[:n_users, n_users:] = values
    weights[n_users:, :n_users] = values.T
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=weights, where=sums > 0)


@settings(max_examples=12)
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


def test_long_walks_give_the_hitting_time_of_the_linear_system() -> None:
    generator = np.random.default_rng(8)
    values = generator.integers(1, 6, (6, 5)) * (generator.random((6, 5)) < 0.7)
    values[0], values[:, 0] = 3, 2  # connected
    steps = 2000
    found = scores_of(HittingTime(steps), values.astype(float), values > 0)
    probabilities = transition_probabilities(values.astype(float))
    for user in range(6):
        others = np.setdiff1d(np.arange(11), user)
        system = np.eye(10) - probabilities[np.ix_(others, others)]
        times = dict(zip(others, np.linalg.solve(system, np.ones(10)), strict=True))
        expected = [steps - times[6 + item] for item in range(5)]
        np.testing.assert_allclose(found[user], expected, rtol=1e-5)


def test_hitting_time_by_hand() -> None:
    # Item 1 leads to user 1 alone, who goes to item 0 with 3/4; item 0 leads to user 0 with 1/4.
    values = np.array([[1, 0], [3, 1]], dtype=float)
    scores = scores_of(HittingTime(4), values, values > 0)
    # From item 0: met at step 1 with 1/4 (3 steps saved), at step 3 with 3/4 * 3/4 * 1/4 (1 saved).
    assert scores[0, 0] == pytest.approx(3 / 4 + 9 / 64)
    # From item 1: met at step 3 with 1 * 3/4 * 1/4.
    assert scores[0, 1] == pytest.approx(3 / 16)


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
@settings(max_examples=12)
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


def brute_centred_items(values: Dense, rated: Mask, model: CentredItemNeighbourhood) -> Dense:
    mean = values[rated].mean()
    sizes = rated.sum(axis=0) + model.item_regularisation
    rest = np.where(rated, values - mean, 0)
    item_biases = rest.sum(axis=0) / np.where(sizes > 0, sizes, 1)
    sizes = rated.sum(axis=1) + model.user_regularisation
    rest = np.where(rated, values - mean - item_biases, 0)
    user_biases = rest.sum(axis=1) / np.where(sizes > 0, sizes, 1)
    baselines = mean + user_biases[:, None] + item_biases
    similarities = np.zeros((values.shape[1], values.shape[1]))
    for item, other in permutations(range(values.shape[1]), 2):
        both = rated[:, item] & rated[:, other]
        compared = both if model.cosine == "common" else np.full(len(values), True)
        similarity = cosine(values[compared, item], values[compared, other])
        common = both.sum()
        if similarity > 0:
            similarities[item, other] = common / (common + model.shrinkage) * similarity
    single, scores = similarities.astype(np.float32), baselines.copy()
    for user in range(len(values)):
        for item in range(values.shape[1]):
            similar = np.flatnonzero(rated[user] & (similarities[item] > 0))
            # A stable sort leaves the first of equally similar items first.
            order = similar[np.argsort(-single[item, similar], kind="stable")]
            for other in order[: model.neighbours]:
                deviation = values[user, other] - baselines[user, other]
                scores[user, item] += similarities[item, other] * deviation
    return scores


@pytest.mark.costly
@settings(max_examples=15)
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


@pytest.mark.parametrize(
    "model",
    [LanguageModelNeighbourhood(), UserItemRelevance(), HittingTime()],
    ids=lambda model: type(model).__name__,
)
def test_negative_ratings_are_refused(model: Recommender) -> None:
    train = generated_matrix()
    train.data[3] = -1
    with pytest.raises(ValueError, match=r"the smallest is -1.0: ratings must be at least 0"):
        model.fit(train)
