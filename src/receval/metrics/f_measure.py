"""The balanced F measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric, ratio, slots


@dataclass(frozen=True, kw_only=True)
class F1(Metric):
    r"""Harmonic mean of precision and recall.

    .. math:: F1@n = \frac{2\, P@n\, Recall@n}{P@n + Recall@n} = \frac{2\, TP@n}{n + |PR_{test}(u)|}

    :Denominator: the cut-off (without one, the length of the list: the released ``set_F``) and all
        relevant test items
    :Missing: 0, also for users without a hit
    :Source: valcarce2020, equation 3; trec_eval's set_F
    """

    name: ClassVar[str] = "F1"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        return ratio(2.0 * hits, slots(lists, cutoffs) + lists.n_relevant)
