# SPDX-License-Identifier: MIT
"""Coverage: how much of a list is filled, and how much of it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import NO_CUTOFF, ListView
from receval.metrics.metric import Metric, column, ratio, slots


@dataclass(frozen=True, kw_only=True)
class FilledRanks(Metric):
    r"""Share of the ranks of a list that the system could fill.

    This is the coverage of Cañamares et al. (2020).

    .. math:: FilledRanks@n = \frac{\min(n, |list|)}{n}

    :Denominator: the cut-off, which is needed
    :Source: Cañamares et al. 2020, decision C4

    Raises
    ------
    ValueError
        Without a cut-off.
    """

    name: ClassVar[str] = "FilledRanks"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        if NO_CUTOFF in cutoffs:
            raise ValueError(f"{self.name} needs a cut-off. Write {self.name}@10, for example.")
        depths = column(cutoffs)
        return np.minimum(lists.lengths, depths) / depths


@dataclass(frozen=True, kw_only=True)
class Coverage(FilledRanks):
    """:class:`FilledRanks` by the name that Cañamares et al. (2020) give it."""

    name: ClassVar[str] = "Coverage"


@dataclass(frozen=True, kw_only=True)
class UserCoverage(Metric):
    r"""Whether the user got any recommendation; its mean is the share of such users.

    .. math:: UserCoverage = FilledRanks@1

    :Denominator: none
    :Source: Cañamares et al. 2020, decision C4
    """

    name: ClassVar[str] = "UserCoverage"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return np.repeat((lists.lengths > 0)[None, :], len(cutoffs), axis=0).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Unjudged(Metric):
    r"""Share of the ranks of a list without a judged item.

    .. math:: Unjudged@n = 1 - P@n - antiP@n

    :Denominator: the cut-off, or without one the list's length
    :Missing: as empty ranks count as unjudged
    :Source: Cañamares et al. 2020, figure 3
    """

    name: ClassVar[str] = "Unjudged"
    missing: ClassVar[float] = 1.0
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return 1.0 - ratio(lists.judged_within(cutoffs), slots(lists, cutoffs))
