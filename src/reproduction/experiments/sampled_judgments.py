# SPDX-License-Identifier: MIT
"""Sample an experiment's test ratings in the same way for all systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.missing_judgments.judgment_sampling import SamplingUnit, kept_units, sampling_order
from receval.seeds import generator
from reproduction.experiments.experiment import Experiment


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
