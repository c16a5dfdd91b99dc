# SPDX-License-Identifier: MIT
"""Scores are compared as they are, in double precision, but where a tool does otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from receval.data.ratings_table import read_ratings
from receval.data.run import read_run, write_run
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.protocols.evaluation import in_ranked_precision
from receval.sampled_metrics.audit import audit_samples
from receval.splits.split_ratings import split

CLOSE = {
    "moments": [1_700_000_003.0, 1_700_000_002.0, 1_700_000_001.0],
    "beyond single precision": [3.7e38, 3.6e38, 3.5e38],
    "small steps": [1 + 3e-9, 1 + 2e-9, 1 + 1e-9],
}
TEST = {"user": ["u"], "item": ["b"], "rating": [1]}


def run_of(scores: list[float]) -> dict[str, dict[str, float]]:
    # trec_eval would put c, the last identifier, first were they equal.
    return {"u": dict(zip("abc", scores, strict=True))}


def reciprocal_rank(run: object, **given: Any) -> float:
    result = evaluate_runs(TEST, {"mine": run}, metrics="RR", depth="whole", **given)
    return float(result.summary()["mean"].item())


@pytest.mark.each("scores", CLOSE.values(), ids=CLOSE)
@pytest.mark.each("ties", ["auto", "trec", "random", "listed"])
def test_close_scores_of_runs_are_not_equal(scores: list[float], ties: str) -> None:
    assert reciprocal_rank(run_of(scores), ties=ties) == 1 / 2
    assert reciprocal_rank(run_of([scores[1], scores[0], scores[2]]), ties=ties) == 1


@pytest.mark.each("scores", CLOSE.values(), ids=CLOSE)
@pytest.mark.each("name", ["run.csv", "run.json", "run.trec", "run.parquet"])
def test_close_scores_survive_files_of_every_format(
    scores: list[float], name: str, tmp_path: Path
) -> None:
    table = {"user": ["u"] * 3, "item": list("abc"), "score": scores}
    write_run(read_run(table), tmp_path / name)
    assert reciprocal_rank(tmp_path / name) == 1 / 2


@pytest.mark.each("scores", CLOSE.values(), ids=CLOSE)
@pytest.mark.each("form", [np.array, csr_array], ids=["array", "sparse"])
@pytest.mark.each("protocol", ["AR AI-AN", "1R TI-AN", "1R TI-NN sampled=2"])
def test_close_scores_of_arrays_are_not_equal(
    scores: list[float], form: Any, protocol: str
) -> None:
    # Each of 30 users has trained on the first item, and tests the others.
    users, items = np.divmod(np.arange(120), 4)
    values = np.where(items == 2, 5, 1)
    given = read_ratings({"user": users, "item": items, "rating": values, "time": 10**9 + items})
    data = split(given, "leave-last-out", held_out=3)
    own = form(np.tile([scores[0], *scores], (30, 1)))
    result = evaluate_systems(data, {"mine": own}, protocols=protocol, metrics="RR", relevant=5)
    assert result.summary()["mean"].item() == 1 / 2


def test_single_precision_of_a_system_of_ours_is_not_widened() -> None:
    class Single:
        def score(self, users: np.ndarray) -> np.ndarray:
            return np.tile(np.float32([1, *CLOSE["moments"]]), (len(users), 1))

    users, items = np.divmod(np.arange(120), 4)
    given = read_ratings({"user": users, "item": items, "time": 10**9 + items})
    data = split(given, "leave-last-out", held_out=3)
    ranks = evaluate_systems(data, {"single": Single()}, metrics="P@1").summary()["mean"].item()
    assert ranks == 1


def test_masked_scores_are_missing_and_others_than_real_ones_are_refused() -> None:
    class Own:
        def score(self, users: np.ndarray) -> np.ndarray:
            return np.ma.masked_greater(np.tile([1, 3, 2, 4], (len(users), 1)), 0)

    users, items = np.divmod(np.arange(120), 4)
    given = read_ratings({"user": users, "item": items, "rating": 1 + items})
    data = split(given, "user-ratio", train_ratio=0.5, seed=1)
    with pytest.raises(ValueError, match="no finite score for all 30 tested users"):
        evaluate_systems(data, {"own": Own()}, metrics="P@1", relevant=1)
    with pytest.raises(ValueError, match="complex128, but they must be real numbers"):
        in_ranked_precision(np.array([[1j]]))


def test_an_audit_of_samples_compares_scores_as_they_are() -> None:
    found = audit_samples(TEST, {"mine": run_of(CLOSE["moments"])}, sampled=1, metrics="RR")
    assert found.values["full"].item() == 1 / 2


@pytest.mark.parametrize(("dialect", "metric"), [("trec_eval", "recip_rank"), ("ranx", "mrr")])
def test_a_dialect_compares_scores_as_its_tool_does_and_says_so(dialect: str, metric: str) -> None:
    run = run_of(CLOSE["moments"])
    result = evaluate_runs(
        TEST, {"mine": run}, metrics=metric, depth="whole", dialect=dialect, relevant=1
    )
    value = result.summary()["mean"].item()
    told = [note for note in result.notes if "only in single precision" in note]
    if dialect == "trec_eval":
        # 1700000003 is 1700000000 to it, as are the others: c, b, a is its order.
        from trec_eval_oracle import pytrec_eval

        expected = pytrec_eval.RelevanceEvaluator({"u": {"b": 1}}, {"recip_rank"}).evaluate(run)
        assert value == expected["u"]["recip_rank"]
        assert len(told) == 1
        assert "mine has equal scores, 2 of them only in single precision" in told[0]
    else:
        assert value == 1 / 2
        assert told == []
