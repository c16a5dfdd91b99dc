"""Optimal rankings and what oracles may see, and grades of relevance."""

from __future__ import annotations

import numpy as np
import pytest
from recommenders.systems import to_matrix

from receval.recommenders.grades import relevance_grades
from receval.recommenders.optimal_ranking import OptimalRanking
from receval.recommenders.popularity import Popularity

# Items: liked by one of two raters, disliked by its only rater, unrated. User 2 has no rating.
TRAIN = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
TRAIN_RATED = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
TEST = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
TEST_RATED = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]], dtype=bool)


@pytest.mark.parametrize(
    ("metric", "knowledge", "expected"),
    [
        # Three users with training ratings; 3, 1 and 0 raters, 2, 0 and 0 of them positive.
        ("precision", "train", [0.0, 0.0, 0.0]),
        ("anti-precision", "train", [0.0, -1 / 2, 0.0]),
        ("precision", "judged", [1.0, 0.0, 1 / 2]),
        ("anti-precision", "judged", [0.0, -1.0, -1 / 2]),
        ("precision", "test", [0.0, 0.0, 1 / 3]),
        ("anti-precision", "test", [0.0, -1 / 2, -1 / 3]),
    ],
)
def test_optimal_rankings_follow_their_formulas(
    metric: str, knowledge: str, expected: list[float]
) -> None:
    model = OptimalRanking(metric, knowledge)
    test = to_matrix(TEST, TEST_RATED) if model.reads_test else None
    scores = model.fit(to_matrix(TRAIN, TRAIN_RATED), test).score(np.array([0, 2]))
    np.testing.assert_allclose(scores, [expected, expected], rtol=1e-6)


def test_positive_shares_count_only_values_from_the_threshold_on() -> None:
    rated = np.array([[1, 1], [1, 0], [0, 0], [1, 0]], dtype=bool)
    train = to_matrix(np.array([[5.0, 3], [3, 0], [0, 0], [4, 0]]), rated)
    scores = OptimalRanking(relevance_threshold=3.5).fit(train).score(np.array([1]))
    np.testing.assert_allclose(scores, [[0.0, 0.0]])
    rated[3, 0] = False
    train = to_matrix(np.array([[5.0, 3], [3, 0], [4, 0], [0, 5]]), rated | (np.eye(4, 2, -2) > 0))
    scores = OptimalRanking(relevance_threshold=3.5).fit(train).score(np.array([1]))
    assert scores.shape == (1, 2)


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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "recall"}, "metric is 'recall', but it must be one of 'precision'"),
        ({"knowledge": "all"}, "knowledge is 'all', but it must be one of 'train', 'judged'"),
        ({"relevance_threshold": -1}, "relevance_threshold is -1, but .* of at least 0"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"OptimalRanking: the parameter {message}"):
        OptimalRanking(**parameters)  # type: ignore[arg-type]


def test_grades_are_zero_below_the_threshold_and_stay_entries() -> None:
    ratings = to_matrix(np.array([[1.0, 3, 4, 5]]), np.ones((1, 4), dtype=bool))
    grades = relevance_grades(ratings, 4)
    assert grades.data.tolist() == [0, 0, 1, 2]
    assert grades.dtype == np.float32
    assert ratings.data.tolist() == [1, 3, 4, 5]
    assert relevance_grades(ratings, 3).data.tolist() == [0, 1, 2, 3]
