"""Metric values of systems by protocol and fold: the numbers behind many of the papers' bars."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.metrics.aggregation import averaged_lists, mean
from receval.metrics.evaluation import evaluate
from receval.metrics.metric import Metric
from receval.studies.inputs import Experiment


def values_by_fold(experiment: Experiment, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return metric values for every protocol, system, metric and fold, and their means.

    Columns: dataset; protocol (name, such as ``1R TI-NN``); sampled (number of sampled
    candidates, empty if all are ranked); system; metric; cutoff; fold (its number, or ``mean``
    over folds); value; lists (how many lists the value averages, over all folds for the mean);
    computable_share (share of the candidates whose score the system could compute).
    """
    rows = []
    for number, protocol, system, lists in experiment.outcomes():
        values = mean(evaluate(metrics, lists), lists, experiment.averaged)
        averaged = int(averaged_lists(lists, experiment.averaged).sum())
        for metric, value in zip(metrics, values, strict=True):
            rows.append(
                {
                    "dataset": experiment.dataset,
                    "protocol": protocol.name,
                    "sampled": "" if protocol.sampled is None else str(protocol.sampled),
                    "system": system,
                    "metric": metric.at(None).label,
                    "cutoff": metric.cutoff,
                    "fold": str(number),
                    "value": float(value),
                    "lists": averaged,
                    "computable_share": lists.computable_share,
                }
            )
    folds = pd.DataFrame(rows)
    keys = ["dataset", "protocol", "sampled", "system", "metric", "cutoff"]
    means = folds.groupby(keys, sort=False, dropna=False, as_index=False).agg(
        value=("value", "mean"),
        lists=("lists", "sum"),
        computable_share=("computable_share", "mean"),
    )
    table = pd.concat([folds, means.assign(fold="mean")], ignore_index=True)
    return table[[*keys, "fold", "value", "lists", "computable_share"]]
