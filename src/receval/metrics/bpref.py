# SPDX-License-Identifier: MIT
"""Binary preference (bpref): how few items judged non-relevant rank above relevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView, as_array
from receval.metrics.metric import Metric, ratio
from receval.storage.kernel_cache import njit


@dataclass(frozen=True, kw_only=True)
class BinaryPreference(Metric):
    r"""Share of preferences between relevant and non-relevant judged items that the list keeps.

    .. math:: bpref@n = \frac{1}{R} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \left(1 - \frac{\min(FP@rank(i),\, R)}{\min(N,\, R)}\right)

    with :math:`R` relevant and :math:`N` non-relevant judged test items. A relevant item with no
    non-relevant one above it adds 1. In the form ``bellogin`` the numerator is :math:`FP@rank(i)`
    without the minimum, so terms can be negative.

    :Denominator: all relevant test items
    :Source: Buckley and Voorhees 2004; trec_eval's bpref; valcarce2020, equation 9; bellogin2017,
        section 7 (the form ``bellogin``)

    Parameters
    ----------
    form : {"trec_eval", "bellogin"}
        See above.
    """

    name: ClassVar[str] = "bpref"
    needs_all_judgments: ClassVar[bool] = True
    form: Literal["trec_eval", "bellogin"] = "trec_eval"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        kept = np.empty((len(cutoffs), lists.n_lists))
        _sum_preferences(
            lists.starts,
            lists.ranks,
            lists.relevant,
            lists.n_relevant,
            lists.n_nonrelevant,
            self.form == "trec_eval",
            as_array(cutoffs),
            kept,
        )
        return ratio(kept, lists.n_relevant)


@njit(cache=True, error_model="numpy")
def _sum_preferences(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    n_relevant: NDArray[np.int64],
    n_nonrelevant: NDArray[np.int64],
    bounded: bool,
    cutoffs: NDArray[np.int32],
    kept: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        most = float(n_relevant[row]) if bounded else np.inf
        share = 1.0 / max(1, min(n_relevant[row], n_nonrelevant[row]))
        level = 0
        above = 0.0
        total = 0.0
        for index in range(starts[row], starts[row + 1]):
            while level < len(cutoffs) and ranks[index] > cutoffs[level]:
                kept[level, row] = total
                level += 1
            if level == len(cutoffs):
                break
            if relevant[index]:
                total += 1.0 - min(above, most) * share
            else:
                above += 1.0
        for rest in range(level, len(cutoffs)):
            kept[rest, row] = total
