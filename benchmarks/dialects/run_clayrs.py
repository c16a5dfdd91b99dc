# SPDX-License-Identifier: MIT
"""Values of ClayRS: writes the fixture clayrs.json.

Importing clayrs loads all its recommenders and analysers of texts and pictures, whose versions no
Python of today has, so its folders are made packages here; the files of the metrics are its own.
"""

from __future__ import annotations

import sys
import types
import warnings
from importlib.metadata import files
from pathlib import Path
from types import SimpleNamespace

for _line in files("clayrs") or []:
    if str(_line) == "clayrs/__init__.py":
        _folder = Path(_line.locate()).parent.parent
for _name in (
    *("", ".content_analyzer", ".content_analyzer.ratings_manager", ".utils"),
    *(".evaluation", ".evaluation.metrics"),
):
    _package = types.ModuleType(f"clayrs{_name}")
    _package.__path__ = [str(_folder / f"clayrs{_name}".replace(".", "/"))]
    sys.modules[f"clayrs{_name}"] = _package

import clayrs.evaluation.metrics.classification_metrics as classification
import clayrs.evaluation.metrics.ranking_metrics as ranking
from clayrs.content_analyzer.ratings_manager.ratings import Ratings
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture


def metrics() -> dict[str, object]:
    found: dict[str, object] = {
        "NDCG": ranking.NDCG(),
        "NDCG gains=exponential": ranking.NDCG("exponential"),
    }
    for k in CUTOFFS:
        found[f"NDCG@{k}"] = ranking.NDCGAtK(k)
        found[f"NDCG@{k} gains=exponential"] = ranking.NDCGAtK(k, "exponential")
    for threshold in (None, 1, THRESHOLD):
        given = {"relevant_threshold": threshold}
        suffix = "" if threshold is None else f" relevant_threshold={threshold}"
        found[f"MRR{suffix}"] = ranking.MRR(**given)
        found[f"MAP{suffix}"] = ranking.MAP(**given)
        found[f"RPrecision{suffix}"] = classification.RPrecision(**given)
        for k in CUTOFFS:
            found[f"MRR@{k}{suffix}"] = ranking.MRRAtK(k, **given)
            found[f"MAP@{k}{suffix}"] = ranking.MAPAtK(k, **given)
            found[f"Precision@{k}{suffix}"] = classification.PrecisionAtK(k, **given)
            found[f"Recall@{k}{suffix}"] = classification.RecallAtK(k, **given)
            found[f"F1@{k}{suffix}"] = classification.FMeasureAtK(k, **given)
    return found


def evaluate(case: Case) -> Values:
    predicted = Ratings.from_list(
        [(user, item, score) for user, pairs in case["run"].items() for item, score in pairs]
    )
    truth = Ratings.from_list(
        [(user, i, float(r)) for user, row in case["test"].items() for i, r in row.items()]
    )
    values: Values = {}
    best = max(rating for row in case["test"].values() for rating in row.values())
    for label, metric in metrics().items():
        if best < (getattr(metric, "relevant_threshold", None) or 0):
            continue  # it raises ValueError where no user has anything relevant
        table = metric.perform(SimpleNamespace(pred=predicted, truth=truth))
        table = table.set_index("user_id")  # MAP has AP of users in a column, MAP in the next
        each = table[table.index != "sys"].iloc[:, 0]
        mean = float(table.loc["sys"].iloc[-1])
        if each.empty:  # MRR tells no users
            values[label] = value_of(mean)
        else:
            values[label] = value_of(mean, each.to_dict(), int(each.notna().sum()))
    return values


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_fixture(
        "clayrs",
        "clayrs/evaluation/metrics/ranking_metrics.py, classification_metrics.py",
        ["clayrs", "numpy", "pandas", "numpy-indexed"],
        {
            "relevant_threshold": "default: the mean of the user's ratings in test",
            "mean": "the row sys: numpy.nanmean of the users, or of both precision and recall",
            "refused": "metrics whose threshold no rating reaches raise ValueError: left out",
            "ties": "the order of the rows of the run",
        },
        evaluate,
    )
