# SPDX-License-Identifier: MIT
"""Where no value is above 0, every function says that nothing is relevant, and measures nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import receval as rv
from receval.cli.main import main
from receval.data.ratings_table import read_ratings
from receval.data.relevance import relevance_threshold
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.lexicographic_pairs import compare_by_lexirecall
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.missing_judgments.estimators import unbiased_estimates
from receval.multiverse.explore_ratings import explore_ratings
from receval.recommenders.non_personalised import Popularity
from receval.sampled_metrics.audit import audit_samples
from receval.splits.split_ratings import split

GRADES = {"u1": {"a": 0, "b": 0}, "u2": {"a": 0}}
RUNS = {"mine": {"u1": {"a": 2.0, "b": 1.0}, "u2": {"a": 2.0, "b": 1.0}}}
TABLE = {
    "user": [f"u{code % 12}" for code in range(72)],
    "item": [f"i{code // 12 + code % 3}" for code in range(72)],
    "rating": [0] * 72,
}
SYSTEMS = {"Pop": Popularity(), "again": Popularity()}


def halves() -> Any:
    return split(read_ratings(TABLE), "user-ratio", train_ratio=0.5)


@pytest.mark.each(
    "evaluator",
    [
        lambda: evaluate_runs(GRADES, RUNS),
        lambda: evaluate_runs(TABLE, {"mine": {"u1": {"i1": 1.0}}}),
        lambda: audit_samples(GRADES, RUNS),
        lambda: audit_samples(halves(), SYSTEMS),
        lambda: evaluate_systems(halves(), SYSTEMS),
        lambda: compare_by_lexirecall(halves(), SYSTEMS),
        lambda: unbiased_estimates(halves(), SYSTEMS),
        lambda: diagnose(read_ratings(TABLE)),
        lambda: explore_ratings(
            read_ratings(TABLE), dict.fromkeys(SYSTEMS, lambda _: Popularity())
        ),
    ],
)
def test_every_function_says_that_nothing_is_relevant(evaluator: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"No test rating is above 0, so none is relevant"):
        evaluator()


@pytest.mark.each(
    ("values", "parameters"),
    [
        ([0, 0], {}),
        ([0, -1], {"are_grades": True}),
        ([0, -1], {}),
        ([0, -3], {"are_counts": True}),
        (-(np.arange(30.0) ** 2), {}),
    ],
)
def test_no_rule_takes_values_of_0_and_less_for_relevant(values: Any, parameters: Any) -> None:
    with pytest.raises(ValueError, match=r"(The highest is|All are) 0\. .* --relevant 0"):
        relevance_threshold(np.asarray(values, dtype=np.float32), "auto", **parameters)


def test_who_says_so_has_0_relevant() -> None:
    found = evaluate_runs(GRADES, RUNS, metrics="P@1", relevant=0)
    assert found.summary()["mean"].tolist() == [1]


def test_in_the_dialect_of_trec_eval_no_way_out_is_named_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"The highest is 0\. Set 0 or less \(relevant=0"):
        evaluate_runs(GRADES, RUNS, metrics="map", dialect="trec_eval")


def test_a_user_without_relevant_items_among_others_counts_0() -> None:
    found = evaluate_runs({**GRADES, "u2": {"a": 1}}, RUNS, metrics="P@1")
    assert found.summary()[["mean", "users"]].to_numpy().tolist() == [[0.5, 2]]


@pytest.mark.parametrize("command", ["runs", "audit-samples"])
def test_commands_end_with_the_sentence(
    command: str, tmp_path: Any, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.qrels").write_text("u1 0 a 0\nu2 0 b 0\n", encoding="utf-8")
    rv.write_run(rv.read_run(RUNS["mine"]), "mine.run")
    assert main([command, "--test", "test.qrels", "mine.run"]) != 0
    assert "so none is relevant" in capsys.readouterr().err
