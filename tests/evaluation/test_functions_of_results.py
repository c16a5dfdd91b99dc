# SPDX-License-Identifier: MIT
"""Metrics of other tools that are functions of a result, as docs/dialects.md writes them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.evaluation.result import EvaluationResult

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "dialects.md"
FIXTURES = TESTS / "metrics" / "whole_lists" / "fixtures"
K = 5


def mean_score(items: Any, ratings: Any, scores: Any) -> float:
    """Return the mean score of the first items."""
    return float(scores.mean())


METRICS = [
    *(f"P@{K}", f"Recall@{K}", f"FilledRanks@{K}"),
    *(f"nDCG(gain=exp-steps)@{K}", f"nDCG(gain=exp-steps-from-0)@{K}"),
    rv.metric_of(mean_score, cutoff=K),
]


def _case() -> dict[str, Any]:
    lists = json.loads((TESTS / "dialects/fixtures/lists.json").read_text(encoding="utf-8"))
    return dict(lists["cases"]["plain"])


def _values(tool: str, name: str) -> dict[str, Any]:
    fixture = json.loads((FIXTURES / f"{tool}.json").read_text(encoding="utf-8"))
    return dict(fixture["values"]["plain"][name])


@pytest.fixture(scope="module")
def result() -> EvaluationResult:
    case = _case()
    test = pd.DataFrame(
        [(u, i, rating) for u, own in case["test"].items() for i, rating in own.items()],
        columns=["user", "item", "rating"],
    )
    mine = {user: dict(own) for user, own in case["run"].items()}
    other = {user: {item: -score for item, score in own.items()} for user, own in mine.items()}
    runs = {"mine": mine, "other": other}
    return rv.evaluate_runs(test, runs, metrics=METRICS, relevant=4, lists=20, depth="whole")


def _lines_of_page() -> str:
    """Return the lines of the page that compute metrics of other tools."""
    (code,) = re.findall(r"```python\n(f1 = .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


@pytest.fixture(scope="module")
def computed(result: EvaluationResult) -> dict[str, Any]:
    """What the lines of the page compute."""
    return _computed(result)


def _computed(result: EvaluationResult) -> dict[str, Any]:
    case = _case()
    users = sorted(case["run"])
    seen = [(u, i) for u, own in case["run"].items() for i, _ in own if int(i[1:]) % 3 == 0]
    found: dict[str, Any] = {
        "np": np,
        "rv": rv,
        "result": result,
        "halves": {"user": users, "half": [f"g{int(user[1:]) % 2}" for user in users]},
        "train": pd.DataFrame(seen, columns=["user", "item"]),
    }
    exec(_lines_of_page(), found)
    return found


@pytest.mark.each(
    ("variable", "tool", "name"),
    [
        ("f1", "elliot", f"ExtendedF1@{K}"),
        ("dice", "elliot", f"DSC@{K} beta=2"),
        ("distance", "warprec", f"EucDistance@{K}"),
        ("volume", "warprec", f"Hypervolume@{K}"),
    ],
)
def test_functions_of_two_metrics_have_the_values_of_other_tools(
    computed: dict[str, Any], variable: str, tool: str, name: str
) -> None:
    table = computed[variable].per_user()
    own = table[table["system"] == "mine"].set_index("user")[variable]
    wanted = _values(tool, name)
    assert len(wanted["per_user"]) == 24
    for user, value in wanted["per_user"].items():
        assert own[user] == pytest.approx(value, abs=1e-12)
    assert own.mean() == pytest.approx(wanted["mean"], abs=1e-12)


@pytest.mark.each(
    ("metric", "tool", "name"),
    [
        (f"nDCG(gain=exp-steps)@{K}", "elliot", f"UserMADranking@{K} groups=halves"),
        (f"nDCG(gain=exp-steps-from-0)@{K}", "warprec", f"UserMADRanking@{K} groups=halves"),
        (f"mean_score@{K}", "elliot", f"UserMADrating@{K} groups=halves"),
        (f"mean_score@{K}", "warprec", f"UserMADRating@{K} groups=halves"),
    ],
)
def test_deviations_of_groups_of_users_are_mean_differences_of_their_averages(
    computed: dict[str, Any], metric: str, tool: str, name: str
) -> None:
    found = computed["deviations"][metric, "mine"]
    assert found == pytest.approx(_values(tool, name)["mean"], abs=1e-12)


def test_users_with_full_lists_are_those_of_another_tool() -> None:
    # The lists of the docstring of RecTools' SufficientReco, which has these values for 5 items.
    lengths = {"u00": 2, "u01": 3, "u02": 5}
    run = {user: {f"i{n}": -float(n) for n in range(own)} for user, own in lengths.items()}
    test = {"user": list(run), "item": ["i1"] * 3, "rating": [5] * 3}
    result = rv.evaluate_runs(
        test, {"mine": run, "other": run}, metrics=METRICS, relevant=4, lists=20, depth="whole"
    )
    table = _computed(result)["full"].per_user().query("system == 'mine'")
    assert table["full"].tolist() == [0, 0, 1]
    assert table[f"FilledRanks@{K}"].tolist() == pytest.approx([0.4, 0.6, 1])


def test_log_losses_of_logits_are_those_of_another_tool(computed: dict[str, Any]) -> None:
    case = _case()
    test = {"user": [], "item": [], "rating": []}
    for user, own in case["test"].items():
        for item, rating in own.items():
            test["user"].append(user), test["item"].append(item), test["rating"].append(rating)
    run = {
        user: {item: score / 200 - 2 for item, score in own} for user, own in case["run"].items()
    }
    metrics = [computed["log_losses"]]
    found = rv.evaluate_runs(test, {"mine": run}, metrics=metrics, depth="whole").per_user()
    wanted = _values("warprec", f"LogLoss@{K} scores=/200-2")["per_user"]
    assert dict(zip(found["user"], found[f"log_loss@{K}"], strict=True)) == pytest.approx(
        wanted, abs=1e-12
    )


def test_the_share_of_unseen_items_is_that_of_lists_without_training_items(
    computed: dict[str, Any],
) -> None:
    wanted = _values("replay", f"Novelty@{K} seen=thirds")
    assert computed["novelty"]["mine"] == pytest.approx(wanted["mean"], abs=1e-12)


def test_shared_items_are_the_intersection_of_another_tool(result: EvaluationResult) -> None:
    table = result.shared_items(K, others=12).set_index(["first", "second"])
    wanted = _values("rectools", f"Intersection@{K} ref_k=12")
    assert table.loc[("mine", "other"), "mean"] == pytest.approx(wanted["mean"], abs=1e-12)
    own = np.array(list(wanted["per_user"].values()))
    half = 2.0686576104190406 * own.std(ddof=1) / np.sqrt(len(own))  # t of 23 degrees of freedom
    assert table.loc[("mine", "other"), "high"] == pytest.approx(own.mean() + half, abs=1e-12)
    assert table["users"].tolist() == [24, 24]


def test_shared_items_of_lists_by_hand() -> None:
    test = {"user": list("ab"), "item": list("xx")}
    runs = {
        "one": {"a": {"x": 3.0, "y": 2.0, "z": 1.0}, "b": {"x": 2.0}},
        "other": {"a": {"y": 3.0, "w": 2.0, "x": 1.0}},
    }
    result = rv.evaluate_runs(test, runs, lists=3, depth="whole")
    table = result.shared_items(2).set_index("first")
    assert table["mean"].to_dict() == {"one": 0.25, "other": 0.5}
    assert table["users"].to_dict() == {"one": 2, "other": 1}
    assert result.shared_items(2, others=3).set_index("first").loc["one", "mean"] == 0.5
    with pytest.raises(ValueError, match="lists of 3 were kept"):
        result.shared_items(4)
    with pytest.raises(ValueError, match="Lists of 0 items"):
        result.shared_items(2, others=0)


def test_a_further_metric_leaves_others_as_they_are_and_has_intervals_and_tests(
    result: EvaluationResult,
) -> None:
    more = result.with_metric("Twice", lambda p: 2 * p, [f"P@{K}"], less_is_better=True)
    old = more.summary().query("metric != 'Twice'").reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(old), pd.DataFrame(result.summary()), rtol=0)
    by_metric = more.summary().set_index(["metric", "system"])
    for column in ("mean", "low", "high"):
        twice = 2 * by_metric.loc[f"P@{K}", column]
        np.testing.assert_allclose(by_metric.loc["Twice", column], twice, rtol=1e-12)
    pairs = more.compare().set_index("metric")
    assert pairs.loc["Twice", "p"] == pairs.loc[f"P@{K}", "p"]
    assert "Twice" in more.less_is_better
    assert "Twice is computed for each user from the values in P@5" in more.methods()


@pytest.mark.each(
    ("name", "function", "metrics", "words"),
    [
        (f"P@{K}", np.abs, [f"P@{K}"], "has a metric 'P@5'"),
        ("New", np.abs, ["P@7"], "no metric with a value per user 'P@7'"),
        ("New", lambda p: p.mean(), [f"P@{K}"], "finite numbers of the shape \\(2, 24\\)"),
        ("New", lambda p: p / 0, [f"P@{K}"], "finite numbers"),
        ("New", 3, [f"P@{K}"], "must be a function"),
        ("New", np.abs, f"P@{K}", "must be a list of metrics"),
        ("New", np.abs, [], "must be a list of metrics"),
        (" ", np.abs, [f"P@{K}"], "is empty"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_functions_of_unknown_metrics_or_without_numbers_are_refused(
    result: EvaluationResult, name: str, function: Any, metrics: list[str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        result.with_metric(name, function, metrics)


def test_a_saved_result_has_its_further_metrics(result: EvaluationResult, tmp_path: Path) -> None:
    more = result.with_metric("Twice", lambda p: 2 * p, [f"P@{K}"])
    more.save(tmp_path / "saved")
    loaded = rv.load_result(tmp_path / "saved")
    assert loaded.summary().to_csv() == more.summary().to_csv()
