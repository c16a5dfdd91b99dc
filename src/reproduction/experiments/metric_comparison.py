# SPDX-License-Identifier: MIT
"""Compare metrics: their orders of the systems, and p-values between systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.averages import Average
from receval.metrics.metric import Metric
from receval.seeds import seed_sequence
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.pairs import system_pairs
from receval.statistics.permutation import permutation_test
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.tidy_values import Measurement, measure_experiment
from reproduction.experiments.user_means import means_of_users


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
