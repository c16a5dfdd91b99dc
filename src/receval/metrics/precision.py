"""True-positive and false-positive counts: precision, recall and their anti-metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.metrics.metric import Metric, ratio, slots


@dataclass(frozen=True, kw_only=True)
class Precision(Metric):
    r"""Share of relevant items in the list.

    .. math:: P@n = \frac{TP@n}{n}, \qquad P = \frac{TP}{|list|}

    The denominator is the cut-off even where the list is shorter (trec_eval's ``P``;
    bellogin2017, section 3.2); without a cut-off it is the length of the list, so that the
    precision of a complete list is :math:`\rho_u` for every system (bellogin2017, section 4.2).
    """

    name: ClassVar[str] = "P"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.sums_above(cutoffs, lists.relevant), slots(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class AntiPrecision(Metric):
    r"""Share of items judged non-relevant in the list (menamaldonado2021, section 3).

    .. math:: antiP@n = \frac{FP@n}{n}

    Items without a judgment are neither true nor false positives.
    """

    name: ClassVar[str] = "antiP"
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.sums_above(cutoffs, ~lists.relevant), slots(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class Recall(Metric):
    r"""Share of the relevant test items that the list holds; 0 where there is none.

    .. math:: Recall@n = \frac{TP@n}{|PR_{test}(u)|}
    """

    name: ClassVar[str] = "Recall"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.sums_above(cutoffs, lists.relevant), lists.totals(lists.relevant))


@dataclass(frozen=True, kw_only=True)
class Fallout(Metric):
    r"""Share of the test items judged non-relevant that the list holds; 0 where there is none.

    .. math:: Fallout@n = \frac{FP@n}{|R_{test}(u) \setminus PR_{test}(u)|}
    """

    name: ClassVar[str] = "Fallout"
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.sums_above(cutoffs, ~lists.relevant), lists.totals(~lists.relevant))
