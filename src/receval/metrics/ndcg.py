# SPDX-License-Identifier: MIT
"""Discounted cumulative gain (DCG), and normalised gain (nDCG) and loss (nDCL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import Gain, Loss, gains, losses
from receval.metrics.lists import NO_CUTOFF, ListView, as_array
from receval.metrics.metric import Metric, column, filled, ratio
from receval.storage.kernel_cache import njit

Discount = Literal["log", "log-after-2"]


# The ideal lists of nDCG, if each list has its own.

Ideal = Literal["cut", "all", "filled", "listed"]


def best_sums(
    lists: ListView,
    cutoffs: tuple[int, ...],
    worth: NDArray[np.float64],
    ideal: Ideal,
    discounts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the discounted gain of the ideal list for each list.

    Parameters
    ----------
    lists : ListView
    cutoffs : tuple of int
        Increasing; ``NO_CUTOFF`` for none.
    worth : ndarray of float64, shape (n_judged,)
        Gains of the judged items, which never increase within a row.
    ideal : {"cut", "all", "filled", "listed"}
        Which judged items are in the ideal list (:class:`receval.metrics.ndcg.NDCG`).
    discounts : ndarray of float64, shape (n_ranks + 1,)
        Discounts by rank, from 1 to the length of the longest list or row.

    Returns
    -------
    ndarray of float64, shape (n_cutoffs, n_lists)

    Examples
    --------
    The user has three relevant items; a list that fills two ranks can hold two of them:

    >>> from receval.metrics.judged_items import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0, 0], [4, 5, 9], [1, 1, 1], n_users=1)
    >>> judged = JudgedItems.of(judgments, threshold=1)
    >>> lists = ListView.of(judged, ranks=np.array([2, 0, 0]), lengths=np.array([2]))
    >>> for ideal in ("cut", "filled", "listed"):
    ...     print(best_sums(lists, (3,), np.ones(3), ideal, np.array([0, 1, 0.5, 0.25])).item())
    1.75
    1.5
    1.0
    """
    sums = np.empty((len(cutoffs), lists.n_lists))
    if ideal == "listed":
        _listed_sums(lists.starts, lists.indices, worth, discounts, as_array(cutoffs), sums)
        return sums
    limits = np.full(sums.shape, float(NO_CUTOFF))
    if ideal == "cut":
        limits = np.repeat(column(cutoffs), lists.n_lists, axis=1)
    elif ideal == "filled":
        limits = filled(lists, cutoffs)
    _limited_sums(lists.judged.starts, lists.rows, worth, discounts, limits.astype(np.int64), sums)
    return sums


@njit(cache=True)
def _limited_sums(
    starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    limits: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    for place in range(len(rows)):
        first, end = starts[rows[place]], starts[rows[place] + 1]
        for level in range(len(limits)):
            total = 0.0
            for step in range(min(limits[level, place], end - first)):
                total += worth[first + step] * discounts[step + 1]
            sums[level, place] = total


@njit(cache=True)
def _listed_sums(
    starts: NDArray[np.int64],
    indices: NDArray[np.int32],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    cutoffs: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        first, end = starts[row], starts[row + 1]
        # Judged items are sorted by descending rating, so the smallest index is the best item.
        best = np.sort(indices[first:end])
        for level in range(len(cutoffs)):
            total = 0.0
            for step in range(min(cutoffs[level], end - first)):
                total += worth[best[step]] * discounts[step + 1]
            sums[level, row] = total


@dataclass(frozen=True, kw_only=True)
class NDCG(Metric):
    r"""Discounted gain of the list over that of the best possible list.

    .. math::
        nDCG@n = \frac{DCG@n}{IDCG@n}, \qquad
        DCG@n = \sum_{k=1}^{n} \frac{g(r_k)}{\log_2(k + 1)}

    The ideal list holds the user's judged test items by descending gain. With
    ``discount=log-after-2`` the discount is :math:`\log_2 \max(k, 2)`.

    :Denominator: the gain of the ideal list, cut as the list is (trec_eval's ndcg_cut). With
        ``ideal=all`` it is not cut (ndcg of a run that was cut), with ``ideal=filled`` it is cut
        at the list's length, too, and with ``ideal=listed`` it has only items of the whole list
    :Source: Järvelin and Kekäläinen 2002; valcarce2020, equation 5; ``log-after-2`` is LensKit's,
        ``filled`` LibRec's, ``listed`` ClayRS'

    Parameters
    ----------
    gain : str
        See :func:`receval.metrics.gains.gains`.
    ideal : {"cut", "all", "filled", "listed"}
        See the denominator above.
    discount : {"log", "log-after-2"}
        See above.
    """

    name: ClassVar[str] = "nDCG"
    gain: Gain = "rating"
    ideal: Ideal = "cut"
    discount: Discount = "log"

    @property
    def reach(self) -> int | None:
        """The last rank that the metric uses; the ideal ``listed`` uses all listed items."""
        return self.depth if self.ideal == "listed" else super().reach

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        worth = gains(lists.judged, self.gain, self.name)
        if self.discount == "log" and self.ideal in ("cut", "all"):
            return _normalised(lists, cutoffs, worth, self.ideal == "all", best_first=True)
        longest = int(max(lists.ranks.max(initial=0), lists.judged.n_judged.max(initial=0)))
        ranks = np.arange(1.0, longest + 1.0)
        logarithms = np.log2(ranks + 1 if self.discount == "log" else np.maximum(ranks, 2))
        discounts = np.r_[0.0, 1.0 / logarithms]
        found = lists.sums_within(cutoffs, worth[lists.indices] * discounts[lists.ranks])
        return ratio(found, best_sums(lists, cutoffs, worth, self.ideal, discounts))


@dataclass(frozen=True, kw_only=True)
class NDCL(Metric):
    r"""Discounted loss of the list over that of the worst possible list.

    .. math::
        nDCL@n = \frac{DCL@n}{IDCL@n}, \qquad
        DCL@n = \sum_{k=1}^{n} \frac{l(r_k)}{\log_2(k + 1)}

    The worst list holds the items judged non-relevant by descending loss.

    :Denominator: the loss of the worst list, cut as the list is or, with ``ideal=all``, not cut
    :Source: menamaldonado2021, section 8 (figures 17 and 18)

    Parameters
    ----------
    loss : {"steps", "binary", "cm100k"}
        See :func:`receval.metrics.gains.losses`.
    ideal : {"cut", "all"}
        As that of nDCG.
    """

    name: ClassVar[str] = "nDCL"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True
    loss: Loss = "steps"
    ideal: Literal["cut", "all"] = "cut"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        worth = losses(lists.judged, self.loss)
        return _normalised(lists, cutoffs, worth, self.ideal == "all", best_first=False)


def discounted_gains(
    lists: ListView, cutoffs: tuple[int, ...], gain: Gain
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the DCG of lists and of the ideal lists, whose quotient is :class:`NDCG`.

    Parameters
    ----------
    lists : ListView
    cutoffs : tuple of int
        Increasing; :data:`receval.metrics.lists.NO_CUTOFF` for none.
    gain : str
        See :func:`receval.metrics.gains.gains`.

    Returns
    -------
    found, best : ndarray of float64, shape (n_cutoffs, n_lists)
        :math:`DCG@n` and :math:`IDCG@n`.

    Examples
    --------
    The only relevant item has rank 3, and would have rank 1 in the ideal list:

    >>> from receval.metrics.judged_items import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judged = JudgedItems.of(Judgments.from_pairs([0], [1], [5], n_users=1), 4)
    >>> lists = ListView.of(judged, np.array([3]), np.array([10]))
    >>> [sums.tolist() for sums in discounted_gains(lists, (2, 10), "binary")]
    [[[0.0], [0.5]], [[1.0], [1.0]]]
    """
    worth = gains(lists.judged, gain, NDCG.name)
    return _sums(lists, cutoffs, worth, cutoffs, best_first=True)


def _normalised(
    lists: ListView,
    cutoffs: tuple[int, ...],
    worth: NDArray[np.float64],
    is_whole: bool,
    *,
    best_first: bool,
) -> NDArray[np.float64]:
    limits = (NO_CUTOFF,) if is_whole else cutoffs
    return ratio(*_sums(lists, cutoffs, worth, limits, best_first=best_first))


def _sums(
    lists: ListView,
    cutoffs: tuple[int, ...],
    worth: NDArray[np.float64],
    limits: tuple[int, ...],
    *,
    best_first: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the discounted worth of lists, and of ideal lists cut at the limits."""
    highest = int(lists.ranks.max()) if len(lists.ranks) else 0
    discounts = np.zeros(highest + 1)
    discounts[1:] = 1.0 / np.log2(np.arange(2.0, highest + 2.0))
    found = np.empty((len(cutoffs), lists.n_lists))
    _sum_discounted(
        lists.starts, lists.ranks, lists.indices, worth, discounts, as_array(cutoffs), found
    )
    # The ideal order depends only on the judged items, so lists that share a row share it.
    best = np.empty((len(limits), lists.judged.n_rows))
    _ideal_sums(lists.judged.starts, worth, best_first, as_array(limits), best)
    return found, best[:, lists.rows]


@njit(cache=True, error_model="numpy")
def _sum_discounted(
    starts: NDArray[np.int64],
    ranks: NDArray[np.int32],
    indices: NDArray[np.int32],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    cutoffs: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    for row in range(len(starts) - 1):
        level = 0
        total = 0.0
        for index in range(starts[row], starts[row + 1]):
            rank = ranks[index]
            while level < len(cutoffs) and rank > cutoffs[level]:
                sums[level, row] = total
                level += 1
            if level == len(cutoffs):
                break
            total += worth[indices[index]] * discounts[rank]
        for rest in range(level, len(cutoffs)):
            sums[rest, row] = total


@njit(cache=True, error_model="numpy")
def _ideal_sums(
    starts: NDArray[np.int64],
    worth: NDArray[np.float64],
    best_first: bool,
    cutoffs: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    longest = 0
    for row in range(len(starts) - 1):
        longest = max(longest, starts[row + 1] - starts[row])
    discounts = 1.0 / np.log2(np.arange(2.0, longest + 2.0))
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1] - 1
        level = 0
        total = 0.0
        for step in range(last - first + 1):
            while level < len(cutoffs) and step >= cutoffs[level]:
                sums[level, row] = total
                level += 1
            if level == len(cutoffs):
                break
            total += worth[first + step if best_first else last - step] * discounts[step]
        for rest in range(level, len(cutoffs)):
            sums[rest, row] = total


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
