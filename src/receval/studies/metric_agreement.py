"""Kendall's tau between the orders in which metrics put the systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.statistics.kendall import ROUNDING, kendall_tau_b
from receval.studies.inputs import ArtifactInputs
from receval.studies.named_metrics import named_metrics

RELEASED_DIGITS = 4
"""Digits of the released values from which the papers' coefficients were computed."""


def agreement(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlation of every pair of metrics.

    Columns: dataset; average (over users); metric_a, metric_b (every ordered pair, a metric with
    itself included); tau (of the text's forms of the metrics); tau_released (of the released
    tool's, with values rounded to four digits as the paper's were: rounding ties systems); systems
    (how many are ordered).
    """
    from receval.metrics.averages import Arithmetic
    from receval.studies.system_values import system_values

    metrics = named_metrics(inputs.parameters)
    released = named_metrics(inputs.parameters, "released")
    both = [*metrics.values(), *released.values()]
    tables = []
    for experiment in inputs.experiments.values():
        (values,) = system_values(experiment, both, [Arithmetic()])
        own, theirs = values[: len(metrics)], np.round(values[len(metrics) :], RELEASED_DIGITS)
        table = agreement_of(own, list(metrics), experiment.dataset, Arithmetic.name)
        table.insert(5, "tau_released", kendall_tau_b(theirs, theirs).ravel())
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def agreement_of(
    values: NDArray[np.float64], names: Sequence[str], dataset: str, average: str
) -> pd.DataFrame:
    """Return the rows of one dataset and average, without released forms; see :func:`agreement`.

    Parameters
    ----------
    values : ndarray of float64, shape (n_metrics, n_systems)
    names : sequence of str
        Of the metrics.
    dataset, average : str
    """
    return pd.DataFrame(
        {
            "dataset": dataset,
            "average": average,
            "metric_a": np.repeat(names, len(names)),
            "metric_b": np.tile(names, len(names)),
            "tau": kendall_tau_b(values, values, ROUNDING).ravel(),
            "systems": values.shape[1],
        }
    )
