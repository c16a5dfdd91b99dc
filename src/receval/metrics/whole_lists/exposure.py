# SPDX-License-Identifier: MIT
"""How attention is divided among groups of items, and among items by their relevance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    MetricOfAllUsers,
    RankDiscount,
    RecommendedLists,
)
from receval.metrics.whole_lists.popularity import (
    HEAD,
    jensen_shannon,
    popularity_groups,
)
from receval.storage.messages import enumerated, quoted

_HEAD = 0.8
"""The short head has the most popular items with 80 % of the training ratings."""


def item_groups(recommended: RecommendedLists, feature: str, metric: str) -> csr_array:
    """Return which items are of which group, shape (n_items, n_groups), with entries of 1.

    Without a feature of items of this name, ``popularity`` means the short head, the most popular
    items with 80 % of the training ratings, and the long tail.
    """
    found = recommended.item_features.get(feature)
    if found is not None:
        groups = csr_array(found != 0).astype(np.float64)
        return csr_array(groups)
    if feature == "popularity":
        if not recommended.popularity.any():
            raise ValueError(
                f"{metric} groups items by their training ratings, but there are none. Give the "
                "training ratings (train=), or another feature of items."
            )
        of_items = popularity_groups(recommended.popularity, _HEAD, round(1 - _HEAD, 12), "ratings")
        is_tail = (of_items != HEAD).astype(np.int64)
        n_items = len(is_tail)
        return csr_array((np.ones(n_items), is_tail, np.arange(n_items + 1)), shape=(n_items, 2))
    known = enumerated([*recommended.item_features, "popularity"])
    raise ValueError(
        f"{metric} needs groups of items by {quoted(feature)}, but there is no such feature of "
        f"items. There are {known}. Give item_features, or another feature."
    )


def _sums(
    rows: NDArray[np.int64],
    items: NDArray[np.int64],
    weights: NDArray[np.float64],
    groups: csr_array,
    n_users: int,
) -> NDArray[np.float64]:
    """Return the sum of weights per user and group of items, shape (n_users, n_groups)."""
    shape = (n_users, groups.shape[0])
    entries = csr_array((weights, (rows, items)), shape=shape)
    return np.asarray((entries @ groups).toarray(), dtype=np.float64)


def _open_sums(recommended: RecommendedLists, groups: csr_array) -> NDArray[np.float64]:
    """Return how many candidates of each group a user did not rate in training."""
    rows, items, sizes = recommended.profile_entries
    kept = recommended.is_candidate[items]
    trained = _sums(rows[kept], items[kept], np.ones(int(kept.sum())), groups, len(sizes))
    totals = recommended.is_candidate.astype(np.float64) @ groups
    return np.asarray(totals[None, :] - trained)


def _divided(groups: csr_array) -> csr_array:
    """Return groups in which an item of m groups belongs to each by 1/m."""
    sizes = np.diff(groups.indptr)
    data = groups.data / np.repeat(np.maximum(1, sizes), sizes)
    return csr_array((data, groups.indices, groups.indptr), shape=groups.shape)


def _normalised(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows divided by their sums; rows of zeros stay."""
    sums = rows.sum(axis=1, keepdims=True)
    return np.asarray(rows / np.where(sums > 0, sums, 1.0))


@dataclass(frozen=True, kw_only=True)
class AttentionWeightedRankFairness(DiscountedListMetric):
    r"""Difference between the attention that groups of items get in a list and their target.

    .. math:: AWRF@k = \Delta(\epsilon, p), \qquad
        \epsilon_g = \frac{\sum_{r} a(r)\, G(i_r, g)}{\sum_g \sum_{r} a(r)\, G(i_r, g)}

    Here :math:`\epsilon_g` is the share of the attention of the list's ranks that goes to items of
    group g, and :math:`p_g` the target share.

    0 is fair. The TREC Fair Ranking tracks print 1 minus the Jensen-Shannon divergence. An item of
    m groups belongs to each by 1/m; items of no group are left out.

    :Denominator: in the formula
    :Source: Sapiezynski et al. (2019), "Quantifying the impact of user attention on fair group
        representation in ranked lists"; Raj and Ekstrand (2022)
    :Missing: 1, the largest value, also for lists without an item of a group

    Parameters
    ----------
    feature : str
        The feature of items whose values are the groups; ``popularity`` means the short head, the
        items with 80 % of the training ratings, and the long tail.
    target : {"candidates", "training", "equal"}
        The shares of the groups among the candidates or the training ratings, or equal shares.
    distance : {"total-variation", "jensen-shannon", "jensen-shannon-divergence"}
        Half the sum of the absolute differences, the Jensen-Shannon distance (base 2), or its
        square.
    """

    name: ClassVar[str] = "AWRF"
    less_is_better: ClassVar[bool] = True
    feature: str = "popularity"
    target: Literal["candidates", "training", "equal"] = "candidates"
    distance: Literal["total-variation", "jensen-shannon", "jensen-shannon-divergence"] = (
        "total-variation"
    )

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        groups = _divided(item_groups(recommended, self.feature, self.label))
        rows, positions, items = recommended.lists.entries()
        weights = self.weights(recommended.items.shape[1])[positions]
        attention = _sums(rows, items, weights, groups, len(recommended.users))
        if self.target == "equal":
            wanted = np.ones((1, groups.shape[1]))
        elif self.target == "training":
            wanted = (recommended.popularity.astype(np.float64) @ groups)[None, :]
        else:
            wanted = (recommended.is_candidate.astype(np.float64) @ groups)[None, :]
        shares, wanted = _normalised(attention), _normalised(wanted)
        if self.distance == "total-variation":
            values = np.abs(shares - wanted).sum(axis=1) / 2
        else:
            values = jensen_shannon(shares, np.broadcast_to(wanted, shares.shape))
            if self.distance == "jensen-shannon":
                values = np.sqrt(values)
        return np.where(attention.sum(axis=1) > 0, values, 1.0)


@dataclass(frozen=True, kw_only=True)
class _ExpectedExposure(DiscountedListMetric):
    """A metric of the exposure of items or groups, and of the exposure that they should have."""

    factors: ClassVar[tuple[float, float, float]]
    """Those of the sums of squares of exposure, of its products with the target, and of the squares
    of the target."""

    feature: str = "none"
    discount: RankDiscount = "rbp"
    phi: float = 0.5

    def _of_sums(self, *sums: NDArray[np.float64]) -> NDArray[np.float64]:
        parts = [factor * own for factor, own in zip(self.factors, sums, strict=True)]
        return np.maximum(0.0, np.sum(parts, axis=0))

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        n_users, n = len(recommended.users), self.cutoff or 0
        weights = self.weights(n)
        rows, positions, items = recommended.lists.entries()
        met, liked = recommended.relevant_entries
        n_relevant = np.bincount(met, minlength=n_users)
        profile, trained, _ = recommended.profile_entries
        n_trained = np.bincount(profile[recommended.is_candidate[trained]], minlength=n_users)
        n_others = int(recommended.is_candidate.sum()) - n_trained - n_relevant
        # Relevant items share the attention of the first ranks, and the others the rest.
        sums = np.r_[0.0, np.cumsum(weights)]
        first = sums[np.minimum(n_relevant, n)]
        for_relevant = first / np.maximum(1, n_relevant)
        for_others = (sums[-1] - first) / np.maximum(1, n_others)
        if self.feature == "none":
            attention = weights[: recommended.items.shape[1]] * recommended.is_filled
            own = (attention**2).sum(axis=1)
            wanted = n_relevant * for_relevant**2 + n_others * for_others**2
            target = np.where(recommended.is_relevant, for_relevant[:, None], for_others[:, None])
            product = (attention * target).sum(axis=1)
            return self._of_sums(own, product, wanted)
        groups = _divided(item_groups(recommended, self.feature, self.label))
        exposure = _sums(rows, items, weights[positions], groups, n_users)
        relevant = _sums(met, liked, np.ones(len(met)), groups, n_users)
        others = _open_sums(recommended, groups) - relevant
        targets = relevant * for_relevant[:, None] + others * for_others[:, None]
        return self._of_sums(
            (exposure**2).sum(axis=1), (exposure * targets).sum(axis=1), (targets**2).sum(axis=1)
        )


@dataclass(frozen=True, kw_only=True)
class ExpectedExposureDisparity(_ExpectedExposure):
    r"""Sum of the squares of the exposure of groups of items: small if it is divided evenly.

    .. math:: EED@k = \|\epsilon\|^2, \qquad \epsilon_g = \sum_{r=1}^{|L_u^k|} a(r)\, G(i_r, g)

    For single items (``feature=none``) it is the same for all full lists, and only groups tell
    systems apart. An item of m groups belongs to each by 1/m.

    :Denominator: none
    :Source: Diaz et al. (2020), "Evaluating stochastic rankings with expected exposure";
        Raj and Ekstrand (2022) for groups

    Parameters
    ----------
    feature : str
        As that of AWRF; ``none`` makes each item a group.
    """

    name: ClassVar[str] = "EED"
    factors: ClassVar[tuple[float, float, float]] = (1.0, 0.0, 0.0)
    less_is_better: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class ExpectedExposureRelevance(_ExpectedExposure):
    r"""Product of the exposure of groups of items with the exposure that they should have.

    .. math:: EER@k = \epsilon^\top \epsilon^*

    The target :math:`\epsilon^*` divides the attention of the first m ranks equally among the m
    relevant test items of the user, and that of the other ranks up to k among all other candidates
    without a training rating of the user.

    :Denominator: none
    :Source: as that of EED

    Parameters
    ----------
    feature : str
        As that of EED.
    discount : {"none", "log", "rbp"}
        As that of EED.
    phi : float
        As that of EED.
    """

    name: ClassVar[str] = "EER"
    factors: ClassVar[tuple[float, float, float]] = (0.0, 1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class ExpectedExposureLoss(_ExpectedExposure):
    r"""Squared distance between the exposure of groups of items and what they should have.

    .. math:: EEL@k = \|\epsilon - \epsilon^*\|^2 = EED - 2\, EER + \|\epsilon^*\|^2

    :Denominator: none
    :Source: as that of EED
    :Missing: the squared length of the target

    Parameters
    ----------
    feature : str
        As that of EED.
    discount : {"none", "log", "rbp"}
        As that of EED.
    phi : float
        As that of EED.
    """

    name: ClassVar[str] = "EEL"
    factors: ClassVar[tuple[float, float, float]] = (1.0, -2.0, 1.0)
    less_is_better: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class InequityOfAttention(DiscountedListMetric, MetricOfAllUsers):
    r"""Difference between the attention that items get from all users and their relevance to them.

    .. math:: InequityOfAttention@k = \frac{1}{|U|} \sum_i \Big|\sum_u a_{ui} - \sum_u r_{ui}\Big|

    Here :math:`a_{ui}` is the attention of an item in a user's list, divided by that of the list,
    and :math:`r_{ui} = 1 / |PR_{test}(u)|` its share of the user's relevant test items.

    0 means that attention is divided as relevance is, and 2 that only irrelevant items get it.
    Users without a relevant test item are left out.

    :Denominator: the users with a relevant test item
    :Source: Biega et al. (2018), "Equity of attention: amortizing individual fairness in rankings"
    :Missing: no attention
    """

    name: ClassVar[str] = "InequityOfAttention"
    other_names: ClassVar[tuple[str, ...]] = ("equity of attention",)
    less_is_better: ClassVar[bool] = True
    bounds = (0.0, 2.0)

    def _differences(self, recommended: RecommendedLists) -> tuple[csr_array, NDArray[np.bool_]]:
        """Return attention minus relevance of users and items, and which users count."""
        met, liked = recommended.relevant_entries
        n_relevant = np.bincount(met, minlength=len(recommended.users))
        rows, positions, items = recommended.lists.entries()
        kept = n_relevant[rows] > 0
        rows, positions, items = rows[kept], positions[kept], items[kept]
        weights = self.weights(recommended.items.shape[1])
        totals = np.r_[0.0, np.cumsum(weights)][recommended.lists.lengths]
        values = np.r_[weights[positions] / totals[rows], -1.0 / n_relevant[met]]
        shape = (len(recommended.users), len(recommended.is_candidate))
        found = csr_array((values, (np.r_[rows, met], np.r_[items, liked])), shape=shape)
        return found, n_relevant > 0

    def of_all(self, recommended: RecommendedLists) -> float:
        found, counted = self._differences(recommended)
        return float(np.abs(found.sum(axis=0)).sum() / max(1, counted.sum()))

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        found, counted = self._differences(recommended)
        sums = found.sum(axis=0)
        rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        own = sums[found.indices]
        change = np.bincount(
            rows, weights=np.abs(own - found.data) - np.abs(own), minlength=found.shape[0]
        )
        n_others = counted.sum() - counted
        values = (np.abs(sums).sum() + change) / np.maximum(1, n_others)
        return np.where(n_others > 0, np.maximum(0.0, values), 0.0)


@dataclass(frozen=True, kw_only=True)
class _OfItemGroups(MetricOfAllUsers):
    """The relative standard deviation of the rates at which groups of items are recommended."""

    feature: str = "popularity"

    @property
    def bounds(self) -> tuple[float, float]:
        """The largest value is the root of one less than the groups; of popularity there are 2."""
        return 0.0, 1.0 if self.feature == "popularity" else float(np.inf)

    def bounds_among(self, features: Mapping[str, csr_array]) -> tuple[float, float]:
        groups = features.get(self.feature)
        if groups is None:
            return self.bounds
        # A coefficient of variation is largest if one group alone has a rate above 0.
        n_groups = int(np.count_nonzero(np.asarray((groups != 0).sum(axis=0))))
        return 0.0, float(max(0, n_groups - 1) ** 0.5)

    @abstractmethod
    def _counts(
        self, recommended: RecommendedLists, groups: csr_array
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return numerators and denominators per user and group, shape (n_users, n_groups)."""

    def _parts(
        self, recommended: RecommendedLists
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        groups = item_groups(recommended, self.feature, self.label)
        return self._counts(recommended, groups)

    def of_all(self, recommended: RecommendedLists) -> float:
        met, possible = self._parts(recommended)
        return float(_relative_deviation(met.sum(axis=0)[None], possible.sum(axis=0)[None])[0])

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met, possible = self._parts(recommended)
        return _relative_deviation(met.sum(axis=0) - met, possible.sum(axis=0) - possible)


def _relative_deviation(
    met: NDArray[np.float64], possible: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return standard deviation over mean of the rates in each row, of groups that are possible.

    It is 0 if all rates are 0. The numbers are whole, so that sums of them are exact.
    """
    is_possible = possible > 0
    rates = np.where(is_possible, met / np.where(is_possible, possible, 1.0), 0.0)
    n_groups = np.maximum(1, is_possible.sum(axis=1))
    means = rates.sum(axis=1) / n_groups
    squares = np.where(is_possible, (rates - means[:, None]) ** 2, 0.0)
    deviations = np.sqrt(squares.sum(axis=1) / n_groups)
    return np.asarray(deviations / np.where(means > 0, means, 1.0))


@dataclass(frozen=True, kw_only=True)
class RankingStatisticalParity(_OfItemGroups):
    r"""Differences between groups of items in how often their items are recommended.

    .. math:: RSP@k = \frac{std_g\, P(R@k \mid g)}{mean_g\, P(R@k \mid g)}, \qquad
        P(R@k \mid g) = \frac{\sum_u |L_u^k \cap g|}{\sum_u |g \setminus R_{train}(u)|}

    0 means that items of all groups are recommended at the same rate.

    :Denominator: in the formula; groups without such items are left out
    :Source: Zhu et al. (2020), "Measuring and mitigating item under-recommendation bias in
        personalized ranking systems"

    Parameters
    ----------
    feature : str
        As that of AWRF.
    """

    name: ClassVar[str] = "RSP"
    other_names: ClassVar[tuple[str, ...]] = ("PopRSP",)
    less_is_better: ClassVar[bool] = True

    def _counts(
        self, recommended: RecommendedLists, groups: csr_array
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows, _, items = recommended.lists.entries()
        met = _sums(rows, items, np.ones(len(rows)), groups, len(recommended.users))
        return met, _open_sums(recommended, groups)


@dataclass(frozen=True, kw_only=True)
class RankingEqualOpportunity(_OfItemGroups):
    r"""Differences between groups of items in how many of their relevant items are recommended.

    .. math:: REO@k = \frac{std_g\, P(R@k \mid g, y=1)}{mean_g\, P(R@k \mid g, y=1)}, \qquad
        P(R@k \mid g, y=1) = \frac{\sum_u |L_u^k \cap g \cap PR_{test}(u)|}
        {\sum_u |g \cap PR_{test}(u)|}

    0 means that relevant items of all groups are found at the same rate, the recall of the group.

    :Denominator: as that of RSP
    :Source: as that of RSP

    Parameters
    ----------
    feature : str
        As that of RSP.
    """

    name: ClassVar[str] = "REO"
    other_names: ClassVar[tuple[str, ...]] = ("PopREO",)
    less_is_better: ClassVar[bool] = True

    def _counts(
        self, recommended: RecommendedLists, groups: csr_array
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows, positions, items = recommended.lists.entries()
        found = recommended.is_relevant[rows, positions]
        n_users = len(recommended.users)
        met = _sums(rows[found], items[found], np.ones(int(found.sum())), groups, n_users)
        own, liked = recommended.relevant_entries
        return met, _sums(own, liked, np.ones(len(own)), groups, n_users)


@dataclass(frozen=True, kw_only=True)
class ItemMeanAbsoluteDeviation(MetricOfAllUsers):
    r"""Differences between groups of items in the mean gain of their recommended items.

    .. math:: ItemMAD@k = \frac{1}{|P|} \sum_{\{g, h\} \in P} |m_g - m_h|, \qquad
        m_g = \frac{1}{|g|} \sum_{i \in g} \frac{1}{|U_i|} \sum_{u \in U_i} gain(u, i)

    Here :math:`U_i` are the users with item i in their list, g the recommended items of a group,
    and P the pairs of groups with such items; with fewer than two groups the value is 0. Users
    without a relevant test item are left out.

    :Denominator: in the formula
    :Source: Deldjoo et al. (2021), "A flexible framework for evaluating user and item fairness in
        recommender systems"; ItemMADranking and ItemMADrating in Elliot and WarpRec

    Parameters
    ----------
    feature : str
        As that of AWRF.
    gain : {"exp-steps", "exp-steps-from-0", "binary", "score"}
        The gain of a relevant item: that of nDCG of this name, or the item's score. Others have 0.
    over : {"lists", "hits"}
        Whether :math:`U_i` are all users with the item in their list, or those to whom it is
        relevant.
    """

    name: ClassVar[str] = "ItemMAD"
    less_is_better: ClassVar[bool] = True
    feature: str = "popularity"
    gain: Literal["exp-steps", "exp-steps-from-0", "binary", "score"] = "exp-steps"
    over: Literal["lists", "hits"] = "lists"
    bounds = (0.0, np.inf)

    def _entries(
        self, recommended: RecommendedLists
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return rows, items and gains of the list entries that count."""
        rows, positions, items = recommended.lists.entries()
        ratings = recommended.gains[rows, positions]
        is_hit = ratings >= recommended.threshold
        if self.gain == "binary":
            gains = np.ones(len(rows))
        elif self.gain == "score":
            gains = recommended.lists.scores[rows, positions].astype(np.float64)
        else:
            steps = recommended.threshold if self.gain == "exp-steps" else 0.0
            gains = np.exp2(np.where(is_hit, ratings, 0.0) - steps + 1.0) - 1.0
        met, _ = recommended.relevant_entries
        counts = is_hit if self.over == "hits" else np.isin(rows, met)
        return rows[counts], items[counts].astype(np.int64), np.where(is_hit, gains, 0.0)[counts]

    def of_all(self, recommended: RecommendedLists) -> float:
        return float(self._deviations(recommended, with_users=False)[0])

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return self._deviations(recommended, with_users=True)

    def _deviations(
        self, recommended: RecommendedLists, *, with_users: bool
    ) -> NDArray[np.float64]:
        """Return the metric of all users, or that without each of them."""
        rows, items, gains = self._entries(recommended)
        groups = item_groups(recommended, self.feature, self.label)
        sums = np.bincount(items, weights=gains, minlength=groups.shape[0])
        counts = np.bincount(items, minlength=groups.shape[0])
        means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
        of_groups, n_items = (own.astype(np.float64) @ groups for own in (means, counts > 0))
        if not with_users:
            return _mean_deviation(of_groups[None], n_items[None])
        others = counts[items] - 1
        left = np.divide(sums[items] - gains, others, out=np.zeros(len(items)), where=others > 0)
        lost, gone = (
            _sums(rows, items, own, groups, len(recommended.users))
            for own in (means[items] - left, (others == 0).astype(np.float64))
        )
        return _mean_deviation(of_groups - lost, n_items - gone)


def _mean_deviation(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean absolute difference of the means of all pairs of groups in each row."""
    is_there = counts > 0
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=is_there)
    # Ascending means, behind which those of groups without items stand.
    ordered = np.sort(means, axis=1)
    n = is_there.sum(axis=1)
    weights = 2.0 * np.arange(sums.shape[1]) - (n[:, None] - 1)
    total = np.where(np.isnan(ordered), 0.0, weights * np.nan_to_num(ordered)).sum(axis=1)
    return np.asarray(np.maximum(0.0, total) / np.maximum(1, n * (n - 1) / 2))
