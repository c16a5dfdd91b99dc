# SPDX-License-Identifier: MIT
"""MAE and RMSE are of predicted ratings: who may be measured, over what, with which intervals."""

from __future__ import annotations

import numpy as np
import pytest

import receval as rv
from receval.metrics.rating_errors import MAE, RMSE, PredictedRatings
from receval.metrics.registry import RATING_METRICS, metric_class, parse, parse_any
from receval.recommenders.biased_mf import BiasedMF
from receval.splits.split import Judgments
from reproduction.publishing.metric_cards import card_of

# User 0 has the errors 1 and -1, user 2 the error 3.
TEST = Judgments.from_pairs([0, 0, 2], [0, 1, 1], [3, 4, 1], n_users=3)
PREDICTED = PredictedRatings(TEST, np.array([4.0, 3.0, 4.0]), np.array([0, 2]))

of_errors = pytest.importorskip("sklearn.metrics", reason="the extra sklearn has it")


@pytest.mark.each(
    ("label", "expected"),
    [
        ("MAE", (1 + 1 + 3) / 3),
        ("MAE(over=users)", (1 + 3) / 2),
        ("RMSE", np.sqrt((1 + 1 + 9) / 3)),
        ("RMSE(over=users)", (1 + 3) / 2),
    ],
)
def test_errors_are_averaged_over_ratings_or_over_users(label: str, expected: float) -> None:
    assert parse_any(label).per_user(PREDICTED).mean() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("metric", [MAE(), RMSE()], ids=lambda metric: metric.label)
def test_errors_over_ratings_have_the_variance_of_the_jackknife(metric: MAE | RMSE) -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 9, 400)
    users = np.repeat(np.arange(400), counts)
    items = np.concatenate([np.arange(count) for count in counts])
    test = Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), n_users=400)
    predictions = rng.normal(3, 1, len(users))
    values = metric.per_user(PredictedRatings(test, predictions, np.arange(400)))
    errors = predictions - test.values

    def of(kept: np.ndarray) -> float:
        own = errors[kept]
        return float(np.abs(own).mean() if metric.name == "MAE" else np.sqrt((own**2).mean()))

    without = np.array([of(users != user) for user in range(400)])
    jackknife = 399 / 400 * ((without - without.mean()) ** 2).sum()
    assert values.mean() == pytest.approx(of(users >= 0), rel=1e-12)
    assert values.var(ddof=1) / 400 == pytest.approx(jackknife, rel=0.02)


def _table() -> dict[str, list]:
    rng = np.random.default_rng(2)
    pairs = [(user, item) for user in range(30) for item in rng.permutation(12)[:8]]
    users, items = zip(*pairs, strict=True)
    ratings = rng.integers(1, 6, len(pairs))
    return {"user": list(users), "item": list(items), "rating": ratings.tolist()}


@pytest.fixture(scope="module")
def halves() -> rv.SplitRatings:
    return rv.split(rv.read_ratings(_table()), "user-ratio", train_ratio=0.5, seed=1)


def test_values_of_a_system_are_those_of_scikit_learn(halves: rv.SplitRatings) -> None:
    (fold,) = halves.folds()
    systems = {"MF": BiasedMF(factors=2, epochs=3), "Avg": rv.AverageRating()}

    result = rv.evaluate(
        halves, systems, metrics=["nDCG@5", "RMSE", "mean absolute error"], relevant=4, lists=3
    )

    summary = result.summary().set_index(["metric", "system"])["mean"]
    model = BiasedMF(factors=2, epochs=3).fit(fold.train)
    predicted = model.score(fold.test.users)[np.arange(len(fold.test)), fold.test.items]
    rated = fold.test.values
    assert summary["RMSE", "MF"] == pytest.approx(
        of_errors.root_mean_squared_error(rated, predicted)
    )
    assert summary["MAE", "MF"] == pytest.approx(
        of_errors.mean_absolute_error(rated, predicted), rel=1e-6
    )
    assert {"RMSE", "MAE"} <= result.less_is_better
    assert len(result.compare()) == 3
    assert any("RMSE: Root of the mean squared error" in words for words in result.words)


def test_what_is_not_predicted_is_the_mean_of_the_training_ratings_and_noted(
    halves: rv.SplitRatings,
) -> None:
    (fold,) = halves.folds()
    nothing = np.full((halves.ratings.n_users, halves.ratings.n_items), np.nan)
    nothing[:, 0] = 3

    result = rv.evaluate(
        halves, {"mine": nothing}, metrics="RMSE", relevant=4, rating_scores=["mine"]
    )

    is_first = fold.test.items == 0
    predicted = np.where(is_first, 3.0, fold.train.data.mean())
    expected = of_errors.root_mean_squared_error(fold.test.values, predicted)
    assert result.summary()["mean"].item() == pytest.approx(expected, rel=1e-6)
    assert any(note.code == "ratings-not-predicted" for note in result.notes)


@pytest.mark.each(
    ("options", "words"),
    [
        ({}, r"scores with ratings, but those of 'Pop' may only order.*rating_scores=\['Pop'\]"),
        ({"rating_scores": ["pop"]}, "names 'pop', but the systems are Pop"),
        ({"rating_scores": ["Pop"], "users": "all"}, "users='all' does not have"),
        ({"rating_scores": ["Pop"], "protocols": "1R AI-AN"}, "1R AI-AN does not have"),
        ({"metrics": "RMSE@10"}, "no cut-off. Write RMSE"),
    ],
)
def test_scores_that_may_be_no_ratings_are_refused(
    halves: rv.SplitRatings, options: dict, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        rv.evaluate(halves, {"Pop": rv.Popularity()}, **{"metrics": "RMSE", **options}, relevant=4)


def test_runs_have_no_ratings_and_metrics_of_ranks_are_needed_elsewhere() -> None:
    test = {"user": ["a"], "item": ["x"], "rating": [1]}
    with pytest.raises(ValueError, match="RMSE needs predictions of all test ratings"):
        rv.evaluate_runs(test, {"mine": {"a": {"x": 1.0}}}, metrics="RMSE", depth="whole")
    with pytest.raises(ValueError, match="MAE is computed from predicted ratings, but a metric of"):
        parse("MAE")


@pytest.mark.parametrize("name", RATING_METRICS)
def test_a_metric_of_ratings_has_its_card(name: str) -> None:
    assert card_of(metric_class(name)).less_is_better
