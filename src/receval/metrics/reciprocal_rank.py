# SPDX-License-Identifier: MIT
"""Reciprocal rank (RR), its anti form, and expected reciprocal rank (ERR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import maximum_rating
from receval.metrics.lists import JudgedItems, ListView
from receval.metrics.metric import Metric
from receval.storage.kernel_cache import njit


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(Metric):
    r"""One over the rank of the first relevant item; its mean over users is MRR.

    .. math:: RR@n = \frac{1}{\min \{rank(i) : i \in PR_{test}(u)\}}, \text{ or } 0
              \text{ if that rank exceeds } n

    :Denominator: none
    :Source: trec_eval's recip_rank; Valcarce et al. 2020, equation 6
    """

    name: ClassVar[str] = "RR"
    other_names: ClassVar[tuple[str, ...]] = ("MRR", "reciprocal rank", "mean reciprocal rank")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return _of_first(lists, lists.relevant, cutoffs)


@dataclass(frozen=True, kw_only=True)
class AntiReciprocalRank(Metric):
    r"""One over the rank of the first item judged non-relevant.

    .. math:: antiRR@n = \frac{1}{\min \{rank(i) : i \in R_{test}(u) \setminus PR_{test}(u)\}},
              \text{ or } 0 \text{ if that rank exceeds } n

    :Denominator: none
    :Source: Mena-Maldonado et al. 2021, section 8 (figures 17 and 18)
    """

    name: ClassVar[str] = "antiRR"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return _of_first(lists, ~lists.relevant, cutoffs)


def _of_first(
    lists: ListView, counts: NDArray[np.bool_], cutoffs: tuple[int, ...]
) -> NDArray[np.float64]:
    first = np.zeros(lists.n_lists, dtype=np.int32)
    counted = np.flatnonzero(counts)
    # The first of each list is assigned last.
    first[lists.list_of[counted[::-1]]] = lists.ranks[counted[::-1]]
    within = (first > 0) & (first <= np.array(cutoffs)[:, None])
    return np.where(within, 1.0 / np.maximum(first, 1), 0.0)


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocalRank(Metric):
    r"""Expected reciprocal of the rank at which the user is satisfied and stops.

    .. math:: ERR@n = \sum_{k=1}^n \frac{G_k}{k} \prod_{p=1}^{k-1} (1 - G_p), \qquad
              G_k = \frac{2^{r_k} - 1}{2^{r_{max}}}

    Judged items below the relevance threshold count, too. A rating below 0 counts as 0.

    :Denominator: none
    :Source: Chapelle et al. 2009; Valcarce et al. 2020, equations 7 and 8; the released tool has
        ``maximum=user``

    Parameters
    ----------
    maximum : {"dataset", "user"}
        Whose highest rating :math:`r_{max}` is.

    Raises
    ------
    ValueError
        The dataset's highest rating is not known (``DatasetMetadata``).
    """

    name: ClassVar[str] = "ERR"
    gain: ClassVar[str] = "exp"
    maximum: Literal["dataset", "user"] = "dataset"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        judged = lists.judged
        satisfies = judged.once(f"{self.name} {self.maximum}", lambda: self._satisfies(judged))
        stops = _stops(lists.starts, satisfies[lists.indices])
        return lists.sums_within(cutoffs, stops / lists.ranks)

    def _satisfies(self, judged: JudgedItems) -> NDArray[np.float64]:
        """Return the probability that each judged item satisfies the user."""
        if self.maximum == "dataset":
            highest = np.full(judged.n_rows, maximum_rating(judged, self.name))
        else:
            # Judged items are sorted by descending rating; an empty row has none.
            highest = np.zeros(judged.n_rows)
            some = judged.n_judged > 0
            highest[some] = judged.values[judged.starts[:-1][some]]
        highest = np.repeat(np.maximum(highest, 0), judged.n_judged)
        # Exponents are subtracted first, because powers of two of play counts would overflow.
        return np.asarray(np.exp2(np.maximum(judged.values, 0) - highest) - np.exp2(-highest))


@njit(cache=True)
def _stops(starts: NDArray[np.int64], satisfies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that each listed item is the one at which the user stops."""
    stops = np.empty(len(satisfies))
    for row in range(len(starts) - 1):
        goes_on = 1.0
        for index in range(starts[row], starts[row + 1]):
            stops[index] = goes_on * satisfies[index]
            goes_on *= 1.0 - satisfies[index]
    return stops
