# SPDX-License-Identifier: MIT
"""Folds of an experiment with the judged ranks of its systems, as estimators need them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from receval.evaluation.fitted_systems import RankedFold
    from reproduction.experiments.experiment import Experiment


def ranked_folds_of(experiment: Experiment) -> Iterator[RankedFold]:
    """Yield the folds of an experiment that has one protocol and unbiased judgments."""
    from receval.evaluation.fitted_systems import RankedFold

    protocol = experiment.only_protocol
    for number in experiment.folds:
        test, unbiased = (
            {
                name: experiment.judged_ranks(name, protocol, number, part)
                for name in experiment.all_systems
            }
            for part in ("test", "unbiased")
        )
        yield RankedFold(number, experiment.fold(number), test, unbiased)
