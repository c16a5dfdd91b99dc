# SPDX-License-Identifier: MIT
"""Rank stability of lexirecall and other metrics with fewer and fewer judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from reproduction.studies.metric_studies.rank_stability import SampledValues


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability of the sampled metrics, and of lexirecall under the same samples.

    Parameters of the artifact: ``names`` and ``metrics``, of the judgment sampling; ``unit``, what
    is removed in it.

    The columns are those of
    :func:`reproduction.studies.metric_studies.rank_stability.rank_stability`.
    Lexirecall's order is that of the mean preferences of
    :mod:`reproduction.experiments.lexirecall_orders`, averaged over folds.
    """
    from reproduction.experiments.lexirecall_orders import LEXIRECALL
    from reproduction.studies.metric_studies.rank_stability import (
        rank_stability,
        read_samplings,
        summary_rows,
    )

    metrics = inputs.named_metrics()
    (path,) = inputs.judgment_samplings.values()
    (values,) = read_samplings(path)
    taus = _taus_of_lexirecall(inputs, values)
    return pd.concat(
        [
            rank_stability([values], metrics, "arithmetic"),
            summary_rows(values, "arithmetic", LEXIRECALL, taus, "tau"),
        ],
        ignore_index=True,
    )


def _taus_of_lexirecall(inputs: ArtifactInputs, values: SampledValues) -> NDArray:
    """Compare lexirecall's order at each level and sample with that under all judgments."""
    import numpy as np

    from receval.missing_judgments.judgment_sampling import kept_units
    from reproduction.experiments.lexirecall_orders import LexirecallLists
    from reproduction.experiments.universes import sample_of_experiment

    (experiment,) = inputs.experiments.values()
    n_samples = values.values.shape[1]
    complete = np.zeros(len(values.systems))
    left = np.zeros((len(values.percents), n_samples, len(values.systems)))
    for number in experiment.folds:
        lists = LexirecallLists.of_fold(experiment, number)
        complete += lists.mean_preferences()
        for sample in range(n_samples):
            order, n_units = sample_of_experiment(
                experiment, number, inputs.parameters["unit"], sample, inputs.seed
            )
            for level, count in enumerate(kept_units(n_units, values.percents)):
                left[level, sample] += lists.mean_preferences(order < count)
    flat = left.reshape(-1, len(values.systems))
    return kendall_tau_b(complete, flat, TOLERANCE_OF_MEANS).reshape(left.shape[:2])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the curves of all metrics by the share that is kept, in descending order.

    The parameters are those of :func:`reproduction.studies.metric_studies.rank_stability.draw`.
    """
    from reproduction.studies.metric_studies.rank_stability import draw as draw_curves

    return draw_curves(results, display)
