# SPDX-License-Identifier: MIT
"""On 300 random cases values are those of pytrec_eval, ranx and scipy.

Grades may be negative, scores equal or different beyond single precision; users have nothing
relevant, no list, or no judgments.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dialects.random_cases import CASES, Grades, Scores, random_case
from scipy import stats
from trec_eval_oracle import pytrec_eval

from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs

OF_TREC_EVAL = {
    "P@5": "P_5",
    "recall@5": "recall_5",
    "map": "map",
    "map_cut@5": "map_cut_5",
    "ndcg": "ndcg",
    "ndcg_cut@5": "ndcg_cut_5",
    "recip_rank": "recip_rank",
    "success@5": "success_5",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "set_P": "set_P",
    "set_recall": "set_recall",
    "set_F": "set_F",
}
RANX = json.loads(Path(__file__).with_name("random_cases_ranx.json").read_text(encoding="utf-8"))


@cache
def all_cases(*, ties: bool) -> tuple[Grades, Scores]:
    grades: Grades = {}
    scores: Scores = {}
    for number in range(CASES):
        own_grades, own_scores = random_case(number, ties=ties)
        grades |= own_grades
        scores |= own_scores
    return grades, scores


def values_by_user(dialect: str, metrics: list[str], *, ties: bool) -> pd.DataFrame:
    grades, scores = all_cases(ties=ties)
    result = evaluate_runs(
        grades, {"mine": scores}, metrics=metrics, dialect=dialect, users="tested"
    )
    return result.per_user().set_index("user")


def test_all_measures_are_those_of_pytrec_eval() -> None:
    grades, scores = all_cases(ties=True)
    ours = values_by_user("trec_eval", list(OF_TREC_EVAL), ties=True)
    wanted = {name.replace("_5", ".5") for name in OF_TREC_EVAL.values()}
    theirs = pytrec_eval.RelevanceEvaluator(grades, wanted).evaluate(scores)
    assert set(ours.index) == set(grades)
    missing = dict.fromkeys(OF_TREC_EVAL.values(), 0.0)
    expected = pd.DataFrame([theirs.get(user, missing) for user in ours.index], index=ours.index)
    assert sum(user not in scores for user in grades) == CASES
    for name, measure in OF_TREC_EVAL.items():
        np.testing.assert_allclose(ours[name], expected[measure], rtol=0, atol=1e-12, err_msg=name)


def test_all_measures_are_those_of_ranx() -> None:
    # ranx has no rule for equal scores: its sort is not stable.
    ours = values_by_user("ranx", RANX["metrics"], ties=False)
    # Five users of each case are averaged; who has no list counts 0.
    means = ours[RANX["metrics"]].groupby(ours.index.str.extract(r"c(\d+)u")[0].to_numpy()).mean()
    means.index = means.index.astype(int)
    theirs = np.array(RANX["means"])
    assert len(theirs) == CASES
    for place, name in enumerate(RANX["metrics"]):
        np.testing.assert_allclose(
            means.sort_index()[name], theirs[:, place], rtol=0, atol=1e-12, err_msg=name
        )


@cache
def compared() -> EvaluationResult:
    grades, scores = all_cases(ties=True)
    turned = {user: {item: -own for item, own in listed.items()} for user, listed in scores.items()}
    labels = ["nDCG@3", "AP", "RR", "tau"]
    return evaluate_runs(grades, {"one": scores, "other": turned}, metrics=labels)


def test_intervals_of_averages_are_those_of_scipy() -> None:
    table = compared().per_user()
    summary = compared().summary().set_index(["metric", "system"])
    for metric in ("nDCG@3", "AP", "RR"):
        for system in ("one", "other"):
            own = table[table["system"] == system][metric]
            low, high = stats.t.interval(0.95, len(own) - 1, loc=own.mean(), scale=stats.sem(own))
            row = summary.loc[(metric, system)]
            assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-9)
