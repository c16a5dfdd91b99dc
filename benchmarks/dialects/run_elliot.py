# SPDX-License-Identifier: MIT
"""Values of Elliot's accelerated metrics: writes the fixture elliot.json.

    python benchmarks/dialects/run_elliot.py FOLDER

Elliot is in no package registry. FOLDER holds its file accelerated_metrics.py, which needs torch
alone.
"""

from __future__ import annotations

import sys

from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture

sys.path.insert(0, sys.argv[1])

from accelerated_metrics import compute_accelerated_metrics, supported_metric_names

COMMIT = "9060d715bd19f42963442cc4941d86bb7ba855c6"


def evaluate(case: Case) -> Values:
    values: Values = {}
    run = {user: [(item, score) for item, score in pairs] for user, pairs in case["run"].items()}
    for threshold in (0, 1, THRESHOLD):
        for k in CUTOFFS:
            result = compute_accelerated_metrics(
                recommendations=run,
                test_data=case["test"],
                cutoff=k,
                relevance_threshold=threshold,
                metric_names=supported_metric_names(),
                device="cpu",
                return_user_metrics=True,
            )
            for name, mean in result.results.items():
                values[f"{name}@{k} relevance_threshold={threshold}"] = value_of(
                    mean, result.user_results[name], result.users
                )
    return values


if __name__ == "__main__":
    write_fixture(
        "elliot",
        "elliot/evaluation/accelerated_metrics.py (compute_accelerated_metrics)",
        ["torch"],
        {"device": "cpu", "ties": "the order of the list"},
        evaluate,
        tool_version=f"commit {COMMIT}",
    )
