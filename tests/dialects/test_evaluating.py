# SPDX-License-Identifier: MIT
"""Runs and systems are evaluated in the dialect of a tool, and results say what is not imitated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from trec_eval_oracle import pytrec_eval

from receval.cli.main import main
from receval.data.ratings_table import read_ratings
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.metrics.aliases import any_metric
from receval.recommenders.non_personalised import Popularity
from receval.splits.split_ratings import split

FOLDER = Path(__file__).with_name("fixtures")


def case(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / "lists.json").read_text(encoding="utf-8"))
    return content["cases"][name]


def fixture(tool: str, name: str) -> dict[str, Any]:
    content = json.loads((FOLDER / f"{tool}.json").read_text(encoding="utf-8"))
    values: dict[str, Any] = content["values"][name]
    return values


def table(test: dict[str, dict[str, int]]) -> dict[str, list[Any]]:
    rows = [(user, item, value) for user, own in test.items() for item, value in own.items()]
    return dict(zip(("user", "item", "rating"), map(list, zip(*rows, strict=True)), strict=True))


def as_run(lists: dict[str, list[list[Any]]]) -> dict[str, dict[str, float]]:
    return {user: dict(map(tuple, own)) for user, own in lists.items()}


def means(given_case: dict[str, Any], metrics: list[str], **parameters: Any) -> dict[str, float]:
    result = evaluate_runs(
        table(given_case["test"]),
        {"mine": as_run(given_case["run"])},
        metrics=metrics,
        depth="whole",
        **parameters,
    )
    summary = result.summary()
    return dict(zip(summary["metric"], summary["mean"], strict=True))


@pytest.mark.parametrize(
    ("tool", "suffix", "cases", "metrics", "parameters"),
    [
        ("recbole", "", ("plain", "short"), ["ndcg@5", "map@5", "hit@5"], {}),
        (
            "elliot",
            " relevance_threshold=4",
            ("plain", "missing", "no-relevant"),
            ["nDCG@5", "MAP@5", "HR@5"],
            {"relevant": 4.0},
        ),
        ("lenskit", "", ("plain", "short", "ties"), ["NDCG@5", "AveragePrecision@5"], {}),
        ("recommenders", "", ("plain", "missing", "ties"), ["map@5", "map_at_k@5"], {}),
        ("recommenders", "", ("missing",), ["ndcg_at_k@5"], {}),
        ("pytrec_eval", "", ("plain", "missing", "ties"), ["ndcg_cut_5", "P_5", "map"], {}),
        ("recpack", "", ("plain", "missing"), ["HitK@5", "NDCGK@5"], {}),
    ],
)
def test_averages_of_runs_are_those_of_the_tool(
    tool: str, suffix: str, cases: tuple[str, ...], metrics: list[str], parameters: dict[str, Any]
) -> None:
    for name in cases:
        theirs = fixture(tool, name)
        ours = means(case(name), metrics, dialect=tool, **parameters)
        assert ours == pytest.approx(
            {m: theirs[f"{m}{suffix}"]["mean"] for m in metrics}, abs=1e-12
        )


@pytest.mark.costly
@tries(25)
@given(seed=st.integers(0, 10_000))
def test_runs_in_the_dialect_of_trec_eval_have_its_averages(seed: int) -> None:
    draw = np.random.default_rng(seed)
    users = [f"u{code}" for code in range(5)]
    items = [f"i{code}" for code in range(12)]

    def drawn(low: int, high: int) -> dict[str, dict[str, int]]:
        return {
            user: {item: int(draw.integers(low, high)) for item in draw.permutation(items)[:6]}
            for user in users
        }

    test, run = drawn(0, 4), drawn(1, 5)
    test["u0"][items[0]] = 1
    cut = {"P", "recall", "map_cut", "ndcg_cut", "success"}
    whole = {"map", "ndcg", "recip_rank", "Rprec", "bpref", "infAP"}
    whole |= {"set_P", "set_recall", "set_F"}
    measures = [f"{name}_3" for name in sorted(cut)] + sorted(whole)
    with_cutoffs = {f"{name}.3" for name in cut} | whole
    evaluated = pytrec_eval.RelevanceEvaluator(test, with_cutoffs).evaluate(
        {
            user: {item: float(score) for item, score in scores.items()}
            for user, scores in run.items()
        }
    )
    result = evaluate_runs(
        table(test), {"mine": run}, metrics=measures, depth="whole", dialect="trec_eval"
    ).summary()
    for measure, mean in zip(result["metric"], result["mean"], strict=True):
        expected = np.mean([values[measure] for values in evaluated.values()])
        assert mean == pytest.approx(expected, abs=1e-12), measure


def test_results_have_the_tools_names_and_our_labels_beside() -> None:
    plain = case("plain")
    result = evaluate_runs(
        table(plain["test"]),
        {"mine": as_run(plain["run"])},
        metrics=["ndcg@5", "MAP@5"],
        dialect="recbole",
    )
    assert result.metrics == ("ndcg@5", "MAP@5")
    assert result.settings["labels"] == ["nDCG(gain=binary)@5", "AP(denominator=reachable)@5"]
    assert result.settings["dialect"] == "recbole"
    assert result.settings["relevant"] == 1
    assert result.settings["ties"] == "listed"
    assert any("rounds averages" in note for note in result.notes)


def test_equal_scores_are_told_of_and_stand_as_the_run_names_them() -> None:
    test = {"user": ["ann"], "item": ["x"], "rating": [1]}
    for first, second, expected in (("y", "x", 0.5), ("x", "y", 1.0)):
        run = {first: 1.0, second: 1.0, "z": 0.5}
        result = evaluate_runs(
            test, {"mine": {"ann": run}}, metrics="mrr@2", dialect="recbole", depth="whole"
        )
        assert result.summary()["mean"].tolist() == [expected]
        assert any("mine has equal scores" in note for note in result.notes)


def test_a_call_for_metrics_of_different_users_is_refused() -> None:
    missing = case("missing")
    with pytest.raises(ValueError, match="averages covered users for map@5 and tested users"):
        means(missing, ["map@5", "ndcg_at_k@5"], dialect="recommenders")
    both = means(missing, ["map@5", "ndcg_at_k@5"], dialect="recommenders", users="tested")
    assert len(both) == 2


@pytest.mark.each(
    ("metrics", "words"),
    [
        (None, "No metric of RecBole is named. Name at least one of ndcg@k"),
        ([], "name at least one of ndcg@k"),
        (["nDCG(gain=exp)@5"], "cannot compute it with gain=exp"),
    ],
)
def test_metrics_of_a_dialect_must_be_named(metrics: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        means(case("plain"), metrics, dialect="recbole")


def test_a_metric_of_ours_is_refused_in_a_dialect() -> None:
    from receval.metrics.registry import parse

    with pytest.raises(ValueError, match="P@5 is a metric of receval"):
        means(case("plain"), [parse("P@5")], dialect="recbole")  # type: ignore[list-item]


def test_metrics_of_lists_are_measured_by_their_labels_beside_those_of_a_dialect() -> None:
    plain = case("plain")
    options = {"test": table(plain["test"]), "runs": {"mine": as_run(plain["run"])}}
    found = evaluate_runs(
        **options,
        metrics=["MAP@5", "ShannonEntropy@5", any_metric("Gini@5")],
        dialect="elliot",
        depth="whole",
    )
    alone = evaluate_runs(
        **options,
        metrics=["ShannonEntropy@5", "Gini@5"],
        users=found.settings["users"],
        relevant=found.settings["relevant"],
        ties="listed",
        depth="whole",
    )

    assert found.settings["labels"][1:] == ["ShannonEntropy@5", "Gini@5"]
    assert found.summary()["mean"].tolist()[1:] == alone.summary()["mean"].tolist()
    with pytest.raises(ValueError, match=r"Gini of Elliot .* is 1 minus Gini"):
        evaluate_runs(**options, metrics=["MAP@5", "Gini@5"], dialect="elliot")


def test_systems_are_evaluated_in_a_dialect() -> None:
    ratings = {"user": list("aaabbbcc"), "item": list("xyzxyzxy"), "rating": [1, 2, 3, 4] * 2}
    data = split(read_ratings(ratings), "user-ratio", train_ratio=0.5)
    systems = {"Pop": Popularity()}
    result = evaluate_systems(data, systems, metrics=["ndcg@2"], dialect="recbole")
    same = evaluate_systems(data, systems, metrics=["nDCG(gain=binary)@2"], relevant=1)
    assert result.metrics == ("ndcg@2",)
    assert result.summary()["mean"].tolist() == same.summary()["mean"].tolist()
    assert any("Equal scores are in the order of the protocol" in note for note in result.notes)


@pytest.mark.costly
def test_the_command_reads_metrics_in_a_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.csv").write_text("user,item,rating\nann,x,1\nann,y,1\nbob,x,1\n", encoding="utf-8")
    Path("mine.csv").write_text("user,item,score\nann,z,2\nann,x,1\nbob,x,1\n", encoding="utf-8")
    arguments = ["runs", "mine.csv", "--test", "test.csv", "--depth", "whole"]
    assert main([*arguments, "--dialect", "elliot", "--metric", "MAP@2"]) == 0
    said = capsys.readouterr()
    assert "MAP@2" in said.out
    # The precisions at both ranks: 0 and 1/2 of ann, 1 and 1/2 of bob.
    assert "| mine   | .5000 |" in said.out
    assert "Elliot leaves out users" in said.err
