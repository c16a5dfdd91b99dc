"""The rank of the first hit, and of the first item judged non-relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(Metric):
    r"""One over the rank of the first relevant item; its mean over users is MRR.

    .. math:: RR@n = \frac{1}{\min \{rank(i) : i \in PR_{test}(u)\}}, \text{ or } 0
              \text{ if that rank exceeds } n

    :Denominator: none
    :Source: trec_eval's recip_rank; valcarce2020, equation 6
    """

    name: ClassVar[str] = "RR"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return _of_first(lists, lists.relevant, cutoffs)


@dataclass(frozen=True, kw_only=True)
class AntiReciprocalRank(Metric):
    r"""One over the rank of the first item judged non-relevant.

    .. math:: antiRR@n = \frac{1}{\min \{rank(i) : i \in R_{test}(u) \setminus PR_{test}(u)\}},
              \text{ or } 0 \text{ if that rank exceeds } n

    :Denominator: none
    :Source: menamaldonado2021, section 8 (figures 17 and 18)
    """

    name: ClassVar[str] = "antiRR"
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return _of_first(lists, ~lists.relevant, cutoffs)


def _of_first(
    lists: ListView, counts: NDArray[np.bool_], cutoffs: tuple[int, ...]
) -> NDArray[np.float64]:
    first = np.zeros(lists.n_lists, dtype=np.int32)
    _first_ranks(lists.starts, lists.ranks, counts, first)
    within = (first > 0) & (first <= np.array(cutoffs)[:, None])
    return np.where(within, 1.0 / np.maximum(first, 1), 0.0)


@njit(cache=True)
def _first_ranks(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    counts: NDArray[np.bool_],
    first: NDArray[np.int32],
) -> None:
    for row in range(len(starts) - 1):
        for place in range(starts[row], starts[row + 1]):
            if counts[place]:
                first[row] = ranks[place]
                break
