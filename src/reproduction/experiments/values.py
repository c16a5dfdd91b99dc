# SPDX-License-Identifier: MIT
"""Measure a system's lists, average the values over users, and compare systems and metrics.

All studies evaluate systems with this module, and use its rows, its averages as arrays, or its
values of single lists. There are two exceptions, which average the values of
:func:`receval.metrics.evaluation.evaluate` many times for the same lists: evaluation with removed
judgments (:mod:`receval.missing_judgments`, and figures 3 and 4 of Bellogín et al. 2017), and with
decisions on averages (:mod:`receval.multiverse`). Tables take their means over folds from
:func:`means_over_folds`; arrays of averages (:func:`system_values`,
:mod:`reproduction.workflow.jobs.measurements`) average over folds themselves, as do means of
users.

Comparisons are means of users for paired tests, p-values, and orders of systems. Values by protocol
and fold stand beside their theoretical expectations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from receval.metrics.averages import MEAN_DECIMALS, Arithmetic, Average
from receval.metrics.evaluation import EvaluatedUsers, aggregate, evaluate, evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.precision_and_recall import Precision
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.sampled_candidates import (
    SamplingOdds,
    expected_precision_among_samples,
    expected_under_one_relevant,
)
from receval.seeds import seed_sequence
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.paired_tests import wilcoxon_test
from receval.statistics.pairs import system_pairs
from receval.statistics.permutation import permutation_test
from receval.theory.precision import (
    Expectation,
    TargetDensities,
    random_precision,
    random_precision_within_percentiles,
)
from reproduction.experiments.experiment import Experiment


@dataclass(frozen=True)
class Measurement:
    """Which metrics are measured, by which judgments, and averaged over which users."""

    metrics: tuple[Metric, ...]
    evaluated_users: EvaluatedUsers
    averages: tuple[Average, ...] = (Arithmetic(),)
    # Names of the metrics in the rows; their labels by default.
    names: tuple[str, ...] = ()
    # A name for the rows, if there are several forms of a metric.
    form: str = ""
    # The part of a fold that the lists are measured by: test or unbiased.
    judgments: str = "test"
    # Ratings at or above it are relevant; the experiment's own by default.
    threshold: float | None = None
    # Whose lists are measured; those of all protocols by default.
    protocol: Protocol | None = None


@dataclass(frozen=True)
class MeasuredLists:
    """One system's lists, measured and averaged.

    `per_list` has shape (n_metrics, n_lists), `values` (n_averages, n_metrics). `n_lists` says how
    many lists a value averages. P1R averages percentiles first, so there it is the number of
    percentiles times the lists of the smallest one, whose lists have the largest weight. Labels are
    further columns of every row, such as the system.
    """

    measurement: Measurement
    lists: JudgedLists
    per_list: NDArray[np.float64]
    values: NDArray[np.float64]
    n_lists: int
    labels: Mapping[str, Any]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per average and metric: the labels, the measurement and the value."""
        names = self.measurement.names or [metric.label for metric in self.measurement.metrics]
        for average, values in zip(self.measurement.averages, self.values, strict=True):
            for name, value in zip(names, values, strict=True):
                yield {
                    **self.labels,
                    "form": self.measurement.form,
                    "average": average.label,
                    "metric": name,
                    "value": float(value),
                    "lists": self.n_lists,
                }


def measure(lists: JudgedLists, measurement: Measurement, **labels: Any) -> MeasuredLists:
    """Measure lists and average them."""
    users = measurement.evaluated_users
    per_list = evaluate(measurement.metrics, lists)
    values = [aggregate(per_list, lists, average, users) for average in measurement.averages]
    n_lists = _weighing_lists(lists, evaluated_lists(lists, users))
    return MeasuredLists(measurement, lists, per_list, np.array(values), n_lists, labels)


def measure_experiment(
    experiment: Experiment, measurements: Sequence[Measurement]
) -> Iterator[MeasuredLists]:
    """Measure all lists of an experiment, by kind of judgments, then by fold.

    A system's lists are read once for each kind of judgments and threshold. The labels are dataset;
    split; judgments; threshold (of relevance); fold (its number); protocol (its name); sampled
    (number of sampled candidates, empty if all are ranked); system.
    """
    for judgments in dict.fromkeys(measurement.judgments for measurement in measurements):
        for number, protocol, system in product(
            experiment.folds, experiment.protocols, experiment.all_systems
        ):
            by_threshold: dict[float, JudgedLists] = {}
            for one in measurements:
                if one.judgments != judgments or one.protocol not in (None, protocol):
                    continue
                threshold = experiment.threshold if one.threshold is None else one.threshold
                if threshold not in by_threshold:
                    by_threshold[threshold] = experiment.lists(
                        system, protocol, number, judgments, threshold
                    )
                yield measure(
                    by_threshold[threshold],
                    one,
                    dataset=experiment.dataset,
                    split=experiment.split,
                    judgments=judgments,
                    threshold=threshold,
                    fold=str(number),
                    **protocol_columns(protocol),
                    system=system,
                )


def protocol_columns(protocol: Protocol) -> dict[str, str]:
    """Return the columns for a protocol: ``protocol`` (its name) and ``sampled``."""
    sampled = "" if protocol.sampled is None else str(protocol.sampled)
    return {"protocol": protocol.name, "sampled": sampled}


def tidy(measured: Iterable[MeasuredLists]) -> pd.DataFrame:
    """Return the rows of all measured lists as a table."""
    return pd.DataFrame(row for one in measured for row in one.rows())


def means_over_folds(folds: pd.DataFrame, keys: Sequence[str], **others: Any) -> pd.DataFrame:
    """Return the means over folds of a table's values, and the sums of its lists."""
    groups = folds.groupby(list(keys), sort=False, dropna=False)
    means = groups.agg(value=("value", "size"), lists=("lists", "sum"), **others)
    # Add in the order of the folds, as numpy adds rows of an array. Sums by pandas have other last
    # digits, which show up in differences between a published value and a mean.
    sums = np.bincount(groups.ngroup(), weights=folds["value"], minlength=len(means))
    means["value"] = sums / means["value"]
    return means.reset_index()


def error_of_mean(errors: ArrayLike) -> float:
    """Return the standard error of the mean over folds, each with its own random system, or NaN."""
    squares = np.square(np.asarray(errors, dtype=np.float64))
    return float(np.sqrt(squares.sum()) / len(squares))


def _weighing_lists(lists: JudgedLists, chosen: NDArray[np.bool_]) -> int:
    """Return the number of lists at which equal weights would equal the largest weight."""
    if lists.percentiles is None:
        return int(np.count_nonzero(chosen))
    sizes = np.unique(lists.percentiles[chosen], return_counts=True)[1]
    return len(sizes) * int(sizes.min()) if len(sizes) else 0


class UserMeans:
    """Collects the values of all systems under one protocol, by list and fold.

    A user is one observation, also under 1R, with one list per relevant judgment, and in repeated
    splits, because a user's lists and folds are not independent. Under P1R a user's lists have
    equal weights, whatever their percentiles.
    """

    def __init__(self, experiment: Experiment, n_metrics: int) -> None:
        self.experiment = experiment
        self.systems = experiment.all_systems
        n_users = experiment.ratings.n_users
        self._sums = np.zeros((n_metrics, len(self.systems), n_users))
        self._in_fold: list[list[NDArray[np.bool_]]] = [[] for _ in self.systems]

    def add(self, system: str, lists: JudgedLists, values: NDArray[np.float64]) -> None:
        """Add the lists of one system on the next fold, values of shape (n_metrics, n_lists)."""
        index = self.systems.index(system)
        chosen = evaluated_lists(lists, self.experiment.evaluated_users)
        users = lists.users[chosen]
        n_users = self._sums.shape[-1]
        n_lists = np.bincount(users, minlength=n_users)
        for metric, row in enumerate(values):
            sums = np.bincount(users, weights=row[chosen], minlength=n_users)
            self._sums[metric, index] += sums / np.maximum(n_lists, 1)
        self._in_fold[index].append(n_lists > 0)

    def values(self) -> NDArray[np.float64]:
        """Return the values of the users who were averaged in at least one fold."""
        first, *others = self._in_fold
        if not all(np.array_equal(first, other) for other in others):
            raise ValueError(
                f"The systems on {self.experiment.dataset} are averaged over different users, so "
                "they cannot be paired. Average over tested, relevant or all users."
            )
        folds = np.count_nonzero(first, axis=0)
        values: NDArray[np.float64] = self._sums[:, :, folds > 0] / folds[folds > 0]
        return values

    def wilcoxon(self) -> NDArray[np.float64]:
        """Return the p-values of Wilcoxon's signed-rank test of every pair of systems."""
        values = self.values()
        first, second = system_pairs(len(self.systems))
        table = np.ones((len(values), len(self.systems), len(self.systems)))
        # After rounding, equal differences of means share their rank.
        table[:, first, second] = wilcoxon_test(values, decimals=MEAN_DECIMALS)
        table[:, second, first] = table[:, first, second]
        return table


def means_of_users(experiment: Experiment, metrics: Sequence[Metric]) -> NDArray[np.float64]:
    """Return the values per user, averaged over the folds that test the user.

    Shape (n_metrics, n_systems, n_users), of the users who are averaged in at least one fold.
    """
    if experiment.only_protocol.relevant == "1R":
        raise ValueError(
            f"The lists on {experiment.dataset} are those of 1R, one per relevant judgment. "
            "Compare systems by user under AR."
        )
    means = UserMeans(experiment, len(metrics))
    measurement = Measurement(tuple(metrics), experiment.evaluated_users)
    for measured in measure_experiment(experiment, [measurement]):
        means.add(measured.labels["system"], measured.lists, measured.per_list)
    return means.values()


def system_values(
    experiment: Experiment, metrics: Sequence[Metric], averages: Sequence[Average]
) -> NDArray[np.float64]:
    """Return metric values of systems, averaged over users and folds."""
    measurement = Measurement(
        tuple(metrics),
        experiment.evaluated_users,
        averages=tuple(averages),
        protocol=experiment.only_protocol,
    )
    systems = experiment.all_systems
    values = np.zeros((len(averages), len(metrics), len(systems)))
    for measured in measure_experiment(experiment, [measurement]):
        values[:, :, systems.index(measured.labels["system"])] += measured.values
    return values / len(experiment.folds)


def agreement_of(
    values: NDArray[np.float64], names: Sequence[str], dataset: str, average: str
) -> pd.DataFrame:
    """Return the correlation of every ordered pair of metrics, including each with itself.

    Columns: dataset; average; metric_a, metric_b; tau (Kendall's tau-b); systems (how many).
    """
    return pd.DataFrame(
        {
            "dataset": dataset,
            "average": average,
            "metric_a": np.repeat(names, len(names)),
            "metric_b": np.tile(names, len(names)),
            "tau": kendall_tau_b(values, values, TOLERANCE_OF_MEANS).ravel(),
            "systems": values.shape[1],
        }
    )


def p_values(
    experiments: Iterable[Experiment], metrics: Mapping[str, Metric], seed: int, permutations: int
) -> pd.DataFrame:
    """Test every pair of systems under every metric with the paired permutation test.

    The random signs depend only on dataset and split, so that all artifacts have the same p-values,
    except for rounding in single precision.

    Columns: dataset; metric (name); system_a, system_b; difference (of the means, a minus b);
    p_value ((c + 1) / (B + 1) with c of B samples at least as extreme); share (c / B);
    permutations (B); users (how many are paired).
    """
    tables = []
    for experiment in experiments:
        values = means_of_users(experiment, list(metrics.values()))
        signs = seed_sequence(seed, experiment.dataset, experiment.split, "permutation")
        test = permutation_test(values, signs, permutations)
        first, second = system_pairs(len(experiment.all_systems))
        systems = np.array(experiment.all_systems)
        means = values.mean(axis=2)
        for index, name in enumerate(metrics):
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": name,
                        "system_a": systems[first],
                        "system_b": systems[second],
                        "difference": means[index, first] - means[index, second],
                        "p_value": test.p_values[index],
                        "share": test.shares[index],
                        "permutations": permutations,
                        "users": values.shape[2],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


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
    :class:`reproduction.experiments.values.Expectations` and
    :class:`reproduction.experiments.values.UserMeans`.
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
