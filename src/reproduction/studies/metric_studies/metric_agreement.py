# SPDX-License-Identifier: MIT
"""Agreement of metrics: Kendall's tau between the orders in which they put the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.statistics.correlation import kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RELEASED_DIGITS = 4
"""Digits of the released values from which the papers' coefficients were computed."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlation of every pair of metrics.

    Parameters of the artifact, aligned: ``names`` (printed), ``metrics`` (labels of the text's
    forms) and ``released`` (labels of the released tool's).

    Columns: dataset; average (over users); metric_a, metric_b (every ordered pair, a metric with
    itself included); tau (of the text's forms of the metrics); tau_released (of the released
    tool's, with values rounded to four digits as the paper's were: rounding ties systems); systems
    (how many are ordered).
    """
    from receval.metrics.averages import Arithmetic
    from receval.metrics.registry import parse_named
    from reproduction.experiments.metric_comparison import agreement_of, system_values

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    released = parse_named(inputs.parameters["names"], inputs.parameters["released"])
    both = [*metrics.values(), *released.values()]
    tables = []
    for experiment in inputs.experiments.values():
        (values,) = system_values(experiment, both, [Arithmetic()])
        own, theirs = values[: len(metrics)], np.round(values[len(metrics) :], RELEASED_DIGITS)
        table = agreement_of(own, list(metrics), experiment.dataset, Arithmetic.name)
        table.insert(5, "tau_released", kendall_tau_b(theirs, theirs).ravel())
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a heat map for each dataset; see :func:`.agreement_maps.draw_agreement`."""
    from reproduction.studies.metric_studies.agreement_maps import draw_agreement

    return draw_agreement(results, display, {"arithmetic": ""})
