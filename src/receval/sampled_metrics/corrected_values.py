# SPDX-License-Identifier: MIT
"""Corrected sampled metrics of several systems: what they are on average, and how sure."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.sampled_metrics.audited_moments import AuditedMoments, moments_of_average
from receval.sampled_metrics.rank_corrections import (
    BIAS_VARIANCE,
    ESTIMATORS,
    chances_of_sampled_ranks,
    estimated_by_least_squares,
    estimated_by_rank,
    most_likely_ranks,
)
from receval.sampled_metrics.sampled_moments import expected_of_ranks


def corrected_values(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    """Return the corrected metrics of all systems by estimator."""
    first = next(iter(moments.odds.values()))
    pool = max(1, round(float(first.pools[first.users].mean())))
    size = min(sampled, pool)
    chances = chances_of_sampled_ranks(pool, size)
    rows = []
    curves = []
    for column in range(len(moments.metrics)):
        values = moments.tables[1 : pool + 2, column]
        curves += [
            estimated_by_rank(values, pool, size),
            estimated_by_least_squares(values, chances),
            estimated_by_least_squares(values, chances, BIAS_VARIANCE),
        ]
    by_hits = np.stack(curves, axis=1)
    # Lists of more candidates than the average may have more of a large sample above.
    rest = np.maximum(0, sampled - size)
    by_hits = np.pad(by_hits, ((0, rest), (0, 0)), mode="edge")
    nothing = np.repeat(moments.tables[:1], len(ESTIMATORS) - 1, axis=1)
    by_rank = np.concatenate([nothing, by_hits])
    counted = np.eye(size + rest + 2)
    for system, own in moments.odds.items():
        items = expected_of_ranks(own, np.concatenate([by_rank, by_rank**2], axis=1), sampled)
        mean, variance = moments_of_average(items)
        shares = expected_of_ranks(own, counted, sampled).mean(axis=0)
        ranked = shares[1 : size + 2].copy()
        ranked[-1] += shares[size + 2 :].sum()
        likely = most_likely_ranks(ranked / ranked.sum(), chances) * ranked.sum()
        for column, metric in enumerate(moments.metrics):
            full = float(moments.full_items[system][:, column].mean())
            for number, estimator in enumerate(ESTIMATORS):
                place = column * (len(ESTIMATORS) - 1) + number
                by_likelihood = estimator == "MLE"
                value = (
                    float(likely @ moments.tables[1 : pool + 2, column])
                    + float(shares[0] * moments.tables[0, column])
                    if by_likelihood
                    else float(mean[place])
                )
                rows.append(
                    {
                        "metric": metric,
                        "system": system,
                        "estimator": estimator,
                        "negatives": sampled,
                        "full": full,
                        "expected": value,
                        "bias": value - full,
                        "sd": np.nan if by_likelihood else float(np.sqrt(variance[place])),
                    }
                )
    ordered = sorted(rows, key=lambda row: list(moments.metrics).index(str(row["metric"])))
    return pd.DataFrame(ordered)
