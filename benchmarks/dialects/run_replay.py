# SPDX-License-Identifier: MIT
"""Values of RePlay's metrics of accuracy, on dictionaries: writes the fixture replay.json."""

from __future__ import annotations

from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture
from replay.metrics import MAP, MRR, NDCG, HitRate, PerUser, Precision, Recall, RocAuc


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    run = {user: [tuple(pair) for pair in pairs] for user, pairs in case["run"].items()}
    truth = {user: list(own) for user, own in test.items()}
    values: Values = {}
    for of_tool in (NDCG, MAP, MRR, Recall, Precision, HitRate, RocAuc):
        means = of_tool(list(CUTOFFS))(run, truth)
        tables = of_tool(list(CUTOFFS), mode=PerUser())(run, truth)
        for k in CUTOFFS:
            name = f"{of_tool.__name__}@{k}"
            table = tables[f"{of_tool.__name__}-PerUser@{k}"]
            values[name] = value_of(float(means[name]), table, len(truth))
    return values


if __name__ == "__main__":
    write_fixture(
        "replay",
        "replay/metrics/*.py",
        ["replay-rec", "numpy", "pandas", "polars"],
        {"data": "dictionaries, which RePlay computes with in Python"},
        lambda case: values_of_both_tests(case, values_of_test),
    )
