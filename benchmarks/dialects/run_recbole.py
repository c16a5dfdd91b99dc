# SPDX-License-Identifier: MIT
"""Values of RecBole's evaluator: writes the fixture recbole.json.

RecBole ranks dense scores and reads no runs, so the matrix of hits is made here, in the form in
which its collector hands it to the metrics: one row a user with test items, max(topk) columns.
"""

from __future__ import annotations

import numpy as np

# recbole.config sets both when a run is configured; numpy 1.26 has neither.
vars(np).update(float=np.float64, bool=np.bool_)

import recbole.evaluator.metrics as recbole_metrics
from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture

CONFIG = {"topk": list(CUTOFFS), "metric_decimal_place": 16}
WITH_LENGTH = ("Recall", "MAP", "NDCG")
OF_HITS = ("Precision", "MRR", "Hit")
DEPTH = max(CUTOFFS)


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    users = sorted(test)
    lists = [[item for item, _ in case["run"][user]][:DEPTH] for user in users]
    hits = np.zeros((len(users), DEPTH), dtype=bool)
    for row, (user, listed) in enumerate(zip(users, lists, strict=True)):
        hits[row, : len(listed)] = [item in test[user] for item in listed]
    lengths = np.array([len(test[user]) for user in users])
    values: Values = {}
    for name in (*OF_HITS, *WITH_LENGTH):
        metric = getattr(recbole_metrics, name)(CONFIG)
        arguments = (hits, lengths) if name in WITH_LENGTH else (hits,)
        table = metric.metric_info(*arguments)
        means = metric.topk_result(name.lower(), table)
        for k in CUTOFFS:
            per_user = dict(zip(users, table[:, k - 1].tolist(), strict=True))
            values[f"{name.lower()}@{k}"] = value_of(
                float(means[f"{name.lower()}@{k}"]), per_user, len(users)
            )
    if all(len(listed) == DEPTH for listed in lists):
        matrix = np.array([[int(item[1:]) + 1 for item in listed] for listed in lists])
        n_items = case["n_items"] + 1  # with [PAD], as dataset.num counts
        for k in CUTOFFS:
            top = matrix[:, :k]
            coverage = recbole_metrics.ItemCoverage(CONFIG).get_coverage(top, n_items)
            gini = recbole_metrics.GiniIndex(CONFIG).get_gini(top, n_items)
            entropy = recbole_metrics.ShannonEntropy(CONFIG).get_entropy(top)
            values[f"itemcoverage@{k}"] = value_of(float(coverage), None, len(users))
            values[f"giniindex@{k}"] = value_of(float(gini), None, len(users))
            values[f"shannonentropy@{k}"] = value_of(float(entropy), None, len(users))
    return values


def evaluate(case: Case) -> Values:
    return values_of_both_tests(case, values_of_test)


if __name__ == "__main__":
    write_fixture(
        "recbole",
        "recbole/evaluator/metrics.py, base_metric.py",
        ["recbole", "numpy", "torch"],
        {
            "metric_decimal_place": "16 (default: 4)",
            "short lists": "filled with misses here: RecBole's lists have max(topk) items",
            "items": "[PAD] is one of the items of itemcoverage and giniindex",
            "users": "those with test items",
        },
        evaluate,
        leave_out={
            "missing": "RecBole ranks items for every user that it evaluates",
            "ties": "no rule for ties: torch.topk",
        },
    )
