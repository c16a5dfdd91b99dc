# SPDX-License-Identifier: MIT
"""Values of WarpRec's metrics of accuracy, which are in float32: writes the fixture warprec.json.

Importing warprec loads its recommenders and all that they need, so the folders of the metrics are
made packages here; the files of the metrics are WarpRec's own.
"""

from __future__ import annotations

import importlib
import sys
import types
from importlib.metadata import files
from pathlib import Path

for _line in files("warprec") or []:
    if str(_line) == "warprec/__init__.py":
        _folder = Path(_line.locate()).parent.parent
for _name in ("", ".evaluation", ".evaluation.metrics", ".evaluation.metrics.accuracy", ".utils"):
    _package = types.ModuleType(f"warprec{_name}")
    _package.__path__ = [str(_folder / f"warprec{_name}".replace(".", "/"))]
    sys.modules[f"warprec{_name}"] = _package

import torch
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, relevant, value_of, write_fixture

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


def metric_class(name: str, module: str) -> type:
    return getattr(importlib.import_module(f"warprec.evaluation.metrics.accuracy.{module}"), name)


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
        (name, k, metric_class(name, METRICS[name])(k=k, **sizes))
        for name in METRICS
        for k in CUTOFFS
    ]
    if complete:
        asked += [(name, None, metric_class(name, WHOLE[name])(**sizes)) for name in WHOLE]
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
    values = values_of_test(case, case["test"])
    above = relevant(case, THRESHOLD)
    if above and above != case["test"]:
        for metric, entry in values_of_test(case, above).items():
            values[f"{metric} test>={THRESHOLD}"] = entry
    return values


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
