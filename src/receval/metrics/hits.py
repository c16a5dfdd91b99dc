# SPDX-License-Identifier: MIT
"""Hit rate, number of hits, and R-precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric, ratio


@dataclass(frozen=True, kw_only=True)
class Hit(Metric):
    r"""Whether the list has a relevant item; its mean over users is the hit rate.

    .. math:: Hit@n = \min(1, TP@n)

    With ``form=count`` it is :math:`TP@n`, the number of hits. It equals Recall where every user
    has one relevant test item.

    :Denominator: none
    :Source: trec_eval's success; Deshpande and Karypis 2004 (the hit rate); RecPack's HitK is
        ``form=count``

    Parameters
    ----------
    form : {"indicator", "count"}
        See above.
    """

    name: ClassVar[str] = "Hit"
    form: Literal["indicator", "count"] = "indicator"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        return hits.copy() if self.form == "count" else (hits > 0).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class RPrecision(Metric):
    r"""Precision at the number of relevant items, where it equals recall.

    .. math:: Rprec@n = \frac{TP@\min(n, R)}{R}, \qquad R = |PR_{test}(u)|

    :Denominator: all relevant test items of the user
    :Source: trec_eval's Rprec, which has no cut-off; Microsoft recommenders' r_precision_at_k
    """

    name: ClassVar[str] = "Rprec"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        deepest = np.repeat(lists.n_relevant, np.diff(lists.starts))
        counted = lists.relevant & (lists.ranks <= deepest)
        return ratio(lists.sums_within(cutoffs, counted), lists.n_relevant)
