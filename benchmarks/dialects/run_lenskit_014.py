# SPDX-License-Identifier: MIT
"""Values of LensKit 0.14: writes the fixture lenskit_014.json."""

from __future__ import annotations

import warnings

import pandas as pd
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, relevant, value_of, write_fixture
from lenskit import topn

METRICS = ("precision", "recall", "hit", "recip_rank", "ndcg")


def values_of_test(case: Case, test: dict[str, dict[str, int]], *, rated: bool) -> Values:
    run = pd.DataFrame(
        [
            (user, item, rank, score)
            for user, pairs in case["run"].items()
            for rank, (item, score) in enumerate(pairs, 1)
        ],
        columns=["user", "item", "rank", "score"],
    )
    truth = pd.DataFrame(
        [(u, i, float(r)) for u, ratings in test.items() for i, r in ratings.items()],
        columns=["user", "item", "rating"],
    )
    if not rated:
        truth = truth.drop(columns="rating")
    values: Values = {}
    for k in CUTOFFS:
        analysis = topn.RecListAnalysis()
        for name in METRICS:
            analysis.add_metric(getattr(topn, name), k=k)
        for suffix, frame, missing in (
            ("", run, False),
            (" include_missing", run, True),
            (" without rank", run.drop(columns="rank"), False),
        ):
            table = analysis.compute(frame, truth, include_missing=missing)
            for name in METRICS:
                column = table[name]
                label = f"{name}@{k}" + ("" if rated else " without rating") + suffix
                values[label] = value_of(float(column.mean()), column.to_dict(), len(column))
    return values


def evaluate(case: Case) -> Values:
    values = values_of_test(case, case["test"], rated=True)
    binary = values_of_test(case, case["test"], rated=False)
    values.update({metric: entry for metric, entry in binary.items() if "ndcg" in metric})
    above = relevant(case, THRESHOLD)
    if above and above != case["test"]:
        for metric, entry in values_of_test(case, above, rated=False).items():
            if not metric.endswith(("include_missing", "without rank")):
                values[f"{metric} test>={THRESHOLD}"] = entry
    return values


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "lenskit_014",
        "lenskit/metrics/topn.py, lenskit/topn.py (RecListAnalysis.compute)",
        ["lenskit", "numpy", "pandas"],
        {
            "without rank": "no column rank in the run, so that metrics have no bulk version",
            "without rating": "test without a column rating, so that ndcg is binary",
            "mean": "pandas' mean of the column, which skips what is not a number",
            "users": "rows of the table, those without a number included",
            "ties": "the order of the list",
        },
        evaluate,
    )
