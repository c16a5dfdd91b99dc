"""Metric values of systems by protocol and fold: the numbers behind many of the papers' bars."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.evaluation.expectations import Expectations, error_of_mean
from receval.evaluation.experiment import Experiment
from receval.evaluation.tidy_values import Measurement, means_over_folds, measure_experiment
from receval.evaluation.user_means import UserMeans
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
    expectations = Expectations(experiment, 0)
    collected: dict[str, UserMeans] = {}
    rows = []
    for measured in measure_experiment(experiment, _measurements(experiment, metrics)):
        own, number = measured.measurement.metrics, int(measured.labels["fold"])
        protocol, system = measured.measurement.protocol, measured.labels["system"]
        assert protocol is not None
        if number != expectations.number:
            expectations = Expectations(experiment, number)
        if protocol.key not in collected:
            collected[protocol.key] = UserMeans(experiment, len(own))
        collected[protocol.key].add(system, measured.lists, measured.per_list)
        expected = expectations.over_samples(protocol, system, measured.lists, own)
        for row, metric, over_samples in zip(measured.rows(), own, expected, strict=True):
            of_random = expectations.of_random(protocol, metric)
            rows.append(
                {
                    **row,
                    "metric": metric.at(None).label,
                    "cutoff": metric.cutoff,
                    "computable_share": measured.lists.computable_share,
                    "expected": over_samples,
                    "random_expected": of_random.mean,
                    "random_error": of_random.standard_error,
                }
            )
    folds = pd.DataFrame(rows)
    means = means_over_folds(
        folds,
        KEYS,
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
        for index in range(len(experiment.all_systems))
        for row in table[:, index]
    ]
    means = pd.concat([means.assign(fold="mean"), pd.DataFrame(p_values)], axis=1)
    table = pd.concat([folds, means], ignore_index=True)
    return table[[*KEYS, "fold", *VALUES, *p_values[0]]]


def _measurements(experiment: Experiment, metrics: Sequence[Metric]) -> list[Measurement]:
    """Return what is measured under each protocol: under 1R not what needs all judgments."""
    return [
        Measurement(
            tuple(
                metric
                for metric in metrics
                if protocol.relevant == "AR" or not metric.refused_under_1r
            ),
            experiment.evaluated_users,
            protocol=protocol,
        )
        for protocol in experiment.protocols
    ]
