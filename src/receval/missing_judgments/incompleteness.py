# SPDX-License-Identifier: MIT
"""Measure all systems and metrics under incomplete judgments, at several levels.

Judgments are removed by a mask. Ranks do not change, because unjudged items keep theirs. From one
level to the next, only users who lose a judgment are measured again.

Incompleteness experiments measure the same lists tens of thousands of times. For the metrics of
Valcarce et al. (2020), as its text defines them, :class:`SinglePassMetrics` computes nine common
ones in one pass that skips removed judgments, several times faster than metric by metric. The sums
of each list are kept from level to level, because most lists hold none of the judgments that are
removed next. Such lists are read again only for bpref, and only if its weights change. The
definitions are those of :mod:`receval.metrics`; tests compare every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.metrics.average_precision import EPSILON
from receval.metrics.averages import MEAN_DECIMALS, QuasiArithmetic
from receval.metrics.evaluation import evaluate_views
from receval.metrics.gains import maximum_rating
from receval.metrics.lists import JudgedItems, JudgedLists, ListView, view_of
from receval.metrics.metric import Metric
from receval.metrics.registry import parse
from receval.missing_judgments.judgment_sampling import StackedLists, reduce_lists, stack
from receval.storage.kernel_cache import njit

NAMES = ("P", "Recall", "F1", "AP", "nDCG", "RR", "ERR", "bpref", "infAP")

# States of judgments.
_GONE, _LEFT, _LEFT_RELEVANT, _LEAVING = range(4)

# Sums of each list. Eight of them fill a cache line.
_HITS, _ABOVE, _PRECISIONS, _GAINED, _RECIPROCAL, _STOPPING, _PREFERENCES, _EXPECTED = range(8)


def shared_cutoff(metrics: Sequence[Metric]) -> int | None:
    """Return the cut-off of metrics that one pass can compute, or None if it cannot."""
    cutoffs = {metric.cutoff for metric in metrics}
    cutoff = cutoffs.pop() if len(cutoffs) == 1 else None
    if cutoff is None or any(metric not in _at(cutoff) for metric in metrics):
        return None
    return cutoff


def _at(cutoff: int) -> list[Metric]:
    return [parse(f"{name}@{cutoff}") for name in NAMES]


@dataclass(frozen=True)
class IncompleteLists:
    """The lists without removed judgments, and the sums that a pass keeps between levels.

    Each judgment has one of the states above. Each list begins with its remaining entries, whose
    number is in ``sizes``. ``sums`` has the sums of each list, shape (n_rows * n_systems, 8), and
    ``weights`` the number of relevant items of each user and the weight of a preference in bpref.
    """

    states: NDArray[np.uint8]
    indices: NDArray[np.uint32]
    ranks: NDArray[np.uint32]
    sizes: NDArray[np.int64]
    sums: NDArray[np.float64]
    weights: NDArray[np.float64]

    def copy(self) -> IncompleteLists:
        """Return a copy from which other judgments can be removed."""
        return IncompleteLists(**{name: array.copy() for name, array in vars(self).items()})

    def leave(self, judgments: NDArray[np.int64]) -> None:
        """Mark judgments that the next pass over their users removes."""
        self.states[judgments] = _LEAVING


class SinglePassMetrics:
    """Computes the nine metrics at a cut-off for users whose judgments change.

    In the stacked lists of all systems, ranks beyond the cut-off may be missing.
    """

    def __init__(
        self, judged: JudgedItems, stacked: StackedLists, metrics: Sequence[Metric], cutoff: int
    ) -> None:
        self.judged = judged
        self.n_systems = stacked.lengths.shape[1]
        self.cutoff = cutoff
        self.columns = [_at(cutoff).index(metric) for metric in metrics]
        self.ratings = judged.values.astype(np.float64)
        self.satisfies = np.zeros(len(self.ratings))
        if any(metric.name == "ERR" for metric in metrics):  # Counts may be too large for 2^count.
            highest = maximum_rating(judged, "ERR")
            self.satisfies = np.exp2(self.ratings - highest) - np.exp2(-highest)
        ranks = np.arange(1.0, cutoff + 1.0)
        self.reciprocals = np.concatenate([[0.0], 1.0 / ranks])
        self.discounts = np.concatenate([[0.0], 1.0 / np.log2(ranks + 1.0)])
        within = stacked.ranks <= cutoff
        self.starts = np.concatenate([[0], np.cumsum(within)])[stacked.starts]
        # Unsigned, because indexing by a signed number first checks whether it is negative.
        self.indices = stacked.indices[within].astype(np.uint32)
        self.ranks = stacked.ranks[within].astype(np.uint32)
        self.holder_starts, self.holders = _holders(
            len(judged.values), self.n_systems, self.starts, self.indices
        )

    def all_left(self) -> IncompleteLists:
        """Return the lists with all judgments, before any pass."""
        n_lists = len(self.starts) - 1
        return IncompleteLists(
            np.uint8(_LEFT) << self.judged.relevant.astype(np.uint8),
            self.indices.copy(),
            self.ranks.copy(),
            np.diff(self.starts),
            np.zeros((n_lists, 8)),
            np.zeros((self.judged.n_rows, 2)),
        )

    def values(
        self, rows: NDArray[np.int64], reduced: IncompleteLists, *, first: bool
    ) -> NDArray[np.float64]:
        """Measure some users by the remaining judgments, shape (n_rows, n_metrics, n_systems).

        ``first`` tells whether this is the first pass over the lists of these users.
        """
        table = np.empty((len(rows), len(NAMES), self.n_systems))
        _pass_down(
            rows,
            first,
            reduced.states,
            reduced.indices,
            reduced.ranks,
            reduced.sizes,
            reduced.sums,
            reduced.weights,
            self.judged.starts,
            self.ratings,
            self.satisfies,
            self.starts,
            self.holder_starts,
            self.holders,
            self.cutoff,
            self.reciprocals,
            self.discounts,
            EPSILON,
            table,
        )
        return table if self.columns == list(range(len(NAMES))) else table[:, self.columns]


@njit(cache=True)
def _holders(
    n_judged: int, n_systems: int, starts: NDArray[np.int64], indices: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return, for each judgment, the systems that have it in their list for its user."""
    ends = np.zeros(n_judged + 1, dtype=np.int64)
    for index in indices:
        ends[index + 1] += 1
    for index in range(n_judged):
        ends[index + 1] += ends[index]
    holders = np.empty(len(indices), dtype=np.int32)
    filled = ends[:-1].copy()
    for at in range(len(starts) - 1):
        for index in indices[starts[at] : starts[at + 1]]:
            holders[filled[index]] = at % n_systems
            filled[index] += 1
    return ends, holders


@njit(cache=True, error_model="numpy")
def _pass_down(
    rows: NDArray[np.int64],
    first_pass: bool,
    states: NDArray[np.uint8],
    indices: NDArray[np.uint32],
    ranks: NDArray[np.uint32],
    sizes: NDArray[np.int64],
    sums: NDArray[np.float64],
    weights: NDArray[np.float64],
    judged_starts: NDArray[np.int64],
    ratings: NDArray[np.float64],
    satisfies: NDArray[np.float64],
    starts: NDArray[np.int64],
    holder_starts: NDArray[np.int64],
    holders: NDArray[np.int32],
    cutoff: int,
    reciprocals: NDArray[np.float64],
    discounts: NDArray[np.float64],
    epsilon: float,
    table: NDArray[np.float64],
) -> None:
    n_systems = table.shape[2]
    changed = np.empty(n_systems, dtype=np.bool_)
    for number in range(len(rows)):
        row = rows[number]
        changed[:] = first_pass
        n_relevant = 0.0
        n_judged = 0
        ideal = 0.0
        # A processor cannot predict which judgments remain, so the counting has no branches and
        # adds 0 for removed judgments.
        for item in range(judged_starts[row], judged_starts[row + 1]):
            if states[item] == _LEAVING:
                states[item] = _GONE
                for holder in range(holder_starts[item], holder_starts[item + 1]):
                    changed[holders[holder]] = True
            is_left = states[item] > 0
            n_judged += is_left
            counts = is_left & (n_judged <= cutoff)
            ideal += np.float64(counts) * ratings[item] * discounts[min(n_judged, cutoff)]
            n_relevant += np.float64(states[item] == _LEFT_RELEVANT)
        fewer = min(n_relevant, n_judged - n_relevant)
        per_relevant = 1.0 / n_relevant if n_relevant > 0 else 0.0
        per_preference = 1.0 / fewer if fewer > 0 else 1.0
        per_ideal = 1.0 / ideal if ideal > 0 else 0.0
        fewer_relevant = n_relevant != weights[row, 0]
        other_weight = per_preference != weights[row, 1]
        weights[row, 0] = n_relevant
        weights[row, 1] = per_preference
        for system in range(n_systems):
            at = row * n_systems + system
            begin = starts[at]
            end = begin + sizes[at]
            if changed[system]:
                to = begin
                hits = above = precisions = gained = stopping = preferences = expected = 0.0
                first = np.uint32(0)
                goes_on = 1.0
                # A removed judgment adds 0 to every sum, and the next one takes its place.
                for entry in range(begin, end):
                    rank = ranks[entry]
                    item = indices[entry]
                    ranks[to] = rank
                    indices[to] = item
                    state = states[item]
                    to += state > 0
                    judged = np.float64(state > 0)
                    hit = np.float64(state == _LEFT_RELEVANT)
                    reciprocal = reciprocals[rank]
                    gained += judged * ratings[item] * discounts[rank]
                    satisfied = judged * satisfies[item]
                    stopping += goes_on * satisfied * reciprocal
                    goes_on *= 1.0 - satisfied
                    first = rank if first == 0 and hit > 0.0 else first
                    share = (hits + epsilon) / (hits + above + 2.0 * epsilon)
                    expected += hit * (1.0 + (np.float64(rank) - 1.0) * share) * reciprocal
                    preferences += hit * (1.0 - min(above, n_relevant) * per_preference)
                    hits += hit
                    precisions += hit * hits * reciprocal
                    above += judged - hit
                sizes[at] = to - begin
                sums[at, _HITS] = hits
                sums[at, _ABOVE] = above
                sums[at, _PRECISIONS] = precisions
                sums[at, _GAINED] = gained
                sums[at, _RECIPROCAL] = reciprocals[first]
                sums[at, _STOPPING] = stopping
                sums[at, _PREFERENCES] = preferences
                sums[at, _EXPECTED] = expected
            elif sums[at, _HITS] > 0.0 and (
                other_weight or (fewer_relevant and sums[at, _ABOVE] > n_relevant)
            ):
                above = preferences = 0.0
                for entry in range(begin, end):
                    hit = np.float64(states[indices[entry]]) - 1.0
                    preferences += hit * (1.0 - min(above, n_relevant) * per_preference)
                    above += 1.0 - hit
                sums[at, _PREFERENCES] = preferences
            table[number, 0, system] = sums[at, _HITS] / cutoff
            table[number, 1, system] = sums[at, _HITS] * per_relevant
            table[number, 2, system] = 2.0 * sums[at, _HITS] / (cutoff + n_relevant)
            table[number, 3, system] = sums[at, _PRECISIONS] * per_relevant
            table[number, 4, system] = sums[at, _GAINED] * per_ideal
            table[number, 5, system] = sums[at, _RECIPROCAL]
            table[number, 6, system] = sums[at, _STOPPING]
            table[number, 7, system] = sums[at, _PREFERENCES] * per_relevant
            table[number, 8, system] = sums[at, _EXPECTED] * per_relevant


# Values of this many users under all metrics and systems fit into caches: a megabyte or less.
_USERS_AT_A_TIME = 512


@dataclass(frozen=True)
class AggregatedMetric:
    """A metric, and how to average its values over users with test ratings."""

    metric: Metric
    average: QuasiArithmetic


class _Family(NamedTuple):
    """Aggregated metrics with the same average: their indices, and the columns of their metrics."""

    average: QuasiArithmetic
    indices: list[int]
    columns: list[int]


@dataclass(frozen=True)
class _Measured:
    """Values by the remaining judgments, and the state from which they are updated.

    ``alive`` tells of each judgment whether it remains; ``reduced`` are the lists, if one pass
    computes all metrics. For each family, there is a table of transformed values, shape (n_rows,
    n_metrics * n_systems), and its sums over users.
    """

    alive: NDArray[np.bool_]
    reduced: IncompleteLists | None
    tables: list[NDArray[np.float64]]
    sums: list[NDArray[np.float64]]

    def copy(self) -> _Measured:
        """Return a copy from which other judgments can be removed."""
        return _Measured(
            self.alive.copy(),
            None if self.reduced is None else self.reduced.copy(),
            [table.copy() for table in self.tables],
            [summed.copy() for summed in self.sums],
        )


class IncompleteFold:
    """Measures the lists of several systems on one fold by subsets of its judgments.

    The lists are those of one protocol under AR, all bound to the same judged items; others are
    refused.

    Examples
    --------
    The only system ranks two relevant items at 1 and 2. When the first judgment is removed, one hit
    remains among two ranks:

    >>> from receval.metrics.averages import Arithmetic
    >>> from receval.metrics.lists import JudgedItems
    >>> from receval.metrics.precision_and_recall import Precision
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.protocols.protocol import Protocol
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0], [3, 7], [5, 5], n_users=1)
    >>> ranks, ten = np.array([1, 2], dtype=np.int32), np.array([10], dtype=np.int32)
    >>> judged = JudgedItems.of(judgments, threshold=4)
    >>> lists = JudgedLists.measured_by(judged, JudgedRanks(ranks, ten, ten), Protocol())
    >>> fold = IncompleteFold([lists], [AggregatedMetric(Precision(cutoff=2), Arithmetic())])
    >>> values, n_evaluated = fold.values(order=np.array([1, 0]), kept=np.array([2, 1]))
    >>> values.ravel().tolist(), n_evaluated.tolist()
    ([1.0, 0.5], [1, 1])
    """

    def __init__(
        self, systems: Sequence[JudgedLists], aggregated_metrics: Sequence[AggregatedMetric]
    ) -> None:
        if any(lists.one_relevant for lists in systems):
            raise ValueError(
                "Under 1R, every judgment is a list of its own, so removing judgments removes "
                "lists. Study incompleteness under AR."
            )
        if any(lists.full.judged is not systems[0].full.judged for lists in systems):
            raise ValueError(
                "The systems' lists are bound to different judged items. Bind all of them to the "
                "same JudgedItems with JudgedLists.measured_by."
            )
        self.judged = systems[0].full.judged
        self.aggregated_metrics = tuple(aggregated_metrics)
        self.metrics = list(dict.fromkeys(one.metric for one in aggregated_metrics))
        self.n_systems = len(systems)
        reaches = [metric.reach for metric in self.metrics]
        deepest = None if None in reaches else max(reach for reach in reaches if reach)
        self._stacked = stack([view_of(lists.full, False, deepest) for lists in systems])
        cutoff = shared_cutoff(self.metrics)
        self._single_pass = (
            None
            if cutoff is None
            else SinglePassMetrics(self.judged, self._stacked, self.metrics, cutoff)
        )
        self._row_of = np.repeat(np.arange(self.judged.n_rows), self.judged.n_judged)
        self._families = self._by_average()
        self._complete = self._measure_all()

    def values(
        self, order: NDArray[np.int64], kept: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the averages at several levels of one sampling order, and the numbers of users.

        At each level, the judgments with ranks in the order below ``kept`` remain; these numbers
        decrease. The averages have the shape (n_levels, n_aggregated_metrics, n_systems); only
        users who still have a test rating are averaged.
        """
        own_order = order[self.judged.positions]
        last_to_leave = np.argsort(own_order)
        gone = len(own_order) - np.searchsorted(own_order[last_to_leave], kept)
        first_to_leave = last_to_leave[::-1]
        measured = self._complete.copy()
        left = self.judged.n_judged.copy()
        averages = np.empty((len(kept), len(self.aggregated_metrics), self.n_systems))
        n_evaluated = np.empty(len(kept), dtype=np.int64)
        before = 0
        for level, after in enumerate(gone):
            leaving = first_to_leave[before:after]
            measured.alive[leaving] = False
            if measured.reduced is not None:
                measured.reduced.leave(leaving)
            lost = np.bincount(self._row_of[leaving], minlength=len(left))
            left -= lost
            self._measure(np.flatnonzero(lost), left, measured)
            n_evaluated[level] = np.count_nonzero(left)
            for family, summed in zip(self._families, measured.sums, strict=True):
                # Rounding removes errors from means that are 0. Comparisons of other means need a
                # tolerance.
                means = np.round(summed / n_evaluated[level], MEAN_DECIMALS) + 0.0
                averages[level, family.indices] = family.average.restored(means).reshape(
                    -1, self.n_systems
                )
            before = after
        return averages, n_evaluated

    def _by_average(self) -> list[_Family]:
        families = []
        wanted = self.aggregated_metrics
        for average in dict.fromkeys(one.average for one in wanted):
            indices = [number for number, one in enumerate(wanted) if one.average == average]
            columns = [self.metrics.index(wanted[index].metric) for index in indices]
            families.append(_Family(average, indices, columns))
        return families

    def _measure_all(self) -> _Measured:
        """Measure all users by all judgments."""
        # The values of one user are adjacent in memory, because users are measured again.
        n_entries = [len(family.indices) * self.n_systems for family in self._families]
        measured = _Measured(
            np.ones(len(self._row_of), dtype=bool),
            None if self._single_pass is None else self._single_pass.all_left(),
            [np.zeros((self.judged.n_rows, number)) for number in n_entries],
            [np.zeros(number) for number in n_entries],
        )
        everyone = np.flatnonzero(self.judged.n_judged)
        self._measure(everyone, self.judged.n_judged, measured, first=True)
        return replace(measured, sums=[table.sum(axis=0) for table in measured.tables])

    def _measure(
        self,
        touched: NDArray[np.int64],
        left: NDArray[np.int64],
        measured: _Measured,
        *,
        first: bool = False,
    ) -> None:
        """Measure some users by the remaining judgments, and update the sums over all users."""
        emptied = touched[left[touched] == 0]
        if len(emptied):
            for table, summed in zip(measured.tables, measured.sums, strict=True):
                summed -= table[emptied].sum(axis=0)
                table[emptied] = 0.0
        remaining = touched[left[touched] > 0]
        every_metric = list(range(len(self.metrics)))
        for start in range(0, len(remaining), _USERS_AT_A_TIME):
            rows = remaining[start : start + _USERS_AT_A_TIME]
            values = self._values(rows, measured, first=first)
            for family, table, summed in zip(
                self._families, measured.tables, measured.sums, strict=True
            ):
                everything = family.columns == every_metric
                chosen = values if everything else values.take(family.columns, axis=1)
                new = family.average.transformed(chosen).reshape(len(rows), -1)
                _replace_rows(table, summed, rows, new)

    def _values(
        self, rows: NDArray[np.int64], measured: _Measured, *, first: bool
    ) -> NDArray[np.float64]:
        """Return the values of some users, shape (n_kept, n_metrics, n_systems)."""
        if self._single_pass is not None and measured.reduced is not None:
            return self._single_pass.values(rows, measured.reduced, first=first)
        lists = self._reduced(rows, measured.alive)
        values = evaluate_views(self.metrics, cache(lambda *form: view_of(lists, *form)))
        by_metric = values.reshape(len(self.metrics), len(rows), self.n_systems)
        return by_metric.transpose(1, 0, 2)

    def _reduced(self, rows: NDArray[np.int64], alive: NDArray[np.bool_]) -> ListView:
        chosen, judged_starts, reduced = reduce_lists(
            rows, alive, self.judged.starts, self._stacked
        )
        judged = replace(
            self.judged,
            starts=judged_starts,
            values=self.judged.values[chosen],
            relevant=self.judged.relevant[chosen],
            positions=self.judged.positions[chosen],
        )
        return ListView(
            judged,
            np.repeat(np.arange(len(rows)), self.n_systems),
            reduced.lengths.ravel(),
            reduced.starts,
            reduced.indices,
            reduced.ranks,
        )


@njit(cache=True)
def _replace_rows(
    table: NDArray[np.float64],
    sums: NDArray[np.float64],
    rows: NDArray[np.int64],
    new: NDArray[np.float64],
) -> None:
    """Put new values of users, shape (n_kept, n), into a table, and update its sums."""
    for number in range(len(rows)):
        own = table[rows[number]]
        for entry in range(len(sums)):
            sums[entry] += new[number, entry] - own[entry]
            own[entry] = new[number, entry]
