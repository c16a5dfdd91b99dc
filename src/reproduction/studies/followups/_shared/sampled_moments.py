# SPDX-License-Identifier: MIT
"""Expected metrics of an experiment's systems among sampled candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.studies._shared.inputs import ArtifactInputs

UNIFORM, POPULARITY = "uniform", "popularity"
"""How candidates are drawn: uniformly without, or by popularity with replacement."""

SAMPLINGS = (UNIFORM, POPULARITY)

EVERY = "all"
"""Stands for the number of candidates if all are ranked."""


def in_order(table: pd.DataFrame, *keys: str) -> pd.DataFrame:
    """Sort rows by keys as their values first occur, then by the number of candidates."""
    sizes = table["negatives"].astype(str).replace(EVERY, "inf").astype(np.float64)
    firsts = [pd.factorize(table[key])[0] for key in reversed(keys)]
    return table.iloc[np.lexsort((sizes, *firsts))].reset_index(drop=True)


class SampledMoments:
    """Means and variances of metrics over samples, and the values among all candidates.

    The inputs have one experiment under AR with all candidates, and for samples by popularity the
    models of its systems, because judged ranks do not tell the popularity of the items above a
    relevant one.
    """

    def __init__(self, inputs: ArtifactInputs, metrics: Mapping[str, Metric]) -> None:
        from receval.sampled_metrics.sampled_candidates import SamplingOdds
        from receval.sampled_metrics.sampled_moments import AuditedMoments

        (experiment,) = inputs.experiments.values()
        protocol = experiment.only_protocol
        self.systems = experiment.all_systems
        odds: dict[str, list[SamplingOdds]] = {name: [] for name in self.systems}
        for number in experiment.folds:
            fold = experiment.fold(number)
            for name in self.systems:
                lists = experiment.lists(name, protocol, number)
                odds[name].append(SamplingOdds.of(fold, lists, protocol))
        joined = {name: SamplingOdds.of_all_folds(own) for name, own in odds.items()}
        self.uniform = AuditedMoments(joined, metrics, experiment.ratings.n_users, None)
        self._inputs = inputs
        self._experiment = experiment
        self._shares: dict[str, NDArray[np.float64]] = {}

    def at(self, sampling: str, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means and variances of the averages, each of shape (n_metrics, n_systems)."""
        if sampling == UNIFORM:
            return self.uniform.at(size)
        from receval.sampled_metrics.sampled_moments import moments_of_average
        from receval.sampled_metrics.weighted_candidates import expected_of_weighted_ranks

        tables = self.uniform.tables
        if len(tables) < size + 2:
            raise ValueError(
                f"{size} candidates by popularity are more than there are candidates: draw fewer."
            )
        both = np.concatenate([tables, tables**2], axis=1)
        found = [
            moments_of_average(expected_of_weighted_ranks(self.shares_of(name), both, size))
            for name in self.systems
        ]
        means, variances = (np.stack(moments, axis=1) for moments in zip(*found, strict=True))
        return means, variances

    def ties(self, number: int) -> NDArray[np.uint32]:
        """Return the numbers that break ties in a fold: the item with the smaller one ranks higher.

        The same as for the judged ranks (:mod:`reproduction.workflow.jobs.systems`).
        """
        from receval.seeds import generator

        experiment = self._experiment
        names = (experiment.dataset, experiment.split, number, "ties")
        order = generator(self._inputs.seed, *names).permutation(experiment.ratings.n_items)
        return order.astype(np.uint32)

    def shares_of(self, system: str) -> NDArray[np.float64]:
        """Return the share of the popularity above each relevant item."""
        if system not in self._shares:
            self._shares[system] = self._read_shares(system)
        return self._shares[system]

    def _read_shares(self, system: str) -> NDArray[np.float64]:
        from receval.protocols.weighted_samples import popularity_weights
        from receval.sampled_metrics.weighted_candidates import weight_shares_above

        experiment = self._experiment
        shares, above = [], []
        for number in experiment.folds:
            fold = experiment.fold(number)
            relevant = fold.test.values >= experiment.threshold
            found = weight_shares_above(
                self._inputs.model(experiment, system, number),
                fold,
                np.flatnonzero(relevant).astype(np.int64),
                relevant,
                popularity_weights(fold, 1.0),
                self.ties(number),
            )
            shares.append(found[0])
            above.append(found[1])
        if not np.array_equal(np.concatenate(above), self.uniform.odds[system].above):
            raise ValueError(
                f"The model of {system} on {experiment.dataset} does not give the ranks that it "
                "was judged by: train and rank it again."
            )
        return np.concatenate(shares)

    @property
    def auc(self) -> NDArray[np.float64]:
        """The mean share of candidates below a relevant item, by system; 0 if it is not ranked."""
        means = []
        for name in self.systems:
            odds = self.uniform.odds[name]
            pools = odds.pools[odds.users]
            below = np.where(odds.above >= 0, 1 - odds.above / np.maximum(pools, 1), 0.0)
            means.append(float(below.mean()))
        return np.array(means)
