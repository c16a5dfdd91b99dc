# SPDX-License-Identifier: MIT
"""Discounted cumulative gain (DCG), not normalised, to compare with nDCG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import Gain
from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric
from receval.metrics.ndcg import discounted_gains


@dataclass(frozen=True, kw_only=True)
class DiscountedGain(Metric):
    r"""Discounted gain of the list, the numerator of :class:`receval.metrics.ndcg.NDCG`.

    .. math:: DCG@n = \sum_{k=1}^{n} \frac{g(r_k)}{\log_2(k + 1)}

    The value of the best list grows with the number of relevant items and with the cut-off, so
    users with more relevant items have more weight in a mean over users.

    It is not in :data:`receval.metrics.registry.METRICS`, because the papers use only nDCG.

    Parameters
    ----------
    gain : str
        See :func:`receval.metrics.gains.gains`.

    Notes
    -----
    Source: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", with
    the discount of nDCG.

    Examples
    --------
    The two relevant items have the ranks 1 and 3:

    >>> from receval.metrics.evaluation import evaluate
    >>> from receval.metrics.lists import JudgedLists
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.protocols.protocol import Protocol
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0], [3, 7], [5, 4], n_users=1)
    >>> ranks, ten = np.array([1, 3], dtype=np.int32), np.array([10], dtype=np.int32)
    >>> lists = JudgedLists.of(judgments, JudgedRanks(ranks, ten, ten), 4, Protocol())
    >>> metrics = [DiscountedGain(gain="binary", cutoff=cutoff) for cutoff in (1, 2, 3)]
    >>> evaluate(metrics, lists).ravel().tolist()
    [1.0, 1.0, 1.5]
    """

    name: ClassVar[str] = "DCG"
    gain: Gain = "rating"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        found, _ = discounted_gains(lists, cutoffs, self.gain)
        return found
