# SPDX-License-Identifier: MIT
"""Measure all systems and metrics under incomplete judgments, at several levels.

Judgments are removed by a mask. Ranks do not change, because unjudged items keep theirs. From one
level to the next, only users who lose a judgment are measured again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import MEAN_DECIMALS, QuasiArithmetic
from receval.metrics.evaluation import evaluate_views
from receval.metrics.lists import JudgedLists, ListView, view_of
from receval.metrics.metric import Metric
from receval.missing_judgments.judgment_sampling import reduce_lists, stack
from receval.missing_judgments.single_pass_metrics import (
    IncompleteLists,
    SinglePassMetrics,
    shared_cutoff,
)
from receval.storage.kernel_cache import njit

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
    >>> from receval.metrics.judged_items import JudgedItems
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
