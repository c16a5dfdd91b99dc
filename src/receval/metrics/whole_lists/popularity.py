# SPDX-License-Identifier: MIT
"""How popular the recommended items are, alone and compared with what users rated before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from receval.checked_arguments import check_fields
from receval.metrics.metric import ratio
from receval.metrics.whole_lists.list_metric import (
    ListMetric,
    MetricOfAllUsers,
    RecommendedLists,
    rank_weights,
)

Limit = Literal["ratings", "items", "count"]
Taste = Literal["all", "niche", "diverse", "blockbuster"]

HEAD, MIDDLE, TAIL = 0, 1, 2

_TASTE_SHARE = 0.2
"""The share of items that are popular, and of users with a niche or a blockbuster taste."""

_SLACK = 1e-9
"""Products such as .1 * 30 exceed a whole number by rounding."""


def popularity_groups(
    popularity: NDArray[np.integer], head: float, tail: float, by: Limit
) -> NDArray[np.int8]:
    r"""Return whether each item is of the head (0), the middle (1) or the tail (2).

    Items are in descending order of their numbers of training ratings. Of equally popular ones,
    that with the lower code comes first, but with ``items`` that with the higher one, as in other
    tools. An item is of the head if it would be of both.

    Parameters
    ----------
    popularity : ndarray of int, shape (n_items,)
        Numbers of training ratings.
    head, tail : float
        The limits of both groups.
    by : {"ratings", "items", "count"}
        - ``ratings``: the head has the first items that hold the share ``head`` of all training
          ratings, and the tail those after the share ``1 - tail``; the item in which a share is
          reached comes before the limit;
        - ``items``: they have these shares of the items with a training rating, the head rounded
          up and the tail down, which also has all items without one;
        - ``count``: items with more than ``head`` training ratings, and with at most ``tail``.

    Examples
    --------
    >>> popularity_groups(np.array([1, 6, 2, 1, 0]), 0.6, 0.2, "ratings").tolist()
    [2, 0, 1, 2, 2]
    """
    counts = np.asarray(popularity, dtype=np.int64)
    if by == "count":
        return np.where(counts > head, HEAD, np.where(counts <= tail, TAIL, MIDDLE)).astype(np.int8)
    order = np.argsort(-counts, kind="stable")
    if by == "items":
        order = np.argsort(counts, kind="stable")[::-1]
        n_trained = int((counts > 0).sum())
        before = np.arange(len(counts))
        ends = [float(np.ceil(share * n_trained - _SLACK)) for share in (head, 1 - tail)]
    else:
        before = np.asarray(np.cumsum(counts[order]) - counts[order])
        ends = [share * counts.sum() for share in (head, round(1 - tail, 12))]
    groups = np.empty(len(counts), dtype=np.int8)
    groups[order] = np.where(before < ends[0], HEAD, np.where(before >= ends[1], TAIL, MIDDLE))
    return groups


def mean_of_lists(recommended: RecommendedLists, values: NDArray) -> NDArray[np.float64]:
    """Return the mean of a value of the items in each list, shape (n_users,); 0 if it is empty."""
    sums = recommended.of_items(values).sum(axis=1)
    return np.asarray(sums / np.maximum(1, recommended.lists.lengths))


@dataclass(frozen=True, kw_only=True)
class RecommendationPopularity(ListMetric):
    r"""Average number of training ratings of the recommended items.

    .. math:: ARP@k = \frac{1}{|L_u^k|} \sum_{i \in L_u^k} |\{v : i \in R_{train}(v)\}|

    :Denominator: the length of the list, at most k
    :Source: Yin et al. (2012), "Challenging the long tail recommendation"

    Parameters
    ----------
    unit : {"ratings", "share", "quantile"}
        The number of training ratings of an item, its share of all, or the share of the items with
        a training rating that have at most as many (mean rank for ties).
    """

    name: ClassVar[str] = "ARP"
    has_item_groups: ClassVar[bool] = True
    other_names: ClassVar[tuple[str, ...]] = (
        "average popularity",
        "average recommendation popularity",
        "AvgRecPopularity",
        "MeanPopRank(unit=quantile)",
    )
    training_needed: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True
    unit: Literal["ratings", "share", "quantile"] = "ratings"

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        values = recommended.popularity.astype(np.float64)
        if self.unit == "share":
            values /= max(1.0, values.sum())
        elif self.unit == "quantile":
            # Imported here because scipy.stats takes long to import.
            from scipy.stats import rankdata

            is_rated = values > 0
            values[is_rated] = rankdata(values[is_rated]) / max(1, int(is_rated.sum()))
        return mean_of_lists(recommended, values)


@dataclass(frozen=True, kw_only=True)
class _OfPopularityGroups(ListMetric):
    """A metric of the groups of items by popularity."""

    training_needed: ClassVar[bool] = True
    by: Limit = "ratings"

    def __post_init__(self) -> None:
        super().__post_init__()
        limits = {
            name: float(getattr(self, name)) for name in ("head", "tail") if hasattr(self, name)
        }
        check_fields(self, *limits)
        for name, limit in limits.items():
            if self.by == "count" and limit < 0:
                raise ValueError(
                    f"The {name} of {self.name} is {limit:g}; with by=count it is a number of "
                    "training ratings, at least 0."
                )
            if self.by != "count" and not 0 < limit < 1:
                raise ValueError(
                    f"The {name} of {self.name} is {limit:g}; with by={self.by} it must lie "
                    "between 0 and 1."
                )
        if len(limits) == 2:
            head, tail = limits["head"], limits["tail"]
            if self.by == "count" and head < tail:
                raise ValueError(
                    f"The head of {self.name} has items with more than {head:g} training ratings, "
                    f"and the tail those with at most {tail:g}. Give a head of at least the tail."
                )
            if self.by != "count" and head + tail > 1:
                raise ValueError(
                    f"The head and the tail of {self.name} are {head:g} and {tail:g}, more than 1 "
                    "together. Give smaller shares."
                )

    def groups(self, recommended: RecommendedLists) -> NDArray[np.int8]:
        """Return the group of each item, shape (n_items,)."""
        head, tail = getattr(self, "head", None), getattr(self, "tail", None)
        if head is None:
            assert tail is not None
            head = tail if self.by == "count" else round(1 - tail, 12)
        if tail is None:
            tail = head if self.by == "count" else round(1 - head, 12)
        return popularity_groups(recommended.popularity, head, tail, self.by)


@dataclass(frozen=True, kw_only=True)
class LongTailPercentage(_OfPopularityGroups):
    r"""Share of the recommended items that are of the long tail.

    .. math:: APLT@k = \frac{|L_u^k \cap \Gamma|}{|L_u^k|}

    Here :math:`\Gamma` is the long tail, all items that are not of the short head.

    Items without a training rating are of the long tail.

    :Denominator: the length of the list, at most k
    :Source: Abdollahpouri et al. (2019), "Managing popularity bias in recommender systems with
        personalized re-ranking"

    Parameters
    ----------
    head : float
        The limit of the short head: the most popular items with 80 % of the training ratings.
    by : {"ratings", "items", "count"}
        Whether the limit is a share of the training ratings, a share of the items with one, or a
        number of training ratings.
    """

    name: ClassVar[str] = "APLT"
    has_item_groups: ClassVar[bool] = True
    head: float = 0.8

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return mean_of_lists(recommended, self.groups(recommended) != HEAD)


@dataclass(frozen=True, kw_only=True)
class LongTailCoverage(_OfPopularityGroups):
    r"""Number of recommended items that are of the long tail (average coverage of long-tail items).

    .. math:: ACLT@k = |L_u^k \cap \Gamma|

    :Denominator: none
    :Source: as that of APLT

    Parameters
    ----------
    head : float
        As that of APLT.
    by : {"ratings", "items", "count"}
        As that of APLT.
    """

    name: ClassVar[str] = "ACLT"
    head: float = 0.8

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return recommended.of_items(self.groups(recommended) != HEAD).sum(axis=1)


@dataclass(frozen=True, kw_only=True)
class HeadShare(_OfPopularityGroups):
    r"""Share of the recommended items that are of the head, the most popular items.

    .. math:: HeadShare@k = \frac{|L_u^k \cap H|}{|L_u^k|}

    :Denominator: the length of the list, at most k
    :Source: Abdollahpouri et al. (2021), "User-centered evaluation of popularity bias in
        recommender systems"

    Parameters
    ----------
    head : float
        The limit of the head: the most popular items with 20 % of the training ratings.
    by : {"ratings", "items", "count"}
        As that of APLT.
    """

    name: ClassVar[str] = "HeadShare"
    has_item_groups: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True
    head: float = 0.2

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return mean_of_lists(recommended, self.groups(recommended) == HEAD)


@dataclass(frozen=True, kw_only=True)
class MiddleShare(_OfPopularityGroups):
    r"""Share of the recommended items that are neither of the head nor of the tail.

    .. math:: MiddleShare@k = \frac{|L_u^k \setminus (H \cup T)|}{|L_u^k|}

    :Denominator: the length of the list, at most k
    :Source: as that of HeadShare

    Parameters
    ----------
    head : float
        As that of HeadShare.
    tail : float
        As that of TailShare.
    by : {"ratings", "items", "count"}
        As that of APLT.
    """

    name: ClassVar[str] = "MiddleShare"
    has_item_groups: ClassVar[bool] = True
    head: float = 0.2
    tail: float = 0.2

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return mean_of_lists(recommended, self.groups(recommended) == MIDDLE)


@dataclass(frozen=True, kw_only=True)
class TailShare(_OfPopularityGroups):
    r"""Share of the recommended items that are of the tail, the least popular items.

    .. math:: TailShare@k = \frac{|L_u^k \cap T|}{|L_u^k|}

    :Denominator: the length of the list, at most k
    :Source: as that of HeadShare

    Parameters
    ----------
    tail : float
        The limit of the tail: the least popular items with 20 % of the training ratings, and all
        without one. With ``by=count``, the items with at most so many training ratings.
    by : {"ratings", "items", "count"}
        As that of APLT.
    """

    name: ClassVar[str] = "TailShare"
    has_item_groups: ClassVar[bool] = True
    tail: float = 0.2

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        return mean_of_lists(recommended, self.groups(recommended) == TAIL)


@dataclass(frozen=True, kw_only=True)
class PopularityMiscalibration(_OfPopularityGroups):
    r"""Difference between the popularity of a user's list and of the user's training ratings.

    .. math:: PopularityMiscalibration@k = \sqrt{\tfrac{1}{2} KL\big(p, \tfrac{p + q}{2}\big) +
        \tfrac{1}{2} KL\big(q, \tfrac{p + q}{2}\big)}

    Here :math:`p` are the shares of the head, the middle and the tail in the user's training
    ratings, and :math:`q` in the list. It is the Jensen-Shannon distance (base 2): 0 if the shares
    are equal, and 1 if no group is in both. UPD (user popularity deviation) is the mean of the
    divergence.

    :Denominator: none
    :Source: as that of HeadShare; Lesota et al. (2023), "Computational versus perceived popularity
        miscalibration in recommender systems", for the distance
    :Missing: 1, the largest value; a user without a training rating counts as 0

    Parameters
    ----------
    head : float
        As that of HeadShare.
    tail : float
        As that of TailShare.
    by : {"ratings", "items", "count"}
        As that of APLT.
    form : {"distance", "divergence"}
        The distance, or the divergence, which is its square.
    """

    name: ClassVar[str] = "PopularityMiscalibration"
    other_names: ClassVar[tuple[str, ...]] = ("UPD(form=divergence)",)
    less_is_better: ClassVar[bool] = True
    head: float = 0.2
    tail: float = 0.2
    form: Literal["distance", "divergence"] = "distance"

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        groups = self.groups(recommended)
        rows, items, sizes = recommended.profile_entries
        own, _, listed = recommended.lists.entries()
        profiles = _shares(rows, groups[items], len(sizes))
        lists = _shares(own, groups[listed], len(sizes))
        divergences = jensen_shannon(profiles, lists)
        values = np.sqrt(divergences) if self.form == "distance" else divergences
        values[recommended.lists.lengths == 0] = 1.0
        values[sizes == 0] = 0.0
        return values


def jensen_shannon(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Jensen-Shannon divergence of distributions, rows of shape (n, n_values).

    Logarithms are to the base 2, so it lies between 0 and 1.

    Examples
    --------
    >>> jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).tolist()
    [1.0]
    """
    middle = (first + second) / 2
    sums = (rel_entr(first, middle) + rel_entr(second, middle)).sum(axis=1)
    return np.asarray(np.clip(sums / (2 * np.log(2)), 0.0, 1.0))


def _shares(rows: NDArray[np.int64], groups: NDArray[np.int8], n: int) -> NDArray[np.float64]:
    """Return the share of each of the three groups among the entries of each row, shape (n, 3)."""
    counts = np.bincount(rows * 3 + groups, minlength=3 * n).reshape(n, 3)
    return np.asarray(counts / np.maximum(1, counts.sum(axis=1, keepdims=True)))


def users_of_taste(recommended: RecommendedLists, taste: Taste) -> NDArray[np.bool_]:
    """Return which averaged users have a taste, shape (n_users,).

    Popular items are the 20 % of the items with a training rating that have the most. Of all users
    with training ratings, the 20 % with the smallest share of popular items among them have a
    niche taste, the 20 % with the largest a blockbuster one, and the others a diverse one. Of
    users with equal shares, the one with the lower code comes first.
    """
    if taste == "all":
        return np.ones(len(recommended.users), dtype=bool)
    train = recommended.fold.train
    sizes = np.diff(train.indptr)
    groups = popularity_groups(recommended.popularity, _TASTE_SHARE, _TASTE_SHARE, "items")
    rows = np.repeat(np.arange(train.shape[0]), sizes)
    popular = np.bincount(rows[groups[train.indices] == HEAD], minlength=train.shape[0])
    users = np.flatnonzero(sizes > 0)
    order = users[np.argsort(popular[users] / sizes[users], kind="stable")]
    n = int(_TASTE_SHARE * len(order) + _SLACK)
    chosen = {"niche": order[:n], "blockbuster": order[len(order) - n :]}
    chosen["diverse"] = order[n : len(order) - n]
    return np.isin(recommended.users, chosen[taste])


@dataclass(frozen=True, kw_only=True)
class PopularityLift(MetricOfAllUsers):
    r"""How much more popular lists are than the training ratings of the same users.

    .. math:: PopularityLift@k = \frac{\sum_u q_u - \sum_u p_u}{\sum_u p_u}

    Here :math:`q_u` is the mean number of training ratings of the items in a user's list, and
    :math:`p_u` that of the items that the user rated in training.

    0 means that lists are as popular as users' taste, 1 twice as popular, -.5 half as popular.
    Users without a training rating are left out.

    :Denominator: in the formula
    :Source: Abdollahpouri et al. (2020), "The connection between popularity bias, calibration, and
        fairness in recommendation"
    :Missing: a mean popularity of 0

    Parameters
    ----------
    group : {"all", "niche", "diverse", "blockbuster"}
        All users, or those with this taste: niche for the 20 % of users whose training ratings have
        the smallest share of popular items (20 % of the items), blockbuster for the 20 % with the
        largest, and diverse for the others.
    """

    name: ClassVar[str] = "PopularityLift"
    training_needed: ClassVar[bool] = True
    best_value: ClassVar[float | None] = 0.0
    group: Taste = "all"
    bounds = (-1.0, np.inf)

    def _means(self, recommended: RecommendedLists) -> tuple[NDArray, NDArray, NDArray[np.bool_]]:
        """Return the mean popularity of each user's list and profile, and who counts."""
        counts = recommended.popularity.astype(np.float64)
        rows, items, sizes = recommended.profile_entries
        counted = users_of_taste(recommended, self.group) & (sizes > 0)
        sums = np.bincount(rows, weights=counts[items], minlength=len(sizes))
        profile = sums / np.maximum(1, sizes)
        return mean_of_lists(recommended, counts) * counted, profile * counted, counted

    def of_all(self, recommended: RecommendedLists) -> float:
        lists, profiles, counted = self._means(recommended)
        return float((lists.sum() - profiles.sum()) / profiles.sum()) if counted.any() else 0.0

    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        lists, profiles, counted = self._means(recommended)
        others = counted.sum() - counted
        baseline = profiles.sum() - profiles
        values = np.zeros(len(counted))
        np.divide(lists.sum() - lists - baseline, baseline, out=values, where=others > 0)
        return values


@dataclass(frozen=True, kw_only=True)
class InversePropensityRecall(ListMetric):
    r"""Recall with hits weighted by the inverse of a propensity, a power of the item's popularity.

    .. math:: IPSRecall@k = \frac{1}{|PR_{test}(u)|}
              \sum_{i \in PR_{test}(u),\, rank(i) \le k} \frac{1}{p_i}, \qquad
              p_i = \max\Big(c, \Big(\frac{|R_{train}(i)|}{\max_j |R_{train}(j)|}\Big)^\alpha\Big)

    :Denominator: the relevant test items that the user could get; with ``normalised=true``
        (SNIPS), the sum of their inverse propensities, so that the value is at most 1
    :Source: Yang et al. (2018), with the propensities of Saito et al. (2020), "Unbiased recommender
        learning from missing-not-at-random implicit feedback"; IPSRecall and SNIPSRecall in WarpRec

    Parameters
    ----------
    power : float
        :math:`\alpha`, at least 0; with 0, no item is favoured.
    least : float
        c, above 0 and at most 1: smaller propensities count as this, so that items with few
        ratings do not decide alone.
    normalised : bool
        See the denominator above.
    """

    name: ClassVar[str] = "IPSRecall"
    training_needed: ClassVar[bool] = True
    power: float = 0.5
    least: float = 0.1
    normalised: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "power", "least")
        super().__post_init__()
        if not (self.power >= 0 and 0 < self.least <= 1):
            raise ValueError(
                f"{self.name} has power={self.power:g} and least={self.least:g}. Give a power of "
                "at least 0, and a least propensity above 0 and at most 1."
            )

    def _worths(self, n: int) -> NDArray[np.float64]:
        """Return what a hit at each of n ranks is worth."""
        return np.ones(n)

    def _divisor(self, n_relevant: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the divisor without ``normalised``."""
        return n_relevant

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        shares = recommended.popularity / recommended.popularity.max()
        inverse = 1.0 / np.maximum(self.least, shares**self.power)
        hits = np.where(recommended.is_relevant, recommended.of_items(inverse), 0.0)
        rows, items = recommended.relevant_entries
        n = len(recommended.users)
        divisor = self._divisor(np.bincount(rows, minlength=n))
        if self.normalised:
            divisor = np.bincount(rows, weights=inverse[items], minlength=n)
        return ratio(hits @ self._worths(hits.shape[1]), divisor)


@dataclass(frozen=True, kw_only=True)
class InversePropensityGain(InversePropensityRecall):
    r"""Discounted gain of hits, weighted by the inverse of a propensity.

    .. math:: IPSDCG@k = \sum_{i \in PR_{test}(u),\, rank(i) \le k}
              \frac{1}{p_i \log_2(rank(i) + 1)}

    with the propensities :math:`p_i` of ``IPSRecall``.

    :Denominator: none; with ``normalised=true`` (SNIPS), the sum of the inverse propensities of the
        relevant test items that the user could get
    :Source: as that of IPSRecall; IPSDCG and SNIPSDCG in WarpRec

    Parameters
    ----------
    power, least : float
        As those of IPSRecall.
    normalised : bool
        See the denominator above.
    """

    name: ClassVar[str] = "IPSDCG"

    def _worths(self, n: int) -> NDArray[np.float64]:
        return rank_weights(n, "log", phi=1.0)

    def _divisor(self, n_relevant: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.ones_like(n_relevant)
