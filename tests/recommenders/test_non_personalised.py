# SPDX-License-Identifier: MIT
"""Popularity, averages, chance and optimal rankings, and the ratings that systems learn from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.matrices import COLD_USER, generated, to_matrix
from scipy.sparse import csr_array

from receval.recommenders.non_personalised import (
    AverageRating,
    OptimalRanking,
    Popularity,
    Random,
)
from receval.recommenders.training_ratings import ratings_from_plays, relevance_grades

Dense = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Items: liked by one of two raters, disliked by its only rater, unrated, liked by three of four
# raters, who are all there are: user 2 has no training rating.
TRAIN = np.array([[2.0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0]])
TRAIN_RATED = np.array(
    [[1, 0, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]], dtype=bool
)
TEST = np.array([[0.0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 2], [0, 0, 0, 0], [2, 0, 0, 0]])
TEST_RATED = np.array(
    [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 0, 0, 0]], dtype=bool
)


@pytest.mark.each(
    ("metric", "knowledge", "expected"),
    [
        # Four users with training ratings; 2, 1, 0 and 4 raters, 1, 0, 0 and 3 of them positive.
        ("precision", "train", [1 / 2, 0.0, 0.0, 0.0]),
        ("anti-precision", "train", [-1 / 2, -1 / 3, 0.0, 0.0]),
        # 3, 1, 2 and 1 test ratings, 2, 0, 1 and 1 of them positive.
        ("precision", "judged", [2 / 3, 0.0, 1 / 2, 1.0]),
        ("anti-precision", "judged", [-1 / 3, -1.0, -1 / 2, 0.0]),
        ("precision", "test", [2 / 2, 0.0, 1 / 4, 0.0]),
        ("anti-precision", "test", [-1 / 2, -1 / 3, -1 / 4, 0.0]),
    ],
)
def test_optimal_rankings_follow_their_formulas(
    metric: str, knowledge: str, expected: list[float]
) -> None:
    model = OptimalRanking(metric, knowledge)
    test = to_matrix(TEST, TEST_RATED) if model.reads_test else None
    scores = model.fit(to_matrix(TRAIN, TRAIN_RATED), test).score(np.array([0, 2]))
    np.testing.assert_allclose(scores, [expected, expected], rtol=1e-6)


def quotient(
    model: OptimalRanking, item: int, train: tuple[Dense, Mask], test: tuple[Dense, Mask]
) -> tuple[int, int]:
    """Return numerator and denominator of an item's score, user by user."""
    others = raters = liked = disliked = 0
    known = train if model.knowledge == "train" else test
    for user in range(len(train[0])):
        raters += train[1][user, item]
        others += train[1][user].any() and not train[1][user, item]
        if known[1][user, item]:
            liked += known[0][user, item] >= model.relevance_threshold
            disliked += known[0][user, item] < model.relevance_threshold
    above = liked if model.metric == "precision" else -disliked
    return above, liked + disliked if model.knowledge == "judged" else others


@pytest.mark.parametrize("metric", ["precision", "anti-precision"])
@pytest.mark.parametrize("knowledge", ["train", "judged", "test"])
@given(
    seed=st.integers(0, 10_000),
    shape=st.tuples(st.integers(2, 9), st.integers(3, 7)),
    threshold=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_optimal_rankings_are_the_quotients_of_the_formulas(
    metric: str, knowledge: str, seed: int, shape: tuple[int, int], threshold: float
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 3, shape).astype(float)
    use = generator.choice(["none", "train", "test"], shape, p=[0.4, 0.3, 0.3])
    # One item is liked and one disliked, by a user in training and by another one in the test.
    use[:2, :3] = [["train", "train", "none"], ["test", "test", "train"]]
    values[:2, :2] = [2, 0]
    train, test = (values, use == "train"), (values, use == "test")
    model = OptimalRanking(metric, knowledge, threshold)
    model.fit(to_matrix(*train), to_matrix(*test) if model.reads_test else None)
    quotients = [quotient(model, item, train, test) for item in range(shape[1])]
    expected = [above / below if below else 0.0 for above, below in quotients]
    assert any(expected)
    scores = model.score(np.arange(shape[0]))
    np.testing.assert_allclose(scores, np.tile(expected, (shape[0], 1)), rtol=1e-6)


def test_an_oracle_wants_the_test_and_no_other_system_gets_it() -> None:
    train, test = to_matrix(TRAIN, TRAIN_RATED), to_matrix(TEST, TEST_RATED)
    with pytest.raises(ValueError, match=r"OptimalRanking .* is an oracle.*Pass them to fit"):
        OptimalRanking(knowledge="judged").fit(train)
    for model in (OptimalRanking(), Popularity()):
        with pytest.raises(ValueError, match="is not an oracle, so it must not be given the test"):
            model.fit(train, test)


def test_grades_are_zero_below_the_threshold_and_stay_entries() -> None:
    ratings = to_matrix(np.array([[1.0, 3, 4, 5]]), np.ones((1, 4), dtype=bool))
    grades = relevance_grades(ratings, 4)
    assert grades.data.tolist() == [0, 0, 1, 2]
    assert grades.dtype == np.float32
    assert ratings.data.tolist() == [1, 3, 4, 5]
    assert relevance_grades(ratings, 3).data.tolist() == [0, 1, 2, 3]


def test_popularity_counts_ratings_of_any_value() -> None:
    values, rated = generated()
    assert (rated & (values == 0)).any()
    scores = Popularity().fit(to_matrix(values, rated)).score(np.array([0, COLD_USER]))
    np.testing.assert_array_equal(scores, np.tile(rated.sum(axis=0), (2, 1)))


@pytest.mark.each("smoothing", [0.0, 1.0, 7.5])
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


def test_random_scores_are_uniform_and_independent() -> None:
    train = to_matrix(np.ones((200, 100)), np.eye(200, 100, dtype=bool))
    scores = Random(seed=4).fit(train).score(np.arange(200)).astype(float)
    assert scores.min() >= 0
    assert scores.max() < 1
    counts = np.histogram(scores, bins=10, range=(0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-squared, 9 degrees of freedom, .1 %
    assert np.abs(np.corrcoef(scores[:20])[np.triu_indices(20, 1)]).max() < 0.45


def test_ratings_follow_the_users_distribution_of_plays() -> None:
    # 100 plays: shares of plays on items played no more often .05, .05, .20, .45, 1.
    plays = csr_array(np.array([[0, 2, 55, 3, 15, 25], [7, 0, 0, 0, 0, 0]], dtype=np.float32))
    ratings = ratings_from_plays(plays).toarray()
    np.testing.assert_array_equal(ratings[0], [0, 1, 5, 1, 1, 3])
    np.testing.assert_array_equal(ratings[1], [5, 0, 0, 0, 0, 0])


@given(seed=st.integers(0, 1000))
def test_more_plays_never_mean_a_lower_rating_and_equal_plays_equal_ratings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, size=(4, 12)).astype(np.float32)
    plays = csr_array(counts)
    ratings = ratings_from_plays(plays).toarray()
    for row, user in zip(counts, ratings, strict=True):
        listened = row > 0
        if not listened.any():
            continue
        total = row.sum()
        expected = [np.ceil(5 * row[row <= n].sum() / total) for n in row[listened]]
        np.testing.assert_array_equal(user[listened], expected)
        assert user[row.argmax()] == 5


def test_numbers_of_plays_that_are_not_positive_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        ratings_from_plays(csr_array(([-1.0], ([0], [0])), shape=(1, 1)))
