# SPDX-License-Identifier: MIT
"""Values per user for paired tests, averaged over the user's lists and over folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import MEAN_DECIMALS
from receval.metrics.evaluation import evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.statistics.paired_tests import wilcoxon_test
from receval.statistics.pairs import system_pairs
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
                "they cannot be paired: average tested, relevant or all users."
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

    Returns
    -------
    ndarray of float64, shape (n_metrics, n_systems, n_users)
        Users who are averaged in at least one fold. A user is one observation of a paired test,
        also in cross-validation, because the folds of a user are not independent.

    Raises
    ------
    ValueError
        The experiment has several protocols, or a 1R protocol, whose lists are not users; or the
        systems are averaged over different users in some fold.
    """
    if experiment.only_protocol.relevant == "1R":
        raise ValueError(
            f"The lists on {experiment.dataset} are those of 1R, one for each relevant judgment: "
            "compare systems by user under AR."
        )
    means = UserMeans(experiment, len(metrics))
    measurement = Measurement(tuple(metrics), experiment.evaluated_users)
    for measured in measure_experiment(experiment, [measurement]):
        means.add(measured.labels["system"], measured.lists, measured.per_list)
    return means.values()
