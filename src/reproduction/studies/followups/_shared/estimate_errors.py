# SPDX-License-Identifier: MIT
"""Bias, variance and system order of estimators over many draws."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies.followups._shared.estimator_names import with_titles

TRUTH = "truth"
"""Name of the value by all judgments, among the estimators."""

SPREAD = (5.0, 95.0)
"""Percentiles of the draws."""


def errors_of_draws(results: pd.DataFrame) -> pd.DataFrame:
    r"""Summarise the artifact ``estimated_orders``.

    Over the systems whose truth :math:`t_s` is above 0, with the estimate :math:`e_{sd}` of a
    system in a draw and its mean :math:`\bar e_s` over draws,

    .. math:: bias = \frac{100}{|S|} \sum_s \frac{\bar e_s - t_s}{t_s}, \quad
        sd = 100 \sqrt{\frac{1}{|S|} \sum_s \frac{Var_d(e_{sd})}{t_s^2}}, \quad
        rmse = 100 \sqrt{\frac{1}{|S|} \sum_s \frac{\overline{(e_{sd} - t_s)^2}}{t_s^2}}

    Returns
    -------
    DataFrame
        Columns: metric; estimator; propensities; title; bias, sd, rmse (in per cent); tau (mean
        over draws of Kendall's tau-b with the true order), tau_low and tau_high (5th and 95th
        percentile of the draws); draws; in the order of the titles.
    """
    results = results.assign(estimate=real_values(results["estimate"]))
    truths = results[results["estimator"] == TRUTH]
    rows = []
    keys = ["title", "estimator", "propensities", "metric"]
    drawn = with_titles(results[results["estimator"] != TRUTH])
    for (title, estimator, propensities, metric), own in drawn.groupby(keys, sort=False):
        truth = truths[truths["metric"] == metric].set_index("system")["estimate"]
        table = own.pivot_table(index="draw", columns="system", values="estimate", sort=False)
        values = table[truth.index].to_numpy()
        true = truth.to_numpy()
        taus = kendall_tau_b(values, true[None], TOLERANCE_OF_MEANS)[:, 0]
        there = true > 0
        errors = (values - true)[:, there] / true[there]
        low, high = np.percentile(taus, SPREAD)
        rows.append(
            {
                "metric": metric,
                "estimator": estimator,
                "propensities": propensities,
                "title": title,
                "bias": 100 * float(errors.mean()),
                "sd": 100 * float(np.sqrt(errors.var(axis=0, ddof=1).mean())),
                "rmse": 100 * float(np.sqrt((errors**2).mean())),
                "tau": float(taus.mean()),
                "tau_low": float(low),
                "tau_high": float(high),
                "draws": len(values),
            }
        )
    return pd.DataFrame(rows)
