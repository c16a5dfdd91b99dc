"""Metric values under incomplete judgments, for all systems, metrics and levels at once.

A removed judgment is a mask: ranks do not change, because unjudged items keep their places. From
one level to the next only the users who lose a judgment are measured again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.metrics.averages import QuasiArithmetic
from receval.metrics.evaluation import evaluate_views
from receval.metrics.list_view import ListView
from receval.metrics.lists import JudgedLists, view_of
from receval.metrics.metric import Metric
from receval.statistics.reduction import reduce_lists, stack
from receval.statistics.single_walk import SingleWalk, shared_cutoff

# Sums that move from level to level carry rounding errors near 1e-13. Rounding takes them from
# means that are 0; what is left of them between other means is for those who compare to tolerate.
_DECIMALS = 12


@dataclass(frozen=True)
class Measure:
    """A metric and how its values are averaged over users with test ratings."""

    metric: Metric
    average: QuasiArithmetic


class ReducedFold:
    """The lists of several systems on one fold, measured by parts of its judgments.

    Parameters
    ----------
    systems : sequence of JudgedLists
        Of the same fold under the same protocol, all bound to the same judged items.
    measures : sequence of Measure

    Raises
    ------
    ValueError
        The lists are those of 1R, or are not bound to the same judged items.
    """

    def __init__(self, systems: Sequence[JudgedLists], measures: Sequence[Measure]) -> None:
        if any(lists.one_relevant for lists in systems):
            raise ValueError(
                "Under 1R every judgment is a list of its own, so removing judgments removes "
                "lists: study incompleteness under AR."
            )
        if any(lists.full.judged is not systems[0].full.judged for lists in systems):
            raise ValueError(
                "The systems' lists are bound to different judged items: bind all of them with "
                "JudgedLists.measured_by to the same JudgedItems."
            )
        self.judged = systems[0].full.judged
        self.measures = tuple(measures)
        self.metrics = list(dict.fromkeys(measure.metric for measure in measures))
        self.n_systems = len(systems)
        reaches = [metric.reach for metric in self.metrics]
        deepest = None if None in reaches else max(reach for reach in reaches if reach)
        self._stacked = stack([view_of(lists.full, False, deepest) for lists in systems])
        cutoff = shared_cutoff(self.metrics)
        self._walk = (
            None if cutoff is None else SingleWalk(self.judged, self._stacked, self.metrics, cutoff)
        )
        self._row_of = np.repeat(np.arange(self.judged.n_rows), self.judged.n_judged)
        self._columns = [self.metrics.index(measure.metric) for measure in measures]
        # What a user's values are averaged from lies together, because users are measured again.
        shape = (self.judged.n_rows, len(self.measures), self.n_systems)
        self._complete = np.zeros(shape)
        alive = np.ones(len(self._row_of), dtype=bool)
        everyone = np.flatnonzero(self.judged.n_judged)
        self._measure(everyone, self.judged.n_judged, alive, self._complete, np.zeros(shape[1:]))

    def values(
        self, turns: NDArray[np.int64], kept: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the averages at several levels of one order of removal.

        Parameters
        ----------
        turns : ndarray of int64, shape (n_judgments,)
            From :func:`receval.statistics.removal.removal_turns`.
        kept : ndarray of int64, shape (n_levels,)
            Units kept at each level, falling: the judgments with a turn below are those left.

        Returns
        -------
        values : ndarray of float64, shape (n_levels, n_measures, n_systems)
        n_averaged : ndarray of int64, shape (n_levels,)
            Number of users who still have a test rating: only they are averaged.
        """
        own_turns = turns[self.judged.positions]
        last_to_leave = np.argsort(own_turns, kind="stable")
        gone = len(own_turns) - np.searchsorted(own_turns[last_to_leave], kept)
        first_to_leave = last_to_leave[::-1]
        alive = np.ones(len(own_turns), dtype=bool)
        table = self._complete.copy()
        sums = table.sum(axis=0)
        left = self.judged.n_judged.copy()
        averages = np.empty((len(kept), len(self.measures), self.n_systems))
        n_averaged = np.empty(len(kept), dtype=np.int64)
        before = 0
        for level, after in enumerate(gone):
            leaving = first_to_leave[before:after]
            alive[leaving] = False
            leaving_rows = self._row_of[leaving]
            left -= np.bincount(leaving_rows, minlength=len(left))
            touched = np.unique(leaving_rows)
            self._measure(touched, left, alive, table, sums)
            n_averaged[level] = np.count_nonzero(left)
            for place, measure in enumerate(self.measures):
                means = np.round(sums[place] / n_averaged[level], _DECIMALS) + 0.0
                averages[level, place] = measure.average.restored(means)
            before = after
        return averages, n_averaged

    def _measure(
        self,
        touched: NDArray[np.int64],
        left: NDArray[np.int64],
        alive: NDArray[np.bool_],
        table: NDArray[np.float64],
        sums: NDArray[np.float64],
    ) -> None:
        """Measure some users by the judgments that are left, and move the sums over all users."""
        rows = touched[left[touched] > 0]
        emptied = touched[left[touched] == 0]
        sums -= table[emptied].sum(axis=0)
        table[emptied] = 0.0
        if not len(rows):
            return
        values = self._values(rows, alive)
        new = np.empty((len(rows), *sums.shape))
        for place, (column, measure) in enumerate(zip(self._columns, self.measures, strict=True)):
            new[:, place] = measure.average.transformed(values[:, column])
        _replace_rows(table, sums, rows, new)

    def _values(self, rows: NDArray[np.int64], alive: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the values of some users, shape (n_kept, n_metrics, n_systems)."""
        if self._walk is not None:
            return self._walk.values(rows, alive)
        lists = self._reduced(rows, alive)
        values = evaluate_views(self.metrics, cache(lambda *form: view_of(lists, *form)))
        by_metric = values.reshape(len(self.metrics), len(rows), self.n_systems)
        return by_metric.transpose(1, 0, 2)

    def _reduced(self, rows: NDArray[np.int64], alive: NDArray[np.bool_]) -> ListView:
        chosen, judged_starts, reduced = reduce_lists(
            rows, alive, self.judged.starts, self._stacked
        )
        popularity = self.judged.popularity
        judged = replace(
            self.judged,
            starts=judged_starts,
            values=self.judged.values[chosen],
            relevant=self.judged.relevant[chosen],
            positions=self.judged.positions[chosen],
            popularity=None if popularity is None else popularity[chosen],
        )
        return ListView(
            judged,
            np.repeat(np.arange(len(rows)), self.n_systems),
            reduced.lengths.ravel(),
            reduced.starts,
            reduced.places,
            reduced.ranks,
        )


@njit(cache=True)
def _replace_rows(
    table: NDArray[np.float64],
    sums: NDArray[np.float64],
    rows: NDArray[np.int64],
    new: NDArray[np.float64],
) -> None:
    """Put new values of users, shape (n_kept, ...), into a table and move its sums over users."""
    for number in range(len(rows)):
        for measure in range(sums.shape[0]):
            for system in range(sums.shape[1]):
                value = new[number, measure, system]
                sums[measure, system] += value - table[rows[number], measure, system]
                table[rows[number], measure, system] = value
