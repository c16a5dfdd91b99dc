"""Kendall's tau between the orders in which metrics put the systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.statistics.correlation import MEANS_TOLERANCE, kendall_tau_b


def agreement_of(
    values: NDArray[np.float64], names: Sequence[str], dataset: str, average: str
) -> pd.DataFrame:
    """Return the correlation of every ordered pair of metrics, one with itself included.

    Columns: dataset; average; metric_a, metric_b; tau (Kendall's tau-b); systems (how many).

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
            "tau": kendall_tau_b(values, values, MEANS_TOLERANCE).ravel(),
            "systems": values.shape[1],
        }
    )
