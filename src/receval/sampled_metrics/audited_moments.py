# SPDX-License-Identifier: MIT
"""Means and variances of metrics over samples of any size, of several systems."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from receval.evaluation.progress_steps import ProgressSteps
from receval.metrics.metric import Metric
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import expected_of_ranks, values_by_rank
from receval.statistics.paired_tests import t_test


class AuditedMoments:
    """Means and variances of all metrics and systems over samples of each size, kept.

    Parameters
    ----------
    n_users : int
        Codes of users in the odds that differ by a multiple of it are of the same one.

    Attributes
    ----------
    owners : ndarray of int64, shape (n_items,)
        The code of each relevant item's user, below `n_users`.
    tables : ndarray of float64, shape (n_ranks, n_metrics)
        The metrics by rank, in the first row of an item that is not ranked.
    full_items : dict of str to ndarray of float64, shape (n_items, n_metrics)
        Values under full ranking, by system.
    """

    def __init__(
        self,
        odds: Mapping[str, SamplingOdds],
        metrics: Mapping[str, Metric],
        n_users: int,
        told: ProgressSteps | None,
    ) -> None:
        self.odds = odds
        self.metrics = metrics
        self.told = told
        self._known: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        first = next(iter(odds.values()))
        self.owners = first.users % n_users
        deepest = int(first.pools.max()) + 1
        self.tables = np.stack(
            [values_by_rank(metric, deepest, first) for metric in metrics.values()], axis=1
        )
        self.full_items = {name: self.tables[own.above + 1] for name, own in odds.items()}

    @property
    def full(self) -> NDArray[np.float64]:
        """Averages under full ranking, shape (n_metrics, n_systems)."""
        return np.stack([items.mean(axis=0) for items in self.full_items.values()], axis=1)

    def p_of_full(self, metric: int, first: str, second: str) -> float:
        """Return the p-value of the paired t-test over users under full ranking."""
        counts = np.bincount(self.owners)
        tested = counts > 0
        both = np.stack(
            [
                np.bincount(self.owners, weights=self.full_items[name][:, metric])[tested]
                / counts[tested]
                for name in (first, second)
            ]
        )
        if both.shape[1] < 2:
            return float("nan")
        return float(t_test(both[None])[0, 0])

    def items(self, system: str, size: int) -> NDArray[np.float64]:
        """Return expectations of the metrics, then of their squares, by relevant item."""
        both = np.concatenate([self.tables, self.tables**2], axis=1)
        return expected_of_ranks(self.odds[system], both, size)

    def at(self, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means and variances of the averages, each of shape (n_metrics, n_systems)."""
        if size not in self._known:
            found = [moments_of_average(self.items(name, size)) for name in self.odds]
            self._known[size] = (
                np.stack([mean for mean, _ in found], axis=1),
                np.stack([variance for _, variance in found], axis=1),
            )
        return self._known[size]


def moments_of_average(
    items: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of the average of independent items, function by function."""
    half = items.shape[1] // 2
    variances = np.maximum(items[:, half:] - items[:, :half] ** 2, 0.0)
    return items[:, :half].mean(axis=0), variances.sum(axis=0) / len(items) ** 2
