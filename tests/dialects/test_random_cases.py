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
import pytrec_eval
from dialects.random_cases import CASES, Grades, Scores, random_case
from scipy import stats

from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs
from receval.statistics.correlation import kendall_tau_b
from receval.statistics.paired_tests import MOST_RANKED, sign_test, t_test, wilcoxon_test

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
            means.sort_index()[name], theirs[:, place], rtol=0, atol=1e-9, err_msg=name
        )


@cache
def compared() -> EvaluationResult:
    grades, scores = all_cases(ties=True)
    turned = {user: {item: -own for item, own in listed.items()} for user, listed in scores.items()}
    labels = ["nDCG@3", "AP", "RR", "tau"]
    return evaluate_runs(grades, {"one": scores, "other": turned}, metrics=labels)


@cache
def differences() -> list[np.ndarray]:
    """The two systems' values of 300 samples of users, shape (n_systems, n_users)."""
    table = compared().per_user()
    one, other = (table[table["system"] == name]["nDCG@3"].to_numpy() for name in ("one", "other"))
    found = []
    for number in range(CASES):
        rng = np.random.default_rng(number)
        size = int(rng.integers(5, 40))
        # Jitter keeps the differences of Wilcoxon's test apart in half of the cases.
        jitter = rng.normal(0, 0.01, size) * (number % 2)
        users = rng.choice(len(one), size, replace=False)
        found.append(np.stack([one[users] + jitter, other[users]]))
    return found


@pytest.mark.costly
def test_paired_tests_are_those_of_scipy() -> None:
    n_wilcoxon = {True: 0, False: 0}
    for own in differences():
        gaps = own[0] - own[1]
        if not (gaps != 0).any():
            continue
        ours = float(t_test(own[None]).squeeze())
        assert ours == pytest.approx(stats.ttest_rel(*own).pvalue, rel=1e-9)
        signs = stats.binomtest(int((gaps > 0).sum()), int((gaps != 0).sum()))
        assert float(sign_test(own[None]).squeeze()) == pytest.approx(signs.pvalue, rel=1e-9)
        kept = np.abs(gaps[gaps != 0])
        is_exact = len(kept) <= MOST_RANKED
        if is_exact and (len(kept) < len(gaps) or len(np.unique(kept)) < len(kept)):
            continue  # Ours is exact there, too, and scipy's is not.
        wanted = stats.wilcoxon(*own, method="exact" if is_exact else "approx", correction=False)
        p = float(wilcoxon_test(own[None], exact_up_to=MOST_RANKED).squeeze())
        assert p == pytest.approx(wanted.pvalue, rel=1e-9)
        n_wilcoxon[is_exact] += 1
    assert min(n_wilcoxon.values()) > 30


@pytest.mark.costly
def test_kendall_s_tau_is_that_of_scipy() -> None:
    for number in range(CASES):
        rng = np.random.default_rng(number)
        pair = rng.integers(0, 6, (2, 12)).astype(float)
        theirs = stats.kendalltau(*pair).statistic
        assert float(kendall_tau_b(pair[:1], pair[1:], 0.0)[0, 0]) == pytest.approx(theirs)


def test_intervals_of_averages_are_those_of_scipy() -> None:
    table = compared().per_user()
    summary = compared().summary().set_index(["metric", "system"])
    for metric in ("nDCG@3", "AP", "RR"):
        for system in ("one", "other"):
            own = table[table["system"] == system][metric]
            low, high = stats.t.interval(0.95, len(own) - 1, loc=own.mean(), scale=stats.sem(own))
            row = summary.loc[(metric, system)]
            assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-9)
