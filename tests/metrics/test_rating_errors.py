# SPDX-License-Identifier: MIT
"""Metrics of predicted ratings: who may be measured, over what, with which intervals."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import receval as rv
from receval.metrics.rating_errors import PooledAUC, PredictedRatings, RSquared
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
        ("MSE", (1 + 1 + 9) / 3),
        ("MSE(over=users)", (1 + 9) / 2),
        ("RMSE(over=users)", (1 + 3) / 2),
    ],
)
def test_errors_are_averaged_over_ratings_or_over_users(label: str, expected: float) -> None:
    assert parse_any(label).per_user(PREDICTED).mean() == pytest.approx(expected, rel=1e-14)


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
        halves,
        {"mine": nothing},
        metrics=["RMSE", "PooledAUC", "MAE", "MSE(over=users)"],
        relevant=4,
        rating_scores=["mine"],
    )

    is_first = fold.test.items == 0
    predicted = np.where(is_first, 3.0, fold.train.data.mean())
    expected = of_errors.root_mean_squared_error(fold.test.values, predicted)
    assert result.summary()["mean"][0] == pytest.approx(expected, rel=1e-6)
    (told,) = [str(note) for note in result.notes if note.code == "ratings-not-predicted"]
    assert told.partition(": ")[2] == (
        "the mean of the training ratings counts as the prediction in RMSE, MAE, "
        "MSE(over=users), and a score below all others counts in PooledAUC."
    )


@pytest.mark.each(
    ("options", "words"),
    [
        ({}, r"scores with ratings, but those of 'Pop' may only order.*rating_scores=\['Pop'\]"),
        ({"rating_scores": ["pop"]}, "names 'pop', but there are Pop"),
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


def test_runs_whose_scores_are_ratings_are_measured_if_the_person_says_so() -> None:
    test = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rating": [1, 3, 5]}
    runs = {"mine": {"a": {"x": 2.0, "z": 9.0, "y": 3.0}, "b": {"x": 2.0}}}
    options = {"metrics": ["RMSE", "MAE", "RR"], "depth": "whole", "rating_scores": ["mine"]}

    result = rv.evaluate_runs(test, runs, **options | {"rating_scores": "mine"}, lists=1)

    assert result.summary()["mean"][:2].tolist() == pytest.approx([np.sqrt(10 / 3), 4 / 3])
    assert result.settings["rating_scores"] == ["mine"]
    with pytest.raises(ValueError, match=r"those of 'mine' may only order items.*leave the metric"):
        rv.evaluate_runs(test, runs, metrics="RMSE", depth="whole")
    # Of a rating that is not listed, the mean of the training ratings is the prediction.
    runs["mine"].pop("b")
    with pytest.raises(ValueError, match="'mine' has none for 1 of 3, and there are no training"):
        rv.evaluate_runs(test, runs, **options)
    train = {"user": ["a", "b"], "item": ["w", "w"], "rating": [4, 5]}
    result = rv.evaluate_runs(test, runs, train=train, **options)
    (told,) = [str(note) for note in result.notes if note.code == "users-without-lists"]
    assert told == "mine has no list for 1 of the 2 tested users: they count as 0 in RR."
    result = rv.evaluate_runs(test, runs, train=train, **options | {"metrics": ["RMSE", "MAE"]})
    assert "mine has no list for 1 of the 2 tested users." in map(str, result.notes)
    assert result.summary()["mean"][1] == pytest.approx((1 + 0 + 0.5) / 3)
    assert any(note.code == "ratings-not-predicted" for note in result.notes)


RANKED = pd.DataFrame({"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rank": [2, 1, 1]})


@pytest.mark.each(
    ("run", "has_scores"),
    [
        (RANKED, False),
        (RANKED[["user", "item"]], False),
        ({"a": ["y", "x"], "b": ["x"]}, False),
        ({"a": ["y", "x"], "b": {"x": 5.0}}, False),
        (rv.read_run(RANKED.assign(score=[1.0, 3.0, 5.0]), order="rank"), False),
        (RANKED.assign(score=[1.0, 3.0, 5.0]), True),
        ({"a": [("x", 1.0), ("y", 3.0)], "b": {"x": 5.0}}, True),
    ],
)
@pytest.mark.parametrize("metric", ["RMSE", "PooledAUC"])
def test_ranks_of_a_run_are_no_scores(metric: str, run: object, has_scores: bool) -> None:
    test = RANKED.assign(rating=[1, 3, 5])[["user", "item", "rating"]]
    options = {"metrics": metric, "relevant": 4, "depth": "whole"}
    options["rating_scores"] = ["m"] if metric == "RMSE" else []
    train = rv.read_ratings({"user": ["a", "b"], "item": ["w", "w"], "rating": [4, 5]})
    split = rv.split(train, "predefined", test=rv.read_ratings(test))
    refused = pytest.raises(ValueError, match=f"'m' has ranks .* but {metric} needs")
    expected = nullcontext() if has_scores else refused
    for call, given in ((rv.evaluate_runs, test), (partial(rv.evaluate, systems={}), split)):
        with expected:
            means = call(given, runs={"m": run}, **options).summary()["mean"]
            assert means.tolist() == [0 if metric == "RMSE" else 1]


def test_a_run_beside_systems_has_the_errors_of_the_system_that_made_it(
    halves: rv.SplitRatings,
) -> None:
    (fold,) = halves.folds()
    scores = BiasedMF(factors=2, epochs=3).fit(fold.train).score(np.arange(30))
    users, items = np.nonzero(np.isfinite(scores))
    run = {
        "user": halves.ratings.user_ids[users],
        "item": halves.ratings.item_ids[items],
        "score": scores[users, items].astype(float),
    }
    result = rv.evaluate(
        halves,
        {"MF": BiasedMF(factors=2, epochs=3)},
        runs={"run": pd.DataFrame(run)},
        metrics=["RMSE", "PooledAUC"],
        rating_scores=["run"],
        relevant=4,
        depth="whole",
    )
    means = result.summary().pivot_table(index="metric", columns="system", values="mean")
    np.testing.assert_allclose(means["run"], means["MF"], rtol=1e-6)


def test_metrics_of_ranks_are_needed_elsewhere() -> None:
    with pytest.raises(ValueError, match="MAE is computed from predicted ratings, but a metric of"):
        parse("MAE")


@pytest.mark.parametrize("name", RATING_METRICS)
def test_a_metric_of_ratings_has_its_card(name: str) -> None:
    is_falling = name not in ("PooledAUC", "R2")
    assert card_of(metric_class(name)).direction == " (\N{DOWNWARDS ARROW})" * is_falling


def _pooled(seed: int, n_users: int = 25) -> PredictedRatings:
    rng = np.random.default_rng(seed)
    pairs = np.flatnonzero(rng.random(n_users * 9) < 0.4)
    test = Judgments.from_pairs(
        pairs // 9, pairs % 9, rng.integers(1, 6, len(pairs)), n_users=n_users
    )
    scores = rng.integers(0, 12, len(pairs)).astype(float)
    return PredictedRatings(test, scores, np.unique(pairs // 9), threshold=4)


@pytest.mark.parametrize("seed", range(4))
def test_the_pooled_auc_and_the_values_of_users_are_those_of_scikit_learn(seed: int) -> None:
    given = _pooled(seed)
    relevant, users = given.test.values >= 4, given.test.users

    values = PooledAUC().per_user(given)

    assert values.mean() == pytest.approx(
        of_errors.roc_auc_score(relevant, given.predictions), rel=1e-12
    )
    without = np.array(
        [
            of_errors.roc_auc_score(relevant[users != user], given.predictions[users != user])
            for user in given.averaged
        ]
    )
    expected = values.mean() + (len(without) - 1) * (without.mean() - without)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("label", ["R2", "R2(errors=centred)"])
@pytest.mark.parametrize("first", [0, 3])
def test_r_squared_and_the_values_of_users_are_those_of_scikit_learn(
    label: str, first: int
) -> None:
    given = _pooled(1)
    given = replace(given, averaged=given.averaged[first:])
    score = of_errors.r2_score if label == "R2" else of_errors.explained_variance_score

    def without(*left_out: int) -> float:
        rows = np.isin(given.test.users, np.setdiff1d(given.averaged, left_out))
        return float(score(given.test.values[rows], given.predictions[rows]))

    values = parse_any(label).per_user(given)  # type: ignore[attr-defined]

    others = np.array([without(user) for user in given.averaged])
    expected = without() + (len(others) - 1) * (others.mean() - others)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("label", ["R2", "R2(errors=centred)"])
@pytest.mark.parametrize("others", [3.0, 3.1])
def test_without_the_only_user_whose_ratings_differ_r_squared_stays(
    label: str, others: float
) -> None:
    ratings = [5, 4, 2.5, *[others] * 6]
    test = Judgments.from_pairs([0, 0, 0, 1, 1, 2, 2, 3, 3], [1, 2, 3, *[1, 2] * 3], ratings, 4)
    given = PredictedRatings(test, np.array([4, 4, 3, 3, 4, 2, 3, 4, 2.5]), np.arange(4))
    values = parse_any(label).per_user(given)
    # Without another user, some 1.5 squared deviations and errors of .5 to 2 squared are left.
    assert np.abs(values).max() < 10


def test_r_squared_of_equal_ratings_is_refused() -> None:
    given = _pooled(1)
    equal = replace(given, test=replace(given.test, values=np.full_like(given.test.values, 3)))
    with pytest.raises(ValueError, match="R2 is a share of the variance"):
        RSquared().per_user(equal)


def test_the_interval_of_r_squared_ends_below_1(halves: rv.SplitRatings) -> None:
    result = rv.evaluate(
        halves, {"Pop": rv.Popularity()}, metrics=["R2", "RR"], rating_scores=["Pop"]
    )
    row = result.summary().iloc[0]
    assert row["low"] < row["mean"] < row["high"] < 1
    assert "R2" not in result.less_is_better


def test_ratings_without_a_score_are_below_all_others_in_the_pooled_auc() -> None:
    predictions = np.array([np.nan, 0.5, -3.0])
    given = PredictedRatings(TEST, predictions, np.array([0, 2]), threshold=3)
    # Of the pairs with the only rating below 3: the first has no score, the second is above it.
    assert PooledAUC().per_user(given).mean() == pytest.approx(1 / 2)
    with pytest.raises(ValueError, match="all of the 3 test ratings are relevant"):
        PooledAUC().per_user(PredictedRatings(TEST, predictions, np.array([0, 2]), threshold=1))


def test_the_pooled_auc_needs_no_ratings_and_is_of_all_users(halves: rv.SplitRatings) -> None:
    result = rv.evaluate(halves, {"Pop": rv.Popularity()}, metrics=["PooledAUC", "RR"], relevant=4)
    row = result.summary().iloc[0]
    assert 0 < row["low"] < row["mean"] < row["high"] < 1
    assert result.of_all_users == {"PooledAUC"}
    assert result.by_group("activity", 2).metrics == ("PooledAUC", "RR")


def test_each_rating_counts_the_same_in_whatever_fold_it_is_tested() -> None:
    # A user with its ratings, their predictions and their time: 3 of 15 are 2 off.
    table = [
        *((0, "44444433", "44444433", 10), (1, "52", "32", 20), (2, "54", "52", 20)),
        *((3, "12", "32", 20), (4, "3", "3", 20)),
    ]
    rows = [(user, "known", 3, 0) for user, *_ in table]
    runs: list[dict] = [{}, {}]
    for user, rated, predicted, time in table:
        rows += [(user, f"i{n}", int(own), time) for n, own in enumerate(rated)]
        runs[time == 20][str(user)] = {f"i{n}": float(own) for n, own in enumerate(predicted)}
    frame = pd.DataFrame(rows, columns=["user", "item", "rating", "timestamp"])
    split = rv.split(rv.read_ratings(frame), "time-windows", windows=2, cut=0.3)
    metrics = ["MSE", "RMSE", "MAE", "MSE(over=users)", "PooledAUC"]
    options = {"rating_scores": ["m"], "depth": "whole", "relevant": 4}

    result = rv.evaluate(split, {}, runs={"m": runs}, metrics=metrics, **options)

    found = result.summary().set_index("metric")
    # The last has 1 for one user, and 8 of 12 pairs for four: folds count by their users.
    expected = [12 / 15, np.sqrt(12 / 15), 6 / 15, 6 / 5, (1 + 4 * 8 / 12) / 5]
    assert found["mean"].tolist() == pytest.approx(expected, rel=1e-12)
    # Cochran (1977), section 6.4, of the sums and numbers of ratings of each user.
    sums, counts = np.array([0, 4, 4, 4, 0]), np.array([8, 2, 2, 2, 1])
    half = stats.t.ppf(0.975, 4) * np.sqrt(((sums - 0.8 * counts) ** 2).sum() * 5 / 4) / 15
    assert found.loc["MSE", "high"] - 0.8 == pytest.approx(half, rel=1e-9)
    assert found.loc["RMSE", "high"] - np.sqrt(0.8) == pytest.approx(half / 2 / np.sqrt(0.8))
    told = result.methods()
    assert "sums over users and folds" in told
    assert "at once on each fold, averaged by numbers of users" in told


def test_log_loss_is_that_of_scikit_learn_and_refuses_what_is_no_probability() -> None:
    probabilities = np.array([0.2, 1.0, 0.7])
    given = PredictedRatings(TEST, probabilities, np.array([0, 2]), threshold=3)
    expected = of_errors.log_loss(TEST.values >= 3, probabilities)
    assert parse_any("LogLoss").per_user(given).mean() == pytest.approx(expected, rel=1e-14)
    by_user = (np.log(0.2) + np.log(1 - 1e-15)) / 2, np.log(0.3)
    over_users = parse_any("LogLoss(over=users)")
    assert over_users.per_user(given).tolist() == pytest.approx([-x for x in by_user], rel=1e-12)
    for wrong, words in ((1.5, "another score, such as 1.5"), (np.nan, "no score")):
        refused = PredictedRatings(TEST, np.array([0.2, wrong, 0.7]), np.array([0]), threshold=3)
        with pytest.raises(
            ValueError, match=f"1 of 2 test ratings has {words}. Give scores between 0 and 1"
        ):
            over_users.per_user(refused)


def test_log_loss_of_a_run_counts_what_is_at_least_the_threshold() -> None:
    test = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rating": [0, 1, 1]}
    runs = {"mine": {"a": {"x": 0.25, "y": 0.5}, "b": {"x": 0.5}}}
    result = rv.evaluate_runs(test, runs, metrics="LogLoss", depth="whole", relevant=1)
    expected = -(np.log(0.75) + 2 * np.log(0.5)) / 3
    assert result.summary()["mean"][0] == pytest.approx(expected)
    assert "LogLoss" in result.less_is_better
