# SPDX-License-Identifier: MIT
"""Binary preference (bpref): how few items judged non-relevant rank above relevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.metrics.metric import Metric, ratio


@dataclass(frozen=True, kw_only=True)
class BinaryPreference(Metric):
    r"""Share of preferences between relevant and non-relevant judged items that the list keeps.

    .. math:: bpref@n = \frac{1}{R} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \left(1 - \frac{\min(FP@rank(i),\, R)}{\min(N,\, R)}\right)

    with :math:`R` relevant and :math:`N` non-relevant judged test items. In the form ``bellogin``
    the numerator is :math:`FP@rank(i)` without the minimum, so terms can be negative.

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
        most = lists.n_relevant if self.form == "trec_eval" else np.full(lists.n_lists, np.inf)
        share = 1.0 / np.maximum(1, np.minimum(lists.n_relevant, lists.n_nonrelevant))
        above = np.minimum(lists.judged_above - lists.relevant_above, most[lists.list_of])
        kept = np.where(lists.relevant, 1.0 - above * share[lists.list_of], 0.0)
        return ratio(lists.sums_within(cutoffs, kept), lists.n_relevant)
