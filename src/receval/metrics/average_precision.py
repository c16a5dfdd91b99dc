"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.metrics.metric import Metric, ratio


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(Metric):
    r"""Mean of the precisions at the ranks of the relevant items; its mean over users is MAP.

    .. math:: AP@n = \frac{1}{|PR_{test}(u)|} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \frac{TP@rank(i)}{rank(i)}

    Relevant items that the list does not reach add 0 (trec_eval's ``map`` and ``map_cut``; 0 for
    users without relevant items).
    """

    name: ClassVar[str] = "AP"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        counted = np.flatnonzero(lists.relevant & (lists.ranks > 0))
        order = counted[np.lexsort((lists.ranks[counted], lists.owner[counted]))]
        owners = lists.owner[order]
        starts = np.zeros(lists.n_lists, dtype=np.int64)
        np.cumsum(np.bincount(owners, minlength=lists.n_lists)[:-1], out=starts[1:])
        precisions = np.zeros(len(lists.ranks))
        true_positives = np.arange(1, len(order) + 1) - starts[owners]
        precisions[order] = true_positives / lists.ranks[order]
        return ratio(lists.sums_above(cutoffs, precisions), lists.totals(lists.relevant))
