# SPDX-License-Identifier: MIT
"""How much the items of a list differ, and which values of a feature, or subtopics, it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    FeatureMetric,
    RankDiscount,
    RecommendedLists,
    blocks_of_users,
    listed_values,
)

# The similarities of this many items are held at a time: 32 MiB of float64.
_MOST_ITEMS = 2048


@dataclass(frozen=True, kw_only=True)
class IntraListDiversity(FeatureMetric):
    r"""Mean distance of the pairs of items in a list: intra-list diversity, or distance.

    .. math:: ILD@k = \frac{2}{|L| (|L| - 1)} \sum_{i < j \in L} d(i, j)

    The distance is 1 minus a similarity. With the sets of values :math:`V_i` of a feature,
    ``jaccard`` is :math:`|V_i \cap V_j| / |V_i \cup V_j|`, and ``cosine`` is :math:`|V_i \cap V_j|
    / \sqrt{|V_i| |V_j|}`. ``co-ratings`` is the cosine of the sets of users with a training rating
    of the items and needs no feature. ``hamming`` is the number of values that only one of both
    items has, :math:`|V_i \triangle V_j|`.

    :Denominator: the pairs of items in the list that both have a value of the feature (or a
        training rating)
    :Missing: 0, also for lists without such a pair
    :Source: Ziegler et al. (2005), "Improving recommendation lists through topic diversification"

    Parameters
    ----------
    feature : str
        A name of ``item_features``; not needed for co-ratings.
    distance : {"jaccard", "cosine", "co-ratings", "hamming"}
        See above.
    """

    name: ClassVar[str] = "ILD"
    other_names: ClassVar[tuple[str, ...]] = ("intra-list diversity", "intra-list distance")
    distance: Literal["jaccard", "cosine", "co-ratings", "hamming"] = "jaccard"

    @property
    def needed_feature(self) -> str | None:
        return None if self.distance == "co-ratings" else super().needed_feature

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        if self.needed_feature is None:
            train = recommended.fold.learnt
            sets = csr_array(csr_array(train != 0, dtype=np.float64).T)
        else:
            sets = self.has_value(recommended)
        sizes = np.diff(sets.indptr).astype(np.float64)
        n_users, length = recommended.items.shape
        values = np.zeros(n_users)
        if length < 2:
            return values
        first, second = np.triu_indices(length, k=1)
        step = max(1, _MOST_ITEMS // length)
        for start in range(0, n_users, step):
            rows = slice(start, start + step)
            is_known = recommended.is_filled[rows] & (sizes[recommended.items[rows]] > 0)
            listed = np.where(is_known, recommended.items[rows], 0)
            items, places = np.unique(listed, return_inverse=True)
            places = places.reshape(listed.shape)
            common = (sets[items] @ sets[items].T).toarray()
            own = sizes[items]
            united = own[:, None] + own[None, :] - common
            if self.distance == "hamming":
                distance = united - common
            else:
                divisor = united
                if self.distance != "jaccard":
                    divisor = np.sqrt(own[:, None] * own[None, :])
                distance = 1.0 - np.divide(
                    common, divisor, out=np.zeros_like(common), where=divisor > 0
                )
            both = is_known[:, first] & is_known[:, second]
            sums = (distance[places[:, first], places[:, second]] * both).sum(axis=1)
            values[rows] = sums / np.maximum(1, both.sum(axis=1))
        return values


@dataclass(frozen=True, kw_only=True)
class FeatureEntropy(DiscountedListMetric, FeatureMetric):
    r"""Shannon entropy of the values of a feature that the items of a list have.

    .. math:: FeatureEntropy@k = - \sum_v p(v) \log_2 p(v), \quad
        p(v) \propto \sum_{r=1}^{k} a_r\, [v \in V_{i_r}]

    :math:`V_i` are the values of the item, and :math:`a_r` is the attention of rank r.

    :Denominator: in the formula
    :Missing: 0, also for lists without a value
    :Source: Shannon (1948); LensKit's entropy, and with ``discount=rbp`` its rank_biased_entropy,
        which add :math:`10^{-6}` to each sum

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    discount : {"none", "log", "rbp"}
        The attention of ranks: all the same, that of nDCG, or that of rank-biased precision.
    phi : float
        The probability to go on to the next rank, for ``rbp``.
    """

    name: ClassVar[str] = "FeatureEntropy"
    other_names: ClassVar[tuple[str, ...]] = ("category entropy",)
    discount: RankDiscount = "none"

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        weights = self.weights(recommended.items.shape[1])
        found = np.zeros(len(recommended.users))
        for rows, sums in _sums_of_values(recommended, self.has_value(recommended), weights):
            shares = sums / np.maximum(sums.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
            found[rows] = np.maximum(0.0, -(shares * logarithms).sum(axis=1))
        return found


@dataclass(frozen=True, kw_only=True)
class FeatureVariety(FeatureMetric):
    r"""Number of different values of a feature that the items of a list have, over its length.

    .. math:: FeatureVariety@k = \frac{1}{k} \Big|\bigcup_{i \in L} V_i\Big|

    :math:`V_i` are the values of the item. If items can have several of them, it may exceed 1.

    :Denominator: the cut-off, also for shorter lists
    :Source: RePlay's CategoricalDiversity

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    """

    name: ClassVar[str] = "FeatureVariety"
    other_names: ClassVar[tuple[str, ...]] = ("categorical diversity",)

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        assert self.cutoff is not None
        weights = np.ones(recommended.items.shape[1])
        found = np.zeros(len(recommended.users))
        for rows, sums in _sums_of_values(recommended, self.has_value(recommended), weights):
            found[rows] = (sums > 0).sum(axis=1) / self.cutoff
        return found


def _sums_of_values(
    recommended: RecommendedLists, has_value: csr_array, weights: NDArray[np.float64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield blocks of users with the sum over each list of the weights of ranks by value."""
    n_values = has_value.shape[1]
    for rows in blocks_of_users(len(recommended.users), n_values):
        users, ranks = np.nonzero(recommended.is_filled[rows])
        entries, values = listed_values(has_value, recommended.items[rows][users, ranks])
        sums = np.bincount(
            users[entries] * n_values + values,
            weights=weights[ranks[entries]],
            minlength=(rows.stop - rows.start) * n_values,
        )
        yield rows, sums.astype(np.float64, copy=False).reshape(-1, n_values)


@dataclass(frozen=True, kw_only=True)
class SubtopicRecall(FeatureMetric):
    r"""Share of the subtopics of the user's relevant items that relevant items in the list have.

    .. math:: SubtopicRecall@k = \frac{|\bigcup_{i \in L \cap PR_{test}(u)} V_i|}
        {|\bigcup_{i \in PR_{test}(u)} V_i|}

    The subtopics are the values :math:`V_i` of a feature.

    :Denominator: in the formula; with ``denominator=all``, the values that any item has
    :Source: Zhai, Cohen and Lafferty (2003), "Beyond independent relevance: methods and
        evaluation metrics for subtopic retrieval", there S-recall

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    denominator : {"relevant", "all"}
        See above.
    """

    name: ClassVar[str] = "SubtopicRecall"
    other_names: ClassVar[tuple[str, ...]] = ("STREC", "S-recall")
    denominator: Literal["relevant", "all"] = "relevant"

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        has_value = self.has_value(recommended)
        found = np.zeros(len(recommended.users))
        for rows, subtopics in _subtopics(recommended, has_value):
            met = np.zeros(subtopics.is_wanted.shape, dtype=bool)
            for users, values in subtopics.by_rank:
                met[users, values] = True
            wanted = subtopics.is_wanted.sum(axis=1)
            if self.denominator == "all":
                wanted[:] = len(np.unique(has_value.indices))
            found[rows] = met.sum(axis=1) / np.maximum(1, wanted)
        return found


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocalRankOfSubtopics(FeatureMetric):
    r"""ERR for each subtopic of the user's relevant items, averaged over the subtopics.

    .. math:: ERR\_IA@k = \frac{1}{|S|} \sum_{s \in S} \sum_{r=1}^{k} \frac{1}{r}\, p\,
        J(r, s)\, (1 - p)^{c(r, s)}

    J and c are those of ``alpha_nDCG``, and p is the probability that the user is content with a
    relevant item.

    :Denominator: the subtopics :math:`S` of the relevant test items; with
        ``normalisation=highest`` also the value of a list in which every item has all of them
    :Source: Chapelle et al. (2011), "Intent-based diversification of web search results: metrics
        and algorithms"; with equal intents, and the highest value: Clarke et al. (2011), "A
        comparative analysis of cascade measures for novelty and diversity"

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    stop : float
        The probability p, between 0 and 1.
    normalisation : {"none", "highest"}
        Whether to divide by the highest possible value of a list of k items.
    """

    name: ClassVar[str] = "ERR_IA"
    stop: float = 0.5
    normalisation: Literal["none", "highest"] = "none"

    def __post_init__(self) -> None:
        check_fields(self, "stop")
        _refuse_outside(self.name, "stop", self.stop)
        super().__post_init__()

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        has_value = self.has_value(recommended)
        found = np.zeros(len(recommended.users))
        assert self.cutoff is not None
        discounts = 1.0 / np.arange(1, self.cutoff + 1)
        powers = _powers(1.0 - self.stop, len(discounts))
        for rows, subtopics in _subtopics(recommended, has_value):
            wanted = np.maximum(1, subtopics.is_wanted.sum(axis=1))
            gains = subtopics.gains(powers, self.cutoff)
            found[rows] = self.stop * (gains * discounts).sum(axis=1) / wanted
        if self.normalisation == "highest":
            found /= self.stop * (powers[: len(discounts)] * discounts).sum()
        return found


@dataclass(frozen=True, kw_only=True)
class AlphaNDCG(FeatureMetric):
    r"""nDCG in which an item gains less for each item above it that has the same subtopic.

    .. math:: \alpha nDCG@k = \frac{\sum_{r=1}^{k} g(r) / \log_2(1 + r)}
        {\sum_{r=1}^{k} g^*(r) / \log_2(1 + r)}, \quad
        g(r) = \sum_s J(r, s) (1 - \alpha)^{c(r, s)}

    :math:`J(r, s)` is 1 if the item at rank r is relevant and has the subtopic s, and :math:`c(r,
    s)` is the number of such items above it. Finding the best list is NP-complete, so :math:`g^*`
    is of the list that takes the relevant item with the highest gain at each rank, of equal ones
    that with the smaller code.

    :Denominator: in the formula
    :Source: Clarke et al. (2008), "Novelty and diversity in information retrieval evaluation"

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    alpha : float
        How much a repeated subtopic loses, between 0 (nothing) and 1 (everything).
    """

    name: ClassVar[str] = "alpha_nDCG"
    alpha: float = 0.5

    def __post_init__(self) -> None:
        check_fields(self, "alpha")
        _refuse_outside(self.name, "alpha", self.alpha)
        super().__post_init__()

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        has_value = self.has_value(recommended)
        assert self.cutoff is not None
        found = np.zeros(len(recommended.users))
        discounts = 1.0 / np.log2(np.arange(2, self.cutoff + 2))
        powers = _powers(1.0 - self.alpha, self.cutoff)
        for rows, subtopics in _subtopics(recommended, has_value):
            own = (subtopics.gains(powers, self.cutoff) * discounts).sum(axis=1)
            best = (subtopics.highest_gains(powers, self.cutoff) * discounts).sum(axis=1)
            np.divide(own, best, out=found[rows], where=best > 0)
        return found


def _refuse_outside(name: str, parameter: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"The {parameter} of {name} is {value}; it must be between 0 and 1.")


def _powers(base: float, n: int) -> NDArray[np.float64]:
    """Return the powers 0 to n of a number, by repeated multiplication."""
    return np.concatenate([[1.0], np.cumprod(np.full(n, base))])


# The subtopics of a block of users. An entry is one value of one item of one user.


@dataclass(frozen=True)
class _Subtopics:
    """The subtopics of the relevant items of some users, listed or not.

    ``by_rank`` has for each rank the users and the subtopics of relevant items there. ``users`` are
    the owners of relevant test items, by user and item; ``item_of`` and ``value_of`` are their
    subtopics, by entry. ``is_wanted`` tells which subtopics a user's relevant items have.
    """

    by_rank: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
    users: NDArray[np.int64]
    item_of: NDArray[np.int64]
    value_of: NDArray[np.int64]
    is_wanted: NDArray[np.bool_]

    def gains(self, powers: NDArray[np.float64], length: int) -> NDArray[np.float64]:
        """Return the gain at each rank of the lists, shape (n_users, length)."""
        n_users = len(self.is_wanted)
        met = np.zeros(self.is_wanted.shape, dtype=np.int32)
        gains = np.zeros((n_users, length))
        for rank, (users, values) in enumerate(self.by_rank):
            weights = powers[met[users, values]]
            gains[:, rank] = np.bincount(users, weights=weights, minlength=n_users)
            met[users, values] += 1
        return gains

    def highest_gains(self, powers: NDArray[np.float64], length: int) -> NDArray[np.float64]:
        """Return the gains of a greedy list of the relevant items, shape (n_users, length)."""
        n_items = len(self.users)
        gains = np.zeros((len(self.is_wanted), length))
        if not n_items:
            return gains
        met = np.zeros(self.is_wanted.shape, dtype=np.int32)
        owner_of = self.users[self.item_of]
        starts = np.flatnonzero(np.r_[True, self.users[1:] != self.users[:-1]])
        owners = self.users[starts]
        sizes = np.diff(np.r_[starts, n_items])
        is_taken = np.zeros(n_items, dtype=bool)
        places = np.arange(n_items)
        for rank in range(length):
            weights = powers[met[owner_of, self.value_of]]
            own = np.bincount(self.item_of, weights=weights, minlength=n_items)
            own[is_taken] = -1.0
            best = np.maximum.reduceat(own, starts)
            is_best = (own == np.repeat(best, sizes)) & ~is_taken
            chosen = np.minimum.reduceat(np.where(is_best, places, n_items), starts)
            chosen = chosen[chosen < n_items]
            is_taken[chosen] = True
            gains[owners, rank] = np.maximum(best, 0.0)
            is_new = np.zeros(n_items, dtype=bool)
            is_new[chosen] = True
            entries = is_new[self.item_of]
            met[owner_of[entries], self.value_of[entries]] += 1
        return gains


def _subtopics(
    recommended: RecommendedLists, has_value: csr_array
) -> list[tuple[slice, _Subtopics]]:
    """Return blocks of users with the subtopics of their relevant items."""
    test = recommended.fold.test
    is_relevant = test.values >= recommended.threshold
    relevant_users = test.users[is_relevant].astype(np.int64)
    relevant_items = test.items[is_relevant].astype(np.int64)
    rows_of = np.searchsorted(recommended.users, relevant_users)
    rows_of = np.minimum(rows_of, max(0, len(recommended.users) - 1))
    is_averaged = recommended.users[rows_of] == relevant_users if len(recommended.users) else []
    rows_of, relevant_items = rows_of[is_averaged], relevant_items[is_averaged]
    order = np.lexsort((relevant_items, rows_of))
    rows_of, relevant_items = rows_of[order], relevant_items[order]
    n_values = has_value.shape[1]
    blocks = []
    for rows in blocks_of_users(len(recommended.users), n_values):
        low, high = np.searchsorted(rows_of, [rows.start, rows.stop])
        owners = rows_of[low:high] - rows.start
        item_of, value_of = listed_values(has_value, relevant_items[low:high])
        is_wanted = np.zeros((rows.stop - rows.start, n_values), dtype=bool)
        is_wanted[owners[item_of], value_of] = True
        by_rank = []
        for rank in range(recommended.items.shape[1]):
            users = np.flatnonzero(recommended.is_relevant[rows, rank])
            entries, values = listed_values(has_value, recommended.items[rows, rank][users])
            by_rank.append((users[entries], values))
        blocks.append((rows, _Subtopics(by_rank, owners, item_of, value_of, is_wanted)))
    return blocks
