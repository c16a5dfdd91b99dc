# SPDX-License-Identifier: MIT
"""Values of WarpRec's metrics of accuracy, in float32: writes the fixture warprec.json."""

from __future__ import annotations

import torch
from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture
from warprec_metrics import metric_class

METRICS = {
    "Precision": "precision",
    "Recall": "recall",
    "HitRate": "hit_rate",
    "MRR": "mrr",
    "MAP": "map",
    "MAR": "mar",
    "F1": "f1",
    "nDCG": "ndcg",
    "nDCGRendle2020": "ndcg",
    "LAUC": "lauc",
}
WHOLE = {"AUC": "auc", "GAUC": "gauc"}  # of all candidates


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    users = sorted(case["run"])
    shape = (len(users), case["n_items"])
    predicted, ground = torch.full(shape, -torch.inf), torch.zeros(shape)
    complete = True
    for row, user in enumerate(users):
        for item, score in case["run"][user]:
            predicted[row, int(item[1:])] = score
        for item, rating in test.get(user, {}).items():
            ground[row, int(item[1:])] = rating
        listed = len(case["run"][user])
        complete = complete and listed == case["n_items"] - len(case["train"][user])
    sizes = {"num_users": len(users), "num_items": case["n_items"]}
    asked = [
        (name, k, metric_class(name, f"accuracy.{METRICS[name]}")(k=k, **sizes))
        for name in METRICS
        for k in CUTOFFS
    ]
    if complete:
        asked += [
            (name, None, metric_class(name, f"accuracy.{WHOLE[name]}")(**sizes)) for name in WHOLE
        ]
    values: Values = {}
    for name, k, metric in asked:
        if name == "LAUC" and not complete:
            continue
        metric.update(predicted, user_indices=torch.arange(len(users)), ground=ground)
        scores = torch.as_tensor(metric.compute()[name])
        label = name if k is None else f"{name}@{k}"
        if scores.ndim == 0:
            values[label] = value_of(float(scores))
            continue
        per_user = dict(zip(users, scores.tolist(), strict=True))
        counted = int((~torch.isnan(scores)).sum())
        values[label] = value_of(float(scores.nanmean()), per_user, counted)
    return values


def evaluate(case: Case) -> Values:
    return values_of_both_tests(case, values_of_test)


if __name__ == "__main__":
    filled = "the dense matrix ranks items that are not listed, some of which are relevant"
    write_fixture(
        "warprec",
        "warprec/evaluation/metrics/accuracy/*.py",
        ["warprec", "torch", "numpy"],
        {
            "float": "float32",
            "mean": "torch.nanmean of the users' values, as the writer of results does",
            "AUC, GAUC, LAUC": "only where lists hold all candidates",
        },
        evaluate,
        leave_out={
            "short": filled,
            "missing": filled,
            "ties": "ties are broken by a hash of seed, user and item",
        },
    )
