"""What a comparison of metrics starts from: values of every system, by user and over all users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.evaluation.experiment import Experiment
from receval.metrics.aggregation import aggregate, evaluated_lists
from receval.metrics.averages import Average
from receval.metrics.evaluation import evaluate
from receval.metrics.metric import Metric


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
    _check_one_protocol(experiment)
    systems = experiment.all_systems
    values = np.zeros((len(averages), len(metrics), len(systems)))
    for _, _, system, lists in experiment.outcomes():
        per_list = evaluate(metrics, lists)
        for place, average in enumerate(averages):
            values[place, :, systems.index(system)] += aggregate(
                per_list, lists, average, experiment.evaluated_users
            )
    return values / len(experiment.folds)


def user_values(experiment: Experiment, metrics: Sequence[Metric]) -> NDArray[np.float64]:
    """Return the values of users, each averaged over the folds that test the user.

    Parameters
    ----------
    experiment : Experiment
        With one protocol.
    metrics : sequence of Metric

    Returns
    -------
    ndarray of float64, shape (n_metrics, n_systems, n_users)
        Users who are averaged in at least one fold. A user is one observation of a paired test,
        also in cross-validation: the folds of a user are not independent.

    Raises
    ------
    ValueError
        The experiment has several protocols, or one of 1R, whose lists are not users; or the
        systems are averaged over different users in some fold.
    """
    _check_one_protocol(experiment)
    if experiment.protocols[0].relevant == "1R":
        raise ValueError(
            f"The lists on {experiment.dataset} are those of 1R, one for each relevant judgment: "
            "compare systems by user under AR."
        )
    systems = experiment.all_systems
    sums = np.zeros((len(metrics), len(systems), experiment.ratings.n_users))
    shape = (len(experiment.folds), len(systems), experiment.ratings.n_users)
    chosen = np.zeros(shape, dtype=bool)
    for number, _, system, lists in experiment.outcomes():
        place = systems.index(system)
        chosen[number, place] = evaluated_lists(lists, experiment.evaluated_users)
        sums[:, place] += np.where(chosen[number, place], evaluate(metrics, lists), 0.0)
    if (chosen != chosen[:, :1]).any():
        raise ValueError(
            f"The systems on {experiment.dataset} are averaged over different users, so they "
            "cannot be paired: average tested, relevant or all users."
        )
    folds = np.count_nonzero(chosen[:, 0], axis=0)
    values: NDArray[np.float64] = sums[:, :, folds > 0] / folds[folds > 0]
    return values


def _check_one_protocol(experiment: Experiment) -> None:
    if len(experiment.protocols) != 1:
        names = ", ".join(protocol.name for protocol in experiment.protocols)
        raise ValueError(
            f"The experiment on {experiment.dataset} has the protocols {names}, and values of "
            "different protocols are not averaged: give it one."
        )
