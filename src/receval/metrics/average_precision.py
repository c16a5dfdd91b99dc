"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.metrics.list_view import ListView, as_array
from receval.metrics.metric import Metric, ratio


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(Metric):
    r"""Mean of the precisions at the ranks of the relevant items; its mean over users is MAP.

    .. math:: AP@n = \frac{1}{|PR_{test}(u)|} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \frac{TP@rank(i)}{rank(i)}

    :Denominator: all relevant test items; those that the list does not reach add 0
    :Missing: 0, also for users without relevant test items
    :Source: trec_eval's map and map_cut; valcarce2020, equation 4
    """

    name: ClassVar[str] = "AP"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        sums = np.empty((len(cutoffs), lists.n_lists))
        _sum_precisions(lists.starts, lists.ranks, lists.relevant, as_array(cutoffs), sums)
        return ratio(sums, lists.n_relevant)


@njit(cache=True, error_model="numpy")
def _sum_precisions(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    cutoffs: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        level = 0
        hits = 0.0
        total = 0.0
        for place in range(starts[row], starts[row + 1]):
            while level < len(cutoffs) and ranks[place] > cutoffs[level]:
                sums[level, row] = total
                level += 1
            if level == len(cutoffs):
                break
            if relevant[place]:
                hits += 1.0
                total += hits / ranks[place]
        for rest in range(level, len(cutoffs)):
            sums[rest, row] = total
