# SPDX-License-Identifier: MIT
"""Values of users under every metric, as they are and on interval scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment
    from reproduction.studies._shared.inputs import ArtifactInputs
    from reproduction.studies.followups._shared.interval_scales import IntervalScale

EVERYONE = "all"
"""How many users are drawn where all are tested."""

OWN = "own"
"""The scale of a metric's own values."""

SCALES: tuple[IntervalScale, ...] = ("equal-steps", "mean-ranks")
"""Names of the interval scales (:mod:`reproduction.studies.followups._shared.interval_scales`)."""

SCALE_TITLES = {"equal-steps": "Equal steps", "mean-ranks": "Mean ranks"}
"""How figures and tables print them."""


def metrics_with_gain(inputs: ArtifactInputs) -> dict[str, Metric]:
    """Return the metrics of the parameters ``names`` and ``metrics``, and DCG behind nDCG.

    DCG has the cut-off and the gain of the parameters' nDCG, and stands nowhere without it.
    """
    from receval.metrics.discounted_gain import DiscountedGain
    from receval.metrics.ndcg import NDCG
    from receval.metrics.registry import parse_named

    named = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    found: dict[str, Metric] = {}
    for name, metric in named.items():
        found[name] = metric
        if isinstance(metric, NDCG):
            found["DCG"] = DiscountedGain(gain=metric.gain, cutoff=metric.cutoff)
    return found


def values_on_scales(
    experiment: Experiment, metrics: Mapping[str, Metric]
) -> dict[str, NDArray[np.float64]]:
    """Return the values of users on each scale, averaged over the folds that test the user.

    A scale spreads the values of all systems for all users of one fold, before they are averaged:
    a mean over folds is no value that the metric can have.
    """
    import numpy as np

    from receval.metrics.evaluation import evaluate, evaluated_lists
    from reproduction.experiments.user_means import UserMeans
    from reproduction.studies.followups._shared.interval_scales import DECIMALS, on_interval_scale

    means: dict[str, UserMeans] = {
        scale: UserMeans(experiment, len(metrics)) for scale in (OWN, *SCALES)
    }
    protocol = experiment.only_protocol
    for number in experiment.folds:
        lists = [experiment.lists(name, protocol, number) for name in experiment.all_systems]
        values = np.stack([evaluate(list(metrics.values()), own) for own in lists], axis=1)
        chosen = evaluated_lists(lists[0], experiment.evaluated_users)
        scaled_values = {OWN: np.round(values, DECIMALS)}
        for own_scale in SCALES:
            scaled_values[own_scale] = np.zeros_like(values)
            for metric, observed in enumerate(values):
                places = on_interval_scale(observed[:, chosen], own_scale)
                scaled_values[own_scale][metric][:, chosen] = places
        for scale, scaled in scaled_values.items():
            collected = means[scale]
            for system, name in enumerate(experiment.all_systems):
                collected.add(name, lists[system], scaled[:, system])
    # Sums of folds that are equal but for rounding are to be equal.
    return {scale: np.round(own.values(), DECIMALS) for scale, own in means.items()}
