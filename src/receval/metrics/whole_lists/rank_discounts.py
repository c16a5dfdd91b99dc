# SPDX-License-Identifier: MIT
"""How much attention each rank of a list gets, and metrics that weigh ranks by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import ListMetric

RankDiscount = Literal["none", "log", "rbp"]


def rank_weights(n: int, discount: RankDiscount, phi: float) -> NDArray[np.float64]:
    r"""Return the attention that each of the first n ranks gets, shape (n,).

    Parameters
    ----------
    n : int
        The number of ranks.
    discount : {"none", "log", "rbp"}
        - ``none``: each rank gets 1;
        - ``log``: rank r gets :math:`1 / \log_2(1 + r)`, as in nDCG;
        - ``rbp``: rank r gets :math:`\phi^{r - 1}`, as in rank-biased precision.
    phi : float
        The probability to go on to the next rank, for ``rbp``.

    Examples
    --------
    >>> rank_weights(3, "log", phi=0.5).round(3).tolist(), rank_weights(3, "rbp", phi=0.5).tolist()
    ([1.0, 0.631, 0.5], [1.0, 0.5, 0.25])
    """
    ranks = np.arange(1.0, n + 1.0)
    if discount == "log":
        return np.asarray(1.0 / np.log2(1.0 + ranks))
    if discount == "rbp":
        return np.asarray(phi ** (ranks - 1.0))
    return np.ones(n)


@dataclass(frozen=True, kw_only=True)
class DiscountedListMetric(ListMetric):
    """A metric that weighs the ranks of a list by the attention that they get.

    Parameters
    ----------
    discount : {"none", "log", "rbp"}
        See :func:`rank_weights`.
    phi : float
        Between 0 and 1; the probability to go on to the next rank, for ``discount=rbp``.
    """

    discount: RankDiscount = "log"
    phi: float = 0.85

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, "phi")
        if not 0 < self.phi < 1:
            raise ValueError(f"The phi of {self.name} is {self.phi}; it must lie between 0 and 1.")

    def weights(self, n: int) -> NDArray[np.float64]:
        """Return the attention that each of the first n ranks gets, shape (n,)."""
        return rank_weights(n, self.discount, self.phi)
