# SPDX-License-Identifier: MIT
"""Values of several systems for the same users, and averages with users as the sampling unit.

Values by group of items are those of the relevant test items of each group, such as a genre.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from receval.metrics.evaluation import EvaluatedUsers, evaluated_lists, values_and_weights
from receval.metrics.lists import JudgedItems, JudgedLists
from receval.metrics.metric import Metric, WeightedMean
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.statistics.paired_tests import t_statistics
from receval.statistics.pairs import over_pairs, system_pairs
from receval.storage.messages import enumerated

CONFIDENCE = 0.95

_ROUNDING = 1e-12
_LARGEST_EXPONENT = 600.0


@dataclass(frozen=True)
class WeightedMeansOfFolds:
    """A metric that is a weighted mean of the lists of all folds, or a function, with its parts.

    ``values`` and ``weights`` have the shape (n_folds, n_systems, n_users); they are NaN for users
    who are not averaged on a fold. ``is_root`` and ``base`` are as those of
    :class:`receval.metrics.metric.WeightedMean`.
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    is_root: bool = False
    base: WeightedMeansOfFolds | None = None

    def of_members(self, is_member: NDArray[np.bool_]) -> WeightedMeansOfFolds:
        """Return the parts of some users."""
        return replace(
            self,
            values=self.values[..., is_member],
            weights=self.weights[..., is_member],
            base=None if self.base is None else self.base.of_members(is_member),
        )

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Whether a user has a weight on a fold, also in the base, shape (n_systems, n_users)."""
        own = np.asarray((np.nan_to_num(self.weights) > 0).any(axis=0))
        return own if self.base is None else own | self.base.counts

    def _chosen(self, system: int, is_averaged: NDArray[np.bool_]) -> WeightedMean:
        """Return the parts of a system, of the users averaged on each fold."""
        values, weights = self.values[:, system][is_averaged], self.weights[:, system][is_averaged]
        base = None if self.base is None else self.base._chosen(system, is_averaged)
        return WeightedMean(values, weights, self.is_root, base)

    def sums(self) -> NDArray[np.float64]:
        """Return the sums of :class:`ValuesByUser`, NaN if no user has a weight."""
        is_averaged = ~np.isnan(self.weights)
        found = np.zeros_like(self.values)
        for system in range(self.values.shape[1]):
            chosen = is_averaged[:, system]
            found[:, system][chosen] = self._chosen(system, chosen).contributions
        return np.asarray(found.sum(axis=0))


@dataclass(frozen=True)
class ValuesByUser:
    r"""Values of systems per user under one protocol, over all lists and folds of a user.

    A protocol averages lists: one per user under AR, one per relevant test rating under 1R. The
    lists of a user are not independent, so the sampling unit is the user, with the sum :math:`s_u`
    of the values of its lists and their number :math:`w_u`. The average of the protocol is

    .. math:: \bar x = \frac{\sum_u s_u}{\sum_u w_u}

    Under P1R, lists are weighted so that all percentiles count equally. The sums have the shape
    (n_metrics, n_systems, n_users), the weights are positive, and the users are the codes of those
    who are averaged. Values of metrics that are weighted means, such as RMSE, depend on all users;
    ``weighted_means`` has their parts by the number of the metric, from which :meth:`of_members`
    computes those of some users.

    Examples
    --------
    There are two users, the second with three lists:

    >>> values = ValuesByUser(
    ...     sums=np.array([[[1.0, 1.5]]]), weights=np.array([1.0, 3.0]), users=np.array([0, 7])
    ... )
    >>> values.means.tolist(), values.per_user.tolist()
    ([[0.625]], [[[1.0, 0.5]]])
    """

    sums: NDArray[np.float64]
    weights: NDArray[np.float64]
    users: NDArray[np.int64]
    weighted_means: Mapping[int, WeightedMeansOfFolds] = field(default_factory=dict)

    def of_members(self, is_member: NDArray[np.bool_], metrics: NDArray[np.int64]) -> ValuesByUser:
        """Return some metrics as averages of some users, who are marked in the order of users."""
        sums, means = self.sums[metrics][:, :, is_member], {}
        for place, metric in enumerate(metrics.tolist()):
            if metric in self.weighted_means:
                means[place] = self.weighted_means[metric].of_members(is_member)
                sums[place] = means[place].sums()
        return ValuesByUser(sums, self.weights[is_member], self.users[is_member], means)

    def of_counting_users(self, metric: int) -> ValuesByUser:
        """Return a weighted mean alone, of the users who have a weight under some system.

        The part of all others is the average itself, which is no observation.
        """
        counts = np.asarray(self.weighted_means[metric].counts.any(axis=0))
        return self.of_members(counts, np.array([metric]))

    @property
    def has_values_of_users(self) -> NDArray[np.bool_]:
        """Whether each metric has a value of each user, and not only a part of a weighted mean."""
        return np.array([number not in self.weighted_means for number in range(len(self.means))])

    @property
    def n_users(self) -> int:
        """Number of users who are averaged."""
        return len(self.users)

    @property
    def n_counted(self) -> NDArray[np.int64]:
        """How many users count, of a weighted mean those with a weight, shape of the averages."""
        counted = np.full(self.means.shape, self.n_users)
        for metric, own in self.weighted_means.items():
            counted[metric] = (np.nan_to_num(own.weights).sum(axis=0) > 0).sum(axis=-1)
        return counted

    @property
    def n_counted_of_pairs(self) -> NDArray[np.int64]:
        """How many users count for the system with fewer, shape (n_metrics, n_pairs)."""
        first, second = system_pairs(self.n_counted.shape[1])
        return np.minimum(self.n_counted[:, first], self.n_counted[:, second])

    @property
    def means(self) -> NDArray[np.float64]:
        """The averages, shape (n_metrics, n_systems)."""
        return np.asarray(self.sums.sum(axis=-1) / self.weights.sum())

    @property
    def per_user(self) -> NDArray[np.float64]:
        """The mean over the lists of each user, shape (n_metrics, n_systems, n_users)."""
        return np.asarray(self.sums / self.weights)

    @property
    def contributions(self) -> NDArray[np.float64]:
        """The contribution of each user to the average, which is the mean of the contributions."""
        return np.asarray(self.sums / self.weights.mean())

    @property
    def half_intervals(self) -> NDArray[np.float64]:
        r"""Half the widths of the averages' 95 % intervals, shape (n_metrics, n_systems).

        .. math:: h = t_{n-1}(0.975) \sqrt{\frac{n}{n-1}}
            \frac{\sqrt{\sum_u (s_u - \bar x w_u)^2}}{\sum_u w_u}

        This is the usual interval if every user has one list (Cochran 1977, section 6.4, the
        variance of a ratio). n is the number of users who count; with fewer than two, h is NaN.
        """
        return self._half_widths((self.residuals**2).sum(axis=-1), self.n_counted)

    def differences(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the differences of averages of all pairs, first minus second, and half-widths."""
        first, second = system_pairs(self.sums.shape[1])
        means = self.means[:, first] - self.means[:, second]
        # The residuals of a difference are the differences of the residuals, metric by metric.
        squares = over_pairs(self.residuals, lambda own: (own**2).sum(axis=-1))
        return means, self._half_widths(squares, self.n_counted_of_pairs)

    @property
    def residuals(self) -> NDArray[np.float64]:
        """How far each user's contribution is from the average, shape of the sums."""
        return np.asarray(self.sums - self.means[..., None] * self.weights)

    @property
    def standardised_differences(self) -> NDArray[np.float64]:
        """Cohen's d_z of the contributions of all pairs, shape (n_metrics, n_pairs)."""
        return t_statistics(self.contributions) / np.sqrt(self.n_users)

    @property
    def _total_weight(self) -> float:
        return float(self.weights.sum())

    def _half_widths(
        self, squares: NDArray[np.float64], counted: NDArray[np.int64] | int
    ) -> NDArray[np.float64]:
        """Return half the widths of intervals, given sums of squared residuals of users."""
        freedom = np.maximum(counted - 1, 1)
        deviation = np.sqrt(squares * counted / freedom) / self._total_weight
        halves = stdtrit(freedom, (1 + CONFIDENCE) / 2) * deviation
        return np.where(counted < 2, np.nan, halves)


def interval_within(
    means: NDArray[np.float64], halves: NDArray[np.float64], bounds: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return intervals of jackknife averages that lie within the bounds a and b of the metric.

    .. math:: g(x) = \log\frac{x - a}{b - x}, \qquad g^{-1}\big(g(T) \pm h\, g'(T)\big)

    with half the width h of the interval by the t distribution; without an upper bound, g is
    :math:`\log(x - a)`, and without a lower one :math:`-\log(b - x)`. Its ends are NaN if the
    average is at a bound, or has no error by the jackknife (h = 0), as when leaving out any one
    user changes it equally.

    Source: Miller (1974), "The jackknife - a review", Biometrika 61(1), 1-15, who transforms
    bounded statistics; :math:`h\, g'(T)` is the first order of the error of the transformed one.

    Examples
    --------
    >>> low, high = interval_within(np.array([0.9, 1.0]), np.array([0.2, 0.0]), (0.0, 1.0))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.494, nan], [0.988, nan])
    """
    lower, upper = bounds
    if np.isinf(lower) and np.isfinite(upper):
        low, high = interval_within(-means, halves, (-upper, -lower))
        return -high, -low
    low, high = means - halves, means + halves
    slack = _ROUNDING * (upper - lower) if np.isfinite(upper - lower) else 0.0
    inside = (means > lower + slack) & (means < upper - slack)
    if np.isfinite(lower):
        x, own = means[inside] - lower, halves[inside]
        if np.isfinite(upper):
            width = upper - lower
            middle, change = logit(x / width), own * width / (x * (width - x))
            ends = [lower + width * expit(middle + sign * change) for sign in (-1, 1)]
        else:
            change = np.minimum(own / x, _LARGEST_EXPONENT)
            ends = [lower + x * np.exp(sign * change) for sign in (-1, 1)]
        low[inside], high[inside] = ends
    is_at_end = (np.abs(means - lower) <= slack) | (np.abs(means - upper) <= slack)
    is_known = (halves > _ROUNDING * np.abs(means)) & ~is_at_end
    return np.where(is_known, low, np.nan), np.where(is_known, high, np.nan)


def note_without_interval(metric: str, lacking: Sequence[str], protocol: str) -> Note:
    """Return the note that :func:`interval_within` has none for some systems or groups."""
    return Note(
        "no-interval",
        f"{metric} has no interval for {enumerated(lacking)} under {protocol}: the value is at its "
        "limit, only one user counts, or leaving out any one user changes it equally.",
    )


class ValuesByUserCollector:
    """Collects values per fold and system; unless they may be empty, some list must be averaged."""

    def __init__(
        self,
        n_metrics: int,
        n_users: int,
        systems: Sequence[str],
        evaluated_users: EvaluatedUsers,
        *,
        may_be_empty: bool = False,
    ) -> None:
        self._may_be_empty = may_be_empty
        self._systems = list(systems)
        self._evaluated_users: EvaluatedUsers = evaluated_users
        self._sums = np.zeros((n_metrics, len(self._systems), n_users))
        self._weights = np.zeros((len(self._systems), n_users))
        self._means: dict[int, list[list[WeightedMean]]] = {}

    def add(
        self,
        system: str,
        lists: JudgedLists,
        values: NDArray[np.float64],
        weighted_means: Mapping[int, WeightedMean] | None = None,
    ) -> None:
        """Add the lists of a system on one fold, with values of shape (n_metrics, n_lists).

        Metrics that are weighted means of the lists of all users, of which each has one, have them
        by their numbers. Their values are computed from the averaged lists of all folds.
        """
        chosen = evaluated_lists(lists, self._evaluated_users)
        if not chosen.any() and not self._may_be_empty:
            raise ValueError(
                f"No list of {system} is left to average over {self._evaluated_users} users: none "
                "of these users has a test rating that the protocol can rank, or a relevant one."
            )
        index = self._systems.index(system)
        users = lists.users[chosen]
        weights = _weights(lists, chosen)
        size = self._weights.shape[1]
        self._weights[index] += np.bincount(users, weights=weights, minlength=size)
        for metric, row in enumerate(values):
            own = row[chosen]
            if weighted_means and metric in weighted_means:
                by_system = self._means.setdefault(metric, [[] for _ in self._systems])
                by_system[index].append(_by_user(weighted_means[metric], users, chosen, size))
                continue
            self._sums[metric, index] += np.bincount(users, weights=weights * own, minlength=size)

    def values(self) -> ValuesByUser:
        """Return the values of all systems, which must be averaged over the same users."""
        first, *others = self._weights
        for system, weights in zip(self._systems[1:], others, strict=True):
            if not np.array_equal(first, weights):
                raise ValueError(
                    f"{self._systems[0]} and {system} are averaged over different users or lists "
                    f"({np.count_nonzero(first)} and {np.count_nonzero(weights)} users), so their "
                    "values cannot be paired. Average tested, relevant or all users."
                )
        users = np.flatnonzero(first)
        sums, means = self._sums[:, :, users], {}
        for metric, by_system in self._means.items():
            means[metric] = _of_folds(by_system, users)
            sums[metric] = means[metric].sums()
        return ValuesByUser(sums, first[users], users, means)


def _by_user(
    mean: WeightedMean, users: NDArray[np.int64], chosen: NDArray[np.bool_], size: int
) -> WeightedMean:
    """Return the parts of the chosen lists by user, NaN for users without a chosen list."""
    values, weights = np.full((2, size), np.nan)
    values[users], weights[users] = mean.values[chosen], mean.weights[chosen]
    base = None if mean.base is None else _by_user(mean.base, users, chosen, size)
    return WeightedMean(values, weights, mean.is_root, base)


def _of_folds(
    by_system: Sequence[Sequence[WeightedMean]], users: NDArray[np.int64]
) -> WeightedMeansOfFolds:
    """Return the parts of some users, from those of each system and fold."""
    values, weights = (
        np.array([[getattr(own, part)[users] for own in folds] for folds in by_system])
        for part in ("values", "weights")
    )
    bases = [[own.base for own in folds if own.base is not None] for folds in by_system]
    return WeightedMeansOfFolds(
        values.swapaxes(0, 1),
        weights.swapaxes(0, 1),
        by_system[0][0].is_root,
        _of_folds(bases, users) if bases[0] else None,
    )


def ranked_values(
    metrics: Sequence[Metric], lists: JudgedLists
) -> tuple[NDArray[np.float64], dict[int, WeightedMean]]:
    """Return the values of metrics of judged ranks, and the parts of those of weighted means."""
    values, weights = values_and_weights(metrics, lists)
    return values, {place: WeightedMean(values[place], own) for place, own in weights.items()}


def _weights(lists: JudgedLists, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    if lists.percentiles is None:
        return np.ones(int(chosen.sum()))
    own = lists.percentiles[chosen]
    counts = np.bincount(own)
    share = len(own) / np.count_nonzero(counts)
    return np.asarray(share / counts[own])


ValuesOfItemGroups = Mapping[str, Mapping[str, Mapping[str, ValuesByUser]]]
"""Values by feature, group and protocol."""


class ItemGroupCollector:
    """Collects the values of metrics of judged ranks for each group of items.

    In a group, only its items are judged; all others are as if they had no test rating, and the
    lists are the same. Averages are over the users with a relevant test item of the group.

    Metrics of lists are those of the listed items of the group, among its candidates, for all
    averaged users. Means over the items of a list are over the users whose list has one, and a
    group that is in no list has only a share and a coverage.
    """

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, NDArray[np.bool_]]],
        metrics: Mapping[str, Metric],
        n_users: int,
        systems: Sequence[str],
        users: EvaluatedUsers,
        list_metrics: Mapping[str, ListMetric],
    ) -> None:
        self._groups = groups
        self._metrics = list(metrics.values())
        # Corrected values lie between limits for lists that are full.
        self.list_metrics = {
            name: own
            for name, own in (list_metrics if groups else {}).items()
            if own.has_item_groups and not getattr(own, "corrected", False)
        }
        self._averaged: EvaluatedUsers = users
        self._of_lists: dict[tuple[str, str, str], ValuesByUserCollector] = {}
        self._n_users = n_users
        self._systems = systems
        own_lists = users.endswith("covered")
        self._users: EvaluatedUsers = "relevant-covered" if own_lists else "relevant"
        self._collectors: dict[tuple[str, str, str], ValuesByUserCollector] = {}

    def add(
        self, system: str, name: str, protocol: Protocol, judged: JudgedItems, ranks: JudgedRanks
    ) -> None:
        """Measure a system on one fold, under the protocol of this name."""
        if not self._metrics or judged.items is None:
            return
        for feature, groups in self._groups.items():
            for group, is_member in groups.items():
                # A rank of -1 takes an item out of the test.
                own = np.where(is_member[judged.items], ranks.ranks, -1).astype(np.int32)
                lists = JudgedLists.measured_by(judged, replace(ranks, ranks=own), protocol)
                if not evaluated_lists(lists, self._users).any():
                    continue
                key = (feature, group, name)
                if key not in self._collectors:
                    self._collectors[key] = ValuesByUserCollector(
                        len(self._metrics), self._n_users, self._systems, self._users
                    )
                self._collectors[key].add(system, lists, *ranked_values(self._metrics, lists))

    def add_lists(
        self, system: str, name: str, lists: JudgedLists, measured: RecommendedLists
    ) -> None:
        """Measure the lists of the averaged users of a fold, under the protocol of this name."""
        chosen = evaluated_lists(lists, self._averaged)
        for feature, groups in self._groups.items():
            for group, is_member in groups.items():
                own = measured.of_group(is_member)
                if not self.list_metrics or not own.is_candidate.any():
                    continue
                means = {
                    place: _mean_of_group(metric, own).of_all_lists(chosen)
                    for place, metric in enumerate(self.list_metrics.values())
                }
                key = (feature, group, name)
                if key not in self._of_lists:
                    self._of_lists[key] = ValuesByUserCollector(
                        len(means), self._n_users, self._systems, self._averaged
                    )
                self._of_lists[key].add(system, lists, np.zeros((len(means), len(chosen))), means)

    def values(self) -> ValuesOfItemGroups:
        """Return the values by feature, group and protocol; groups without a user are left out."""
        return self._by_feature(self._collectors)

    def list_values(self) -> ValuesOfItemGroups:
        """Return the values of metrics of lists by feature, group and protocol."""
        return self._by_feature(self._of_lists)

    def _by_feature(
        self, collectors: Mapping[tuple[str, str, str], ValuesByUserCollector]
    ) -> ValuesOfItemGroups:
        found: dict[str, dict[str, dict[str, ValuesByUser]]] = {name: {} for name in self._groups}
        for (feature, group, protocol), collector in collectors.items():
            found[feature].setdefault(group, {})[protocol] = collector.values()
        return found


def _mean_of_group(metric: ListMetric, own: RecommendedLists) -> WeightedMean:
    """Return the mean that a metric of the listed items of a group is."""
    has_any = own.cut(metric.cutoff or 0).lists.lengths > 0
    if isinstance(metric, MetricOfAllUsers):
        has_any = np.full(len(has_any), has_any.any())
    counts = has_any | metric.counts_empty_lists
    return WeightedMean(metric.per_user(own), counts.astype(np.float64))
