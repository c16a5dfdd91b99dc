# SPDX-License-Identifier: MIT
"""Areas under the ROC curve of lists (whole, partial, with a log axis), and percentile ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import NO_CUTOFF, ListView
from receval.metrics.metric import Metric, column, ratio


@dataclass(frozen=True, kw_only=True)
class AUC(Metric):
    r"""Share of the pairs of a relevant and another item of the list that are in the right order.

    Here :math:`a_i` is the number of items above the relevant item i that are not relevant, and N
    that of such items in the whole list.

    .. math:: AUC@n = \frac{1}{|PR_{test}(u)|}
              \sum_{i \in PR_{test}(u), rank(i) \leq n} \Big(1 - \frac{a_i}{N}\Big)

    This is the area under the ROC curve of one user. A relevant item that is not in the list, or
    below rank n, has no pair in the right order. Without a cut-off, a random
    order has .5 on average for users with relevant items; others have 0. Other
    tools call the mean over all relevant items of all users so (:class:`GAUC` with
    ``weight=relevant``), or one ROC curve of the scores of all users together (RecBole, RankSys,
    Recommenders), which lists do not give.

    :Denominator: all relevant items, or with ``denominator=reachable`` at most as many as the
        cut-off
    :Source: Hanley and McNeil (1982); per user Rendle et al. (2009), section 5; cut off Schroeder
        et al. (2011)

    Parameters
    ----------
    denominator : {"relevant", "reachable"}
        See the denominator above.
    others : {"listed", "one-more"}
        Whether N is that number, or one more, as in Elliot and WarpRec.
    """

    name: ClassVar[str] = "AUC"
    other_names: ClassVar[tuple[str, ...]] = ("ROC AUC", "area under the curve")
    uses_whole_lists: ClassVar[bool] = True
    denominator: Literal["relevant", "reachable"] = "relevant"
    others: Literal["listed", "one-more"] = "listed"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        above = _others_above(lists)
        others = _others(lists)[lists.list_of] + (self.others == "one-more")
        gains = np.zeros(len(lists.ranks))
        np.divide(others - above, others, out=gains, where=(others > 0) & lists.relevant)
        n_relevant = np.broadcast_to(lists.n_relevant, (len(cutoffs), lists.n_lists))
        if self.denominator == "reachable":
            n_relevant = np.minimum(n_relevant, column(cutoffs))
        return ratio(lists.sums_within(cutoffs, gains), n_relevant)


def _others_above(lists: ListView) -> NDArray[np.int64]:
    """Return the number of items that are not relevant above each judged item in its list."""
    return np.asarray(lists.ranks - 1 - lists.relevant_above)


def _others(lists: ListView) -> NDArray[np.int64]:
    """Return the number of items of each list that are not relevant."""
    listed = lists.relevant_within((NO_CUTOFF,))[0].astype(np.int64)
    return np.asarray(lists.lengths - listed)


@dataclass(frozen=True, kw_only=True)
class GAUC(AUC):
    r"""AUC, averaged over users with the weights that the metric names.

    .. math:: GAUC@n = \frac{\sum_u w_u \, AUC@n(u)}{\sum_u w_u}

    For intervals and tests, the part of each user is :math:`GAUC + \frac{w_u}{\bar w} (AUC(u) -
    GAUC)`, whose mean is GAUC (Cochran 1977, section 6.4). With ``condensed=true`` lists have
    judged items only: if these are the items that were shown, it is the GAUC of click logs. The
    grouped AUC of TorchEasyRec has ``condensed=true`` and ``weight=equal``; what Elliot and WarpRec
    call GAUC is :class:`AUC` with ``others=one-more``.

    :Denominator: the sum of the weights; for each user as in :class:`AUC`
    :Evaluated: those of them with a relevant item, and with another item in the list
    :Source: Zhou et al. (2018), section 5.2; Zhu et al. (2017)

    Parameters
    ----------
    denominator : {"relevant", "reachable"}
        As that of AUC.
    others : {"listed", "one-more"}
        As that of AUC.
    weight : {"judged", "relevant", "equal"}
        The weight of a user: the number of its test ratings (impressions), of the relevant ones
        (clicks), or 1.
    """

    name: ClassVar[str] = "GAUC"
    missing: ClassVar[float] = float("nan")
    other_names: ClassVar[tuple[str, ...]] = ("grouped AUC", "group AUC")
    # Under 1R, the judged items of a user are in several lists.
    needs_all_judgments: ClassVar[bool] = True
    weight: Literal["judged", "relevant", "equal"] = "judged"

    def weights(self, lists: ListView) -> NDArray[np.float64]:
        counts = {
            "judged": lists.n_judged,
            "relevant": lists.n_relevant,
            "equal": np.ones(lists.n_lists),
        }[self.weight]
        return np.where((lists.n_relevant > 0) & (_others(lists) > 0), counts, 0.0)


@dataclass(frozen=True, kw_only=True)
class LogAUC(Metric):
    r"""Area under the ROC curve with a logarithmic axis, which rewards the first ranks most.

    Here :math:`a_i` is the number of items above the relevant item i that are not relevant, and N
    that of such items in the whole list.

    .. math:: logAUC@n = \frac{1}{|PR_{test}(u)|} \sum_{i \in PR_{test}(u), rank(i) \leq n}
              \min\Big(1, \frac{\ln (N / a_i)}{\ln (1 / \lambda)}\Big)

    Without a cut-off, a random order has :math:`(1 - \lambda) / \ln (1 / \lambda)` on average for
    users with relevant items, which is .145 for .001; others have 0.

    :Denominator: all relevant items
    :Source: Mysinger and Shoichet (2010), equation 4; Clark and Webster-Clark (2008)

    Parameters
    ----------
    least : float
        The share :math:`\lambda` of other items at which the axis begins, between 0 and 1.
    """

    name: ClassVar[str] = "logAUC"
    uses_whole_lists: ClassVar[bool] = True
    least: float = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.least < 1:
            raise ValueError(
                f"The parameter least of {self.name} is {self.least}; it must be between 0 and 1."
            )

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        above = _others_above(lists)
        others = _others(lists)[lists.list_of]
        counted = lists.relevant & (others > 0)
        shares = np.zeros(len(lists.ranks))
        np.divide(above, others, out=shares, where=counted)
        heights = -np.log(np.maximum(shares, self.least)) / -np.log(self.least)
        gains = np.where(counted, heights, 0.0)
        return ratio(lists.sums_within(cutoffs, gains), lists.n_relevant)


@dataclass(frozen=True, kw_only=True)
class PartialAUC(Metric):
    r"""Area under the ROC curve up to the n-th item that is not relevant.

    The cut-off n counts items that are not relevant, and not ranks. :math:`a_i` is the number of
    such items above the relevant item i.

    .. math:: PartialAUC@n = \frac{1}{n\, |PR_{test}(u)|} \sum_{i \in PR_{test}(u)} \max(0, n - a_i)

    Without a cut-off it is AUC. With ``relevant=first`` (pAp@k) the first n relevant items of the
    list are summed, and :math:`\min(n, |PR_{test}(u)|)` stands for their number. Lists must go on
    below the n-th item that is not relevant: relevant items outside the list count 0.

    :Denominator: in the formula
    :Source: Dodd and Pepe (2003); pAp@k Hiranandani et al. (2020); both in RecTools

    Parameters
    ----------
    relevant : {"all", "first"}
        See above.
    """

    name: ClassVar[str] = "PartialAUC"
    other_names: ClassVar[tuple[str, ...]] = ("pAUC", "pAp(relevant=first)")
    uses_whole_lists: ClassVar[bool] = True
    relevant: Literal["all", "first"] = "all"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        above, others = _others_above(lists), _others(lists)
        values = np.empty((len(cutoffs), lists.n_lists))
        for row, cutoff in enumerate(cutoffs):
            limits = others if cutoff == NO_CUTOFF else np.full(lists.n_lists, cutoff)
            gains = np.where(lists.relevant, np.maximum(limits[lists.list_of] - above, 0), 0)
            wanted: NDArray = lists.n_relevant
            if self.relevant == "first":
                gains[lists.relevant_above >= cutoff] = 0
                wanted = np.minimum(wanted, cutoff)
            values[row] = ratio(lists.sums_within((NO_CUTOFF,), gains)[0], limits * wanted)
        return values


@dataclass(frozen=True, kw_only=True)
class ListAUC(Metric):
    r"""Share of right pairs of a relevant and another item within the first ranks.

    .. math:: ListAUC@n = \frac{1}{TP@n} \sum_{i \in PR_{test}(u), rank(i) \leq n}
              \Big(1 - \frac{a_i}{|list@n| - TP@n}\Big)

    :math:`a_i` is as in :class:`AUC`. The value is 1 if all of these items are relevant, and 0 if
    none is. Relevant items below them do not count, so a list with one hit at the first rank has 1,
    too.

    :Denominator: the pairs within the first ranks
    :Source: RePlay's RocAuc
    """

    name: ClassVar[str] = "ListAUC"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        others = np.minimum(column(cutoffs), lists.lengths) - hits
        above = np.where(lists.relevant, _others_above(lists), 0)
        wrong = lists.sums_within(cutoffs, above)
        return np.where(hits > 0, 1.0 - ratio(wrong, others * hits), 0.0)


@dataclass(frozen=True, kw_only=True)
class PercentileRank(Metric):
    r"""Mean place of relevant items among the candidates, from 0 for the first to 1 for the last.

    Here N is the number of candidates of the user.

    .. math:: PercentileRank@n = \frac{\sum_u \sum_{i \in PR_{test}(u)} p_{ui}}
              {\sum_u |PR_{test}(u)|}, \qquad p_{ui} = \frac{rank(i) - 1}{N - 1}

    A relevant item that is not in the list, or below rank n, counts as the last: 1. A random order
    has .5 on average. With ``weight=relevant`` the mean is over all relevant items, as in the
    formula. For intervals and tests, users have parts as in :class:`GAUC`, with either weight.

    :Denominator: the relevant items of all users or, with ``weight=equal``, those of each user
    :Evaluated: those of them with a relevant item
    :Source: Hu, Koren and Volinsky (2008), equation 8; RecPack has ``denominator=items``

    Parameters
    ----------
    weight : {"relevant", "equal"}
        See above.
    denominator : {"others", "items"}
        Whether ranks less 1 are divided by N - 1 or by N.
    """

    name: ClassVar[str] = "PercentileRank"
    missing: ClassVar[float] = 1.0
    other_names: ClassVar[tuple[str, ...]] = ("MPR", "expected percentile ranking")
    less_is_better: ClassVar[bool] = True
    # Under 1R, the relevant items of a user are in several lists.
    needs_all_judgments: ClassVar[bool] = True
    weight: Literal["relevant", "equal"] = "relevant"
    denominator: Literal["others", "items"] = "others"

    def weights(self, lists: ListView) -> NDArray[np.float64]:
        is_any = lists.n_relevant > 0
        return np.where(is_any, lists.n_relevant if self.weight == "relevant" else 1, 0.0)

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        last = lists.n_candidates - (self.denominator == "others")
        places = ratio(lists.ranks - 1, last[lists.list_of])
        # What is not found counts 1, so that each item that is found takes away the rest.
        found = lists.sums_within(cutoffs, np.where(lists.relevant, 1.0 - places, 0.0))
        return ratio(lists.n_relevant - found, lists.n_relevant)
