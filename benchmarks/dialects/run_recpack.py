# SPDX-License-Identifier: MIT
"""Values of RecPack: writes the fixture recpack.json."""

from __future__ import annotations

import warnings

import numpy as np
import recpack.metrics as recpack_metrics
from fixture_files import (
    CUTOFFS,
    Case,
    Value,
    Values,
    value_of,
    values_of_both_tests,
    write_fixture,
)
from scipy.sparse import csr_matrix

LISTWISE = (
    "PrecisionK",
    "RecallK",
    "CalibratedRecallK",
    "NDCGK",
    "DCGK",
    "ReciprocalRankK",
    "HitK",
    "IPSHitRateK",
)


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    users = sorted({*case["test"], *case["run"]})
    shape = (len(users), case["n_items"])
    true, predicted, trained = (np.zeros(shape) for _ in range(3))
    for row, user in enumerate(users):
        trained[row, [int(item[1:]) for item in case["train"].get(user, [])]] = 1
        for item in test.get(user, {}):
            true[row, int(item[1:])] = 1
        for item, score in case["run"].get(user, []):
            predicted[row, int(item[1:])] = score
    values: Values = {}
    for k in CUTOFFS:
        for name in (*LISTWISE, "CoverageK"):
            metric = getattr(recpack_metrics, name)(k)
            if name == "IPSHitRateK":
                metric.fit(csr_matrix(true + trained))
            metric.calculate(csr_matrix(true), csr_matrix(predicted))
            per_user = None
            if name in LISTWISE:
                # One row a user, or one an item of the list, which adds up to the user's value.
                table = metric.results.groupby("user_id")["score"].sum()
                per_user = {users[int(row)]: float(score) for row, score in table.items()}
            values[f"{name}@{k}"] = value_of(float(metric.value), per_user, int(metric.num_users))
    lengths = {len(pairs) for pairs in case["run"].values()}
    if len(lengths) == 1 and lengths != {20}:
        values["PercentileRanking"] = percentile_ranking(case, test, *lengths)
    return values


def percentile_ranking(case: Case, test: dict[str, dict[str, int]], n_items: int) -> Value:
    """Return its value if the items of each user's list are all that there are."""
    true, predicted = np.zeros((len(test), n_items)), np.zeros((len(test), n_items))
    for row, user in enumerate(sorted(test)):
        for column, (item, score) in enumerate(case["run"][user]):
            true[row, column] = item in test[user]
            predicted[row, column] = score
    metric = recpack_metrics.PercentileRanking()
    metric.calculate(csr_matrix(true), csr_matrix(predicted))
    return value_of(float(metric.value) / 100, None, int(metric.num_users))


def evaluate(case: Case) -> Values:
    return values_of_both_tests(case, values_of_test)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "recpack",
        "recpack/metrics/*.py",
        ["recpack", "numpy", "scipy", "pandas"],
        {
            "y_true": "binary, as the pipeline hands it to the metrics",
            "IPSHitRateK": "fitted on the training and test data",
            "PercentileRanking": "divided by 100, which RecPack multiplies it by",
        },
        evaluate,
        leave_out={
            "ties": "no rule for ties: numpy.argpartition",
            "negative": "ratings below 0 are relevant, too",
        },
    )
