# SPDX-License-Identifier: MIT
"""Values of ranx: writes the fixture ranx.json."""

from __future__ import annotations

import warnings

from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture
from ranx import Qrels, Run, evaluate

NAMES = (
    "precision",
    "recall",
    "f1",
    "hit_rate",
    "hits",
    "mrr",
    "map",
    "dcg",
    "dcg_burges",
    "ndcg",
    "ndcg_burges",
)
WHOLE = ("map", "mrr", "ndcg", "ndcg_burges", "r-precision", "bpref", "rbp.85", "rbp.95")


def evaluate_case(case: Case) -> Values:
    values: Values = {}
    users = {*case["test"], *case["run"]}
    metrics = [f"{name}@{k}" for name in NAMES for k in CUTOFFS] + list(WHOLE)
    unloved = any(max(ratings.values()) < THRESHOLD for ratings in case["test"].values())
    for metric in [*metrics, *(f"{metric}-l{THRESHOLD}" for metric in metrics)]:
        if metric == f"bpref-l{THRESHOLD}" and unloved:
            continue  # 0/0 ends a thread of numba in silence: values depend on their number
        qrels = Qrels(case["test"])
        run = Run({user: dict(pairs) for user, pairs in case["run"].items()})
        mean = evaluate(qrels, run, metric, make_comparable=True)
        scores = next(iter(run.scores.values()))
        per_user = {user: float(value) for user, value in scores.items()}
        assert set(per_user) <= users
        values[metric] = value_of(float(mean), per_user, len(per_user))
    return values


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "ranx",
        "ranx/metrics/*.py, ranx/meta/evaluate.py (evaluate)",
        ["ranx", "numba", "numpy"],
        {
            "make_comparable": True,
            "-l4": "relevance level of the metric's name, default 1",
            "bpref-l4": "left out where a query has nothing relevant: depends on the threads",
        },
        evaluate_case,
        leave_out={
            "ties": "no rule for ties: numba's argsort of the negative scores is not stable"
        },
    )
