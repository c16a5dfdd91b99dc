# SPDX-License-Identifier: MIT
"""Estimates divided by the values on judgments of randomly drawn items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies.followups._shared.estimator_names import MAR, with_titles


def ratios_to_mar(results: pd.DataFrame) -> pd.DataFrame:
    """Compare each estimator's values of the systems with those on random items.

    Returns
    -------
    DataFrame
        Columns: dataset; metric; estimator; propensities; title; tau (Kendall's tau-b of the orders
        of the systems); ratio (median over systems of the estimate over the value by random items),
        ratio_low and ratio_high (its quartiles); error (mean over systems of the absolute
        relative error, in per cent); in the order of the titles.
    """
    results = results.assign(value=real_values(results["value"]))
    rows = []
    for (dataset, metric), own in with_titles(results).groupby(["dataset", "metric"], sort=False):
        truth = own[own["estimator"] == MAR].set_index("system")["value"]
        keys = ["title", "estimator", "propensities"]
        for (title, estimator, propensities), of_it in own.groupby(keys, sort=False):
            values = of_it.set_index("system")["value"].reindex(truth.index)
            there = (truth > 0).to_numpy()
            ratios = values.to_numpy()[there] / truth.to_numpy()[there]
            low, middle, high = np.percentile(ratios, (25, 50, 75))
            tau = kendall_tau_b(values.to_numpy(), truth.to_numpy(), TOLERANCE_OF_MEANS)
            rows.append(
                {
                    "dataset": dataset,
                    "metric": metric,
                    "estimator": estimator,
                    "propensities": propensities,
                    "title": title,
                    "tau": float(tau[0, 0]),
                    "ratio": float(middle),
                    "ratio_low": float(low),
                    "ratio_high": float(high),
                    "error": 100 * float(np.abs(ratios - 1).mean()),
                }
            )
    return pd.DataFrame(rows)
