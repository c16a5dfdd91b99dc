# SPDX-License-Identifier: MIT
"""Metrics that are weighted means of all users: nothing counts their parts as values of users."""

from __future__ import annotations

import numpy as np
import pytest

from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs

METRICS = ["GAUC(weight=relevant)", "PercentileRank", "RR"]


@pytest.fixture(scope="module")
def result() -> EvaluationResult:
    """Twelve users, of whom the first two have a relevant item; the second system is better."""
    users = [f"u{number:02d}" for number in range(12)]
    test = {"user": users, "item": ["i1"] * 12, "rating": [5, 5] + [1] * 10}
    orders = {"a": {"u00": "1234", "u01": "2341"}, "b": {"u00": "2134", "u01": "2134"}}
    runs = {
        name: {
            user: {f"i{item}": 4.0 - place for place, item in enumerate(own.get(user, "4321"))}
            for user in users
        }
        for name, own in orders.items()
    }
    return evaluate_runs(test, runs, metrics=METRICS, depth="whole", relevant=4)


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_users_are_not_counted_by_parts_of_a_weighted_mean(
    result: EvaluationResult, test: str
) -> None:
    pairs = result.compare(test=test, effect="cliff").set_index("metric")
    for metric in METRICS[:2]:
        assert np.isnan(pairs.loc[metric, ["p", "effect_size"]].astype(float)).all()
        assert "has no value per user" in pairs["method"][metric]
    assert np.isfinite(pairs["p"]["RR"])
    assert result.compare(test="t")["p"].between(0, 1).all()


def test_users_who_do_not_count_change_no_comparison_of_a_weighted_mean() -> None:
    found = []
    for n_users in (16, 106):
        scores = np.random.default_rng(5).normal(size=(n_users, 8, 2))
        relevant = np.arange(8) < 2 * (np.arange(n_users) < 16)[:, None]
        scores[..., 0] += relevant
        users = [f"{number:03d}" for number in range(n_users)]
        pairs = {"user": np.repeat(users, 8), "item": list(range(8)) * n_users}
        runs = {name: {**pairs, "score": scores[..., n].ravel()} for n, name in enumerate("ab")}
        test = {**pairs, "rating": 1 + 4 * relevant.ravel()}
        result = evaluate_runs(test, runs, metrics="GAUC", depth="whole", relevant=4)
        tables = [
            result.compare(test=kind, effect="g_z", margin=0.2, power=0.8)
            for kind in ("permutation", "t", "bootstrap", "tukey-hsd")
        ]
        groups = result.by_group({"user": users, "group": ["x", "y"] * (n_users // 2)})
        exchanged = groups.compare(test="permutation", samples=2000)["p"]
        tables.append(groups.compare())
        found.append(
            (np.concatenate([own.select_dtypes("number").iloc[0] for own in tables]), exchanged)
        )
    (alone, p_alone), (among_idle, p_among_idle) = found
    assert among_idle == pytest.approx(alone, rel=1e-9)
    assert p_among_idle[0] == pytest.approx(p_alone[0], abs=0.05)


def test_the_distribution_over_users_is_of_metrics_with_a_value_per_user(
    result: EvaluationResult,
) -> None:
    assert result.distribution().metric == "RR"
    with pytest.raises(ValueError, match="no metric with a value per user 'PercentileRank'"):
        result.distribution(metric="PercentileRank")


@pytest.mark.parametrize("test", ["welch", "permutation", "mann-whitney"])
def test_a_group_without_a_user_who_counts_has_no_average(
    result: EvaluationResult, test: str
) -> None:
    users = [f"u{number:02d}" for number in range(12)]
    grouped = result.by_group({"user": users, "group": ["x"] * 6 + ["y"] * 6})
    averages = grouped.summary().set_index(["metric", "group"])["mean"]
    assert averages[METRICS[1], "x"].tolist() == pytest.approx([(0 + 1) / 2, 1 / 3])
    assert averages[METRICS[1], "y"].isna().all()
    assert not averages["RR"].isna().any()
    pairs = grouped.compare(test=test).set_index("metric")
    assert pairs.loc[METRICS[:2], "p"].isna().all()
    assert pairs["method"]["PercentileRank"].str.contains("no user of a group counts").all()
    assert str(grouped)


def test_a_weighted_mean_of_nobody_is_refused_with_its_system() -> None:
    test = {"user": ["a"], "item": ["x"], "rating": [5]}
    runs = {"good": {"a": {"x": 2.0, "y": 1.0}}, "short": {"a": {"x": 2.0}}}
    with pytest.raises(ValueError, match="GAUC of 'short' is a mean with weights, and no user has"):
        evaluate_runs(test, runs, metrics=["RR", "GAUC"], depth="whole", relevant=4)


def test_a_note_says_of_which_weighted_means_users_without_a_list_are_left_out() -> None:
    test = {"user": ["a", "b"], "item": ["x", "x"], "rating": [5, 5]}
    runs = {"mine": {"a": {"y": 2.0, "x": 1.0}}}
    result = evaluate_runs(test, runs, metrics=["RR", "GAUC"], depth="whole", relevant=4)
    (told,) = [str(note) for note in result.notes if note.code == "users-without-lists"]
    assert told.endswith("they count as 0 in RR, and are left out of GAUC.")
    assert result.summary()["mean"].tolist() == [0.25, 0.0]


def test_inequality_between_users_is_not_that_of_parts_of_a_weighted_mean(
    result: EvaluationResult,
) -> None:
    users = [f"u{number:02d}" for number in range(12)]
    found = result.by_group({"user": users, "group": ["x", "y"] * 6}).fairness(samples=20)
    is_mean = found["metric"].isin(METRICS[:2])
    assert found.loc[is_mean, "over_users"].isna().all()
    assert found.loc[~is_mean, "over_users"].notna().any()


def test_the_number_of_candidates_is_that_of_the_protocol_and_not_of_the_list() -> None:
    test = {"user": ["a", "a"], "item": ["x", "z"], "rating": [5, 5]}
    runs = {
        "whole": {"a": {"y": 4.0, "x": 3.0, "z": 2.0, "w": 1.0}},
        "cut": {"a": {"y": 4.0, "x": 3.0}},
    }
    metrics = ["MCC@2", "Accuracy@2", "PercentileRank@2"]
    result = evaluate_runs(test, runs, metrics=metrics, depth="whole", relevant=4)
    means = result.summary().pivot(index="metric", columns="system", values="mean")
    assert means["whole"].tolist() == means["cut"].tolist()
    assert means["cut"][metrics].tolist() == pytest.approx([0.0, 0.5, (1 / 3 + 1) / 2])
