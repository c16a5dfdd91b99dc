"""Metric values of systems by protocol and fold: the numbers behind many of the papers' bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.evaluation.expectations import Expectations, error_of_mean
from receval.evaluation.experiment import Experiment
from receval.evaluation.user_means import UserMeans
from receval.metrics.aggregation import evaluated_lists, mean
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.statistics.confidence import VALUES

KEYS = ["dataset", "split", "protocol", "sampled", "system", "metric", "cutoff"]


def values_by_fold(experiment: Experiment, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return metric values for every protocol, system, metric and fold, and their means.

    Metrics that need all judgments of a user (bpref) are left out under 1R.

    Columns: dataset; split; protocol (name, such as ``1R TI-NN``); sampled (number of sampled
    candidates, empty if all are ranked); system; metric; cutoff; fold (its number, or ``mean``
    over folds); value; lists (how many lists the value averages, over all folds for the mean; under
    P1R, which averages percentiles first, the number of percentiles times the lists of the smallest
    one, as every list of that one weighs);
    computable_share (share of the candidates whose score the system could compute); expected (the
    value's expectation over all samples of candidates); random_expected, random_error (the
    expected value of Random in the same target sets and its standard error); and, in the rows of
    means, p_against_<system> for every system: the p-value of Wilcoxon's signed-rank test over
    users of the difference from that system. What is not known is empty: see
    :class:`receval.evaluation.expectations.Expectations` and
    :class:`receval.evaluation.user_means.UserMeans`.
    """
    rows = []
    collected: dict[str, UserMeans] = {}
    measured = {
        protocol.key: [
            metric for metric in metrics if protocol.relevant == "AR" or not metric.refused_under_1r
        ]
        for protocol in experiment.protocols
    }
    expectations = Expectations(experiment, 0)
    for number, protocol, system, lists in experiment.outcomes():
        if number != expectations.number:
            expectations = Expectations(experiment, number)
        own = measured[protocol.key]
        per_list = evaluate(own, lists)
        users = collected.setdefault(
            protocol.key,
            UserMeans(experiment.all_systems, len(own), lists.n_users, experiment.evaluated_users),
        )
        users.add(system, lists, per_list)
        evaluated_users = _weighing_lists(lists, evaluated_lists(lists, experiment.evaluated_users))
        values = mean(per_list, lists, experiment.evaluated_users)
        expected = expectations.over_samples(protocol, system, lists, own)
        for metric, value, over_samples in zip(own, values, expected, strict=True):
            of_random = expectations.of_random(protocol, metric)
            rows.append(
                {
                    "dataset": experiment.dataset,
                    "split": experiment.split,
                    "protocol": protocol.name,
                    "sampled": "" if protocol.sampled is None else str(protocol.sampled),
                    "system": system,
                    "metric": metric.at(None).label,
                    "cutoff": metric.cutoff,
                    "fold": str(number),
                    "value": float(value),
                    "lists": evaluated_users,
                    "computable_share": lists.computable_share,
                    "expected": over_samples,
                    "random_expected": of_random.mean,
                    "random_error": of_random.standard_error,
                }
            )
    folds = pd.DataFrame(rows)
    means = folds.groupby(KEYS, sort=False, dropna=False, as_index=False).agg(
        value=("value", "mean"),
        lists=("lists", "sum"),
        computable_share=("computable_share", "mean"),
        expected=("expected", "mean"),
        random_expected=("random_expected", "mean"),
        random_error=("random_error", error_of_mean),
    )
    # Groups come in the order of the first fold's rows: by protocol, system and metric.
    p_values = [
        dict(zip((f"p_against_{name}" for name in experiment.all_systems), row, strict=True))
        for protocol in experiment.protocols
        for table in [collected[protocol.key].wilcoxon()]
        for place in range(len(experiment.all_systems))
        for row in table[:, place]
    ]
    means = pd.concat([means.assign(fold="mean"), pd.DataFrame(p_values)], axis=1)
    table = pd.concat([folds, means], ignore_index=True)
    return table[[*KEYS, "fold", *VALUES, *p_values[0]]]


def _weighing_lists(lists: JudgedLists, chosen: NDArray[np.bool_]) -> int:
    """Return over how many lists one would average for each to weigh as the heaviest one does."""
    if lists.percentiles is None:
        return int(chosen.sum())
    sizes = np.unique(lists.percentiles[chosen], return_counts=True)[1]
    return len(sizes) * int(sizes.min()) if len(sizes) else 0
