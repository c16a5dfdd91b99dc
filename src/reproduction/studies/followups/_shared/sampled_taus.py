# SPDX-License-Identifier: MIT
"""How the order of the systems among samples agrees with other orders."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b

AUC = "AUC"
"""The mean share of candidates below a relevant item, as a metric."""

EVERY = "all"
"""The number of candidates where none are left out."""


def sampled_taus(results: pd.DataFrame) -> pd.DataFrame:
    """Compare orders, by sampling, metric and number of candidates.

    Returns
    -------
    DataFrame
        Columns: sampling; metric; negatives; tau_full (Kendall's tau-b with the order by the metric
        among all candidates); tau_auc (with the order by AUC). What is of all candidates stands at
        the end of the uniform samples.
    """
    results = results.assign(negatives=results["negatives"].astype(str))
    whole = results[results["negatives"] == EVERY]
    full = {
        str(metric): own.set_index("system")["expected"] for metric, own in whole.groupby("metric")
    }
    rows = []
    shown = results[results["metric"] != AUC]
    for (sampling, metric, negatives), own in shown.groupby(
        ["sampling", "metric", "negatives"], sort=False
    ):
        values = own.set_index("system")["expected"]
        taus = [
            float(kendall_tau_b(values, other[values.index].to_numpy(), TOLERANCE_OF_MEANS)[0, 0])
            for other in (full[str(metric)], full[AUC])
        ]
        rows.append((str(sampling), str(metric), str(negatives), *taus))
    table = pd.DataFrame(rows, columns=["sampling", "metric", "negatives", "tau_full", "tau_auc"])
    place = table["negatives"].map(lambda size: np.inf if size == EVERY else float(size))
    order = np.lexsort(
        (place, pd.factorize(table["metric"])[0], pd.factorize(table["sampling"])[0])
    )
    return table.iloc[order].reset_index(drop=True)
