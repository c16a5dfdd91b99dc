"""How much of a list is there, and how much of it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import NO_CUTOFF, ListView
from receval.metrics.metric import Metric, column, ratio, slots


@dataclass(frozen=True, kw_only=True)
class Coverage(Metric):
    r"""Share of the places of a list that the system could fill (canamares2020, decision C4).

    .. math:: Coverage@n = \frac{\min(n, |list|)}{n}

    Coverage@1, averaged over users, is the share of users with any recommendation.

    Raises
    ------
    ValueError
        Without a cut-off there is no number of places to fill.
    """

    name: ClassVar[str] = "Coverage"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        if NO_CUTOFF in cutoffs:
            raise ValueError("Coverage needs a cut-off: write Coverage@10, or another depth.")
        places = column(cutoffs)
        return np.minimum(lists.lengths, places) / places


@dataclass(frozen=True, kw_only=True)
class Unjudged(Metric):
    r"""Share of the places of a list without a judged item (canamares2020, figure 3).

    .. math:: Unjudged@n = 1 - P@n - antiP@n

    A place that the system left empty counts as unjudged.
    """

    name: ClassVar[str] = "Unjudged"
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return 1.0 - ratio(lists.sums_above(cutoffs), slots(lists, cutoffs))
