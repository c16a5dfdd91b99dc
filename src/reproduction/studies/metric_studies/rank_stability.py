# SPDX-License-Identifier: MIT
"""Rank stability: how much metrics change their order of systems with fewer judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability, or the mean value, of every metric at every level.

    Parameters of the artifact: ``names`` and ``metrics``; ``average`` (label of the average over
    users, arithmetic by default); ``released_average`` (label of the released tool's average, which
    adds rows for the metrics that were measured so); ``statistic``, ``tau`` or ``value`` (averaged
    over the systems).

    The columns are those of
    :func:`reproduction.studies.metric_studies.rank_stability_of_values.rank_stability` or
    :func:`reproduction.studies.metric_studies.rank_stability_of_values.mean_values`.
    """
    from receval.metrics.registry import parse_named
    from reproduction.studies.metric_studies.rank_stability_of_values import (
        mean_values,
        rank_stability,
        read_samplings,
    )

    parameters = inputs.parameters
    metrics = parse_named(parameters["names"], parameters["metrics"])
    average = str(parameters.get("average", "arithmetic"))
    found = [
        values for path in inputs.judgment_samplings.values() for values in read_samplings(path)
    ]
    found.sort(key=lambda values: inputs.datasets.index(values.dataset))
    if parameters.get("statistic") == "value":
        return mean_values(found, metrics, average)
    return rank_stability(found, metrics, average, parameters.get("released_average"))


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the curves of all metrics by the share that is kept, in descending order.

    Parameters
    ----------
    results : DataFrame
        With the columns of :mod:`.rank_stability`. Geometric means have a G before the metric's
        name. A star after it marks those where users without a hit count as 1, which have their own
        panels.
    display : DisplayStyle
        Its parameters: ``kept`` and ``removed`` name what is kept and removed; ``near_one`` and
        ``released_near_one`` enlarge the y axis near 1, in our and in the released form; ``lowest``
        and ``lowest_released`` are the lower ends of these axes, unless a curve or its band goes
        below; ``named`` lists the metrics with names (all others are thin lines; by default all are
        named); ``published_above``, the coefficient that all metrics exceed in the paper at
        ``published_level``.
    """
    from reproduction.studies.metric_studies.rank_stability_curves import draw_rank_stability

    return draw_rank_stability(results, display)
