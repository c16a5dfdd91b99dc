# SPDX-License-Identifier: MIT
"""What weights by powers of popularity give, against what they estimate."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values

GENERATED = "known-chances"
"""The generated world, in the column ``source``; all others are datasets."""

SPREAD = (5.0, 95.0)
"""Percentiles of the draws."""


def summary_of_powers(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``estimated_powers`` over systems and draws.

    Returns
    -------
    DataFrame
        A row a source, metric and exponent, with the columns tau (Kendall's tau-b of the order of
        the systems with that of the reference) and ratio (median over the systems of the estimate
        over the reference), both means over draws, and the 5th and 95th percentile of the draws as
        tau_low, tau_high, ratio_low and ratio_high; exponents rise.
    """
    numbers = {name: real_values(results[name]) for name in ("exponent", "estimate", "reference")}
    table = results.assign(**numbers)
    rows = []
    keys = ["source", "metric", "exponent"]
    for (source, metric, exponent), own in table.groupby(keys, sort=False):
        taus, ratios = [], []
        for _, draw in own.groupby("draw", sort=False, dropna=False):
            estimate, reference = draw["estimate"].to_numpy(), draw["reference"].to_numpy()
            taus.append(kendall_tau_b(estimate, reference, TOLERANCE_OF_MEANS).item())
            there = reference > 0
            ratios.append(float(np.median(estimate[there] / reference[there])))
        row = {"source": source, "metric": metric, "exponent": exponent}
        for name, values in (("tau", taus), ("ratio", ratios)):
            low, high = np.percentile(values, SPREAD)
            row |= {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).sort_values(keys, kind="stable")
