# SPDX-License-Identifier: MIT
"""The cut-off under full ranking that a cut-off among samples amounts to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.sampled_metrics.audited_moments import AuditedMoments


def full_cutoffs(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    r"""Return at which cut-off each system's full Recall is what its sampled one is expected to be.

    A relevant item that is among the first k of s sampled candidates and itself is somewhere among
    the first K of all. For Recall, alias hit rate, and for P, which under 1R are steps,

    .. math:: K = \min \{K : \mathrm{Recall}@K \ge E[\mathrm{Recall}@k \text{ among samples}]\}

    says where. If it were the same for all systems, samples would tell Recall@K instead of
    Recall@k, and in the right order.

    Returns
    -------
    DataFrame
        By ``metric`` (those that are steps) and ``system``: the ``cutoff`` k among samples, the
        ``full_cutoff`` K (0 where nothing is expected to be found), and its ``share`` of the
        candidates, whose number is averaged over relevant items.

    Notes
    -----
    Li, Jin, Gao and Liu (2020), "On sampling top-K recommendation evaluation", KDD, look for one
    function :math:`K = f(k)` for all systems with :math:`SHR@k \approx HR@f(k)`; here K is
    measured, system by system, so that one sees how far that goes.
    """
    rows = []
    for column, metric in enumerate(moments.metrics):
        steps = moments.tables[1:, column]
        cutoff = int((steps > 0).sum())
        if moments.tables[0, column] or not np.array_equal(
            steps, steps[0] * (np.arange(len(steps)) < cutoff)
        ):
            continue
        expected = moments.at(sampled)[0][column]
        for system, value in zip(moments.odds, expected, strict=True):
            odds = moments.odds[system]
            ranks = np.sort(odds.above[odds.above >= 0] + 1)
            # As many items must be found, but for what rounding takes from a sum of parts.
            needed = int(np.ceil(value / steps[0] * len(odds.above) - 1e-9))
            full = int(ranks[needed - 1]) if needed else 0
            pool = float(odds.pools[odds.users].mean())
            rows.append((metric, system, sampled, cutoff, full, full / (pool + 1)))
    columns = ["metric", "system", "negatives", "cutoff", "full_cutoff", "share"]
    return pd.DataFrame(rows, columns=columns)
