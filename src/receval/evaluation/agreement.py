"""Agreement of metrics: values of systems, and Kendall's tau between the orders they make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.evaluation.experiment import Experiment
from receval.evaluation.tidy_values import Measurement, measure_experiment
from receval.metrics.averages import Average
from receval.metrics.metric import Metric
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b


def system_values(
    experiment: Experiment, metrics: Sequence[Metric], averages: Sequence[Average]
) -> NDArray[np.float64]:
    """Return averages over users, and over folds.

    Parameters
    ----------
    experiment : Experiment
        With one protocol.
    metrics : sequence of Metric
    averages : sequence of Average

    Returns
    -------
    ndarray of float64, shape (n_averages, n_metrics, n_systems)

    Raises
    ------
    ValueError
        The experiment has several protocols.
    """
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
    """Return the correlation of every ordered pair of metrics, one with itself included.

    Columns: dataset; average; metric_a, metric_b; tau (Kendall's tau-b); systems (how many).

    Parameters
    ----------
    values : ndarray of float64, shape (n_metrics, n_systems)
    names : sequence of str
        Of the metrics.
    dataset, average : str
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
