# SPDX-License-Identifier: MIT
"""Measure a system's lists, average the values over users, and return them as rows.

All studies evaluate systems with this module, and use the rows, the averages as arrays, or the
values of single lists. There are two exceptions, which average the values of
:func:`receval.metrics.evaluation.evaluate` many times for the same lists: evaluation with removed
judgments (:mod:`receval.missing_judgments`, and figures 3 and 4 of bellogin2017), and with
decisions on averages (:mod:`receval.multiverse`). Tables take their means over folds from
:func:`means_over_folds`; arrays of averages (:mod:`reproduction.experiments.metric_comparison`,
:mod:`reproduction.workflow.jobs.measurements`) average over folds themselves, as do means of
users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from receval.metrics.averages import Arithmetic, Average
from receval.metrics.evaluation import EvaluatedUsers, aggregate, evaluate, evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.protocols.protocol import Protocol
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
        own = [measurement for measurement in measurements if measurement.judgments == judgments]
        for number in experiment.folds:
            for protocol in experiment.protocols:
                for system in experiment.all_systems:
                    yield from _measure_system(experiment, own, number, protocol, system)


def _measure_system(
    experiment: Experiment,
    measurements: Sequence[Measurement],
    number: int,
    protocol: Protocol,
    system: str,
) -> Iterator[MeasuredLists]:
    by_threshold: dict[float, JudgedLists] = {}
    for measurement in measurements:
        if measurement.protocol not in (None, protocol):
            continue
        own = measurement.threshold
        threshold = experiment.threshold if own is None else own
        if threshold not in by_threshold:
            by_threshold[threshold] = experiment.lists(
                system, protocol, number, measurement.judgments, threshold
            )
        yield measure(
            by_threshold[threshold],
            measurement,
            dataset=experiment.dataset,
            split=experiment.split,
            judgments=measurement.judgments,
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
    """Return the standard error of the mean over folds, each with its own random system.

    NaN if one of the folds has none.
    """
    squares = np.square(np.asarray(errors, dtype=np.float64))
    return float(np.sqrt(squares.sum()) / len(squares))


def _weighing_lists(lists: JudgedLists, chosen: NDArray[np.bool_]) -> int:
    """Return the number of lists at which equal weights would equal the largest weight."""
    if lists.percentiles is None:
        return int(np.count_nonzero(chosen))
    sizes = np.unique(lists.percentiles[chosen], return_counts=True)[1]
    return len(sizes) * int(sizes.min()) if len(sizes) else 0
