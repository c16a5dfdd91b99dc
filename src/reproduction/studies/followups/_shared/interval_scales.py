# SPDX-License-Identifier: MIT
"""Values per user under every metric, on its own scale and on interval scales."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment
    from reproduction.studies._shared.inputs import ArtifactInputs

# Interval scales replace the values of a metric by equidistant numbers.
#
# Means, t-tests and Wilcoxon's signed-rank test assume that a difference means the same everywhere
# on the scale. This is doubtful for reciprocal ranks: from rank 2 to rank 1 is half of the scale,
# from 3 to 2 a sixth of it. Ferrante, Ferro and Fuhr (2021), "Towards meaningful statements in IR
# evaluation: mapping evaluation measures to interval scales", IEEE Access 9, put the values of a
# metric at equal distances; Moffat (2022), "Batch evaluation metrics in information retrieval:
# measures, scales, and meaning", arXiv 2207.03103, answers that other distances are as valid where
# there is an external reason for each.

OWN = "own"
"""The scale of a metric's own values."""

IntervalScale = Literal["equal-steps", "mean-ranks"]

SCALES: tuple[IntervalScale, ...] = get_args(IntervalScale)

DECIMALS = 12
"""Values are equal if they agree to this many decimals; rounding errors are far smaller."""


def on_interval_scale(values: ArrayLike, scale: IntervalScale) -> NDArray[np.float64]:
    r"""Replace the values of one metric by their positions among all observed values.

    With the distinct values :math:`v_1 < \ldots < v_m`, of which :math:`v_j` was observed
    :math:`n_j` times among :math:`n`,

    .. math:: \text{equal-steps: } v_j \mapsto \frac{j - 1}{m - 1}, \qquad
              \text{mean-ranks: } v_j \mapsto
              \frac{1}{n - 1} \Bigl(\sum_{i < j} n_i + \frac{n_j - 1}{2}\Bigr).

    Both run from 0 to 1, and keep the order and ties. Equal steps count the same, as on the
    interval scales of the source; steps of mean ranks are proportional to the number of lists. If a
    metric's observed values are equidistant, such as precision at a cut-off where every number of
    hits occurs, equal steps only rescale it, which changes no test.

    If all values are equal, they become 0 (for mean ranks, .5).

    The source uses all values that a metric can attain on lists of one length and one number of
    relevant items. Those of AP or nDCG at 100 cannot be enumerated, so the observed values of all
    users are used here.
    """
    from scipy.stats import rankdata

    if scale not in SCALES:
        raise ValueError(f"There is no interval scale {scale}; there are {', '.join(SCALES)}.")
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise ValueError("There are no values, so there is no scale of them.")
    if not np.isfinite(array).all():
        raise ValueError("A value is not a finite number, so it has no place on a scale.")
    rounded = np.round(array, DECIMALS).ravel() + 0.0
    if scale == "equal-steps":
        distinct, places = np.unique(rounded, return_inverse=True)
        steps = places.astype(np.float64) / max(len(distinct) - 1, 1)
        return steps.reshape(array.shape)
    if len(rounded) == 1:
        return np.full(array.shape, 0.5)
    ranks: NDArray[np.float64] = (rankdata(rounded) - 1.0) / (len(rounded) - 1.0)
    return ranks.reshape(array.shape)


def metrics_with_gain(inputs: ArtifactInputs) -> dict[str, Metric]:
    """Return the metrics of the parameters ``names`` and ``metrics``, with DCG after nDCG.

    DCG has the cut-off and gain of the parameters' nDCG, and is only added with it.
    """
    from receval.metrics.ndcg import NDCG, DiscountedGain
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
    """Return the values per user on each scale, averaged over the folds that test the user.

    A scale is computed on the values of all systems and users of one fold, before averaging,
    because a mean over folds is not a value of the metric.
    """
    from receval.metrics.evaluation import evaluate, evaluated_lists
    from reproduction.experiments.metric_comparison import UserMeans

    means = {scale: UserMeans(experiment, len(metrics)) for scale in (OWN, *SCALES)}
    protocol = experiment.only_protocol
    for number in experiment.folds:
        lists = [experiment.lists(name, protocol, number) for name in experiment.all_systems]
        values = np.stack([evaluate(list(metrics.values()), own) for own in lists], axis=1)
        chosen = evaluated_lists(lists[0], experiment.evaluated_users)
        scaled_values = {OWN: np.round(values, DECIMALS)}
        for scale in SCALES:
            scaled_values[scale] = scaled = np.zeros_like(values)
            for metric, observed in enumerate(values):
                scaled[metric][:, chosen] = on_interval_scale(observed[:, chosen], scale)
        for name_of_scale, collected in means.items():
            for system, name in enumerate(experiment.all_systems):
                collected.add(name, lists[system], scaled_values[name_of_scale][:, system])
    # Sums over folds that differ only by rounding must be equal.
    return {scale: np.round(own.values(), DECIMALS) for scale, own in means.items()}
