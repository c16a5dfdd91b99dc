# SPDX-License-Identifier: MIT
"""Values of LensKit 2025: writes the fixture lenskit.json."""

from __future__ import annotations

import logging
import warnings

from fixture_files import CUTOFFS, THRESHOLD, Case, Values, relevant, value_of, write_fixture
from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import (
    DCG,
    NDCG,
    RBP,
    Hit,
    LogRankWeight,
    Precision,
    Recall,
    RecipRank,
    RunAnalysis,
)
from lenskit.metrics.ranking import AveragePrecision

NEXT = "weight=LogRankWeight(offset=1)"


def analysis(all_tested: bool) -> RunAnalysis:
    found = RunAnalysis()
    metrics = [Precision, Recall, Hit, RecipRank, RBP, NDCG, DCG]
    if all_tested:
        metrics.append(AveragePrecision)
    for k in (*CUTOFFS, None):
        at = "" if k is None else f"@{k}"
        for metric in metrics:
            found.add_metric(metric(k), label=f"{metric.__name__}{at}")
        found.add_metric(RBP(k, patience=0.5), label=f"RBP{at} patience=0.5")
        found.add_metric(RBP(k, normalize=True), label=f"RBP{at} normalize=True")
        found.add_metric(NDCG(k, weight=LogRankWeight(offset=1)), label=f"NDCG{at} {NEXT}")
        found.add_metric(NDCG(k, gain="rating"), label=f"NDCG{at} gain=rating")
        if all_tested:
            found.add_metric(DCG(k, gain="rating"), label=f"DCG{at} gain=rating")
        found.add_metric(
            NDCG(k, weight=LogRankWeight(offset=1), gain="rating"),
            label=f"NDCG{at} gain=rating {NEXT}",
        )
    return found


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    lists = ItemListCollection.from_dict(
        {
            user: ItemList([i for i, _ in pairs], scores=[s for _, s in pairs], ordered=True)
            for user, pairs in case["run"].items()
        },
        key="user_id",
    )
    truth = ItemListCollection.from_dict(
        {
            user: ItemList(list(ratings), rating=[float(r) for r in ratings.values()])
            for user, ratings in test.items()
        },
        key="user_id",
    )
    try:
        result = analysis(all_tested=True).measure(lists, truth)
    except (ZeroDivisionError, KeyError):
        assert set(case["run"]) - set(test)
        result = analysis(all_tested=False).measure(lists, truth)
    table = result.list_metrics(fill_missing=False)
    means = result.list_summary()["mean"]
    return {
        label: value_of(float(means[label]), table[label].to_dict(), len(table))
        for label in table.columns
    }


def evaluate(case: Case) -> Values:
    values = values_of_test(case, case["test"])
    above = relevant(case, THRESHOLD)
    if above and above != case["test"]:
        for metric, entry in values_of_test(case, above).items():
            if "gain" not in metric:
                values[f"{metric} test>={THRESHOLD}"] = entry
    return values


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    write_fixture(
        "lenskit",
        "lenskit/metrics/ranking/*.py, bulk.py (RunAnalysis.measure)",
        ["lenskit", "numpy", "pandas"],
        {
            "per_user": "list_metrics(fill_missing=False)",
            "mean": "list_summary(), where a value that is not a number counts 0",
            "AveragePrecision": "left out where a list has no test: it raises ZeroDivisionError",
            "DCG gain=rating": "left out where a list has no test: it raises KeyError",
            "ties": "the order of the list",
        },
        evaluate,
    )
