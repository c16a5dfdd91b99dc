# SPDX-License-Identifier: MIT
"""How new recommended items are: how few users rated them in training, and how old they are."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import (
    DiscountedListMetric,
    ListMetric,
    RankDiscount,
    RecommendedLists,
)
from receval.metrics.whole_lists.popularity import mean_of_lists


def _n_training_users(recommended: RecommendedLists) -> int:
    """Return the number of users with a training rating, at least 1."""
    return max(1, int((np.diff(recommended.fold.learnt.indptr) > 0).sum()))


@dataclass(frozen=True, kw_only=True)
class InverseUserFrequency(ListMetric):
    r"""Mean self-information of the recommended items, in bits.

    .. math:: SelfInformation@k = \frac{1}{|L_u^k|} \sum_{i \in L_u^k} -\log_2 \frac{|R_i|}{|U|}

    Here :math:`|R_i|` is the number of users who rated item i in training, and :math:`|U|` that of
    users with a training rating.

    An item without a training rating counts as one with a single rating.

    :Denominator: the length of the list, at most k
    :Source: Zhou et al. (2010), "Solving the apparent diversity-accuracy dilemma of recommender
        systems"
    """

    name: ClassVar[str] = "SelfInformation"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("MIUF", "MeanInvUserFreq")
    training_needed: ClassVar[bool] = True

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        seen = np.maximum(1, recommended.popularity) / _n_training_users(recommended)
        return mean_of_lists(recommended, -np.log2(seen))


@dataclass(frozen=True, kw_only=True)
class _ExpectedNovelty(DiscountedListMetric):
    """The mean novelty of a list, weighed by the discount of its ranks and by relevance."""

    training_needed: ClassVar[bool] = True
    relevance: Literal["none", "binary"] = "none"
    discount: RankDiscount = "none"

    @abstractmethod
    def novelties(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        """Return the novelty of each item, shape (n_items,)."""

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        weights = self.weights(recommended.items.shape[1]) * recommended.is_filled
        values = recommended.of_items(self.novelties(recommended))
        if self.relevance == "binary":
            values = values * recommended.is_relevant
        sums = weights.sum(axis=1)
        return np.asarray((weights * values).sum(axis=1) / np.where(sums > 0, sums, 1.0))


@dataclass(frozen=True, kw_only=True)
class ExpectedFreeDiscovery(_ExpectedNovelty):
    r"""Expected self-information of the recommended items among all training ratings, in bits.

    .. math:: EFD@k = \frac{-\sum_{r=1}^{|L_u^k|} disc(r)\, rel(i_r)\, \log_2 p(i_r)}
        {\sum_{r=1}^{|L_u^k|} disc(r)}

    Here :math:`p(i) = |R_i| / \sum_j |R_j|` is the share of item i in the training ratings.

    An item without a training rating counts as the least popular item that has one.

    :Denominator: in the formula
    :Source: Vargas and Castells (2011), "Rank and relevance in novelty and diversity metrics for
        recommender systems"

    Parameters
    ----------
    relevance : {"none", "binary"}
        Whether all items count (:math:`rel(i) = 1`), or only relevant test items.
    """

    name: ClassVar[str] = "EFD"
    other_names: ClassVar[tuple[str, ...]] = ("expected free discovery",)

    def novelties(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        counts = recommended.popularity
        fewest = int(counts[counts > 0].min()) if counts.any() else 1
        return np.asarray(-np.log2(np.maximum(fewest, counts) / max(1, counts.sum())))


@dataclass(frozen=True, kw_only=True)
class ExpectedPopularityComplement(_ExpectedNovelty):
    r"""Expected share of users who have not rated the recommended item.

    .. math:: EPC@k = \frac{\sum_{r=1}^{|L_u^k|} disc(r)\, rel(i_r)\, (1 - |R_{i_r}| / |U|)}
        {\sum_{r=1}^{|L_u^k|} disc(r)}

    :Denominator: in the formula; :math:`|U|` counts the users with a training rating
    :Source: as that of EFD

    Parameters
    ----------
    relevance : {"none", "binary"}
        As that of EFD.
    discount : {"none", "log", "rbp"}
        As that of EFD.
    phi : float
        As that of EFD.
    """

    name: ClassVar[str] = "EPC"
    other_names: ClassVar[tuple[str, ...]] = ("expected popularity complement",)

    def novelties(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return np.asarray(1.0 - recommended.popularity / _n_training_users(recommended))


@dataclass(frozen=True, kw_only=True)
class Unexpectedness(ListMetric):
    r"""Share of the list that a primitive recommender, the most popular items, does not have.

    .. math:: Unexpectedness@k = \frac{|L_u^k \setminus P_u^m|}{|L_u^k|}

    Here :math:`P_u^m` are the m most popular candidates that the user did not rate in training.

    :Denominator: the length of the list, at most k
    :Source: Ge et al. (2010), "Beyond accuracy: evaluating recommender systems by coverage and
        serendipity"; Murakami et al. (2008)

    Parameters
    ----------
    primitive : int
        The length m of the list of popular items; by default, the cut-off.
    """

    name: ClassVar[str] = "Unexpectedness"
    training_needed: ClassVar[bool] = True
    primitive: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "primitive")
        self._check_positive("primitive")

    def is_unexpected(self, recommended: RecommendedLists) -> NDArray[np.bool_]:
        """Return which listed items the primitive recommender does not list."""
        length = self.primitive or self.cutoff or 0
        counts = np.where(recommended.is_candidate, recommended.popularity, -1)
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        rows, items, sizes = recommended.profile_entries
        own = rank[items]
        by_rank = np.lexsort((own, rows))
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        # Before a user's j-th rated item (from 0) stand its rank - j items that the user can get.
        is_before = own[by_rank] - within < length
        ends = length + np.bincount(rows[is_before], minlength=len(sizes))
        ends = np.minimum(ends, int(recommended.is_candidate.sum()))
        return np.asarray((rank[recommended.items] >= ends[:, None]) & recommended.is_filled)

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        met = self.is_unexpected(recommended).sum(axis=1)
        return np.asarray(met / np.maximum(1, recommended.lists.lengths))


@dataclass(frozen=True, kw_only=True)
class Serendipity(Unexpectedness):
    r"""Share of the list that is relevant, and that the most popular items do not have.

    .. math:: Serendipity@k = \frac{|(L_u^k \setminus P_u^m) \cap PR_{test}(u)|}{|L_u^k|}, \qquad
        Serendipity_{ranks}@k = \frac{1}{|L_u^k|} \sum_{r=1}^{|L_u^k|} [i_r \in PR_{test}(u)]
        \max\Big(0, \frac{pop(i_r) - r}{|I|}\Big)

    With ``form=ranks`` a relevant item at rank r counts by how far it stands above its rank
    :math:`pop(i)` by popularity, among the :math:`|I|` candidates.

    Equally popular items share a rank, after which the next number follows; an item without a
    training rating has the rank :math:`|I| + 1`.

    :Denominator: the length of the list, at most k
    :Source: as that of Unexpectedness; RecTools for ``form=ranks``

    Parameters
    ----------
    primitive : int
        As that of Unexpectedness.
    form : {"list", "ranks"}
        Whether an item counts if the popular items do not have it, or by the difference of ranks.
    """

    name: ClassVar[str] = "Serendipity"
    form: Literal["list", "ranks"] = "list"

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        if self.form == "list":
            values = self.is_unexpected(recommended).astype(np.float64)
        else:
            counts, n_items = recommended.popularity, int(recommended.is_candidate.sum())
            different = np.unique(counts[counts > 0])
            ranks = len(different) - np.searchsorted(different, counts)
            ranks = np.where(counts > 0, ranks, n_items + 1)[recommended.items]
            places = np.arange(1, recommended.items.shape[1] + 1)
            values = np.maximum(0.0, (ranks - places) / n_items)
        met = (values * recommended.is_relevant).sum(axis=1)
        return np.asarray(met / np.maximum(1, recommended.lists.lengths))


SECONDS_PER_DAY = 86_400.0


def ages_in_days(
    items: NDArray[np.integer], timestamps: NDArray[np.number], n_items: int
) -> NDArray[np.float64]:
    """Return the days from the first of some ratings of each item to the last of all, (n_items,).

    An item without a rating is as new as can be: 0.

    Examples
    --------
    >>> ages_in_days(np.array([0, 1, 0]), np.array([0, 86_400, 172_800]), 3).tolist()
    [2.0, 1.0, 0.0]
    """
    times = timestamps.astype(np.float64)
    now = float(times.max())
    first = np.full(n_items, now)
    np.minimum.at(first, items, times)
    return (now - first) / SECONDS_PER_DAY


@dataclass(frozen=True, kw_only=True)
class ItemAge(ListMetric):
    r"""Mean age of the recommended items, in days: the smaller, the fresher is the list.

    .. math:: ItemAge@k = \frac{1}{|L_u^k|} \sum_{i \in L_u^k} \big(t_{now} - t_i\big)

    Here :math:`t_i` is the time of the first training rating of item i, and :math:`t_{now}`, the
    time of the recommendation, that of the last training rating of all.

    An item without a training rating has the age 0. The ratings need timestamps.

    :Denominator: the length of the list, at most k
    :Source: Sánchez and Bellogín (2018), "Time-aware novelty metrics for recommender systems", who
        scale times to between 0 (the oldest item) and 1
    """

    name: ClassVar[str] = "ItemAge"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = ("freshness", "recency")
    training_needed: ClassVar[bool] = True
    times_needed: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        assert recommended.item_ages is not None
        return mean_of_lists(recommended, recommended.item_ages)
