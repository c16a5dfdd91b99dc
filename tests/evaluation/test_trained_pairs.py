# SPDX-License-Identifier: MIT
"""Test pairs that are also in the training data are refused, or taken out and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from receval.cli.main import main
from receval.data.ratings_table import read_ratings
from receval.evaluation.runs import evaluate_runs
from receval.sampled_metrics.audit import audit_samples

TEST = {"user": list("aabbc"), "item": list("xyxzw"), "rating": [1] * 5}
TRAIN = {"user": list("abcc"), "item": list("vxvw"), "rating": [1] * 4}
WHOLE = {
    user: {item: float(score) for score, item in enumerate("vwxyz") if item != trained}
    for user, trained in zip("abc", "vxv", strict=True)
}
EVALUATORS = [
    lambda **given: evaluate_runs(TEST, {"mine": WHOLE}, depth="whole", **given),
    lambda **given: audit_samples(TEST, {"mine": WHOLE}, sampled=2, **given),
]


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_test_pairs_that_train_are_refused_with_one_of_them(evaluator: Any) -> None:
    told = "2 of 5 test pairs are also in the training data, for example user b with item x"
    with pytest.raises(ValueError, match=told):
        evaluator(train=TRAIN)


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_test_pairs_that_train_are_dropped_and_counted_on_request(evaluator: Any) -> None:
    found = evaluator(train=TRAIN, trained_pairs="drop")
    (note,) = (own for own in found.notes if own.code == "trained-pairs")
    assert note == "2 of 5 test pairs are also in the training data. They were left out."


def test_what_is_left_is_measured_as_without_those_pairs() -> None:
    dropped = evaluate_runs(
        TEST, {"mine": WHOLE}, train=TRAIN, trained_pairs="drop", metrics="RR", depth="whole"
    )
    left = {"user": list("aab"), "item": list("xyz"), "rating": [1] * 3}
    alone = evaluate_runs(left, {"mine": WHOLE}, train=TRAIN, metrics="RR", depth="whole")
    pd.testing.assert_frame_equal(dropped.per_user(), alone.per_user())


def test_a_test_of_which_every_pair_trains_is_refused_either_way() -> None:
    with pytest.raises(ValueError, match=r"5 of 5 test pairs .* Give other training data"):
        evaluate_runs(TEST, {"mine": WHOLE}, train=read_ratings(TEST), trained_pairs="drop")


@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("command", ["runs", "audit-samples"])
@pytest.mark.costly
def test_commands_have_a_word_for_it(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(user, item, score) for user, own in WHOLE.items() for item, score in own.items()]
    pd.DataFrame(rows, columns=["user", "item", "score"]).to_csv("run.csv", index=False)
    for name, table in (("test.csv", TEST), ("train.csv", TRAIN)):
        pd.DataFrame(table).to_csv(name, index=False)
    given = [command, "--test", "test.csv", "--train", "train.csv", "run.csv", "--metric", "RR"]
    given += ["--depth", "whole"] * (command == "runs")
    assert main(given) == 2
    assert "--trained-pairs drop" in capsys.readouterr().err
    assert main([*given, "--trained-pairs", "drop"]) == 0
    assert "2 of 5 test pairs are also in the training data" in capsys.readouterr().err
