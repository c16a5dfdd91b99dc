# SPDX-License-Identifier: MIT
"""Values of RecPack: writes the fixture recpack.json."""

from __future__ import annotations

import warnings

import numpy as np
import recpack.metrics as recpack_metrics
from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture
from scipy.sparse import csr_matrix

LISTWISE = (
    "PrecisionK",
    "RecallK",
    "CalibratedRecallK",
    "NDCGK",
    "DCGK",
    "ReciprocalRankK",
    "HitK",
)


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    users = sorted({*case["test"], *case["run"]})
    shape = (len(users), case["n_items"])
    true, predicted = np.zeros(shape), np.zeros(shape)
    for row, user in enumerate(users):
        for item in test.get(user, {}):
            true[row, int(item[1:])] = 1
        for item, score in case["run"].get(user, []):
            predicted[row, int(item[1:])] = score
    values: Values = {}
    for k in CUTOFFS:
        for name in (*LISTWISE, "CoverageK"):
            metric = getattr(recpack_metrics, name)(k)
            metric.calculate(csr_matrix(true), csr_matrix(predicted))
            per_user = None
            if name in LISTWISE:
                # One row a user, or one an item of the list, which adds up to the user's value.
                table = metric.results.groupby("user_id")["score"].sum()
                per_user = {users[int(row)]: float(score) for row, score in table.items()}
            values[f"{name}@{k}"] = value_of(float(metric.value), per_user, int(metric.num_users))
    return values


def evaluate(case: Case) -> Values:
    return values_of_both_tests(case, values_of_test)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "recpack",
        "recpack/metrics/*.py",
        ["recpack", "numpy", "scipy", "pandas"],
        {"y_true": "binary, as the pipeline hands it to the metrics"},
        evaluate,
        leave_out={"ties": "no rule for ties: numpy.argpartition"},
    )
