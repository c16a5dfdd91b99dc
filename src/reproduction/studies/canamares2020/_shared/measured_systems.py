# SPDX-License-Identifier: MIT
"""Measure the systems of an experiment per user, and compare them with the first system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.registry import parse
from receval.multiverse.comparisons import AVERAGE_BY_AGGREGATION, PairOfSystems, UserValues
from receval.multiverse.decisions import Configuration
from receval.multiverse.verdicts import VERDICTS
from receval.splits.kinds import SelectionSpec
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.universes import ExperimentUniverses
from reproduction.studies._shared.inputs import ArtifactInputs

TestUsers = Literal["tested", "relevant"]
"""Which users are averaged: those with a test rating, or with a relevant test rating."""

_OF_THE_OTHER = {"first": "below", "tie": "tie", "second": "above"}


def train_ratios(experiment: Experiment) -> list[float]:
    """Return the train ratios of an experiment's split, in their order."""
    shares = experiment.split_spec["train_ratio"]
    return [float(share) for share in shares] if isinstance(shares, list | tuple) else [shares]


def starting_configuration(experiment: Experiment) -> Configuration:
    """Return the starting configuration of canamares2020 on an experiment's split.

    The data selection (A1) is that of the split. The train ratio (A2) is .5, or the only one of the
    split.
    """
    selection = SelectionSpec.model_validate(experiment.split_spec["selection"] or {})
    start = Configuration(selection=selection)
    ratios = train_ratios(experiment)
    if start.split.train_ratio in ratios:
        return start
    if len(ratios) > 1:
        raise ValueError(
            f"The split {experiment.split} has the train ratios "
            f"{', '.join(f'{ratio:g}' for ratio in ratios)}, so it is open where to start: give "
            f"one ratio, or {start.split.train_ratio:g} among them."
        )
    return start.replace(split={"train_ratio": ratios[0]})


class MeasuredSystems:
    """Systems measured per user by several metrics, on one form of their lists.

    Decisions A1, A2, B2 and C1 come from a configuration; the metrics (C2) are given. The others
    are arguments of :meth:`compared`. The first system, by default of all of the experiment, is the
    one that the others are compared with.

    The attributes are ``labels`` (of the metrics, as printed), ``systems``, ``users`` (the values
    of each system, one row per metric), ``n_test`` and ``n_relevant`` (number of test ratings, and
    of relevant ones, of each user).
    """

    def __init__(
        self,
        experiment: Experiment,
        configuration: Configuration,
        labels: Sequence[str],
        systems: Sequence[str] = (),
    ) -> None:
        metrics = [parse(label) for label in labels]
        for metric in metrics:
            if metric.condensed != (configuration.lists == "condensed"):
                raise ValueError(
                    f"{metric.label} is not a metric of {configuration.lists} lists: change the "
                    "metric or the decision C1."
                )
        self.labels = [metric.label for metric in metrics]
        self.systems = tuple(systems) or experiment.all_systems
        if len(self.systems) < 2:
            raise ValueError(
                f"There is nothing to compare {', '.join(self.systems)} with: name two systems."
            )
        universes = ExperimentUniverses({experiment.split: experiment})
        self._has_train = universes.has_train(configuration)
        self.users = {}
        # Read one system's lists at a time: those of all systems may not fit in memory.
        for system in self.systems:
            lists = universes.lists(configuration, system)
            self.users[system] = UserValues.of(lists, self.labels, configuration.lists)
            self.n_test, self.n_relevant = lists.full.n_judged, lists.full.n_relevant
            del lists

    def evaluated_users(
        self, system: str, configuration: Configuration, users: TestUsers = "tested"
    ) -> NDArray[np.bool_]:
        """Return which users a system's values are averaged over (decisions B1 and C4)."""
        chosen = self._n_test_of(users) > 0
        if configuration.users == "trained":
            chosen = chosen & self._has_train
        if configuration.coverage == "reduced":
            chosen = chosen & self.users[system].covered
        return chosen

    def compared(
        self, configuration: Configuration, users: TestUsers = "tested", /, **labels: object
    ) -> pd.DataFrame:
        """Average the values of all systems, and compare each system with the first.

        The paper averages all ``tested`` users, with a test rating. If none of a user's is
        relevant, relevance metrics are 0 for any system; ``relevant`` leaves such users out.

        There is one row per metric and system: the given labels, such as the dataset; metric;
        system; lists (number of users averaged); value (NaN if there are none); p_value of the
        paired test against the first system; verdict (the system is significantly ``above`` or
        ``below`` the first, or a ``tie``). The last two are empty for the first system, and if both
        systems cover fewer than two users in common.
        """
        first, *others = self.systems
        chosen = {name: self.evaluated_users(name, configuration, users) for name in self.systems}
        average = AVERAGE_BY_AGGREGATION[configuration.aggregation]
        tables = []
        for system in (first, *others):
            n_evaluated = int(np.count_nonzero(chosen[system]))
            values = np.full(len(self.labels), np.nan)
            if n_evaluated:
                values = average.of(
                    self.users[system].values[:, chosen[system]],
                    self.n_test[chosen[system]],
                    self.n_relevant[chosen[system]],
                )
            p_values, verdicts = np.full(len(self.labels), np.nan), [""] * len(self.labels)
            if system != first and np.count_nonzero(chosen[first] & chosen[system]) > 1:
                pair = PairOfSystems(
                    self.users[first],
                    self.users[system],
                    self._n_test_of(users),
                    self.n_relevant,
                    self._has_train if configuration.users == "trained" else None,
                    configuration.coverage,
                )
                comparison = pair.compared(configuration.aggregation, configuration.test)
                p_values = comparison.p
                verdicts = [_OF_THE_OTHER[VERDICTS[sign]] for sign in comparison.verdict.tolist()]
            tables.append(
                pd.DataFrame(
                    {
                        **labels,
                        "metric": self.labels,
                        "system": system,
                        "lists": n_evaluated,
                        "value": values,
                        "p_value": p_values,
                        "verdict": verdicts,
                    }
                )
            )
        # By metric, then by system.
        return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)

    def _n_test_of(self, users: TestUsers) -> NDArray[np.int64]:
        """Return the number of test ratings per user, 0 for users who are left out."""
        return self.n_test if users == "tested" else np.where(self.n_relevant > 0, self.n_test, 0)


def aligned_parameter(
    inputs: ArtifactInputs, parameter: str, systems: Sequence[str]
) -> dict[str, int]:
    """Return each system's number from a parameter, such as its number of neighbours.

    The parameter lists increasing numbers. If the name of a system ends in a number, it must be its
    own.
    """
    numbers = [int(number) for number in inputs.parameters[parameter]]
    if len(numbers) != len(systems):
        raise ValueError(
            f"The parameter {parameter} has {len(numbers)} numbers for the systems "
            f"{', '.join(systems)}: give one for each of these {len(systems)}."
        )
    if sorted(set(numbers)) != numbers:
        raise ValueError(
            f"The parameter {parameter} is {', '.join(map(str, numbers))}, which does not "
            "increase: list numbers and systems from the smallest to the largest."
        )
    aligned = dict(zip(systems, numbers, strict=True))
    for system, number in aligned.items():
        ending = system.rpartition("-")[2]
        if ending.isdigit() and int(ending) != number:
            raise ValueError(
                f"The parameter {parameter} gives the system {system} the number {number}, but "
                f"its name says {ending}: list both in the same order."
            )
    return aligned
