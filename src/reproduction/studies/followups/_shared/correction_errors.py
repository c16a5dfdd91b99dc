# SPDX-License-Identifier: MIT
"""How far corrected sampled metrics are from what they estimate."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values

NONE = "none"
"""The sampled metric as it is."""

WITHOUT_SPREAD = ("MLE",)
"""Estimators from expected shares, which have no deviation here."""

LARGEST_SPREAD = 10
"""Times the systems' mean value: a larger standard deviation is not told."""

ESTIMATOR_TITLES = {
    NONE: "not corrected",
    "rank": "estimated rank",
    "CLS": "least squares (CLS)",
    "BV": "bias and variance (BV)",
    "MLE": "most likely ranks (MLE)",
}


def correction_errors(results: pd.DataFrame) -> pd.DataFrame:
    r"""Summarise the estimators over systems, in per cent of the systems' mean value.

    .. math:: bias = \frac{100}{\bar F |S|} \sum_s (E_s - F_s), \qquad
        error = \frac{100}{\bar F} \sqrt{\frac{1}{|S|} \sum_s (E_s - F_s)^2}

    with the expected value :math:`E_s` of a system, its value :math:`F_s` among all candidates, and
    the mean of these, :math:`\bar F`. (Errors relative to each system's own value would be those of
    the systems that find next to nothing.)

    Returns
    -------
    DataFrame
        Columns: metric; negatives; estimator; bias; error (root mean square); spread
        (root mean square of the standard deviations over samples, in per cent of the mean value;
        none where a system has none, or one of more than ten times that); total (root of the sum
        of the squares of error and spread, the latter at least ten times the mean value where it is
        not told, and 0 of the most likely ranks); tau (Kendall's tau-b of the orders by expected
        and by full values).
    """
    rows = []
    groups = results.groupby(["metric", "negatives", "estimator"], sort=False)
    for (metric, negatives, estimator), own in groups:
        full = own["full"].to_numpy(dtype=np.float64)
        expected = own["expected"].to_numpy(dtype=np.float64)
        level = full.mean()
        spread = float(np.sqrt(np.mean(real_values(own["sd"]) ** 2))) / level
        error = float(np.sqrt(np.mean((expected - full) ** 2))) / level
        told = (
            0.0
            if estimator in WITHOUT_SPREAD
            else min(np.nan_to_num(spread, nan=np.inf), LARGEST_SPREAD)
        )
        rows.append(
            {
                "metric": metric,
                "negatives": negatives,
                "estimator": estimator,
                "bias": 100 * float((expected - full).mean() / level),
                "error": 100 * error,
                "spread": 100 * spread if spread <= LARGEST_SPREAD else np.nan,
                "total": 100 * float(np.hypot(error, told)),
                "tau": float(kendall_tau_b(expected, full, TOLERANCE_OF_MEANS)[0, 0]),
            }
        )
    return pd.DataFrame(rows)
