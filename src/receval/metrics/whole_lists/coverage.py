# SPDX-License-Identifier: MIT
"""How much of the catalogue is recommended, and how evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    ListMetric,
    MetricOfAllUsers,
    RecommendedLists,
)


def exposures(recommended: RecommendedLists) -> NDArray[np.int64]:
    """Return how many lists contain each item, shape (n_items,)."""
    _, _, items = recommended.lists.entries()
    return np.bincount(items, minlength=len(recommended.is_candidate))


def scaled_between(
    values: NDArray[np.floating], least: NDArray | float, largest: NDArray | float
) -> NDArray[np.float64]:
    """Return where values lie between the smallest and the largest possible one; 0 if equal."""
    width = np.broadcast_to(np.asarray(largest - least, dtype=np.float64), values.shape)
    scaled = np.zeros(values.shape)
    np.divide(values - least, width, out=scaled, where=np.abs(width) > _NO_WIDTH)
    return scaled


_NO_WIDTH = 1e-12
"""Possible values that are nearer to each other are one value and rounding."""


@dataclass(frozen=True, kw_only=True)
class ItemCoverage(MetricOfAllUsers):
    r"""Share of the items that are recommended to at least one user.

    .. math:: ItemCoverage@k = \frac{|\bigcup_u L_u^k|}{|I|}

    :Denominator: the candidates; with ``of=training``, those of them with a training rating
    :Source: Herlocker et al. (2004), section 4.4, "catalog coverage"; Ge et al. (2010)

    Parameters
    ----------
    of : {"candidates", "training"}
        See the denominator above.
    """

    name: ClassVar[str] = "ItemCoverage"
    has_item_groups: ClassVar[bool] = True
    counts_empty_lists: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("catalogue coverage", "catalog coverage", "QF")
    of: Literal["candidates", "training"] = "candidates"
    corrected: bool = False
    bounds = (0.0, 1.0)

    def _values(
        self, n_met: NDArray[np.int64], sums: NDArray[np.int64], n_items: int
    ) -> NDArray[np.float64]:
        """Return the coverage of numbers of items by numbers of recommendations."""
        if not self.corrected:
            return np.asarray(n_met / max(1, n_items))
        least = self.cutoff or 0
        found = scaled_between(n_met.astype(np.float64), least, np.minimum(n_items, sums))
        return np.asarray(np.maximum(0.0, found))

    def _counted(self, recommended: RecommendedLists) -> NDArray[np.bool_]:
        counted = recommended.is_candidate
        return counted & (recommended.popularity > 0) if self.of == "training" else counted

    def of_all(self, recommended: RecommendedLists) -> float:
        counted = self._counted(recommended)
        met = exposures(recommended)[counted]
        parts = np.array([(met > 0).sum()]), np.array([met.sum()])
        return float(self._values(*parts, int(counted.sum()))[0])

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        counted = self._counted(recommended)
        met = exposures(recommended)
        rows, _, items = recommended.lists.entries()
        is_only = (met[items] == 1) & counted[items]
        n = len(recommended.users)
        n_met = (met[counted] > 0).sum() - np.bincount(rows[is_only], minlength=n)
        sums = met[counted].sum() - np.bincount(rows[counted[items]], minlength=n)
        return self._values(n_met, sums, int(counted.sum()))


@dataclass(frozen=True, kw_only=True)
class ListShare(ListMetric):
    r"""Share of the ranks that hold an item; by group of items, one of the group.

    .. math:: ListShare@k = \frac{|L_u^k|}{k}

    :Denominator: the cut-off
    :Source: the exposure of a group in Singh and Joachims (2018), "Fairness of exposure in
        rankings", without a discount
    """

    name: ClassVar[str] = "ListShare"
    has_item_groups: ClassVar[bool] = True
    counts_empty_lists: ClassVar[bool] = True

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        assert self.cutoff is not None
        return np.asarray(recommended.lists.lengths / self.cutoff)


@dataclass(frozen=True, kw_only=True)
class Gini(MetricOfAllUsers):
    r"""Gini index of the numbers of recommendations of the items: 0 if all are equal.

    .. math:: Gini@k = \frac{\sum_i (2i - |I| - 1) x_i}{|I| \sum_i x_i}

    Here :math:`x_i` are the numbers of lists that contain each item, in ascending order.

    It is 0 only if the number of recommendations is a multiple of that of the items, and with lists
    of k items at most :math:`1 - k / |I|`.

    :Denominator: in the formula; with ``denominator=others`` one less, so that 1 is the value of a
        single item for all users
    :Source: Castells, Hurley and Vargas (2022), Recommender Systems Handbook, "Novelty and
        diversity in recommender systems", section 3.4

    Parameters
    ----------
    denominator : {"items", "others"}
        See the denominator above.
    """

    name: ClassVar[str] = "Gini"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("Gini index", "ListGini")
    less_is_better: ClassVar[bool] = True
    denominator: Literal["items", "others"] = "items"
    corrected: bool = False
    bounds = (0.0, 1.0)

    def _values(
        self, differences: NDArray[np.floating], sums: NDArray[np.int64], n: int
    ) -> NDArray[np.float64]:
        """Return the metric from the sums of differences of all pairs, and of recommendations."""
        if not self.corrected:
            return _gini(differences, sums, max(1, n - 1) if self.denominator == "others" else n)
        rest = sums % max(1, n)
        least = (n - rest) * rest / np.maximum(1, n * sums)
        found = scaled_between(
            _gini(differences, sums, n), least, 1 - (self.cutoff or 0) / max(1, n)
        )
        return np.where(sums > 0, np.maximum(0.0, found), 0.0)

    def of_all(self, recommended: RecommendedLists) -> float:
        counts = np.sort(exposures(recommended)[recommended.is_candidate])
        differences = np.array([_summed_differences(counts)])
        return float(self._values(differences, np.array([counts.sum()]), len(counts))[0])

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
        return self._values(_summed_differences(counts) + change - tied, sums, len(counts))


@dataclass(frozen=True, kw_only=True)
class ShannonEntropy(MetricOfAllUsers):
    r"""Entropy of the distribution of recommendations over items: large if they are even.

    .. math:: ShannonEntropy@k = -\sum_i p_i \log p_i

    Here :math:`p_i` is the share of all recommendations that are of item i; items that are not
    recommended add nothing.

    :Denominator: none; with ``denominator=recommended`` the number of recommended items
    :Source: Adomavicius and Kwon (2012), "Improving aggregate recommendation diversity using
        ranking-based techniques"; Patro et al. (2020) for ``base=items``

    Parameters
    ----------
    base : {"2", "e", "items"}
        The base of the logarithm; ``items`` is the number of candidates.
    denominator : {"none", "recommended"}
        See the denominator above.
    """

    name: ClassVar[str] = "ShannonEntropy"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("entropy", "SEntropy", "Ent(base=items)")
    base: Literal["2", "e", "items"] = "2"
    denominator: Literal["none", "recommended"] = "none"
    corrected: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, (1.0 if self.corrected or self.base == "items" else np.inf)

    def _entropy(
        self,
        sums: NDArray[np.int64],
        of_counts: NDArray[np.float64],
        n_met: NDArray[np.int64],
        n_items: int,
    ) -> NDArray[np.float64]:
        """Return the entropy from the sums of x, of x log x, and the number of items with x > 0."""
        base = {"2": np.log(2.0), "e": 1.0, "items": np.log(max(2, n_items))}[self.base]
        totals = np.maximum(1, sums)
        natural = np.log(totals) - of_counts / totals
        if self.corrected:
            whole, rest = np.divmod(sums, max(1, n_items))
            low, high = whole / totals, (whole + 1) / totals
            largest = -(n_items - rest) * xlogy(low, low) - rest * xlogy(high, high)
            found = scaled_between(natural, float(np.log(max(1, self.cutoff or 0))), largest)
            return np.asarray(np.where(sums > 0, np.maximum(0.0, found), 0.0))
        found = natural / base
        if self.denominator == "recommended":
            found = found / np.maximum(1, n_met)
        return np.asarray(np.where(sums > 0, np.maximum(0.0, found), 0.0))

    def of_all(self, recommended: RecommendedLists) -> float:
        met = exposures(recommended)
        n_items = int(recommended.is_candidate.sum())
        parts = np.array([met.sum()]), xlogy(met, met).sum(), np.array([(met > 0).sum()])
        return float(self._entropy(*parts, n_items)[0])

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met = exposures(recommended)
        rows, _, items = recommended.lists.entries()
        own = met[items]
        n = len(recommended.users)
        change = np.bincount(rows, weights=xlogy(own - 1, own - 1) - xlogy(own, own), minlength=n)
        return self._entropy(
            met.sum() - recommended.lists.lengths,
            xlogy(met, met).sum() + change,
            (met > 0).sum() - np.bincount(rows[own == 1], minlength=n),
            int(recommended.is_candidate.sum()),
        )


@dataclass(frozen=True, kw_only=True)
class LeastRecommendedShare(MetricOfAllUsers):
    r"""Share of all recommendations that go to the least recommended items.

    .. math:: LeastRecommendedShare@k = \frac{\sum_{i=1}^{\lfloor s |I| \rfloor} x_i}{\sum_i x_i}

    Here :math:`x_i` are the numbers of lists that contain each item, in ascending order: it is the
    Lorenz curve at a share s of the items.

    :Denominator: in the formula
    :Source: Lorenz (1905); Fleder and Hosanagar (2009), "Blockbuster culture's next rise or fall"

    Parameters
    ----------
    share : float
        The share s, between 0 and 1.
    """

    name: ClassVar[str] = "LeastRecommendedShare"
    has_item_groups: ClassVar[bool] = True
    share: float = 0.8
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "share")
        if not 0 < self.share < 1:
            raise ValueError(
                f"The share of {self.name} is {self.share}; it must lie between 0 and 1."
            )

    def _n_least(self, n_items: int) -> int:
        # Products such as .29 * 100 fall short of a whole number by rounding.
        return int(self.share * n_items + 1e-9)

    def of_all(self, recommended: RecommendedLists) -> float:
        counts = np.sort(exposures(recommended)[recommended.is_candidate])
        return float(counts[: self._n_least(len(counts))].sum() / max(1, counts.sum()))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met = exposures(recommended)
        counts = np.sort(met[recommended.is_candidate])
        n, n_least = len(recommended.users), self._n_least(len(counts))
        sums = counts.sum() - recommended.lists.lengths
        if n_least == 0:
            return np.zeros(n)
        rows, _, items = recommended.lists.entries()
        limit = counts[n_least - 1]
        # The user's items below the limit lose one each. Of those at the limit, only so many are
        # among the least recommended items, first of all those that lose one.
        n_open = n_least - int(np.searchsorted(counts, limit, side="left"))
        lost = np.bincount(rows[met[items] < limit], minlength=n) + np.minimum(
            n_open, np.bincount(rows[met[items] == limit], minlength=n)
        )
        return np.asarray((counts[:n_least].sum() - lost) / np.maximum(1, sums))


@dataclass(frozen=True, kw_only=True)
class ExposureGini(DiscountedListMetric, MetricOfAllUsers):
    r"""Gini index of the attention that items get: recommendations weighed by their ranks.

    .. math:: ExposureGini@k = \frac{\sum_i (2i - |I| - 1) x_i}{|I| \sum_i x_i}

    Here :math:`x_i = \sum_u a(rank_u(i))`, in ascending order.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Do and Usunier (2022), "Optimizing generalized Gini indices for fairness in rankings"
    """

    name: ClassVar[str] = "ExposureGini"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("Gini-w",)
    less_is_better: ClassVar[bool] = True
    bounds = (0.0, 1.0)

    def _attention(
        self, recommended: RecommendedLists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the attention of each item, and of each rank of each list; 0 behind the end."""
        weights = self.weights(recommended.items.shape[1])
        _, positions, items = recommended.lists.entries()
        n_items = len(recommended.is_candidate)
        of_items = np.bincount(items, weights=weights[positions], minlength=n_items)
        return np.asarray(of_items, np.float64), weights * recommended.is_filled

    def of_all(self, recommended: RecommendedLists) -> float:
        of_items, _ = self._attention(recommended)
        own = np.sort(of_items[recommended.is_candidate])
        return float(_gini(_summed_differences(own), own.sum(), len(own)))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        of_items, of_ranks = self._attention(recommended)
        own = np.sort(of_items[recommended.is_candidate])
        before = recommended.of_items(of_items)
        after = np.maximum(0.0, before - of_ranks)
        is_filled = recommended.is_filled
        # Differences between the user's items and all others change, and those within the list.
        change = _distances(own, after, is_filled) - _distances(own, before, is_filled)
        first, second = (_pairs_within(values, is_filled) for values in (before, after))
        both = _pairs_within(np.hstack([before, after]), np.hstack([is_filled, is_filled]))
        change += first + second - (both - first - second)
        sums = own.sum() - of_ranks.sum(axis=1)
        sums[sums < _ROUNDING * own.sum()] = 0.0
        return np.maximum(0.0, _gini(_summed_differences(own) + change, sums, len(own)))


_ROUNDING = 1e-13
"""A sum of the attention of other users below this share of all is the sum of no users."""


def _distances(
    ascending: NDArray[np.float64], values: NDArray[np.float64], is_filled: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return for each row the sum of the distances of its values to all numbers."""
    sums = np.r_[0.0, np.cumsum(ascending)]
    smaller = np.searchsorted(ascending, values)
    found = (2 * smaller - len(ascending)) * values + sums[-1] - 2 * sums[smaller]
    return np.asarray((found * is_filled).sum(axis=1))


def _pairs_within(values: NDArray[np.float64], is_filled: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return for each row the sum of the differences of all pairs of its filled values."""
    ordered = np.sort(np.where(is_filled, values, np.inf), axis=1)
    sizes = is_filled.sum(axis=1, keepdims=True)
    factors = 2 * np.arange(values.shape[1]) - sizes + 1
    return np.asarray((factors * np.where(np.isinf(ordered), 0.0, ordered)).sum(axis=1))


def _summed_differences(ascending: NDArray[np.integer] | NDArray[np.floating]) -> float:
    """Return the sum of the differences of all pairs of numbers in ascending order."""
    places = np.arange(len(ascending))
    return float(((2 * places - len(ascending) + 1) * ascending).sum())


def _gini(differences: NDArray[np.floating] | float, sums: NDArray, n: int) -> NDArray[np.float64]:
    """Return the Gini index from the sum of the differences of all pairs; 0 for a sum of 0."""
    divisor = np.asarray(n * sums, dtype=np.float64)
    quotient = np.zeros(divisor.shape)
    np.divide(differences, divisor, out=quotient, where=divisor > 0)
    return quotient
