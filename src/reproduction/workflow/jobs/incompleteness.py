# SPDX-License-Identifier: MIT
"""Compute the metric values of all systems under judgment sampling."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import QuasiArithmetic, parse_average
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import kept_units
from receval.storage.archives import write_archive
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.input_files import InputFiles
from reproduction.experiments.sampled_judgments import sample_of_experiment
from reproduction.workflow.plan.job_descriptions import JudgmentSamplingDescription

_log = logging.getLogger(__name__)


def sample_judgments(
    *,
    ratings: Sequence[Path],
    splits: Sequence[Path],
    ranks: Sequence[Path],
    values: Path,
    description: Mapping[str, Any],
) -> None:
    """Measure the systems of some experiments with the judgments left at each level and sample."""
    told = JudgmentSamplingDescription.of(description)
    files = InputFiles(ratings=ratings, splits=splits, ranks=ranks)
    averages = {label: _incremental(label) for label in told.averages}
    names = [(a, m) for a, metrics in told.averages.items() for m in metrics]
    aggregated_metrics = [
        AggregatedMetric(parse(metric), averages[average]) for average, metric in names
    ]
    percents = np.array(told.percents, dtype=np.float64)
    arrays: dict[str, NDArray] = {"percents": percents, "aggregated_metrics": np.array(names)}
    for name, described in told.experiments.items():
        experiment = Experiment(files, described)
        folds = [
            _of_fold(experiment, number, aggregated_metrics, percents, told)
            for number in experiment.folds
        ]
        complete, kept, evaluated_users = (np.stack(parts) for parts in zip(*folds, strict=True))
        arrays[f"{name}/dataset"] = np.array(experiment.dataset)
        arrays[f"{name}/systems"] = np.array(experiment.all_systems)
        arrays[f"{name}/complete"] = complete.mean(axis=0)
        arrays[f"{name}/values"] = kept.mean(axis=0)
        arrays[f"{name}/evaluated_users"] = evaluated_users.sum(axis=0)
    write_archive(values, arrays)


def _incremental(label: str) -> QuasiArithmetic:
    average = parse_average(label)
    if not isinstance(average, QuasiArithmetic):
        raise ValueError(
            f"{label} is no mean of transformed values, and only such can follow judgments that "
            "leave: use arithmetic, geometric or geometric-adjusted."
        )
    return average


def _of_fold(
    experiment: Experiment,
    number: int,
    aggregated_metrics: list[AggregatedMetric],
    percents: NDArray[np.float64],
    told: JudgmentSamplingDescription,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    if len(experiment.protocols) != 1 or experiment.evaluated_users != "tested":
        raise ValueError(
            f"The experiment on {experiment.dataset} must have one protocol and average tested "
            "users: those who lose all judgments leave the average."
        )
    (protocol,) = experiment.protocols
    lists = [experiment.lists(system, protocol, number) for system in experiment.all_systems]
    reduced = IncompleteFold(lists, aggregated_metrics)
    test = experiment.fold(number).test
    unit = told.unit
    complete, _ = reduced.values(*_all_kept(len(test)))
    values, evaluated_users = [], []
    for sample in range(told.samples):
        order, n_units = sample_of_experiment(experiment, number, unit, sample, told.seed)
        of_sample, users = reduced.values(order, kept_units(n_units, percents))
        values.append(of_sample)
        evaluated_users.append(users)
    _log.info("%s: fold %d, %d samples", experiment.dataset, number + 1, len(values))
    return complete[0], np.stack(values, axis=1), np.stack(evaluated_users, axis=1)


def _all_kept(n_judgments: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.zeros(n_judgments, dtype=np.int64), np.array([1])
