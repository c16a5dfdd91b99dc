# SPDX-License-Identifier: MIT
r"""Orders of systems by lexirecall, with all judgments and with samples of them.

Lexirecall compares two lists and gives no value for a system. Systems are ordered by their mean
preference over the others,

.. math:: m(s) = \frac{1}{|U| (|S| - 1)} \sum_{u \in U} \sum_{t \ne s} LR_u(s, t),

from -1 (worse than every other system for every user) to 1. This is Copeland's rule with users as
voters and with margins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.storage.kernel_cache import njit

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment

LEXIRECALL = "lexirecall"
"""Name of lexirecall among the metrics."""

_UNRETRIEVED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class LexirecallLists:
    """The relevant items in the lists of several systems, the lowest-ranked first.

    Of user u they are from ``starts[u]`` to ``starts[u + 1]``. `ranks` and `positions`, of shape
    (n_systems, n_relevant), have their ranks, which fall within a user (the largest integer is for
    an item that is not in the list), and their indices among the `n_judgments` of the fold.
    """

    starts: NDArray[np.int64]
    ranks: NDArray[np.int32]
    positions: NDArray[np.int32]
    n_judgments: int

    @classmethod
    def of(cls, views: Sequence[ListView]) -> Self:
        """Order the relevant items of the lists of each system."""
        judged = views[0].judged
        chosen = np.flatnonzero(judged.relevant)
        owners = np.repeat(np.arange(judged.n_rows), judged.n_judged)[chosen]
        starts = np.concatenate([[0], np.cumsum(judged.n_relevant)])
        ranks = np.empty((len(views), len(chosen)), dtype=np.int32)
        positions = np.empty_like(ranks)
        for system, view in enumerate(views):
            if not np.array_equal(view.judged.positions, judged.positions):
                raise ValueError(
                    "The lists are measured by different judged items, so that their relevant "
                    "items cannot be compared: measure all systems on the same fold."
                )
            of_judged = np.full(len(judged.positions), _UNRETRIEVED, dtype=np.int32)
            of_judged[view.indices] = view.ranks
            own = of_judged[chosen]
            order = np.lexsort((-own.astype(np.int64), owners))
            ranks[system] = own[order]
            positions[system] = judged.positions[chosen][order]
        n_judgments = 0 if judged.items is None else len(judged.items)
        return cls(starts, ranks, positions, max(n_judgments, len(judged.positions)))

    @classmethod
    def of_fold(cls, experiment: Experiment, number: int) -> Self:
        """Order the relevant items of all systems on a fold of a one-protocol experiment."""
        protocol = experiment.only_protocol
        return cls.of(
            [experiment.lists(name, protocol, number).full for name in experiment.all_systems]
        )

    @property
    def n_users_with_relevant(self) -> int:
        """Number of users with a relevant item."""
        return int(np.count_nonzero(np.diff(self.starts)))

    def preferences(self, kept: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Count the users who prefer each system to each other one, by the kept judgments."""
        if kept is None:
            kept = np.ones(self.n_judgments, dtype=np.bool_)
        n_systems = len(self.ranks)
        wins = np.zeros((n_systems, n_systems), dtype=np.int64)
        _count_preferences(self.starts, self.ranks, self.positions, kept, wins)
        return wins

    def mean_preferences(self, kept: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the mean preference of each system over all users."""
        wins = self.preferences(kept)
        counts = (wins - wins.T).sum(axis=1)
        return counts / ((len(wins) - 1) * (len(self.starts) - 1))


@njit(cache=True)
def _count_preferences(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    positions: NDArray[np.int32],
    kept: NDArray[np.bool_],
    wins: NDArray[np.int64],
) -> None:
    n_systems = ranks.shape[0]
    longest = 0
    for user in range(len(starts) - 1):
        longest = max(longest, starts[user + 1] - starts[user])
    left = np.empty((n_systems, longest), dtype=np.int32)
    for user in range(len(starts) - 1):
        count = 0
        for system in range(n_systems):
            count = 0
            for entry in range(starts[user], starts[user + 1]):
                if kept[positions[system, entry]]:
                    left[system, count] = ranks[system, entry]
                    count += 1
        for first in range(n_systems):
            for second in range(first + 1, n_systems):
                for entry in range(count):
                    one, other = left[first, entry], left[second, entry]
                    if one != other:
                        if one < other:
                            wins[first, second] += 1
                        else:
                            wins[second, first] += 1
                        break
