# SPDX-License-Identifier: MIT
"""Metric values of systems by protocol and fold, beside their theoretical expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from receval.metrics.evaluation import evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.precision_and_recall import Precision
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.sampled_candidates import (
    SamplingOdds,
    expected_precision_among_samples,
    expected_under_one_relevant,
)
from receval.theory.precision import (
    Expectation,
    random_precision,
    random_precision_within_percentiles,
)
from receval.theory.target_densities import TargetDensities
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.metric_comparison import UserMeans
from reproduction.experiments.tidy_values import (
    Measurement,
    error_of_mean,
    means_over_folds,
    measure_experiment,
    protocol_columns,
)

UNKNOWN = Expectation(float("nan"), float("nan"))


class Expectations:
    """Expected values of one fold of an experiment."""

    def __init__(self, experiment: Experiment, number: int) -> None:
        self.experiment = experiment
        self.number = number
        self._odds: dict[tuple[str, Protocol], SamplingOdds] = {}
        self._random: dict[tuple[Protocol, int], Expectation] = {}

    def over_samples(
        self, protocol: Protocol, system: str, lists: JudgedLists, metrics: Sequence[Metric]
    ) -> list[float]:
        """Return the expectation of each metric over all samples of candidates.

        It is computed from the ranks among all candidates (AR AN). It is NaN if the experiment has
        no such protocol, if nothing is sampled, and for metrics with unknown expectation (under AR
        all except precision).
        """
        unknown = [float("nan")] * len(metrics)
        if protocol.sampled is None or protocol.percentiles is not None:
            return unknown
        whole = replace(protocol, relevant="AR", sampled=None, threshold=None)
        if whole not in self.experiment.protocols:
            return unknown
        if (system, whole) not in self._odds:
            fold = self.experiment.fold(self.number)
            candidates = self.experiment.lists(system, whole, self.number)
            self._odds[system, whole] = SamplingOdds.of(fold, candidates, whole)
        odds = self._odds[system, whole]
        chosen = evaluated_lists(lists, self.experiment.evaluated_users)
        found = []
        for metric in metrics:
            if protocol.relevant == "1R":
                values = expected_under_one_relevant(odds, metric, protocol.sampled)
            elif metric == Precision(cutoff=metric.cutoff) and metric.cutoff is not None:
                values = expected_precision_among_samples(odds, metric.cutoff, protocol.sampled)
            else:
                found.append(float("nan"))
                continue
            found.append(float(values[chosen].mean()))
        return found

    def of_random(self, protocol: Protocol, metric: Metric) -> Expectation:
        """Return the expected precision of Random; unknown for other metrics.

        Random's lists are averaged over all users, so it is also unknown if other users are
        averaged under AR.
        """
        over_all = protocol.relevant == "1R" or self.experiment.evaluated_users == "all"
        is_precision = metric == Precision(cutoff=metric.cutoff)
        if metric.cutoff is None or not (over_all and is_precision):
            return UNKNOWN
        key = (protocol, metric.cutoff)
        if key not in self._random:
            fold, threshold = self.experiment.fold(self.number), self.experiment.threshold
            if protocol.percentiles is None:
                densities = TargetDensities.of(fold, protocol, threshold)
                self._random[key] = random_precision(densities, metric.cutoff)
            else:
                self._random[key] = random_precision_within_percentiles(
                    fold, protocol, threshold, metric.cutoff
                )
        return self._random[key]


KEYS = ["dataset", "split", "protocol", "sampled", "system", "metric", "cutoff"]
VALUES = ["value", "lists", "computable_share", "expected", "random_expected", "random_error"]


def values_by_fold(experiment: Experiment, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return metric values for every protocol, system, metric and fold, and their means.

    Metrics that need all judgments of a user (bpref) are left out under 1R.

    Columns: dataset; split; protocol (name, such as ``1R TI-NN``); sampled (number of sampled
    candidates, empty if all are ranked); system; metric; cutoff; fold (its number, or ``mean`` over
    folds); value; lists (how many lists the value averages, over all folds for the mean; for P1R
    see :class:`.MeasuredLists`); computable_share (share of the candidates whose score the system
    could compute); expected (the value's expectation over all samples of candidates);
    random_expected, random_error (the expected value of Random in the same target sets and its
    standard error); and, in the rows of means, p_against_<system> for every system: the p-value of
    Wilcoxon's signed-rank test over users of the difference from that system (of means over users
    that :func:`values_of_users` returns). Unknown values are empty; see
    :class:`reproduction.experiments.values_by_fold.Expectations` and
    :class:`reproduction.experiments.metric_comparison.UserMeans`.
    """
    expectations = Expectations(experiment, 0)
    measurements = _measurements(experiment, metrics)
    collected = {one.protocol: UserMeans(experiment, len(one.metrics)) for one in measurements}
    rows = []
    for measured in measure_experiment(experiment, measurements):
        own, number = measured.measurement.metrics, int(measured.labels["fold"])
        protocol, system = measured.measurement.protocol, measured.labels["system"]
        assert protocol is not None
        if number != expectations.number:
            expectations = Expectations(experiment, number)
        collected[protocol].add(system, measured.lists, measured.per_list)
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
    # Groups are in the order of the first fold's rows, by protocol, system and metric.
    p_values = [
        dict(zip((f"p_against_{name}" for name in experiment.all_systems), row, strict=True))
        for protocol in experiment.protocols
        for table in [collected[protocol].wilcoxon()]
        for index in range(len(experiment.all_systems))
        for row in table[:, index]
    ]
    means = pd.concat([means.assign(fold="mean"), pd.DataFrame(p_values)], axis=1)
    table = pd.concat([folds, means], ignore_index=True)
    return table[[*KEYS, "fold", *VALUES, *p_values[0]]]


def values_of_users(experiment: Experiment, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return the means over users that the p-values of :func:`values_by_fold` compare.

    A user's lists are averaged first, then the user's folds. These are not the means over folds
    under 1R, with one list per relevant judgment, or if folds test different users.

    Columns: dataset; split; protocol; sampled; system; metric; cutoff; value; lists (how many users
    it averages).
    """
    measurements = _measurements(experiment, metrics)
    collected = {one.protocol: UserMeans(experiment, len(one.metrics)) for one in measurements}
    for measured in measure_experiment(experiment, measurements):
        means = collected[measured.measurement.protocol]
        means.add(measured.labels["system"], measured.lists, measured.per_list)
    rows = []
    for protocol, own in zip(experiment.protocols, measurements, strict=True):
        values = collected[protocol].values()
        for system, of_system in zip(experiment.all_systems, values.mean(axis=2).T, strict=True):
            for metric, value in zip(own.metrics, of_system, strict=True):
                rows.append(
                    {
                        "dataset": experiment.dataset,
                        "split": experiment.split,
                        **protocol_columns(protocol),
                        "system": system,
                        "metric": metric.at(None).label,
                        "cutoff": metric.cutoff,
                        "value": float(value),
                        "lists": values.shape[2],
                    }
                )
    return pd.DataFrame(rows)


def _measurements(experiment: Experiment, metrics: Sequence[Metric]) -> list[Measurement]:
    """Return the metrics of each protocol; under 1R without those that need all judgments."""
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
