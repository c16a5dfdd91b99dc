# SPDX-License-Identifier: MIT
"""Values per user of the same systems under several splits of the same ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment


@dataclass(frozen=True)
class SplitValues:
    """Values per user of the systems in every fold of a split.

    For each fold, `folds` has values of shape (n_metrics, n_systems, n_users) of the users with
    both training and test ratings, and `users` their codes, ascending.
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
    """Splits of a dataset in the order of :data:`SPLIT_TITLES`, and the systems of all of them."""

    systems: tuple[str, ...]
    splits: tuple[SplitValues, ...]


RANDOM = "random"

SPLIT_TITLES = {
    RANDOM: "Random",
    "newest_of_users": "Newest of\neach user",
    "last_of_users": "Last of\neach user",
    "newest": "Newest\nof all",
}
"""Which ratings are in test, from splits that ignore time to those by a time cut."""


def tested_by(split: str, parameters: Mapping[str, Any]) -> str:
    """Return which ratings a split tests: one of :data:`SPLIT_TITLES`."""
    for kind in SPLIT_TITLES:
        if split in parameters[kind]:
            return kind
    raise ValueError(
        f"Nothing says which ratings the split {split} tests: name it under one of the parameters "
        f"{', '.join(SPLIT_TITLES)}."
    )


def in_order(tested: Iterable[str]) -> list[str]:
    """Return the distinct kinds of tests, in the order of :data:`SPLIT_TITLES`."""
    found = set(tested)
    return [kind for kind in SPLIT_TITLES if kind in found]


def systems_by_split(
    inputs: ArtifactInputs, metrics: Mapping[str, Metric]
) -> Iterator[SystemsBySplit]:
    """Yield groups of two or more experiments on the same ratings under the same protocol."""
    groups: dict[tuple[str, str, str], list[Experiment]] = {}
    for experiment in inputs.experiments.values():
        protocol = experiment.only_protocol
        groups.setdefault((experiment.dataset, protocol.name, protocol.ties), []).append(experiment)
    for group in groups.values():
        tested = [tested_by(experiment.split, inputs.parameters) for experiment in group]
        if len(set(tested)) < 2:
            continue
        systems = tuple(
            system
            for system in group[0].all_systems
            if all(system in experiment.all_systems for experiment in group)
        )
        splits = [
            _of_split(experiment, of_split, systems, metrics)
            for experiment, of_split in zip(group, tested, strict=True)
        ]
        places = list(SPLIT_TITLES)
        splits.sort(key=lambda split: places.index(split.tested))
        yield SystemsBySplit(systems, tuple(splits))


def _of_split(
    experiment: Experiment, tested: str, systems: tuple[str, ...], metrics: Mapping[str, Metric]
) -> SplitValues:
    measured = [_values(experiment, systems, metrics, number) for number in experiment.folds]
    protocol = experiment.only_protocol.name
    folds, users = zip(*measured, strict=True)
    return SplitValues(experiment.dataset, protocol, experiment.split, tested, folds, users)


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


def taus_between_folds(
    one: ArrayLike, other: ArrayLike, *, same_split: bool = False
) -> NDArray[np.float64]:
    """Return Kendall's tau-b between the orders in every fold of one split and of another."""
    return of_fold_pairs(kendall_tau_b(one, other, TOLERANCE_OF_MEANS), same_split=same_split)


def of_fold_pairs(values: NDArray[np.float64], *, same_split: bool) -> NDArray[np.float64]:
    """Return the values of all pairs of folds, of a matrix of one split's folds by another's.

    If both are the same folds, each pair of different folds counts once.
    """
    return values[np.triu_indices(len(values), 1)] if same_split else values.ravel()
