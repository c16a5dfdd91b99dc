# SPDX-License-Identifier: MIT
"""Protocols and points of the experiments on sparsity and on the size of target sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.protocols.protocol import Protocol, RelevantSelection
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.precision_and_recall import Precision
    from reproduction.experiments.sampled_judgments import KeptRatings

KEPT, SIZE = "test ratings", "target set size"
"""Names in the CSVs of what varies along an axis: the share of test ratings that is kept, and
the number of target items of a 1R list."""


class Point(NamedTuple):
    """One point of an x axis: what varies along it, and at which values.

    They are the share of the test ratings that is kept, the number of sampled candidates, and a
    mask of the kept test ratings, of shape (n_judgments,).
    """

    varied: str
    kept_percent: int
    sampled: int
    mask: NDArray[np.bool_]

    @property
    def target_set_size(self) -> int:
        """Number of target items of a 1R list."""
        return self.sampled + 1


def points(kept: KeptRatings, sizes: list[int]) -> list[Point]:
    """Return the points with removed test ratings, on the smallest samples, and those by size."""
    everything = np.ones(len(kept.order), dtype=bool)
    return [
        *(
            Point(KEPT, percent, min(sizes), mask)
            for percent, mask in zip(kept.percents, kept.masks, strict=True)
        ),
        *(Point(SIZE, 100, sampled, everything) for sampled in sorted(sizes)),
    ]


def drawn_precision(inputs: ArtifactInputs) -> tuple[Precision, int]:
    """Return the metric that is drawn, and its cut-off."""
    from receval.metrics.precision_and_recall import Precision
    from receval.metrics.registry import parse

    metric = parse(inputs.parameters["metric"])
    if not isinstance(metric, Precision) or metric.cutoff is None:
        raise ValueError(
            f"The theory of this figure is that of precision at a cut-off, not of {metric.label}: "
            "set its parameter metric to one such as P@10."
        )
    return metric, metric.cutoff


def protocols_by_size(experiment: Experiment, relevant: RelevantSelection) -> dict[int, Protocol]:
    """Return the protocols of AR NN or 1R NN by the number of sampled candidates."""
    found = {p.sampled: p for p in experiment.protocols if p.sampled and p.relevant == relevant}
    if not found:
        raise ValueError(
            f"The experiment on {experiment.dataset} has no protocol {relevant} with sampled "
            "candidates: add one with the sizes of the target sets."
        )
    return found


def protocol_of_all_candidates(experiment: Experiment) -> Protocol:
    """Return the AR AN protocol of an experiment."""
    found = [p for p in experiment.protocols if p.sampled is None and p.relevant == "AR"]
    if len(found) != 1:
        raise ValueError(
            f"The experiment on {experiment.dataset} has {len(found)} protocols AR that rank all "
            "candidates, but figure 4 needs one: list it once, without sampled."
        )
    return found[0]
