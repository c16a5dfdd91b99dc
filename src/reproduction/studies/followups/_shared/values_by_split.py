# SPDX-License-Identifier: MIT
"""Values per user of the same systems under several splits of the same ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment


@dataclass(frozen=True)
class SplitValues:
    """Values per user of the systems in every fold of a split.

    Attributes
    ----------
    dataset, protocol, split : str
    tested : str
        Which ratings test (:data:`.SPLIT_TITLES`).
    folds : tuple of ndarray of float64, shape (n_metrics, n_systems, n_users)
        Values of the users with both training and test ratings.
    users : tuple of ndarray of int64, shape (n_users,)
        The codes of these users, ascending.
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
    """Splits of a dataset, and the systems that were ranked under all of them.

    Attributes
    ----------
    systems : tuple of str
    splits : tuple of SplitValues
        In the order of :data:`.SPLIT_TITLES`.
    """

    systems: tuple[str, ...]
    splits: tuple[SplitValues, ...]


# How splits treat time: which ratings are in test, by the names of the splits.

RANDOM = "random"
NEWEST = "newest"
LAST_OF_USERS = "last_of_users"

SPLIT_TITLES = {
    RANDOM: "Random",
    "newest_of_users": "Newest of\neach user",
    LAST_OF_USERS: "Last of\neach user",
    NEWEST: "Newest\nof all",
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


def percentage(value: float, *, at_least: bool = False) -> str:
    """Return a percentage with enough decimals that it is not rounded to 0 or 100.

    Examples
    --------
    >>> [percentage(value) for value in (24.7, 99.95, 0.3, 100, 0)]
    ['25', '99.95', '.3', '100', '0']
    >>> percentage(24.7, at_least=True)
    '24'
    """
    if at_least and value >= 1:
        return f"{int(value)}"
    for decimals in range(4):
        text = f"{value:.{decimals}f}"
        if float(text) not in (0.0, 100.0) or value in (0, 100):
            break
    return text.removeprefix("0") if text.startswith("0.") else text


def systems_by_split(
    inputs: ArtifactInputs, metrics: Mapping[str, Metric]
) -> Iterator[SystemsBySplit]:
    """Yield groups of two or more experiments on the same ratings under the same protocol."""
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


# Test whether the orders of systems under two splits differ by more than chance.
#
# Orders are by means over users. Two folds of a random split differ, too, in both train and test.
# Another split often tests fewer users, whose means are less certain. So its order is compared with
# orders of two random folds, one of which tests equally few users.


def taus_between_folds(
    one: ArrayLike, other: ArrayLike, *, same_split: bool = False
) -> NDArray[np.float64]:
    """Return Kendall's tau-b between the orders in every fold of one split and of another.

    Parameters
    ----------
    same_split : bool
        Whether both are the same folds; then each pair of different folds counts once.

    Examples
    --------
    >>> means = [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]]
    >>> taus_between_folds(means, [[1, 2, 3]]).round(2).tolist()
    [1.0, 0.33]
    >>> taus_between_folds(means, means, same_split=True).round(2).tolist()
    [0.33]
    """
    taus = kendall_tau_b(one, other, TOLERANCE_OF_MEANS)
    return taus[np.triu_indices(len(taus), 1)] if same_split else taus.ravel()


def moved_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return the share of pairs of systems that swap, over pairs of folds.

    Examples
    --------
    >>> round(moved_share([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]], [[1, 2, 3]]), 3)
    0.167
    """
    signs, others = (
        pair_signs(np.atleast_2d(np.asarray(means, dtype=np.float64)), TOLERANCE_OF_MEANS)
        for means in (one, other)
    )
    moved = (signs[:, np.newaxis] * others[np.newaxis] < 0).mean(axis=2)
    return float(moved[np.triu_indices(len(moved), 1)].mean() if same_split else moved.mean())


def same_best_share(one: ArrayLike, other: ArrayLike, *, same_split: bool = False) -> float:
    """Return the share of the pairs of folds in which the same system has the highest mean.

    The first of several systems with equal means counts.

    Examples
    --------
    >>> same_best_share([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]], [[1, 2, 3]])
    0.5
    """
    best, others = (np.argmax(np.atleast_2d(np.asarray(means)), axis=1) for means in (one, other))
    same = best[:, np.newaxis] == others[np.newaxis]
    return float(same[np.triu_indices(len(same), 1)].mean() if same_split else same.mean())


def taus_by_chance(
    folds: Sequence[NDArray[np.float64]], n_users: int, samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return Kendall's tau-b between the order in a fold and that by some users of another fold.

    For every two folds :math:`f \neq f'` of a random split, `n_users` users of :math:`f'` are drawn
    with replacement. The order of the systems by the means of these users is compared with that by
    the means of all users of :math:`f`.

    Examples
    --------
    Two folds in which the second system is ahead for every user:

    >>> fold = np.array([[0.1, 0.2], [0.3, 0.4]])
    >>> taus_by_chance([fold, fold], 1, 4, np.random.default_rng(0)).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    if len(folds) < 2:
        raise ValueError(
            "What chance does to an order is seen between folds of a split, which has "
            f"{len(folds)}: make it with more."
        )
    pairs = [(a, b) for a in range(len(folds)) for b in range(len(folds)) if a != b]
    of_each = -(-samples // len(pairs))
    means = [fold.mean(axis=1) for fold in folds]
    found = []
    for whole, sampled in pairs:
        values = folds[sampled]
        shares = np.full(values.shape[1], 1 / values.shape[1])
        counts = rng.multinomial(n_users, shares, size=of_each)
        drawn = counts @ values.T / n_users
        found.append(kendall_tau_b(drawn, means[whole], TOLERANCE_OF_MEANS).ravel())
    return np.concatenate(found)
