"""Values of users, averaged over a user's lists and over folds: what paired tests compare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.metrics.aggregation import EvaluatedUsers, evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.statistics.paired_tests import wilcoxon_test
from receval.statistics.pairs import system_pairs

# Means of a few values on a grid differ in their last digits by the order of their sums: rounded,
# equal differences share their rank.
_DECIMALS = 12


class UserMeans:
    """Collects the values of all systems under one protocol, list by list, fold by fold.

    A user is one observation, also under 1R, where a user has one list for each relevant judgment,
    and in repeated splits: the lists and the folds of a user are not independent. Under P1R a
    user's lists count alike, whatever their percentiles.

    Parameters
    ----------
    systems : sequence of str
    n_metrics, n_users : int
    evaluated_users : {"all", "tested", "relevant", "covered"}
        Who is averaged: see :func:`receval.metrics.aggregation.evaluated_lists`.
    """

    def __init__(
        self, systems: Sequence[str], n_metrics: int, n_users: int, evaluated_users: EvaluatedUsers
    ) -> None:
        self.systems = tuple(systems)
        self.evaluated_users = evaluated_users
        self._sums = np.zeros((n_metrics, len(systems), n_users))
        self._folds = np.zeros((len(systems), n_users), dtype=np.int64)

    def add(self, system: str, lists: JudgedLists, values: NDArray[np.float64]) -> None:
        """Add the lists of one system on one fold, values of shape (n_metrics, n_lists)."""
        place = self.systems.index(system)
        chosen = evaluated_lists(lists, self.evaluated_users)
        users = lists.users[chosen]
        n_users = self._folds.shape[1]
        n_lists = np.bincount(users, minlength=n_users)
        for metric, row in enumerate(values):
            sums = np.bincount(users, weights=row[chosen], minlength=n_users)
            self._sums[metric, place] += sums / np.maximum(n_lists, 1)
        self._folds[place] += n_lists > 0

    def values(self) -> NDArray[np.float64]:
        """Return the values of the users who were averaged in at least one fold.

        Returns
        -------
        ndarray of float64, shape (n_metrics, n_systems, n_averaged_users)

        Raises
        ------
        ValueError
            The systems were averaged over different users in some fold.
        """
        if (self._folds != self._folds[0]).any():
            raise ValueError(
                "The systems are averaged over different users, so they cannot be paired: average "
                "tested, relevant or all users."
            )
        folds = self._folds[0]
        values: NDArray[np.float64] = self._sums[:, :, folds > 0] / folds[folds > 0]
        return values

    def wilcoxon(self) -> NDArray[np.float64]:
        """Return the p-values of Wilcoxon's signed-rank test of every pair of systems.

        Returns
        -------
        ndarray of float64, shape (n_metrics, n_systems, n_systems)
            Symmetric, 1 on the diagonal; not adjusted for the number of pairs.
        """
        values = self.values()
        first, second = system_pairs(len(self.systems))
        table = np.ones((len(values), len(self.systems), len(self.systems)))
        table[:, first, second] = wilcoxon_test(values, decimals=_DECIMALS)
        table[:, second, first] = table[:, first, second]
        return table
