# SPDX-License-Identifier: MIT
"""Compare systems and metrics: means of users for paired tests, p-values, and orders of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.averages import MEAN_DECIMALS, Average
from receval.metrics.evaluation import evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.seeds import seed_sequence
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.paired_tests import wilcoxon_test
from receval.statistics.pairs import system_pairs
from receval.statistics.permutation import permutation_test
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.tidy_values import Measurement, measure_experiment


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
