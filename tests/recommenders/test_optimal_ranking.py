# SPDX-License-Identifier: MIT
"""Optimal rankings and what oracles may see, and grades of relevance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.matrices import to_matrix

from receval.recommenders.non_personalised import OptimalRanking, Popularity
from receval.recommenders.training_ratings import relevance_grades

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(3.0, [2 / 2, 3 / 1]), (3.5, [1 / 2, 2 / 1]), (4.0, [1 / 2, 1 / 1]), (5.5, [0.0, 0.0])],
)
def test_positive_shares_count_only_values_from_the_threshold_on(
    threshold: float, expected: list[float]
) -> None:
    values = np.array([[5.0, 3.0], [3.0, 0.0], [0.0, 4.0], [0.0, 3.5]])
    train = to_matrix(values, values > 0)
    scores = OptimalRanking(relevance_threshold=threshold).fit(train).score(np.array([1]))
    np.testing.assert_allclose(scores, [expected])


def test_judged_precision_and_anti_precision_give_the_same_order() -> None:
    generator = np.random.default_rng(4)
    rated = generator.random((30, 20)) < 0.4
    tested = ~rated & (generator.random((30, 20)) < 0.5)
    tested[0] = ~rated[0]
    values = generator.integers(0, 3, (30, 20)).astype(float)
    train, test = to_matrix(values, rated), to_matrix(values, tested)
    scores = [
        OptimalRanking(metric, "judged").fit(train, test).score(np.array([0]))[0]
        for metric in ("precision", "anti-precision")
    ]
    judged = tested.any(axis=0)
    np.testing.assert_allclose(scores[0][judged] - 1, scores[1][judged], atol=1e-6)


def test_an_oracle_wants_the_test_and_no_other_system_gets_it() -> None:
    train, test = to_matrix(TRAIN, TRAIN_RATED), to_matrix(TEST, TEST_RATED)
    with pytest.raises(ValueError, match=r"OptimalRanking .* is an oracle.*give them to fit"):
        OptimalRanking(knowledge="judged").fit(train)
    for model in (OptimalRanking(), Popularity()):
        with pytest.raises(ValueError, match="is no oracle: it must not be given the test"):
            model.fit(train, test)


def test_grades_are_zero_below_the_threshold_and_stay_entries() -> None:
    ratings = to_matrix(np.array([[1.0, 3, 4, 5]]), np.ones((1, 4), dtype=bool))
    grades = relevance_grades(ratings, 4)
    assert grades.data.tolist() == [0, 0, 1, 2]
    assert grades.dtype == np.float32
    assert ratings.data.tolist() == [1, 3, 4, 5]
    assert relevance_grades(ratings, 3).data.tolist() == [0, 1, 2, 3]
