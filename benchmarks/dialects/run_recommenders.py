# SPDX-License-Identifier: MIT
"""Values of Microsoft's recommenders: writes the fixture recommenders.json."""

from __future__ import annotations

import warnings

import pandas as pd
from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture
from recommenders.evaluation import python_evaluation as evaluation

METRICS = ("precision_at_k", "recall_at_k", "map", "map_at_k", "r_precision_at_k", "ndcg_at_k")
NDCG = (
    {"score_type": "raw"},
    {"score_type": "exp"},
    {"score_type": "exp", "discfun_type": "log2"},
)


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    true = pd.DataFrame(
        [(u, i, float(r)) for u, ratings in test.items() for i, r in ratings.items()],
        columns=["userID", "itemID", "rating"],
    )
    predicted = pd.DataFrame(
        [(user, item, score) for user, pairs in case["run"].items() for item, score in pairs],
        columns=["userID", "itemID", "prediction"],
    )
    values: Values = {}
    for k in CUTOFFS:
        for name in METRICS:
            mean = getattr(evaluation, name)(true, predicted, k=k)
            values[f"{name}@{k}"] = value_of(float(mean))
        for options in NDCG:
            mean = evaluation.ndcg_at_k(true, predicted, k=k, **options)
            label = " ".join(f"{option}={value}" for option, value in options.items())
            values[f"ndcg_at_k@{k} {label}"] = value_of(float(mean))
    return values


def evaluate(case: Case) -> Values:
    return values_of_both_tests(case, values_of_test)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "recommenders",
        "recommenders/evaluation/python_evaluation.py",
        ["recommenders", "numpy", "pandas", "scikit-learn"],
        {"relevancy_method": "top_k (default)", "ties": "the order of the rows of the run"},
        evaluate,
    )
