# SPDX-License-Identifier: MIT
"""Rank-biased precision (RBP), its residual, and rank-biased overlap (RBO)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import Gain, gains
from receval.metrics.lists import ListView, as_array, judgments_order
from receval.metrics.metric import Metric, filled, ratio
from receval.storage.kernel_cache import njit


@dataclass(frozen=True, kw_only=True)
class _RankBiased(Metric):
    """A metric of users who go on to the next rank with probability phi."""

    phi: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.phi < 1:
            raise ValueError(f"The phi of {self.name} is {self.phi}; it must lie between 0 and 1.")


@dataclass(frozen=True, kw_only=True)
class RankBiasedPrecision(_RankBiased):
    r"""Expected gain of a user who goes on to the next rank with probability phi.

    .. math:: RBP@n = (1 - \phi) \sum_{k=1}^{n} g(r_k)\, \phi^{k-1}

    :Denominator: none. With ``denominator=best`` the value of the best list,
        :math:`1 - \phi^m`, where :math:`m` is the smaller of the number of relevant test items and
        the number of ranks up to :math:`n` that the list fills
    :Source: Moffat and Zobel 2008; Cañamares et al. 2020, section 3.6, which gives no phi;
        LensKit's ``normalize`` is ``denominator=best``

    Parameters
    ----------
    phi : float
        Between 0 and 1; the expected number of ranks seen is :math:`1 / (1 - \phi)`.
    gain : str
        See :func:`receval.metrics.gains.gains`.
    denominator : {"none", "best"}
        See the denominator above.
    """

    name: ClassVar[str] = "RBP"
    gain: Gain = "binary"
    denominator: Literal["none", "best"] = "none"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        worth = gains(lists.judged, self.gain, self.name)[lists.indices]
        seen = (1.0 - self.phi) * self.phi ** (lists.ranks - 1.0)
        met = lists.sums_within(cutoffs, worth * seen)
        if self.denominator == "none":
            return met
        hits = np.minimum(filled(lists, cutoffs), lists.n_relevant)
        return ratio(met, 1.0 - self.phi**hits)


@dataclass(frozen=True, kw_only=True)
class RankBiasedResidual(_RankBiased):
    r"""What RBP could still gain if every unjudged item, and all beyond the cut-off, had gain 1.

    .. math:: RBPresidual@n = 1 - (1 - \phi) \sum_{k \le n,\, k \text{ judged}} \phi^{k-1}

    :Denominator: none
    :Source: Moffat and Zobel 2008; Cañamares et al. 2020, section 3.9

    Parameters
    ----------
    phi : float
        As that of RBP.
    """

    name: ClassVar[str] = "RBPresidual"
    missing: ClassVar[float] = 1.0
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        seen = (1.0 - self.phi) * self.phi ** (lists.ranks - 1.0)
        return 1.0 - lists.sums_within(cutoffs, seen)


@dataclass(frozen=True, kw_only=True)
class RankBiasedOverlap(_RankBiased):
    r"""Overlap of the list with the ideal order of its judged items, extrapolated.

    .. math:: RBO@n = \frac{X_D}{D} \phi^D +
              \frac{1 - \phi}{\phi} \sum_{d=1}^{D} \frac{X_d}{d} \phi^d

    :math:`X_d` is the number of items in the first :math:`d` ranks of both orders; :math:`D` is
    the cut-off or the length of the list, whichever is smaller. The ideal order has the judged
    items of the list by descending rating. On condensed lists a perfect order scores 1.

    :Denominator: none
    :Ties: in the ideal order, equal ratings stand in the order of the list
    :Source: Webber et al. 2010, equation 23; Cañamares et al. 2020, section 3.7

    Parameters
    ----------
    phi : float
        Between 0 and 1; the probability of going on to the next rank.
    """

    name: ClassVar[str] = "RBO"
    needs_all_judgments: ClassVar[bool] = True
    uses_whole_lists: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        values = np.zeros((len(cutoffs), lists.n_lists))
        _overlaps(
            lists.starts,
            lists.ranks,
            # Equal ratings keep the order of the list.
            judgments_order(lists.starts, lists.judged.values[lists.indices]),
            lists.lengths,
            self.phi,
            as_array(cutoffs),
            values,
        )
        return values


@njit(cache=True)
def _overlaps(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    ideal: NDArray[np.int64],
    lengths: NDArray[np.int64],
    phi: float,
    cutoffs: NDArray[np.int32],
    overlaps: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1]
        deepest = min(lengths[row], cutoffs[-1])
        joining = np.zeros(deepest + 1, dtype=np.int64)
        for index in range(last - first):
            in_both = max(ranks[ideal[first + index]], index + 1)
            if in_both <= deepest:
                joining[in_both] += 1
        level = 0
        shared = 0
        weight = 1.0
        total = 0.0
        for depth in range(1, deepest + 1):
            shared += joining[depth]
            total += (1.0 - phi) * weight * shared / depth
            weight *= phi
            while level < len(cutoffs) and depth == min(cutoffs[level], lengths[row]):
                overlaps[level, row] = total + weight * shared / depth
                level += 1
