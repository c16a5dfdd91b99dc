# SPDX-License-Identifier: MIT
"""Discounted cumulative gain (DCG), and normalised gain (nDCG) and loss (nDCL)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.gains import Gain, Loss, gains, losses
from receval.metrics.lists import NO_CUTOFF, ListView
from receval.metrics.metric import Metric, column, filled, ratio, slots
from receval.storage.kernel_cache import njit

Discount = Literal["log", "log-after-2", "reciprocal"]


Ideal = Literal["cut", "all", "filled", "listed", "ranks"]


@dataclass(frozen=True, kw_only=True)
class NDCG(Metric):
    r"""Discounted gain of the list over that of the best possible list.

    .. math::
        nDCG@n = \frac{DCG@n}{IDCG@n}, \qquad
        DCG@n = \sum_{k=1}^{n} \frac{g(r_k)}{\log_2(k + 1)}

    The ideal list holds the user's judged test items by descending gain. With
    ``discount=log-after-2`` the discount is :math:`\log_2 \max(k, 2)`, and with
    ``discount=reciprocal`` it is :math:`k`.

    :Denominator: the gain of the ideal list, cut as the list is (trec_eval's ndcg_cut). With
        ``ideal=all`` it is not cut (ndcg of a run that was cut), with ``ideal=filled`` it is cut
        at the list's length, too, and with ``ideal=listed`` it has only items of the whole list.
        With ``ideal=ranks`` it has a relevant item at every rank, even if the user has fewer of
        them, which needs ``gain=binary``
    :Source: Järvelin and Kekäläinen 2002; Valcarce et al. 2020, equation 5; ``log-after-2`` is
        LensKit's, ``reciprocal`` that of Cornac's NCRR, ``filled`` LibRec's, ``listed`` ClayRS',
        ``ranks`` RecTools'

    Parameters
    ----------
    gain : str
        See :func:`receval.metrics.gains.gains`.
    ideal : {"cut", "all", "filled", "listed", "ranks"}
        See the denominator above.
    discount : {"log", "log-after-2", "reciprocal"}
        See above.
    """

    name: ClassVar[str] = "nDCG"
    gain: Gain = "rating"
    ideal: Ideal = "cut"
    discount: Discount = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ideal == "ranks" and self.gain != "binary":
            raise ValueError(
                f"{self.name} with ideal=ranks divides by the gain of a relevant item at every "
                f"rank, but with gain={self.gain} relevant items have different gains. Write "
                f"{self.name}(gain=binary,ideal=ranks)."
            )

    @property
    def reach(self) -> int | None:
        """The last rank that the metric uses; the ideal ``listed`` uses all listed items."""
        return self.depth if self.ideal == "listed" else super().reach

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        worth = partial(gains, lists.judged, self.gain, self.name)
        kind = f"gain {self.gain}"
        return ratio(*_sums(lists, cutoffs, kind, worth, self.ideal, self.discount))


@dataclass(frozen=True, kw_only=True)
class NDCL(Metric):
    r"""Discounted loss of the list over that of the worst possible list.

    .. math::
        nDCL@n = \frac{DCL@n}{IDCL@n}, \qquad
        DCL@n = \sum_{k=1}^{n} \frac{l(r_k)}{\log_2(k + 1)}

    The worst list holds the items judged non-relevant by descending loss.

    :Denominator: the loss of the worst list, cut as the list is or, with ``ideal=all``, not cut
    :Source: Mena-Maldonado et al. 2021, section 8 (figures 17 and 18)

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
        worth = partial(losses, lists.judged, self.loss)
        kind = f"loss {self.loss}"
        return ratio(*_sums(lists, cutoffs, kind, worth, self.ideal, best_first=False))


def discounted_gains(
    lists: ListView, cutoffs: tuple[int, ...], gain: Gain, discount: Discount = "log"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the DCG of lists and of the ideal lists, whose quotient is :class:`NDCG`.

    Both have the shape (n_cutoffs, n_lists).

    Examples
    --------
    The only relevant item has rank 3, and would have rank 1 in the ideal list:

    >>> from receval.metrics.lists import JudgedItems
    >>> from receval.splits.split import Judgments
    >>> judged = JudgedItems.of(Judgments.from_pairs([0], [1], [5], n_users=1), 4)
    >>> lists = ListView.of(judged, np.array([3]), np.array([10]))
    >>> [sums.tolist() for sums in discounted_gains(lists, (2, 10), "binary")]
    [[[0.0], [0.5]], [[1.0], [1.0]]]
    """
    worth = partial(gains, lists.judged, gain, NDCG.name)
    return _sums(lists, cutoffs, f"gain {gain}", worth, discount=discount)


def _sums(
    lists: ListView,
    cutoffs: tuple[int, ...],
    kind: str,
    worth_of_items: Callable[[], NDArray[np.float64]],
    ideal: Ideal = "cut",
    discount: Discount = "log",
    *,
    best_first: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the discounted worth of lists and of ideal lists.

    The worth of judged items never increases within a row; if it never decreases, the best items
    come last. Equal kinds have equal worth, which is computed once.
    """
    judged = lists.judged
    worth = judged.once(kind, worth_of_items)
    longest = int(max(lists.ranks.max(initial=0), judged.n_judged.max(initial=0)))
    discounts = _discounts(longest, discount)
    found = lists.sums_within(cutoffs, worth[lists.indices] * discounts[lists.ranks])
    if ideal == "listed":
        # Judged items are sorted by descending rating, so the smallest index is the best item.
        own = worth[lists.indices[np.lexsort((lists.indices, lists.list_of))]]
        rows = np.arange(lists.n_lists)
        return found, _ideal_sums(lists.starts, rows, own, discounts, column(cutoffs), True)
    if ideal == "filled":
        limits = filled(lists, cutoffs)
        return found, _ideal_sums(judged.starts, lists.rows, worth, discounts, limits, best_first)
    if ideal == "ranks":
        ends = slots(lists, cutoffs).astype(np.int64)
        return found, np.cumsum(_discounts(int(ends.max(initial=0)), discount))[ends]
    # The ideal order depends only on the judged items, so lists that share a row share it.
    limits = column(cutoffs if ideal == "cut" else (NO_CUTOFF,))
    rows = np.arange(judged.n_rows)
    best = judged.once(
        (kind, discount, *limits.flat),
        lambda: _ideal_sums(judged.starts, rows, worth, discounts, limits, best_first),
    )
    return found, np.take(best, lists.rows, axis=1)


def _discounts(longest: int, discount: Discount) -> NDArray[np.float64]:
    """Return the discount of each rank up to the longest; that of rank 0 is 0."""
    ranks = np.arange(1.0, longest + 1.0)
    if discount == "reciprocal":
        return np.r_[0.0, 1.0 / ranks]
    logarithms = np.log2(ranks + 1 if discount == "log" else np.maximum(ranks, 2))
    return np.r_[0.0, 1.0 / logarithms]


@njit(cache=True, error_model="numpy")
def _ideal_sums(
    starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    worth: NDArray[np.float64],
    discounts: NDArray[np.float64],
    limits: NDArray[np.float64],
    best_first: bool,
) -> NDArray[np.float64]:
    """Return the discounted worth of the best items of rows, up to a limit for each.

    The limits have the shape (n_cutoffs, n_rows), or (n_cutoffs, 1) if rows share them.
    """
    sums = np.empty((len(limits), len(rows)))
    for place in range(len(rows)):
        first, end = starts[rows[place]], starts[rows[place] + 1]
        for level in range(len(limits)):
            limit = int(limits[level, place if limits.shape[1] > 1 else 0])
            total = 0.0
            for step in range(min(limit, end - first)):
                item = first + step if best_first else end - 1 - step
                total += worth[item] * discounts[step + 1]
            sums[level, place] = total
    return sums


@dataclass(frozen=True, kw_only=True)
class DiscountedGain(Metric):
    r"""Discounted gain of the list, the numerator of :class:`receval.metrics.ndcg.NDCG`.

    .. math:: DCG@n = \sum_{k=1}^{n} \frac{g(r_k)}{\log_2(k + 1)}

    The value of the best list grows with the number of relevant items and with the cut-off, so
    users with more relevant items have more weight in a mean over users.

    :Denominator: none
    :Source: Järvelin and Kekäläinen 2002, with the discount of nDCG; RecPack's and LensKit's have
        ``gain=binary``

    Parameters
    ----------
    gain : str
        See :func:`receval.metrics.gains.gains`.
    discount : {"log", "log-after-2", "reciprocal"}
        As that of nDCG.
    """

    name: ClassVar[str] = "DCG"
    other_names: ClassVar[tuple[str, ...]] = ("discounted cumulative gain",)
    gain: Gain = "rating"
    discount: Discount = "log"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        found, _ = discounted_gains(lists, cutoffs, self.gain, self.discount)
        return found
