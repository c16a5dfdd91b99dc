"""Test ratings removed at random, step by step: the masks that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.evaluation.experiment import Experiment
from receval.robustness.judgment_sampling import kept_units, sampling_order
from receval.seeds import generator


@dataclass(frozen=True)
class KeptRatings:
    """What is left of the test ratings of a fold at each level.

    Attributes
    ----------
    percents : tuple of int
        Shares kept, falling.
    order : ndarray of int64, shape (n_judgments,)
        Turn of each test rating to leave: those that stay longest have the lowest.
    counts : ndarray of int64, shape (n_levels,)
        Number of test ratings kept at each level.
    """

    percents: tuple[int, ...]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def masks(self) -> list[NDArray[np.bool_]]:
        """Whether each test rating is kept, for each level; levels are nested."""
        return [self.order < number for number in self.counts]


def kept_ratings(
    experiment: Experiment, number: int, removed_percents: Sequence[int], seed: int
) -> KeptRatings:
    """Draw an order of removal, the same for every system.

    Parameters
    ----------
    experiment : Experiment
    number : int
        Of the fold.
    removed_percents : sequence of int
        Shares removed, rising from at least 0.
    seed : int
        The edition's root seed.
    """
    percents = tuple(100 - unit for unit in removed_percents)
    # The names are those of the first sample of a removal of ratings (removal_values).
    rng = generator(seed, experiment.dataset, experiment.split, number, "removal", "ratings", 0)
    order, n_units = sampling_order(experiment.fold(number).test, "ratings", rng)
    return KeptRatings(percents, order, kept_units(n_units, np.array(percents, dtype=np.float64)))
