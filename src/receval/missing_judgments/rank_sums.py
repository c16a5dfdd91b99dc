# SPDX-License-Identifier: MIT
"""Metrics that are sums over relevant judged items of a function of the item's rank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.precision import Precision
from receval.metrics.recall import Recall
from receval.metrics.usual_names import metric_of_usual_name
from receval.storage.messages import quoted

_DCG = re.compile(r"(?i)\s*dcg@(\d+)\s*")


@dataclass(frozen=True)
class RankSum:
    r"""A sum of :math:`c(k)` over the ranks k of the relevant items of a list.

    ===========  =================================  ===============================
    ``kind``     :math:`c(k)` for :math:`k \le n`   the sum is divided by
    ===========  =================================  ===============================
    ``P``        :math:`1 / n`                      nothing
    ``DCG``      :math:`1 / \log_2(k + 1)`          nothing
    ``Recall``   1                                  the number of relevant items
    ===========  =================================  ===============================

    Examples
    --------
    >>> RankSum("DCG", 3).worth(np.array([1, 3, 4, 0])).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """

    kind: Literal["P", "DCG", "Recall"]
    cutoff: int

    @property
    def label(self) -> str:
        """Printed name, such as ``DCG@10``."""
        return f"{self.kind}@{self.cutoff}"

    @property
    def per_relevant(self) -> bool:
        """Whether the sum is divided by the unknown number of relevant items."""
        return self.kind == "Recall"

    def worth(self, ranks: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what a relevant item adds at each rank; 0 if it is not ranked or below rank n."""
        within = (ranks > 0) & (ranks <= self.cutoff)
        worth = np.zeros(len(ranks))
        if self.kind == "DCG":
            worth[within] = 1.0 / np.log2(ranks[within] + 1.0)
        else:
            worth[within] = 1.0 / self.cutoff if self.kind == "P" else 1.0
        return worth


def rank_sum_of(name: str) -> RankSum:
    """Return the metric with a name such as ``P@10``, ``recall@5`` or ``DCG@10``.

    Raises
    ------
    ValueError
        The metric is not a sum over relevant items, or has no cut-off.

    Examples
    --------
    >>> rank_sum_of("precision@5").label
    'P@5'
    >>> rank_sum_of("nDCG@5")
    Traceback (most recent call last):
    ValueError: nDCG@5 is no sum over relevant items that each count by their own rank, ...
    """
    found = _DCG.fullmatch(name)
    if found and int(found[1]) > 0:
        return RankSum("DCG", int(found[1]))
    metric = metric_of_usual_name(name)
    kinds: dict[str, Literal["P", "Recall"]] = {
        Precision.name: "P",
        Recall.name: "Recall",
    }
    if metric.cutoff is None or metric != type(metric)(cutoff=metric.cutoff):
        raise ValueError(
            f"{quoted(name)} cannot be estimated: say a cut-off, and no other parameter, as P@10."
        )
    if metric.name not in kinds:
        raise ValueError(
            f"{metric.label} is no sum over relevant items that each count by their own rank, "
            "which estimates by propensities need: choose P@n, DCG@n or Recall@n."
        )
    return RankSum(kinds[metric.name], metric.cutoff)
