# SPDX-License-Identifier: MIT
r"""How fairly single items get attention, measured by their relevance: joint measures.

In the formulas, :math:`a_{ui}` is the attention of item i in the list of user u (0 behind rank k),
:math:`r_{ui}` is 1 for a relevant test item of the user, else 0, and :math:`R_u` is the number of
these. The forms are those of Rampisela et al. (2024), "Can we trust recommender system fairness
evaluation?".
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    ListMetric,
    MetricOfAllUsers,
    RankDiscount,
    RecommendedLists,
)


def _n_candidates(recommended: RecommendedLists) -> int:
    return max(1, int(recommended.is_candidate.sum()))


def _n_relevant(recommended: RecommendedLists) -> NDArray[np.int64]:
    """Return how many relevant test items each averaged user could get."""
    rows, _ = recommended.relevant_entries
    return np.bincount(rows, minlength=len(recommended.users))


def _of_pairs(
    recommended: RecommendedLists,
    rows: NDArray[np.int64],
    items: NDArray[np.int64],
    values: NDArray[np.float64],
) -> csr_array:
    """Return values of pairs as users by items; values of one pair are added."""
    shape = (len(recommended.users), len(recommended.is_candidate))
    return csr_array((values, (rows, items)), shape=shape)


@dataclass(frozen=True, kw_only=True)
class InequityOfAmortizedAttention(ListMetric):
    r"""Mean difference between the attention of an item in a user's list and its relevance.

    .. math:: IAA@k = \frac{1}{|U|\, n} \sum_u \sum_i |a_{ui} - r_{ui}|, \qquad
        a_{ui} = \frac{k - r}{k - 1}

    Here r is the rank of item i.

    Its limits: with many items its values are small, and 0 is not possible unless every user has
    one relevant item and k is 2.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Biega et al. (2018), as that of InequityOfAttention, for sums over users
    :Missing: no attention
    """

    name: ClassVar[str] = "IAA"
    less_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff == 1:
            raise ValueError(
                "IAA@1 is not defined: the attention falls from 1 at rank 1 to 0 at the cut-off. "
                "Give a cut-off of 2 or more."
            )

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        k = self.cutoff or 2
        attention = (k - np.arange(1.0, recommended.items.shape[1] + 1)) / (k - 1)
        relevant = recommended.is_relevant
        listed = (np.abs(attention - relevant) * recommended.is_filled).sum(axis=1)
        elsewhere = _n_relevant(recommended) - relevant.sum(axis=1)
        return np.asarray((listed + elsewhere) / _n_candidates(recommended))


@dataclass(frozen=True, kw_only=True)
class IndividualFairnessDisparity(DiscountedListMetric):
    r"""Difference between pairs of items in attention for their relevance, in a user's list.

    .. math:: IFD_\times@k = \frac{2}{n (n - 1)} \sum_{i < j} (a_{ui} r_{ui} - a_{uj} r_{uj})^2,
        \quad IFD_\div@k = \frac{1}{R_u^2} \sum_{i, j \in R_u} \max(0, a_{ui} - a_{uj})

    Its limits: relevant items at the top of a list raise both forms, so that a list without a
    relevant item is the fairest of all, and a better system is usually less fair.

    :Denominator: the pairs of items that the protocol lets systems recommend, or with
        ``form=ratio`` the ordered pairs of relevant test items
    :Source: Oosterhuis (2021), "Computationally efficient optimization of Plackett-Luce ranking
        models for relevance and fairness", for products; Singh and Joachims (2019), "Policy
        learning for fairness in ranking", for ratios
    :Missing: 0

    Parameters
    ----------
    form : {"product", "ratio"}
        Whether attention is multiplied by relevance, or divided by it (of relevant items).
    """

    name: ClassVar[str] = "IFD"
    less_is_better: ClassVar[bool] = True
    form: Literal["product", "ratio"] = "product"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "form")

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        relevant = recommended.is_relevant
        own = self.weights(recommended.items.shape[1]) * relevant
        if self.form == "ratio":
            total = _n_relevant(recommended)
            # Of the sorted attention of R items, the i-th is larger than R - i, less than i - 1.
            above = total[:, None] - 2 * np.cumsum(relevant, axis=1) + 1
            return np.asarray((own * above).sum(axis=1) / np.maximum(1, total) ** 2)
        n = _n_candidates(recommended)
        squares = n * (own**2).sum(axis=1) - own.sum(axis=1) ** 2
        return np.asarray(squares / max(1.0, n * (n - 1) / 2))


@dataclass(frozen=True, kw_only=True)
class HellingerDistance(MetricOfAllUsers):
    r"""Distance between the relevance of the best items of users and the clicks they would get.

    .. math:: HD@k = \sqrt{\frac{1}{2} \sum_{p=1}^k (\sqrt{Q_p} - \sqrt{C_p})^2}, \qquad
        Q_p = \frac{1}{|U|} \sum_u \frac{[p \le R_u]}{R_u}, \qquad
        C_p = \frac{1}{|U|} \sum_u h_u \frac{[p \le R_u]}{R_u}

    Here :math:`h_u` is 1 if the list has a relevant test item, else 0. The :math:`R_u` relevant
    items of a user stand at the places p = 1, 2 and so on, with equal shares of the relevance and
    of the clicks.

    A user of the source clicks on an item in proportion to its relevance, and looks at the next one
    only without a click. If items are either relevant or not, **nothing but the hits remains:** the
    metric does not depend on ranks, nor on how many relevant items are listed or which.

    :Denominator: the users with a relevant test item
    :Source: Jeunen and Goethals (2021), "Top-k contextual bandits with equity of exposure"
    :Missing: no click
    """

    name: ClassVar[str] = "HD"
    less_is_better: ClassVar[bool] = True

    def _shares(
        self, recommended: RecommendedLists
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return shares of relevance by place, and which users have a hit and count."""
        total = _n_relevant(recommended)
        places = np.arange(1, (self.cutoff or 0) + 1)
        shares = (places <= total[:, None]) / np.maximum(1, total)[:, None]
        return shares, np.asarray(recommended.is_relevant.any(axis=1)), total > 0

    def of_all(self, recommended: RecommendedLists) -> float:
        shares, is_hit, counted = self._shares(recommended)
        n = max(1, counted.sum())
        return float(_hellinger(shares.sum(axis=0) / n, shares[is_hit].sum(axis=0) / n))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        shares, is_hit, counted = self._shares(recommended)
        n = np.maximum(1, counted.sum() - counted)[:, None]
        clicks = shares * is_hit[:, None]
        return _hellinger((shares.sum(axis=0) - shares) / n, (clicks.sum(axis=0) - clicks) / n)


def _hellinger(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distances of rows; what rounding made negative counts as 0."""
    difference = np.sqrt(np.maximum(0.0, one)) - np.sqrt(np.maximum(0.0, other))
    return np.asarray(np.sqrt((difference**2).sum(axis=-1) / 2))


@dataclass(frozen=True, kw_only=True)
class _OfImpact(MetricOfAllUsers):
    """A metric of the impact of items: the attention, 1 / rank, that relevant items get."""

    def _attention(self, recommended: RecommendedLists) -> csr_array:
        """Return the attention of items in the lists, shape (n_users, n_items)."""
        rows, positions, items = recommended.lists.entries()
        return _of_pairs(recommended, rows, items, np.asarray(1.0 / (1.0 + positions), np.float64))


def _at(values: csr_array, rows: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray:
    """Return some entries of a sparse array."""
    return np.asarray(values[rows, items]).ravel() if len(rows) else np.zeros(0)


@dataclass(frozen=True, kw_only=True)
class MeanMaxEnvy(_OfImpact):
    r"""Mean over items of how much impact an item would gain with another item's attention.

    .. math:: MME@k = \frac{1}{|U|\, n} \sum_i \max_j \Big(\sum_u a_{uj} r_{ui} - \sum_u a_{ui}
        r_{ui}\Big)

    Here :math:`a_{ui}` is 1 / rank. 0 means that no item would rather have another item's ranks.
    Its values are small, because few items are relevant to many users.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Saito and Joachims (2022), "Fair ranking as fair division: impact-based individual
        fairness in ranking"
    :Missing: no attention
    """

    name: ClassVar[str] = "MME"
    less_is_better: ClassVar[bool] = True

    def _swapped(
        self, recommended: RecommendedLists
    ) -> tuple[csr_array, NDArray[np.int64], NDArray[np.int64]]:
        """Return the impact of items with others' attention, and the relevant pairs."""
        rows, items = recommended.relevant_entries
        relevant = _of_pairs(recommended, rows, items, np.ones(len(rows)))
        return csr_array(relevant.T @ self._attention(recommended)), rows, items

    def of_all(self, recommended: RecommendedLists) -> float:
        impact, _, _ = self._swapped(recommended)
        envies = impact.max(axis=1).toarray() - impact.diagonal()
        return float(envies.sum() / (max(1, len(recommended.users)) * _n_candidates(recommended)))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        impact, rows, liked = self._swapped(recommended)
        attention = self._attention(recommended)
        largest = impact.max(axis=1).toarray()
        envies = largest - impact.diagonal()
        # What an item would gain with attention that the user gives is less without the user ...
        shape = (len(rows), recommended.items.shape[1])
        listed = recommended.items[rows].astype(np.int64)
        filled = recommended.is_filled[rows]
        given = np.zeros(shape)
        sources = np.broadcast_to(liked[:, None], shape)[filled]
        own = 1.0 / (1.0 + np.broadcast_to(np.arange(shape[1]), shape)[filled])
        given[filled] = _at(impact, sources, listed[filled]) - own
        # ... and with the attention of other items as before. Of one more item than a list has
        # with the largest gain, one at least is not in the list.
        items, gains = _largest_of_rows(impact, shape[1] + 1)
        is_listed = (items[liked][:, :, None] == listed[:, None, :]).any(axis=2)
        others = np.where(is_listed, 0.0, gains[liked]).max(axis=1, initial=0.0)
        new = np.maximum(others, given.max(axis=1, initial=0.0))
        kept = impact.diagonal()[liked] - _at(attention, rows, liked)
        change = np.bincount(rows, new - kept - envies[liked], minlength=len(recommended.users))
        n_others = max(1, len(recommended.users) - 1)
        return np.asarray((envies.sum() + change) / (n_others * _n_candidates(recommended)))


def _largest_of_rows(values: csr_array, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns and values of the n largest entries of each row; -2 and 0 behind the last."""
    columns = np.full((values.shape[0], n), -2, dtype=np.int64)
    largest = np.zeros((values.shape[0], n))
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    order = np.lexsort((-values.data, rows))
    places = np.arange(len(order)) - values.indptr[:-1][rows]
    kept = places < n
    columns[rows[kept], places[kept]] = values.indices[order][kept]
    largest[rows[kept], places[kept]] = values.data[order][kept]
    return columns, largest


@dataclass(frozen=True, kw_only=True)
class _ItemsByImpact(_OfImpact):
    """The share of items whose impact is far from that under equal attention."""

    @abstractmethod
    def _are_met(
        self, impact: NDArray[np.float64], equal: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return which items count, by their impact and that under equal attention."""

    def _parts(
        self, recommended: RecommendedLists
    ) -> tuple[csr_array, NDArray[np.float64], NDArray[np.float64], float]:
        """Return impact by pair and by item, numbers of users, and the equal impact of a user."""
        rows, items = recommended.relevant_entries
        relevant = _of_pairs(recommended, rows, items, np.ones(len(rows)))
        got = _at(self._attention(recommended), rows, items)
        of_ranks = (1.0 / np.arange(1, (self.cutoff or 0) + 1)).sum()
        impact = np.bincount(items, got, minlength=relevant.shape[1]).astype(np.float64)
        counts = np.bincount(items, minlength=relevant.shape[1]).astype(np.float64)
        pairs = _of_pairs(recommended, rows, items, got)
        return pairs, impact, counts, float(of_ranks / _n_candidates(recommended))

    def of_all(self, recommended: RecommendedLists) -> float:
        _, impact, counts, equal = self._parts(recommended)
        met = self._are_met(impact, counts * equal) & (counts > 0)
        return float(met.sum() / max(1, (counts > 0).sum()))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        pairs, impact, counts, equal = self._parts(recommended)
        met = self._are_met(impact, counts * equal) & (counts > 0)
        n = pairs.shape[0]
        rows, items = np.repeat(np.arange(n), np.diff(pairs.indptr)), pairs.indices
        remains = counts[items] > 1
        after = self._are_met(impact[items] - pairs.data, (counts[items] - 1) * equal) & remains
        change = np.bincount(rows, after.astype(np.float64) - met[items], minlength=n)
        gone = np.bincount(rows, ~remains, minlength=n)
        return np.asarray((met.sum() + change) / np.maximum(1, (counts > 0).sum() - gone))


@dataclass(frozen=True, kw_only=True)
class ItemsBetterOff(_ItemsByImpact):
    r"""Share of the items with at least 10 % more impact than if attention were equal.

    .. math:: IBO@k = \frac{1}{|I^+|} \Big|\Big\{i : \sum_u a_{ui} r_{ui} \ge 1.1 \, \frac{1}{n}
        \sum_{r=1}^k \frac{1}{r} \sum_u r_{ui}\Big\}\Big|

    Here :math:`a_{ui}` is 1 / rank. Its limits: with many items, equal attention is so little that
    one hit of an item makes it better off, and IWO = 1 - IBO tells nothing else.

    :Denominator: the items that are relevant to some user
    :Source: as that of MME, with another denominator
    :Missing: no attention
    """

    name: ClassVar[str] = "IBO"

    def _are_met(
        self, impact: NDArray[np.float64], equal: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        return np.asarray(impact >= 1.1 * equal)


@dataclass(frozen=True, kw_only=True)
class ItemsWorseOff(_ItemsByImpact):
    r"""Share of the items with at least 10 % less impact than if attention were equal.

    .. math:: IWO@k = \frac{1}{|I^+|} \Big|\Big\{i : \sum_u a_{ui} r_{ui} \le 0.9 \, \frac{1}{n}
        \sum_{r=1}^k \frac{1}{r} \sum_u r_{ui}\Big\}\Big|

    with the quantities of IBO, and its limits.

    :Denominator: as that of IBO
    :Source: as that of IBO
    :Missing: no attention
    """

    name: ClassVar[str] = "IWO"
    less_is_better: ClassVar[bool] = True

    def _are_met(
        self, impact: NDArray[np.float64], equal: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        return np.asarray(impact <= 0.9 * equal)


@dataclass(frozen=True, kw_only=True)
class _ExposureOfRelevance(DiscountedListMetric):
    """A metric of attention minus the attention that the user's relevant items should get."""

    discount: RankDiscount = "rbp"
    phi: float = 0.8

    def _differences(self, recommended: RecommendedLists) -> csr_array:
        """Return attention minus its target, shape (n_users, n_items)."""
        met, liked = recommended.relevant_entries
        total = _n_relevant(recommended)
        rows, positions, items = recommended.lists.entries()
        weights = self.weights(max(recommended.items.shape[1], int(total.max(initial=0))))
        target = np.r_[0.0, np.cumsum(weights)][total] / np.maximum(1, total)
        both = np.r_[weights[positions], -target[met]]
        return _of_pairs(recommended, np.r_[rows, met], np.r_[items, liked], both)


@dataclass(frozen=True, kw_only=True)
class IndividualUserToItemFairness(_ExposureOfRelevance):
    r"""Mean squared difference between the attention of an item in a user's list and its target.

    .. math:: IIF@k = \frac{1}{|U|\, n} \sum_u \sum_i (a_{ui} - a^*_{ui})^2, \qquad
        a^*_{ui} = \frac{r_{ui}}{R_u} \sum_{r=1}^{R_u} a(r)

    The relevant items of a user should have the attention of the first :math:`R_u` ranks in equal
    shares.

    Its limits: no single list of several relevant items reaches 0, and with many items its values
    are small.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Wu et al. (2022), II-F, as that of AID
    :Missing: no attention
    """

    name: ClassVar[str] = "IIF"
    less_is_better: ClassVar[bool] = True

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        found = self._differences(recommended)
        return np.asarray((found * found).sum(axis=1) / _n_candidates(recommended))


@dataclass(frozen=True, kw_only=True)
class AllUsersToItemFairness(_ExposureOfRelevance, MetricOfAllUsers):
    r"""Mean squared difference between the attention of an item from all users and its target.

    .. math:: AIF@k = \frac{1}{n} \sum_i \Big(\frac{1}{|U|} \sum_u (a_{ui} - a^*_{ui})\Big)^2

    with the attention and the target of IIF. Relevance to single users hardly matters, because the
    attention of users adds up, and its values are smaller still.

    :Denominator: the items that the protocol lets systems recommend
    :Source: Wu et al. (2022), AI-F, as that of AID
    :Missing: no attention
    """

    name: ClassVar[str] = "AIF"
    less_is_better: ClassVar[bool] = True

    def of_all(self, recommended: RecommendedLists) -> float:
        sums = self._differences(recommended).sum(axis=0) / max(1, len(recommended.users))
        return float((sums**2).sum() / _n_candidates(recommended))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        found = self._differences(recommended)
        sums = found.sum(axis=0)
        rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        own = sums[found.indices]
        change = np.bincount(
            rows, weights=(own - found.data) ** 2 - own**2, minlength=found.shape[0]
        )
        n_others = max(1, len(recommended.users) - 1)
        values = ((sums**2).sum() + change) / (n_others**2 * _n_candidates(recommended))
        return np.asarray(np.maximum(0.0, values))
