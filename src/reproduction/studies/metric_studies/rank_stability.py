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
    """Return the rank stability of every metric at every level, or its values.

    Parameters of the artifact: ``names`` and ``metrics``; ``average`` (label of the average over
    users, arithmetic by default); ``released_average`` (label of the released tool's, of which
    there are rows for the metrics that were measured so); ``statistic``, ``tau`` or ``value``
    (averaged over the systems).

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
    """Draw the curves of every metric, by falling shares of what is kept.

    Parameters
    ----------
    results : DataFrame
        With the columns of :mod:`.rank_stability`. Geometric means have a G before the name of the
        metric, and a star behind it where users without a hit count as 1: these have panels of
        their own.
    display : DisplayStyle
        Its parameters: ``kept`` says what is kept and ``removed`` what is not; ``near_one``, that
        the y axis enlarges what is near 1, and ``released_near_one``, that those
        of the released form do; ``lowest`` and
        ``lowest_released``, where these axes end unless a curve or its band goes below;
        ``named``, the metrics that have names, where not all have, and all others thin lines;
        ``published_above``, the coefficient above which the paper has all metrics at
        ``published_level``.
    """
    from reproduction.studies.metric_studies.rank_stability_curves import draw_rank_stability

    return draw_rank_stability(results, display)
