# SPDX-License-Identifier: MIT
"""Values of users for the same systems under several splits of the same ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.splits_by_time import SPLIT_TITLES, tested_by

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment


@dataclass(frozen=True)
class SplitValues:
    """What the users of every fold of a split give the systems.

    Attributes
    ----------
    dataset, protocol, split : str
    tested : str
        Which ratings test (:data:`.SPLIT_TITLES`).
    folds : tuple of ndarray of float64, shape (n_metrics, n_systems, n_users)
        Of the users who have ratings to train on and to test.
    users : tuple of ndarray of int64, shape (n_users,)
        Who they are, ascending.
    """

    dataset: str
    protocol: str
    split: str
    tested: str
    folds: tuple[NDArray[np.float64], ...]
    users: tuple[NDArray[np.int64], ...]

    def means(self, metric: int) -> NDArray[np.float64]:
        """Return the means over users of a metric, shape (n_folds, n_systems)."""
        return np.array([fold[metric].mean(axis=1) for fold in self.folds])


@dataclass(frozen=True)
class SystemsBySplit:
    """Some splits of a dataset, and the systems that were ranked under all of them.

    Attributes
    ----------
    systems : tuple of str
    splits : tuple of SplitValues
        In the order of :data:`.SPLIT_TITLES`.
    """

    systems: tuple[str, ...]
    splits: tuple[SplitValues, ...]


def systems_by_split(
    inputs: ArtifactInputs, metrics: Mapping[str, Metric]
) -> Iterator[SystemsBySplit]:
    """Yield the experiments on the same ratings under the same protocol, two or more together."""
    groups: dict[tuple[str, str, str], list[Experiment]] = {}
    for experiment in inputs.experiments.values():
        protocol = experiment.only_protocol
        groups.setdefault((experiment.dataset, protocol.name, protocol.ties), []).append(experiment)
    place = list(SPLIT_TITLES).index
    for group in groups.values():
        tested = {id(each): tested_by(each.split, inputs.parameters) for each in group}
        if len(set(tested.values())) < 2:
            continue
        first, *others = group
        systems = tuple(
            system
            for system in first.all_systems
            if all(system in other.all_systems for other in others)
        )
        ordered = sorted(group, key=lambda each: place(tested[id(each)]))
        yield SystemsBySplit(
            systems,
            tuple(_of_split(each, tested[id(each)], systems, metrics) for each in ordered),
        )


def _of_split(
    experiment: Experiment, tested: str, systems: tuple[str, ...], metrics: Mapping[str, Metric]
) -> SplitValues:
    folds = [_values(experiment, systems, metrics, number) for number in experiment.folds]
    return SplitValues(
        experiment.dataset,
        experiment.only_protocol.name,
        experiment.split,
        tested,
        tuple(values for values, _ in folds),
        tuple(users for _, users in folds),
    )


def _values(
    experiment: Experiment, systems: tuple[str, ...], metrics: Mapping[str, Metric], number: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from receval.metrics.evaluation import evaluate, evaluated_lists

    trained = np.diff(experiment.fold(number).train.indptr) > 0
    values = []
    users = np.empty(0, dtype=np.int64)
    for system in systems:
        lists = experiment.lists(system, experiment.only_protocol, number)
        chosen = evaluated_lists(lists, "tested") & trained[lists.users]
        users = lists.users[chosen]
        values.append(evaluate(tuple(metrics.values()), lists)[:, chosen])
    return np.stack(values, axis=1), users
