# SPDX-License-Identifier: MIT
"""Compute rank stability from an archive of values under sampled judgments.

Rank stability is the agreement between a metric's orders of systems with fewer and with all
judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.metric import Metric
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.archives import Archive

_PARTS = ("dataset", "systems", "complete", "values", "evaluated_users")
"""Names of an experiment's arrays in an archive."""

SPREAD = (5.0, 95.0)
"""Percentiles of the samples that bound the bands."""


@dataclass(frozen=True)
class SampledValues:
    """Values of one experiment under sampled judgments, averaged over folds.

    ``percents`` are the kept shares, in per cent. Aggregated metrics are labels of average and
    metric. ``complete``, with all judgments, has the shape (n_aggregated_metrics, n_systems), and
    ``values`` (n_levels, n_samples, n_aggregated_metrics, n_systems). ``evaluated_users``, of shape
    (n_levels, n_samples), is the number of users still averaged, over all folds.
    """

    dataset: str
    percents: NDArray[np.float64]
    aggregated_metrics: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    complete: NDArray[np.float64]
    values: NDArray[np.float64]
    evaluated_users: NDArray[np.int64]

    def of(self, average: str, metric: str) -> int:
        """Return the index of an aggregated metric."""
        if (average, metric) not in self.aggregated_metrics:
            there = ", ".join(f"{one} {label}" for one, label in self.aggregated_metrics)
            raise KeyError(f"{average} {metric} was not measured on {self.dataset}; {there} were.")
        return self.aggregated_metrics.index((average, metric))


def read_samplings(path: Path) -> list[SampledValues]:
    """Read what :func:`reproduction.workflow.jobs.measurements.sample_judgments` wrote."""
    with Archive(path) as archive:
        pairs = archive.array("aggregated_metrics", str, (None, 2))
        percents = archive.array("percents", np.float64, (None,))
        ends = "/dataset"
        names = [name.removesuffix(ends) for name in archive.names if name.endswith(ends)]
        of_experiments = [f"{name}/{part}" for name in names for part in _PARTS]
        archive.check_names(("aggregated_metrics", "percents", *of_experiments))
        return [_sampled(archive, name, pairs, percents) for name in names]


def _sampled(
    archive: Archive, name: str, pairs: NDArray[np.str_], percents: NDArray[np.float64]
) -> SampledValues:
    systems = tuple(map(str, archive.array(f"{name}/systems", str, (None,))))
    measured = (len(pairs), len(systems))
    users = archive.array(f"{name}/evaluated_users", np.int64, (len(percents), None))
    return SampledValues(
        dataset=str(archive.array(f"{name}/dataset", str, ())),
        percents=percents,
        aggregated_metrics=tuple((str(average), str(metric)) for average, metric in pairs),
        systems=systems,
        complete=archive.array(f"{name}/complete", np.float64, measured),
        values=archive.array(f"{name}/values", np.float64, (*users.shape, *measured)),
        evaluated_users=users,
    )


def rank_stability(
    judgment_samplings: Iterable[SampledValues],
    metrics: Mapping[str, Metric],
    average: str,
    released: str | None = None,
) -> pd.DataFrame:
    """Correlate the order of systems at every level with that under all judgments.

    Columns: dataset; average (its label); metric (name); kept_percent; tau (Kendall's tau-b,
    averaged over samples); tau_low, tau_high (5th and 95th percentile of the samples);
    computable_samples (number of samples in which not all systems are tied); evaluated_lists (users
    in all folds together, mean over samples). The label of another average, ``released``, adds rows
    for the metrics that were measured so.
    """
    tables = []
    for values in judgment_samplings:
        for name, metric in metrics.items():
            tau = _tau(values, values.of(average, metric.label))
            tables.append(summary_rows(values, average, name, tau, "tau"))
        for name, metric in metrics.items():
            if released is not None and (released, metric.label) in values.aggregated_metrics:
                tau = _tau(values, values.of(released, metric.label))
                tables.append(summary_rows(values, released, name, tau, "tau"))
    return pd.concat(tables, ignore_index=True)


def mean_values(
    judgment_samplings: Iterable[SampledValues], metrics: Mapping[str, Metric], average: str
) -> pd.DataFrame:
    """Return the value of every metric, averaged over systems, at every level.

    Columns: as of :func:`rank_stability`, with ``value`` instead of ``tau``.
    """
    tables = []
    for values in judgment_samplings:
        for name, metric in metrics.items():
            of_metric = values.values[:, :, values.of(average, metric.label)].mean(axis=-1)
            tables.append(summary_rows(values, average, name, of_metric, "value"))
    return pd.concat(tables, ignore_index=True)


def _tau(values: SampledValues, aggregated_metric: int) -> NDArray[np.float64]:
    """Return tau with all judgments by level and sample, shape (n_levels, n_samples)."""
    of_metric = values.values[:, :, aggregated_metric]
    flat = of_metric.reshape(-1, of_metric.shape[-1])
    tau = kendall_tau_b(values.complete[aggregated_metric], flat, TOLERANCE_OF_MEANS)
    return tau.reshape(of_metric.shape[:2])


def summary_rows(
    values: SampledValues, average: str, metric: str, samples: NDArray[np.float64], column: str
) -> pd.DataFrame:
    """Return the rows of one metric: means and spreads over the samples at each level."""
    computable = ~np.isnan(samples)
    some = computable.any(axis=1)
    summary = np.full((3, len(samples)), np.nan)
    summary[0, some] = np.nanmean(samples[some], axis=1)
    summary[1:, some] = np.nanpercentile(samples[some], SPREAD, axis=1)
    return pd.DataFrame(
        {
            "dataset": values.dataset,
            "average": average,
            "metric": metric,
            "kept_percent": values.percents,
            column: summary[0],
            f"{column}_low": summary[1],
            f"{column}_high": summary[2],
            "computable_samples": computable.sum(axis=1),
            "evaluated_lists": values.evaluated_users.mean(axis=1),
        }
    )
