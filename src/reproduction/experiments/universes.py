# SPDX-License-Identifier: MIT
"""Compare the systems of a workflow's experiments in all universes of a grid of decisions.

An experiment's test ratings can also be sampled, in the same way for all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.metrics.lists import JudgedLists
from receval.missing_judgments.judgment_sampling import SamplingUnit, kept_units, sampling_order
from receval.multiverse.decisions import (
    Configuration,
    DecisionGrid,
    SplitDecision,
    selection_label,
)
from receval.multiverse.exploration import KINDS, Pair, Universes, explore
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
    """Return the fold of an experiment with these decisions, or None.

    The first of repeated folds is taken.
    """
    spec = experiment.split_spec
    if spec["kind"] != KINDS[split.kind]:
        return None
    if SelectionSpec.model_validate(spec["selection"] or {}) != selection:
        return None
    shares = spec["train_ratio"]
    shares = list(shares) if isinstance(shares, list | tuple) else [shares]
    if split.train_ratio not in shares:
        return None
    return int(shares.index(split.train_ratio) * spec["folds"])


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
