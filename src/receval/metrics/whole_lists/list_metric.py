# SPDX-License-Identifier: MIT
"""The base classes of metrics that are computed from whole lists, judged or not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.metric import BaseMetric, WeightedMean
from receval.splits.split import Fold
from receval.storage.messages import enumerated, how_many, quoted
from receval.top_lists import NO_ITEM, TopLists

# Numbers of one block of users are held at a time: 16 MiB of float64.
_BLOCK_ENTRIES = 2**21


@dataclass(frozen=True)
class RecommendedLists:
    """The lists of one system for the averaged users of one fold, and what describes their items.

    Attributes
    ----------
    lists : TopLists
        One row per averaged user; users without a list have an empty one.
    fold : Fold
        Its training ratings tell how popular items are, and its test ratings which are relevant.
    threshold : float
        Test ratings at or above it are relevant.
    is_candidate : ndarray of bool, shape (n_items,)
        The items that the protocol lets systems recommend.
    item_features : mapping of str to csr_array, shape (n_items, n_values)
        Which values of each feature, such as genres, an item has.
    feature_values : mapping of str to tuple of str
        The names of these values by feature.
    item_ids : ndarray of str, shape (n_items,), optional
        Identifiers of the items, for functions of them.
    item_ages : ndarray of float64, shape (n_items,), optional
        How many days ago the items had their first training rating, if times are known.
    """

    lists: TopLists
    fold: Fold
    threshold: float
    is_candidate: NDArray[np.bool_]
    item_features: Mapping[str, csr_array] = field(default_factory=dict)
    feature_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    item_ids: NDArray[np.str_] | None = None
    item_ages: NDArray[np.float64] | None = None

    @property
    def users(self) -> NDArray[np.int64]:
        """The codes of the averaged users."""
        return self.lists.users

    @property
    def items(self) -> NDArray[np.int32]:
        """The items, shape (n_users, n); ``NO_ITEM`` behind the end of a shorter list."""
        return self.lists.items

    @cached_property
    def is_filled(self) -> NDArray[np.bool_]:
        """Which ranks hold an item, shape (n_users, n)."""
        return np.asarray(self.items != NO_ITEM)

    @cached_property
    def popularity(self) -> NDArray[np.int64]:
        """The number of training ratings of each item, shape (n_items,).

        Ratings that are folded in for held-out users are none.
        """
        train = self.fold.learnt
        return np.bincount(train.indices, minlength=train.shape[1])

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The test rating of each listed item, shape (n_users, n); NaN without one."""
        judgments = self.fold.test
        n_items = self.fold.train.shape[1]
        keys = judgments.users.astype(np.int64) * n_items + judgments.items
        rows, positions, items = self.lists.entries()
        wanted = self.users[rows] * n_items + items
        found = np.full(self.items.shape, np.nan)
        if len(keys):
            places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            is_judged = keys[places] == wanted
            own = judgments.values[places[is_judged]]
            found[rows[is_judged], positions[is_judged]] = own
        return found

    @property
    def is_relevant(self) -> NDArray[np.bool_]:
        """Which listed items are relevant test items of the user, shape (n_users, n)."""
        return np.asarray(self.gains >= self.threshold)

    @cached_property
    def profile_entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The rows and items of all training ratings of the averaged users, and their numbers.

        The third array has the number of training ratings of each averaged user.
        """
        train = self.fold.train
        starts = train.indptr[self.users].astype(np.int64)
        sizes = train.indptr[self.users + 1].astype(np.int64) - starts
        rows = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        items = train.indices[np.repeat(starts, sizes) + within].astype(np.int64)
        return rows, items, sizes

    @cached_property
    def relevant_entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and items of the relevant test items that the averaged users could get.

        These are candidates without a training rating of the user.
        """
        test, n_items = self.fold.test, len(self.is_candidate)
        kept = test.values >= self.threshold
        users, items = test.users[kept].astype(np.int64), test.items[kept].astype(np.int64)
        rows = np.full(self.fold.train.shape[0], -1)
        rows[self.users] = np.arange(len(self.users))
        own, trained, _ = self.profile_entries
        kept = (rows[users] >= 0) & self.is_candidate[items]
        met, liked = rows[users[kept]], items[kept]
        pairs, of_train = met * n_items + liked, own * n_items + trained
        if len(of_train):
            # Rows of a training matrix are in ascending order of the items: nothing is to sort.
            of_train = of_train if (np.diff(of_train) > 0).all() else np.sort(of_train)
            found = np.minimum(np.searchsorted(of_train, pairs), len(of_train) - 1)
            is_open = of_train[found] != pairs
            met, liked = met[is_open], liked[is_open]
        return met, liked

    def cut(self, n: int) -> RecommendedLists:
        """Return lists of at most n items; these lists if they are no longer."""
        if self.items.shape[1] <= n:
            return self
        return replace(self, lists=self.lists.cut(n))

    def of_users(self, users: NDArray[np.int64]) -> RecommendedLists:
        """Return the lists of those averaged users who are among some, given by ascending code."""
        chosen = np.intersect1d(self.users, users, assume_unique=True)
        return replace(self, lists=self.lists.of_users(chosen))

    def of_group(self, is_member: NDArray[np.bool_]) -> RecommendedLists:
        """Return the lists and candidates of a group of items alone; other ranks are empty.

        ``is_member`` has the shape (n_items,).
        """
        items = np.where(self.is_filled & is_member[self.items], self.items, NO_ITEM)
        lists = replace(self.lists, items=items.astype(np.int32))
        return replace(self, lists=lists, is_candidate=self.is_candidate & is_member)

    def of_items(self, values: NDArray) -> NDArray[np.float64]:
        """Return a value of each listed item, shape (n_users, n); 0 behind the end.

        ``values`` has the shape (n_items,).
        """
        return np.where(self.is_filled, values[self.items], 0.0)


@dataclass(frozen=True, kw_only=True)
class ListMetric(BaseMetric):
    """A metric of the first items of each user's list, whether they are judged or not.

    The average over users has the same intervals and tests as other metrics. A missing or empty
    list has the value 0 unless the metric says otherwise.

    Parameters
    ----------
    cutoff : int
        The number of items of each list that are measured; needed.

    Examples
    --------
    A metric of one's own, the share of each list that has no training rating:

    >>> @dataclass(frozen=True, kw_only=True)
    ... class NewItems(ListMetric):
    ...     name: ClassVar[str] = "NewItems"
    ...
    ...     def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
    ...         is_new = recommended.of_items(recommended.popularity == 0)
    ...         return is_new.sum(axis=1) / self.cutoff
    >>> NewItems(cutoff=10).label
    'NewItems@10'
    """

    computed_from: ClassVar[str] = "whole lists of recommendations"
    feature_needed: ClassVar[bool] = False
    """Whether the metric has the parameter ``feature``, the name of a feature of items."""

    training_needed: ClassVar[bool] = False
    """Whether the metric looks at training ratings, so that it means nothing without any."""

    times_needed: ClassVar[bool] = False
    """Whether the metric looks at the times of training ratings."""

    has_item_groups: ClassVar[bool] = False
    """Whether the listed items of a group alone have a value of the metric, with empty ranks."""

    counts_empty_lists: ClassVar[bool] = False
    """Whether lists without an item of a group count, so that a group in no list has a value."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff is None:
            raise ValueError(
                f"{self.name} needs the number of recommended items that count. Write "
                f"{self.name}@10, for example."
            )

    def per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        """Return the value for each averaged user, shape (n_users,).

        Raises
        ------
        ValueError
            The lists lack what the metric needs, such as features of items.
        """
        assert self.cutoff is not None
        if self.training_needed and not recommended.fold.train.nnz:
            raise ValueError(
                f"{self.label} looks at training ratings, but there are none. Give the training "
                "ratings (train=), or leave out the metric."
            )
        if recommended.item_ages is None:
            self.refuse_without_times()
        return self._per_user(recommended.cut(self.cutoff))

    def refuse_without_times(self) -> None:
        """Refuse the metric if it needs the times of training ratings, which are not known."""
        if self.times_needed:
            raise ValueError(
                f"{self.label} needs the times of training ratings, which are not known. Evaluate "
                "systems on a split of ratings that were read with timestamp=... (in receval "
                "evaluate: --timestamp), or leave out the metric."
            )

    def weighted_mean(self, recommended: RecommendedLists) -> WeightedMean | None:
        """Return the mean that the average is; None if all users count equally."""
        return None

    @abstractmethod
    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        """Return the values per user, from lists that are cut at the cut-off."""


@dataclass(frozen=True, kw_only=True)
class MetricOfAllUsers(ListMetric):
    r"""A metric of the lists of all users together, such as the coverage of the catalogue.

    It has no value per user. To give its average the same intervals and tests as other metrics,
    each user gets a pseudo-value, so that their mean is the metric :math:`T` and their variance
    is that of the jackknife (Efron and Tibshirani 1993, section 11.5):

    .. math:: \tilde T_u = T + (n - 1) \Big(\frac{1}{n} \sum_v T_{-v} - T_{-u}\Big)

    where :math:`T_{-u}` is the metric without the list of user u, and n the number of users.
    """

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest possible value, which intervals do not pass."""
        return -np.inf, np.inf

    def bounds_among(self, features: Mapping[str, csr_array]) -> tuple[float, float]:
        """Return the bounds with these features of items, shape (n_items, n_values) each."""
        return self.bounds

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        n = len(recommended.users)
        whole = self.of_all(recommended)
        if n < 2:
            return np.full(n, whole)
        without = self.without_each(recommended)
        return np.asarray(whole + (n - 1) * (without.mean() - without))

    @abstractmethod
    def of_all(self, recommended: RecommendedLists) -> float:
        """Return the metric of all lists."""

    @abstractmethod
    def without_each(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        """Return the metric without the list of each user, shape (n_users,)."""


def list_values(metrics: list[ListMetric], recommended: RecommendedLists) -> NDArray[np.float64]:
    """Compute metrics for every averaged user, shape (n_metrics, n_users)."""
    deepest = max((metric.cutoff or 0 for metric in metrics), default=0)
    if recommended.items.shape[1] < deepest:
        raise ValueError(
            f"The lists hold {how_many(recommended.items.shape[1], 'item')}, but a metric looks at "
            f"{deepest}. Keep longer lists, or choose a lower cut-off."
        )
    return np.array([metric.per_user(recommended) for metric in metrics]).reshape(
        len(metrics), len(recommended.users)
    )


@dataclass(frozen=True, kw_only=True)
class FeatureMetric(ListMetric):
    """A metric of the values that the listed items have of one feature.

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    """

    feature_needed: ClassVar[bool] = True
    example: ClassVar[str] = "feature=genre"
    feature: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, "feature")
        super().__post_init__()

    @property
    def needed_feature(self) -> str | None:
        """The name of the feature that must be known; None if no feature is needed.

        Raises
        ------
        ValueError
            The metric does not name its feature.
        """
        if not self.feature:
            raise ValueError(
                f"{self.label} needs the name of a feature of items, such as genre. Write "
                f"{self.name}({self.example})@{self.cutoff}."
            )
        return self.feature

    def has_value(self, recommended: RecommendedLists) -> csr_array:
        """Return which values of the feature each item has, shape (n_items, n_values).

        Raises
        ------
        ValueError
            The feature is not known.
        """
        wanted = self.needed_feature
        assert wanted is not None
        if wanted not in recommended.item_features:
            raise unknown_feature(self.label, wanted, list(recommended.item_features))
        return recommended.item_features[wanted]


def unknown_feature(label: str, feature: str, known: list[str]) -> ValueError:
    """Return an error for a metric whose feature is not among the known ones."""
    told = f"the features are {enumerated(known)}" if known else "no features of items were given"
    return ValueError(
        f"{label} needs the feature {quoted(feature)} of items, but {told}. Give the features "
        "with item_features=... of evaluate (in receval evaluate and receval runs: --item-features "
        "FILE). Systems cannot be tuned by this metric."
    )


def blocks_of_users(n_users: int, per_user: int) -> Iterator[slice]:
    """Yield blocks of users with a limited number of entries."""
    step = max(1, _BLOCK_ENTRIES // max(1, per_user))
    for start in range(0, n_users, step):
        yield slice(start, min(n_users, start + step))


def listed_values(
    has_value: csr_array, items: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entry and the value of each value of some items, given by their codes.

    Examples
    --------
    >>> genres = csr_array(np.array([[1, 1], [0, 1]]))
    >>> listed_values(genres, np.array([1, 0]))
    (array([0, 1, 1]), array([1, 0, 1]))
    """
    lengths = np.diff(has_value.indptr)[items].astype(np.int64)
    starts = has_value.indptr[items].astype(np.int64)
    ends = np.cumsum(lengths)
    within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    values = has_value.indices[np.repeat(starts, lengths) + within]
    return np.repeat(np.arange(len(items)), lengths), values.astype(np.int64)


RankDiscount = Literal["none", "log", "rbp"]


def rank_weights(n: int, discount: RankDiscount, phi: float) -> NDArray[np.float64]:
    r"""Return the attention that each of the first n ranks gets, shape (n,).

    Parameters
    ----------
    n : int
        The number of ranks.
    discount : {"none", "log", "rbp"}
        - ``none``: each rank gets 1;
        - ``log``: rank r gets :math:`1 / \log_2(1 + r)`, as in nDCG;
        - ``rbp``: rank r gets :math:`\phi^{r - 1}`, as in rank-biased precision.
    phi : float
        The probability to go on to the next rank, for ``rbp``.

    Examples
    --------
    >>> rank_weights(3, "log", phi=0.5).round(3).tolist(), rank_weights(3, "rbp", phi=0.5).tolist()
    ([1.0, 0.631, 0.5], [1.0, 0.5, 0.25])
    """
    ranks = np.arange(1.0, n + 1.0)
    if discount == "log":
        return np.asarray(1.0 / np.log2(1.0 + ranks))
    if discount == "rbp":
        return np.asarray(phi ** (ranks - 1.0))
    return np.ones(n)


@dataclass(frozen=True, kw_only=True)
class DiscountedListMetric(ListMetric):
    """A metric that weighs the ranks of a list by the attention that they get.

    Parameters
    ----------
    discount : {"none", "log", "rbp"}
        See :func:`rank_weights`.
    phi : float
        Between 0 and 1; the probability to go on to the next rank, for ``discount=rbp``.
    """

    discount: RankDiscount = "log"
    phi: float = 0.85

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "phi")
        if not 0 < self.phi < 1:
            raise ValueError(f"The phi of {self.name} is {self.phi}; it must lie between 0 and 1.")

    def weights(self, n: int) -> NDArray[np.float64]:
        """Return the attention that each of the first n ranks gets, shape (n,)."""
        return rank_weights(n, self.discount, self.phi)
