# SPDX-License-Identifier: MIT
"""Kendall's tau-b between the order of a list and the ratings of its judged items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView, as_array
from receval.metrics.metric import Metric
from receval.storage.kernel_cache import njit


@dataclass(frozen=True, kw_only=True)
class KendallTau(Metric):
    r"""Kendall's tau-b between the order of the list and the ratings of its judged items.

    .. math:: tau@n = \frac{C@n - D@n}{\sqrt{N@n \cdot (N@n - T@n)}}

    :math:`N@n` is the number of pairs of judged items in the first :math:`n` ranks. In
    :math:`C@n` of them the item with the higher rating stands higher, in :math:`D@n` lower, and
    :math:`T@n` have equal ratings. Unjudged items do not count.

    :Denominator: in the formula
    :Missing: also where those ranks hold fewer than two judged items or only equal ratings
    :Ties: the list has none; pairs of equal ratings count as :math:`T@n`
    :Source: Kendall 1945; Cañamares et al. 2020, sections 3.7 and 4.4
    """

    name: ClassVar[str] = "tau"
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        grades, n_grades = _grades(lists.judged.starts, lists.judged.values)
        taus = np.empty((len(cutoffs), lists.n_lists))
        _correlate(
            lists.starts,
            lists.ranks,
            grades[lists.indices],
            n_grades[lists.rows],
            as_array(cutoffs),
            taus,
        )
        return taus


@njit(cache=True)
def _grades(
    starts: NDArray[np.int64], values: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return each judged item's grade, 1 for the best rating of its row, and grades per row."""
    grades = np.empty(len(values), dtype=np.int32)
    n_grades = np.zeros(len(starts) - 1, dtype=np.int32)
    for row in range(len(starts) - 1):
        grade = 0
        # Judged items of a row are sorted by descending rating.
        for index in range(starts[row], starts[row + 1]):
            if index == starts[row] or values[index] != values[index - 1]:
                grade += 1
            grades[index] = grade
        n_grades[row] = grade
    return grades, n_grades


@njit(cache=True)
def _correlate(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    grades: NDArray[np.int32],
    n_grades: NDArray[np.int32],
    cutoffs: NDArray[np.int32],
    taus: NDArray[np.float64],
) -> None:
    """Pass over each list once with a Fenwick tree of the grades above, in O(n log grades)."""
    most = 0
    for row in range(len(n_grades)):
        most = max(most, n_grades[row])
    tree = np.empty(most + 1, dtype=np.int64)
    seen = np.empty(most + 1, dtype=np.int64)
    for row in range(len(starts) - 1):
        size = n_grades[row]
        tree[: size + 1] = 0
        seen[: size + 1] = 0
        level = 0
        above = 0
        balance = 0
        tied = 0
        for index in range(starts[row], starts[row + 1]):
            while level < len(cutoffs) and ranks[index] > cutoffs[level]:
                taus[level, row] = _tau(balance, tied, above)
                level += 1
            if level == len(cutoffs):
                break
            grade = grades[index]
            better = 0
            node = grade - 1
            while node > 0:
                better += tree[node]
                node -= node & -node
            worse = above - better - seen[grade]
            balance += better - worse
            tied += seen[grade]
            seen[grade] += 1
            node = grade
            while node <= size:
                tree[node] += 1
                node += node & -node
            above += 1
        for rest in range(level, len(cutoffs)):
            taus[rest, row] = _tau(balance, tied, above)


@njit(cache=True)
def _tau(balance: int, tied: int, n: int) -> float:
    """Return tau-b of n items, given concordant minus discordant pairs, and tied pairs."""
    pairs = n * (n - 1) // 2
    if pairs == tied:
        return 0.0
    # The root of a rounded square is exact, so a perfect order without ties has exactly 1.
    return balance / np.sqrt(float(pairs) * float(pairs - tied))
