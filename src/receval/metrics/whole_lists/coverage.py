# SPDX-License-Identifier: MIT
"""How much of the catalogue is recommended, and how evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.whole_lists.list_metric import MetricOfAllUsers, RecommendedLists


def exposures(recommended: RecommendedLists) -> NDArray[np.int64]:
    """Return how many lists contain each item, shape (n_items,)."""
    _, _, items = recommended.lists.entries()
    return np.bincount(items, minlength=len(recommended.is_candidate))


@dataclass(frozen=True, kw_only=True)
class ItemCoverage(MetricOfAllUsers):
    r"""Share of the items that are recommended to at least one user.

    .. math:: ItemCoverage@k = \frac{|\bigcup_u L_u^k|}{|I|}

    :Denominator: with ``of=candidates``, the items that the protocol lets systems recommend; with
        ``of=training``, those of them with a training rating
    :Source: Herlocker et al. (2004), section 4.4, "catalog coverage"; Ge et al. (2010)
    """

    name: ClassVar[str] = "ItemCoverage"
    other_names: ClassVar[tuple[str, ...]] = ("catalogue coverage", "catalog coverage")
    of: Literal["candidates", "training"] = "candidates"

    def _counted(self, recommended: RecommendedLists) -> NDArray[np.bool_]:
        counted = recommended.is_candidate
        return counted & (recommended.popularity > 0) if self.of == "training" else counted

    def of_all(self, recommended: RecommendedLists) -> float:
        counted = self._counted(recommended)
        return float((exposures(recommended)[counted] > 0).sum() / max(1, counted.sum()))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        counted = self._counted(recommended)
        met = exposures(recommended)
        rows, _, items = recommended.lists.entries()
        is_only = (met[items] == 1) & counted[items]
        lost = np.bincount(rows[is_only], minlength=len(recommended.users))
        return np.asarray(((met[counted] > 0).sum() - lost) / max(1, counted.sum()))


@dataclass(frozen=True, kw_only=True)
class Gini(MetricOfAllUsers):
    r"""Gini index of the numbers of recommendations of the items: 0 if all are equal.

    With the items in ascending order of the number :math:`x_i` of lists that contain them,

    .. math:: Gini@k = \frac{\sum_i (2i - |I| - 1) x_i}{|I| \sum_i x_i}

    :Denominator: the items that the protocol lets systems recommend
    :Source: Castells, Hurley and Vargas (2022), Recommender Systems Handbook, "Novelty and
        diversity in recommender systems", section 3.4
    """

    name: ClassVar[str] = "Gini"
    other_names: ClassVar[tuple[str, ...]] = ("Gini index",)
    less_is_better: ClassVar[bool] = True

    def of_all(self, recommended: RecommendedLists) -> float:
        counts = np.sort(exposures(recommended)[recommended.is_candidate])
        return float(_gini(_summed_differences(counts), counts.sum(), len(counts)))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met = exposures(recommended)
        counts = np.sort(met[recommended.is_candidate])
        rows, _, items = recommended.lists.entries()
        # One recommendation less changes the distance to each other item by 1: it shrinks to those
        # with fewer recommendations, and grows to all others.
        fewer = np.searchsorted(counts, met[items], side="left")
        change = np.bincount(
            rows, weights=len(counts) - 1 - 2.0 * fewer, minlength=len(recommended.users)
        )
        # Two items of one list both lose a recommendation, so their distance stays.
        order = np.lexsort((met[items], rows))
        own, level = rows[order], met[items][order]
        starts = np.flatnonzero(np.r_[True, (own[1:] != own[:-1]) | (level[1:] != level[:-1])])
        sizes = np.diff(np.r_[starts, len(own)]).astype(np.float64) if len(own) else np.empty(0)
        tied = np.bincount(
            own[starts] if len(own) else own,
            weights=sizes * (sizes - 1),
            minlength=len(recommended.users),
        )
        sums = counts.sum() - recommended.lists.lengths
        return _gini(_summed_differences(counts) + change - tied, sums, len(counts))


def _summed_differences(ascending: NDArray[np.int64]) -> float:
    """Return the sum of the differences of all pairs of numbers in ascending order."""
    places = np.arange(len(ascending))
    return float(((2 * places - len(ascending) + 1) * ascending).sum())


def _gini(
    differences: NDArray[np.floating] | float, sums: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """Return the Gini index from the sum of the differences of all pairs; 0 for a sum of 0."""
    divisor = np.asarray(n * sums, dtype=np.float64)
    quotient = np.zeros(divisor.shape)
    np.divide(differences, divisor, out=quotient, where=divisor > 0)
    return quotient
