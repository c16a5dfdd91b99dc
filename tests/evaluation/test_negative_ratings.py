# SPDX-License-Identifier: MIT
"""Values below 0: grades are not judged, ratings are disliked, and neither has a gain."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from receval.evaluation.runs import evaluate_runs
from receval.metrics.gains import Gain

QRELS = "u1 0 a 3\nu1 0 b -2\nu2 0 a 1\nu2 0 b 0\n"
RATINGS = {"user": ["u1", "u1", "u2", "u2"], "item": list("abab"), "rating": [3, -2, 1, 0]}
AHEAD = {"u1": {"b": 2.0, "a": 1.0}, "u2": {"a": 2.0, "b": 1.0}}
BEHIND = {"u1": {"a": 1.0}, "u2": {"a": 2.0, "b": 1.0}}


def means(test: object, run: object, metrics: list[str], dialect: str | None) -> list[float]:
    found = evaluate_runs(test, {"mine": run}, metrics=metrics, dialect=dialect, depth="whole")
    means: list[float] = found.summary()["mean"].tolist()
    return means


@pytest.mark.parametrize(
    ("dialect", "metrics"),
    [
        (None, ["nDCG@10", "bpref"]),
        ("trec_eval", ["ndcg_cut_10", "bpref"]),
        ("ir_measures", ["nDCG@10", "Bpref"]),
    ],
)
def test_negative_grades_have_no_gain_and_are_not_judged(
    tmp_path: Path, dialect: str | None, metrics: list[str]
) -> None:
    (tmp_path / "test.qrels").write_text(QRELS, encoding="utf-8")
    qrels = tmp_path / "test.qrels"
    assert means(qrels, BEHIND, metrics, dialect) == [1, 1]
    assert means(qrels, AHEAD, metrics, dialect) == pytest.approx([(1 / log2(3) + 1) / 2, 1])
    note = evaluate_runs(qrels, {"mine": AHEAD}, metrics=metrics, dialect=dialect).notes[0]
    assert note.startswith(
        "Some test ratings are below 0 (the lowest is -2): they count as unjudged"
    )


def test_ranx_takes_negative_grades_for_judged_not_relevant() -> None:
    ndcg = (1 / log2(3) + 1) / 2
    assert means(RATINGS, AHEAD, ["ndcg@10", "bpref"], "ranx") == pytest.approx([ndcg, 0.5])


def test_negative_ratings_have_no_gain_and_are_disliked() -> None:
    # The list of u1 satisfies with 0 and 7/8, that of u2 with 1/8 and 0.
    expected = [(1 / log2(3) + 1) / 2, 0.5, 0.5, (7 / 8 / 2 + 1 / 8) / 2]
    metrics = ["nDCG@10", "bpref", "antiP@1", "ERR@10"]
    assert means(RATINGS, AHEAD, metrics, None) == pytest.approx(expected)


def test_grades_below_0_alone_leave_a_user_tested() -> None:
    grades = {"u1": {"a": -1}, "u2": {"a": 1}}
    run = {"u1": {"a": 1.0}, "u2": {"a": 1.0}}
    assert means(grades, run, ["nDCG@10", "bpref", "P@1"], None) == [0.5, 0.5, 0.5]


@pytest.mark.each("gain", get_args(Gain))
@pytest.mark.each("relevant", [-3, 1])
def test_no_gain_pushes_ndcg_out_of_0_to_1(gain: str, relevant: float) -> None:
    rng = np.random.default_rng(1)
    names = [f"i{code}" for code in range(12)]
    rows = [
        (f"u{u}", item, rng.choice([-5, -2, -0.5, 0.5, 2, 5])) for u in range(9) for item in names
    ]
    columns = zip(*rows, strict=True)
    test = dict(zip(("user", "item", "rating"), map(list, columns), strict=True))
    run = {
        f"u{u}": dict(zip(rng.permutation(names)[:9].tolist(), range(9), strict=True))
        for u in range(9)
    }
    labels = [f"nDCG(gain={gain},ideal={ideal})@5" for ideal in ("cut", "all", "filled", "listed")]
    metrics = [*labels, f"nDCG(gain={gain})", f"RBP(gain={gain})"]
    result = evaluate_runs(test, {"mine": run}, metrics=metrics, relevant=relevant, depth="whole")
    (values,) = result.values.values()
    assert values.per_user.min() >= 0
    assert values.per_user[:-1].max() <= 1 + 1e-12
