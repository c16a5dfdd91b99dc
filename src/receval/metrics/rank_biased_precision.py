"""Rank-biased precision: a user who goes on to the next place with a fixed probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import Gain, gains
from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric, check_share


@dataclass(frozen=True, kw_only=True)
class RankBiasedPrecision(Metric):
    r"""Gain that a user meets who goes on to the next place with probability phi.

    .. math:: RBP@n = (1 - \phi) \sum_{k=1}^{n} g(r_k)\, \phi^{k-1}

    :Denominator: none; it lies in 0..1 for gains in 0..1
    :Source: Moffat and Zobel 2008; canamares2020, section 3.6, which gives no phi

    Parameters
    ----------
    phi : float
        Between 0 and 1; the expected number of places seen is :math:`1 / (1 - \phi)`.
    gain : {"binary", "exp-normalised", "rating", "exp", "relevant", "steps", "cm100k"}
        See :func:`receval.metrics.gains.gains`.
    """

    name: ClassVar[str] = "RBP"
    phi: float = 0.9
    gain: Gain = "binary"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "phi")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        worth = gains(lists.judged, self.gain, self.name)[lists.places]
        seen = (1.0 - self.phi) * self.phi ** (lists.ranks - 1.0)
        return lists.sums_within(cutoffs, worth * seen)


@dataclass(frozen=True, kw_only=True)
class RankBiasedResidual(Metric):
    r"""What RBP could still gain if every unjudged item, and all beyond the cut-off, had gain 1.

    .. math:: RBPresidual@n = 1 - (1 - \phi) \sum_{k \le n,\, k \text{ judged}} \phi^{k-1}

    :Denominator: none
    :Missing: 1, as nothing is known of a list without judged items
    :Source: Moffat and Zobel 2008; canamares2020, section 3.9

    Parameters
    ----------
    phi : float
        As that of RBP.
    """

    name: ClassVar[str] = "RBPresidual"
    needs_all_judgments: ClassVar[bool] = True
    phi: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self, "phi")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        seen = (1.0 - self.phi) * self.phi ** (lists.ranks - 1.0)
        return 1.0 - lists.sums_within(cutoffs, seen)
