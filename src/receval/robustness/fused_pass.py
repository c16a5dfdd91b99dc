"""Nine common metrics at one cut-off, in one walk down the lists of all systems.

Incompleteness experiments measure the same lists tens of thousands of times. Where the metrics are
those of valcarce2020 as its text defines them, this module computes all of them in one pass over
the lists as they are, skipping judgments left out, several times faster than metric by metric.
The definitions are those of :mod:`receval.metrics`, to which tests compare every value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.metrics.average_precision import EPSILON
from receval.metrics.gains import maximum_rating
from receval.metrics.judged_items import JudgedItems
from receval.metrics.metric import Metric
from receval.metrics.registry import parse
from receval.robustness.judgment_subsampling import StackedLists

NAMES = ("P", "Recall", "F1", "AP", "nDCG", "RR", "ERR", "bpref", "infAP")


def shared_cutoff(metrics: Sequence[Metric]) -> int | None:
    """Return the cut-off of metrics that one walk can compute; None if it cannot."""
    cutoffs = {metric.cutoff for metric in metrics}
    cutoff = cutoffs.pop() if len(cutoffs) == 1 else None
    if cutoff is None or any(metric not in _at(cutoff) for metric in metrics):
        return None
    return cutoff


def _at(cutoff: int) -> list[Metric]:
    return [parse(f"{name}@{cutoff}") for name in NAMES]


class FusedPass:
    """The nine metrics at a cut-off, for users whose judgments change.

    Parameters
    ----------
    judged : JudgedItems
    stacked : StackedLists
        The lists of all systems; ranks beyond the cut-off may be missing.
    metrics : sequence of Metric
        Among the nine, at the same cut-off.
    cutoff : int
    """

    def __init__(
        self, judged: JudgedItems, stacked: StackedLists, metrics: Sequence[Metric], cutoff: int
    ) -> None:
        self.judged = judged
        self.stacked = stacked
        self.cutoff = cutoff
        self.columns = [_at(cutoff).index(metric) for metric in metrics]
        self.ratings = judged.values.astype(np.float64)
        needs_maximum = any(metric.name == "ERR" for metric in metrics)
        highest = maximum_rating(judged, "ERR") if needs_maximum else 0.0
        self.satisfies = np.exp2(self.ratings - highest) - np.exp2(-highest)
        ranks = np.arange(1.0, cutoff + 1.0)
        self.reciprocals = np.concatenate([[0.0], 1.0 / ranks])
        self.discounts = np.concatenate([[0.0], 1.0 / np.log2(ranks + 1.0)])
        self.longest = int(np.diff(stacked.starts).max(initial=0))

    def values(self, rows: NDArray[np.int64], alive: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Measure some users by the judgments that are left.

        Parameters
        ----------
        rows : ndarray of int64, shape (n_kept,)
        alive : ndarray of bool, shape (n_judged,)

        Returns
        -------
        ndarray of float64, shape (n_kept, n_metrics, n_systems)
        """
        n_systems = self.stacked.lengths.shape[1]
        table = np.empty((len(rows), len(NAMES), n_systems))
        # 0 is no judgment, 1 one of a non-relevant and 2 one of a relevant item.
        states = alive.astype(np.uint8) << self.judged.relevant.astype(np.uint8)
        _walk(
            rows,
            states,
            self.judged.starts,
            self.ratings,
            self.satisfies,
            self.stacked.starts,
            self.stacked.indices,
            self.stacked.ranks,
            self.cutoff,
            self.reciprocals,
            self.discounts,
            EPSILON,
            np.empty(self.longest + 1, dtype=np.int64),
            table,
        )
        return table if self.columns == list(range(len(NAMES))) else table[:, self.columns]


@njit(cache=True, error_model="numpy")
def _walk(
    rows: NDArray[np.int64],
    states: NDArray[np.uint8],
    judged_starts: NDArray[np.int64],
    ratings: NDArray[np.float64],
    satisfies: NDArray[np.float64],
    starts: NDArray[np.int64],
    indices: NDArray[np.int32],
    ranks: NDArray[np.int32],
    cutoff: int,
    reciprocals: NDArray[np.float64],
    discounts: NDArray[np.float64],
    epsilon: float,
    left: NDArray[np.int64],
    table: NDArray[np.float64],
) -> None:
    for number in range(len(rows)):
        row = rows[number]
        n_relevant = 0.0
        n_judged = 0
        ideal = 0.0
        for item in range(judged_starts[row], judged_starts[row + 1]):
            if states[item] > 0:
                n_judged += 1
                if n_judged <= cutoff:
                    ideal += ratings[item] * discounts[n_judged]
                if states[item] == 2:
                    n_relevant += 1.0
        fewer = min(n_relevant, n_judged - n_relevant)
        per_relevant = 1.0 / n_relevant if n_relevant > 0 else 0.0
        per_preference = 1.0 / fewer if fewer > 0 else 1.0
        per_ideal = 1.0 / ideal if ideal > 0 else 0.0
        for system in range(table.shape[2]):
            at = row * table.shape[2] + system
            n_left = 0
            # Written without branches: which judgments are left is nothing a processor can guess.
            for entry in range(starts[at], starts[at + 1]):
                left[n_left] = entry
                n_left += (states[indices[entry]] > 0) & (ranks[entry] <= cutoff)
            hits = 0.0
            above = 0.0
            first = 0
            precisions = 0.0
            gained = 0.0
            stopping = 0.0
            goes_on = 1.0
            preferences = 0.0
            expected = 0.0
            for step in range(n_left):
                entry = left[step]
                rank = ranks[entry]
                item = indices[entry]
                hit = np.float64(states[item]) - 1.0
                reciprocal = reciprocals[rank]
                gained += ratings[item] * discounts[rank]
                satisfied = satisfies[item]
                stopping += goes_on * satisfied * reciprocal
                goes_on *= 1.0 - satisfied
                first = rank if first == 0 and hit > 0.0 else first
                share = (hits + epsilon) / (hits + above + 2.0 * epsilon)
                expected += hit * (1.0 + (rank - 1) * share) * reciprocal
                preferences += hit * (1.0 - min(above, n_relevant) * per_preference)
                hits += hit
                precisions += hit * hits * reciprocal
                above += 1.0 - hit
            table[number, 0, system] = hits / cutoff
            table[number, 1, system] = hits * per_relevant
            table[number, 2, system] = 2.0 * hits / (cutoff + n_relevant)
            table[number, 3, system] = precisions * per_relevant
            table[number, 4, system] = gained * per_ideal
            table[number, 5, system] = reciprocals[first]
            table[number, 6, system] = stopping
            table[number, 7, system] = preferences * per_relevant
            table[number, 8, system] = expected * per_relevant
