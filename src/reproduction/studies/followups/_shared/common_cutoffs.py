# SPDX-License-Identifier: MIT
"""One cut-off under full ranking for all systems, as what a cut-off among samples amounts to."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.sampled_metrics.audited_moments import AuditedMoments
from receval.sampled_metrics.full_cutoffs import full_cutoffs


def common_cutoffs(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    r"""Return the cut-off whose full values are nearest to the sampled ones of all systems.

    .. math:: K^* = \arg\min_K \sum_s (\mathrm{Recall}_s@K
        - E[\mathrm{Recall}_s@k \text{ among samples}])^2

    over the systems s; of equally near ones the smallest. No mapping of the cut-off k alone can be
    nearer, on average over these systems.

    Returns
    -------
    DataFrame
        Those of :func:`receval.sampled_metrics.full_cutoffs.full_cutoffs`, whose ``full_cutoff`` is
        of each system by itself, and further: ``expected`` (among samples), ``common_cutoff``
        (:math:`K^*`), ``at_common`` (the full value there).

    Notes
    -----
    Li, Jin, Gao and Liu (2020), "On sampling top-K recommendation evaluation", KDD:
    :math:`SHR@k \approx HR@f(k)`.

    Examples
    --------
    Relevant items at the ranks 1 and 3 of three; a sample of one puts the second one first never:

    >>> from receval.metrics.registry import parse
    >>> from receval.sampled_metrics.sampled_candidates import SamplingOdds
    >>> users, none = np.array([0, 0]), np.array([0, 0])
    >>> odds = SamplingOdds(
    ...     users, np.array([5, 5]), np.array([0, 2]), none, np.array([2]), True, 4.0, 5.0
    ... )
    >>> moments = AuditedMoments({"mine": odds}, {"Recall@1": parse("Recall@1")}, 1, None)
    >>> common_cutoffs(moments, 1)[["expected", "full_cutoff", "common_cutoff"]].values.tolist()
    [[0.5, 1.0, 1.0]]
    """
    table = full_cutoffs(moments, sampled)
    columns = list(moments.metrics)
    ranks = {name: np.sort(own.above[own.above >= 0] + 1) for name, own in moments.odds.items()}
    found = []
    for metric, own in table.groupby("metric", sort=False):
        column = columns.index(str(metric))
        expected = moments.at(sampled)[0][column]
        first = moments.tables[1, column]
        tried = np.arange(own["full_cutoff"].min(), own["full_cutoff"].max() + 1)
        full = np.stack([first * _shares(ranks[name], tried, moments) for name in own["system"]])
        # Sums of squares that rounding alone tells apart are equal.
        losses = ((full - expected[:, None]) ** 2).sum(axis=0).round(15)
        best = int(losses.argmin())
        found.append(
            own.assign(expected=expected, common_cutoff=tried[best], at_common=full[:, best])
        )
    return pd.concat(found, ignore_index=True) if found else table


def _shares(
    ranks: NDArray[np.int64], cutoffs: NDArray[np.int64], moments: AuditedMoments
) -> NDArray[np.float64]:
    """Return the share of the relevant items whose rank is at most each cut-off."""
    return np.searchsorted(ranks, cutoffs, side="right") / len(moments.owners)
