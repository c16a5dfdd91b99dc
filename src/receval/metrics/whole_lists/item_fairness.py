# SPDX-License-Identifier: MIT
"""How equally single items are recommended, whatever their relevance."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.coverage import exposures, scaled_between
from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    MetricOfAllUsers,
    RankDiscount,
    RecommendedLists,
)


@dataclass(frozen=True, kw_only=True)
class _Corrected(MetricOfAllUsers):
    """A metric whose smallest and largest possible values are known."""

    corrected: bool = False
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "corrected")

    def _between(
        self, values: NDArray[np.float64], largest: NDArray[np.float64], n_items: int
    ) -> NDArray[np.float64]:
        """Return values, or where they lie between k / n and the largest one."""
        if not self.corrected:
            return values
        return scaled_between(values, (self.cutoff or 0) / max(1, n_items), largest)

    def of_all(self, recommended: RecommendedLists) -> float:
        counts = exposures(recommended)[recommended.is_candidate]
        nothing = np.empty(0, dtype=np.int64)
        total = np.array([counts.sum()])
        return float(self._values(counts, total, nothing, nothing)[0])

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met = exposures(recommended)
        rows, _, items = recommended.lists.entries()
        totals = met.sum() - recommended.lists.lengths
        return self._values(met[recommended.is_candidate], totals, rows, met[items])

    @abstractmethod
    def _values(
        self,
        counts: NDArray[np.int64],
        totals: NDArray[np.int64],
        rows: NDArray[np.int64],
        lost: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the metric for each total number of recommendations.

        The items have ``counts`` recommendations, except that in row ``rows[j]`` one item with
        ``lost[j]`` of them has one less.
        """


@dataclass(frozen=True, kw_only=True)
class JainIndex(_Corrected):
    r"""Jain's index of how equal the numbers of recommendations of items are: 1 if all are equal.

    .. math:: Jain@k = \frac{\big(\sum_i x_i\big)^2}{n \sum_i x_i^2}

    Here :math:`x_i` is the number of lists that contain item i, and :math:`n` that of items.

    With lists of k items it is at least :math:`k / n`, and 1 can be reached only if the number of
    recommendations is a multiple of n.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Jain et al. (1984)
    """

    name: ClassVar[str] = "Jain"
    other_names: ClassVar[tuple[str, ...]] = ("Jain index",)

    def _values(
        self,
        counts: NDArray[np.int64],
        totals: NDArray[np.int64],
        rows: NDArray[np.int64],
        lost: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        n = len(counts)
        squares = (counts**2).sum() - np.bincount(rows, 2 * lost - 1, minlength=len(totals))
        whole, rest = np.divmod(totals, max(1, n))
        least = n * whole**2 + rest * (2 * whole + 1)
        tops = totals.astype(np.float64) ** 2
        values, largest = (
            np.where(totals > 0, tops / np.maximum(1, n * sums), 0.0) for sums in (squares, least)
        )
        return self._between(values, largest, n)


@dataclass(frozen=True, kw_only=True)
class FractionOfSatisfiedItems(_Corrected):
    r"""Share of the items that are recommended at least as often as an equal share requires.

    .. math:: FSat@k = \frac{1}{n} \Big|\Big\{i : x_i \ge \Big\lfloor \frac{\sum_j x_j}{n}
        \Big\rfloor\Big\}\Big|

    With fewer recommendations than items the value is 1 for every system.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Patro et al. (2020), "FairRec"
    """

    name: ClassVar[str] = "FSat"

    def _values(
        self,
        counts: NDArray[np.int64],
        totals: NDArray[np.int64],
        rows: NDArray[np.int64],
        lost: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        n = len(counts)
        shares = totals // max(1, n)
        satisfied = n - np.searchsorted(np.sort(counts), shares, side="left")
        satisfied = satisfied - np.bincount(rows[lost == shares[rows]], minlength=len(totals))
        values = np.where(totals > 0, satisfied / max(1, n), 0.0)
        return self._between(values, np.ones(len(totals)), n)


@dataclass(frozen=True, kw_only=True)
class AllItemsDisparity(DiscountedListMetric, MetricOfAllUsers):
    r"""Mean squared difference between the mean exposure of each item and equal exposure.

    .. math:: AID@k = \frac{1}{n} \sum_i (\bar e_i - \tilde e)^2

    Here :math:`\bar e_i` is the mean over users of the attention at the ranks of item i, and
    :math:`\tilde e = \frac{1}{n} \sum_{r=1}^k a(r)`.

    With many items values differ only in distant decimals.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Wu et al. (2022), "Joint multisided exposure fairness for recommendation", AI-D
    :Missing: no exposure
    """

    name: ClassVar[str] = "AID"
    less_is_better: ClassVar[bool] = True
    discount: RankDiscount = "rbp"
    phi: float = 0.8
    bounds = (0.0, np.inf)

    def _parts(
        self, recommended: RecommendedLists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return the exposure of each item, the attention of each rank, and equal exposure."""
        weights = self.weights(recommended.items.shape[1])
        _, positions, items = recommended.lists.entries()
        of_items = np.bincount(
            items, weights=weights[positions], minlength=len(recommended.is_candidate)
        )
        equal = self.weights(self.cutoff or 0).sum() / max(1, recommended.is_candidate.sum())
        return np.asarray(of_items, np.float64), weights * recommended.is_filled, float(equal)

    def of_all(self, recommended: RecommendedLists) -> float:
        of_items, _, equal = self._parts(recommended)
        own = of_items[recommended.is_candidate] / max(1, len(recommended.users))
        return float(((own - equal) ** 2).sum() / max(1, len(own)))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        of_items, of_ranks, equal = self._parts(recommended)
        n_others = max(1, len(recommended.users) - 1)
        own = of_items[recommended.is_candidate] / n_others - equal
        before = recommended.of_items(of_items) / n_others - equal
        after = before - of_ranks / n_others
        change = ((after**2 - before**2) * recommended.is_filled).sum(axis=1)
        return np.asarray(((own**2).sum() + change) / max(1, len(own)))
