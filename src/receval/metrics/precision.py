# SPDX-License-Identifier: MIT
"""Precision, anti-precision and the F measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric, filled, ratio, slots

Denominator = Literal["cutoff", "filled"]


@dataclass(frozen=True, kw_only=True)
class Precision(Metric):
    r"""Share of relevant items in the list.

    .. math:: P@n = \frac{TP@n}{n}, \qquad P = \frac{TP}{|list|}

    :Denominator: the cut-off, even where the list is shorter, and the list's length if there is no
        cut-off; with ``denominator=filled`` the ranks that the list fills, which for condensed
        lists is :math:`TP + FP` (menamaldonado2021)
    :Source: trec_eval's P and set_P; bellogin2017, section 3.2; valcarce2020, equation 1

    Parameters
    ----------
    denominator : {"cutoff", "filled"}
        See the denominator above.
    """

    name: ClassVar[str] = "P"
    denominator: Denominator = "cutoff"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        length = slots if self.denominator == "cutoff" else filled
        return ratio(lists.relevant_within(cutoffs), length(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class AntiPrecision(Metric):
    r"""Share of items judged non-relevant in the list.

    .. math:: antiP@n = \frac{FP@n}{n}

    :Denominator: as that of P
    :Source: menamaldonado2021, section 3

    Parameters
    ----------
    denominator : {"cutoff", "filled"}
        As that of P.
    """

    name: ClassVar[str] = "antiP"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True
    denominator: Denominator = "cutoff"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        length = slots if self.denominator == "cutoff" else filled
        return ratio(lists.nonrelevant_within(cutoffs), length(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class F1(Metric):
    r"""Harmonic mean of precision and recall.

    .. math:: F1@n = \frac{2\, P@n\, Recall@n}{P@n + Recall@n} = \frac{2\, TP@n}{n + |PR_{test}(u)|}

    :Denominator: the cut-off (without one, the list's length) and all relevant test items
    :Source: valcarce2020, equation 3; trec_eval's set_F
    """

    name: ClassVar[str] = "F1"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        return ratio(2.0 * hits, slots(lists, cutoffs) + lists.n_relevant)
