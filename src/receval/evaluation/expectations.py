"""What theory says of an experiment's values: over all samples, and of random recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from receval.evaluation.experiment import Experiment
from receval.metrics.aggregation import evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.precision import Precision
from receval.protocols.protocol import Protocol
from receval.theory.random_precision import (
    Expectation,
    random_precision,
    random_precision_within_percentiles,
)
from receval.theory.sampled_candidates import (
    SamplingOdds,
    expected_precision_among_samples,
    expected_under_one_relevant,
)
from receval.theory.target_densities import TargetDensities

UNKNOWN = Expectation(float("nan"), float("nan"))


class Expectations:
    """Expected values of one fold of an experiment.

    Parameters
    ----------
    experiment : Experiment
    number : int
        Of the fold.
    """

    def __init__(self, experiment: Experiment, number: int) -> None:
        self.experiment = experiment
        self.number = number
        self._odds: dict[tuple[str, Protocol], SamplingOdds] = {}
        self._random: dict[tuple[Protocol, int], Expectation] = {}

    def over_samples(
        self, protocol: Protocol, system: str, lists: JudgedLists, metrics: Sequence[Metric]
    ) -> list[float]:
        """Return the expectation of each metric over all samples of candidates.

        It is read from the ranks among all candidates (AR AN), so it is NaN where the experiment
        has no such protocol beside the sampled one, where nothing is sampled, and for metrics whose
        expectation is not known: under AR all but precision.
        """
        unknown = [float("nan")] * len(metrics)
        if protocol.sampled is None or protocol.percentiles is not None:
            return unknown
        whole = replace(protocol, relevant="AR", sampled=None, threshold=None)
        if whole not in self.experiment.protocols:
            return unknown
        if (system, whole) not in self._odds:
            fold = self.experiment.fold(self.number)
            candidates = self.experiment.lists(system, whole, self.number)
            self._odds[system, whole] = SamplingOdds.of(fold, candidates, whole)
        odds = self._odds[system, whole]
        chosen = evaluated_lists(lists, self.experiment.evaluated_users)
        found = []
        for metric in metrics:
            if protocol.relevant == "1R":
                values = expected_under_one_relevant(odds, metric, protocol.sampled)
            elif metric == Precision(cutoff=metric.cutoff) and metric.cutoff is not None:
                values = expected_precision_among_samples(odds, metric.cutoff, protocol.sampled)
            else:
                found.append(float("nan"))
                continue
            found.append(float(values[chosen].mean()))
        return found

    def of_random(self, protocol: Protocol, metric: Metric) -> Expectation:
        """Return the expected precision of Random; unknown for other metrics.

        Random's lists are averaged over all users, so it is unknown, too, where others are
        averaged under AR.
        """
        over_all = protocol.relevant == "1R" or self.experiment.evaluated_users == "all"
        is_precision = metric == Precision(cutoff=metric.cutoff)
        if metric.cutoff is None or not (over_all and is_precision):
            return UNKNOWN
        key = (protocol, metric.cutoff)
        if key not in self._random:
            fold, threshold = self.experiment.fold(self.number), self.experiment.threshold
            if protocol.percentiles is None:
                densities = TargetDensities.of(fold, protocol, threshold)
                self._random[key] = random_precision(densities, metric.cutoff)
            else:
                self._random[key] = random_precision_within_percentiles(
                    fold, protocol, threshold, metric.cutoff
                )
        return self._random[key]


def error_of_mean(errors: ArrayLike) -> float:
    """Return the standard error of the mean over folds, each with a random system of its own.

    NaN if one of the folds has none.
    """
    squares = np.square(np.asarray(errors, dtype=np.float64))
    return float(np.sqrt(squares.sum()) / len(squares))
