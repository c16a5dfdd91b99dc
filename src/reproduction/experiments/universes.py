# SPDX-License-Identifier: MIT
"""Compare the systems of a workflow's experiments in universes: combinations of decisions.

Pairs are compared in all universes of a grid, or all systems with the first one in one universe. An
experiment's test ratings can also be sampled, in the same way for all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.missing_judgments.judgment_sampling import SamplingUnit, kept_units, sampling_order
from receval.multiverse.comparisons import AVERAGE_BY_AGGREGATION, PairOfSystems, UserValues
from receval.multiverse.decisions import Configuration, DecisionGrid, SplitDecision, selection_label
from receval.multiverse.exploration import KINDS, Pair, Universes, explore
from receval.multiverse.verdicts import VERDICTS
from receval.seeds import generator
from receval.splits.kinds import SelectionSpec
from reproduction.experiments.experiment import Experiment


class ExperimentUniverses(Universes):
    """The universes of a workflow's experiments, which are on one dataset.

    Each split has one selection (A1), and one fold for each train ratio (A2).
    """

    def __init__(self, experiments: Mapping[str, Experiment]) -> None:
        self.experiments = tuple(experiments.values())
        datasets = {experiment.dataset for experiment in self.experiments}
        if len(datasets) != 1:
            raise ValueError(
                "Universes are of one dataset, but the experiments are on "
                f"{', '.join(sorted(datasets)) or 'none'}. Give experiments on one dataset."
            )

    def lists(self, configuration: Configuration, system: str) -> JudgedLists:
        """Return a system's full lists; see :meth:`Universes.lists`."""
        experiment, number = self.experiment(configuration, system)
        return experiment.lists(system, configuration.protocol, number)

    def has_train(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which users have training ratings."""
        experiment, number = self.experiment(configuration)
        return _has_train(experiment, number)

    def experiment(
        self, configuration: Configuration, system: str | None = None
    ) -> tuple[Experiment, int]:
        """Return the experiment with a configuration's data, and its fold number.

        Several splits with these data are refused: their random test ratings differ, but systems
        must be compared on the same ones.
        """
        found = [
            (experiment, number)
            for experiment in self.experiments
            if (number := fold_of(experiment, configuration.selection, configuration.split))
            is not None
        ]
        wanted = (
            f"the selection {selection_label(configuration.selection)} and the split "
            f"{configuration.split.label}"
        )
        if not found:
            splits = ", ".join(dict.fromkeys(experiment.split for experiment in self.experiments))
            raise ValueError(
                f"No experiment has {wanted}. The splits are {splits}. Add one to splits.yaml "
                "and to an experiment, or remove the level from the grid."
            )
        names = list(dict.fromkeys(experiment.split for experiment, _ in found))
        if len(names) > 1:
            raise ValueError(
                f"The splits {' and '.join(names)} both have {wanted}, each with its own random "
                "draws. Give experiments on one of them."
            )
        for experiment, number in found:
            if system is None or system in experiment.all_systems:
                return experiment, number
        raise ValueError(
            f"No experiment with {wanted} has the system {system}. Those on {names[0]} have "
            f"{', '.join(dict.fromkeys(n for e, _ in found for n in e.all_systems))}. Add it to "
            "one of them, or compare others."
        )


def fold_of(experiment: Experiment, selection: SelectionSpec, split: SplitDecision) -> int | None:
    """Return the first fold of an experiment with these decisions, or None."""
    spec = experiment.split_spec
    if spec["kind"] != KINDS.get(split.kind):
        return None
    if SelectionSpec.model_validate(spec["selection"] or {}) != selection:
        return None
    shares = train_ratios(experiment)
    if split.train_ratio not in shares:
        return None
    return int(shares.index(split.train_ratio) * spec["folds"])


def train_ratios(experiment: Experiment) -> list[float]:
    """Return the train ratios of an experiment's split, in their order."""
    shares = experiment.split_spec["train_ratio"]
    return [float(share) for share in shares] if isinstance(shares, list | tuple) else [shares]


@lru_cache(maxsize=64)
def _has_train(experiment: Experiment, number: int) -> NDArray[np.bool_]:
    return np.diff(experiment.fold(number).train.indptr) > 0


def explore_experiments(
    grid: DecisionGrid, experiments: Mapping[str, Experiment], pairs: Sequence[Pair], seed: int
) -> pd.DataFrame:
    """Compare pairs of systems in every legal combination of a grid."""
    universes = ExperimentUniverses(experiments)
    dataset = universes.experiments[0].dataset
    # The samples of users depend only on the dataset, so that all artifacts use the same.
    return explore(grid.configurations(), universes, pairs, generator(seed, dataset, "multiverse"))


TestUsers = Literal["tested", "relevant"]
"""Which users are averaged: those with a test rating, or with a relevant test rating."""

_OF_THE_OTHER = {"first": "below", "tie": "tie", "second": "above"}


def starting_configuration(experiment: Experiment) -> Configuration:
    """Return the starting configuration of Cañamares et al. (2020) on an experiment's split.

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


@dataclass(frozen=True)
class KeptRatings:
    """The test ratings of a fold that are kept at each level.

    `percents` are the shares kept, in descending order, and `counts` the numbers of test ratings
    kept at these levels. `order` has the rank of each test rating in the sampling order; those kept
    longest have the lowest ranks.
    """

    percents: tuple[int, ...]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def masks(self) -> list[NDArray[np.bool_]]:
        """Whether each test rating is kept, for each level; levels are nested."""
        return [self.order < number for number in self.counts]


def sample_of_experiment(
    experiment: Experiment, number: int, unit: SamplingUnit, sample: int, seed: int
) -> tuple[NDArray[np.int64], int]:
    """Draw a sampling order of a fold's test ratings, the same in every job."""
    # An old word for judgment sampling, kept because seeds derive from names.
    names = (experiment.dataset, experiment.split, number, "removal", unit, sample)
    return sampling_order(experiment.fold(number).test, unit, generator(seed, *names))


def kept_ratings(
    experiment: Experiment, number: int, removed_percents: Sequence[int], seed: int
) -> KeptRatings:
    """Draw a sampling order of the test ratings of a fold, the same for every system."""
    percents = tuple(100 - removed for removed in removed_percents)
    order, n_units = sample_of_experiment(experiment, number, "ratings", 0, seed)
    return KeptRatings(percents, order, kept_units(n_units, np.array(percents, dtype=np.float64)))
