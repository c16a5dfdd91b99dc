# SPDX-License-Identifier: MIT
"""Average precision and recall, and for incomplete judgments infAP and binary preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from receval.metrics.lists import ListView
from receval.metrics.metric import Metric, column, filled, ratio, slots

EPSILON = 1e-5
"""The small constant of the papers and of trec_eval; without judged items it avoids 0 / 0."""


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(Metric):
    r"""Mean of the precisions at the ranks of the relevant items; its mean over users is MAP.

    .. math:: AP@n = \frac{1}{|PR_{test}(u)|} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \frac{TP@rank(i)}{rank(i)}

    With ``terms=ranks`` the precisions at all ranks are summed:
    :math:`\sum_{k=1}^{n} TP@k / k` (with ``denominator=cutoff`` Elliot's MAP).

    :Denominator: all relevant test items. Other choices: ``reachable``,
        :math:`\min(n, |PR_{test}(u)|)`; ``listed``, the same with the list's length if that is
        below the cut-off; ``hits``, :math:`TP@n`; ``cutoff``, :math:`n`, or the list's length
    :Source: trec_eval's map and map_cut; Valcarce et al. 2020, equation 4

    Parameters
    ----------
    terms : {"hits", "ranks"}
        See above.
    denominator : {"relevant", "reachable", "listed", "hits", "cutoff"}
        See the denominator above.
    """

    name: ClassVar[str] = "AP"
    other_names: ClassVar[tuple[str, ...]] = ("MAP", "average precision", "mean average precision")
    terms: Literal["hits", "ranks"] = "hits"
    denominator: Literal["relevant", "reachable", "listed", "hits", "cutoff"] = "relevant"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        if self.terms == "hits":
            hits = lists.relevant_above + 1
            sums = lists.sums_within(cutoffs, np.where(lists.relevant, hits / lists.ranks, 0.0))
        else:
            sums = _precisions_at_all_ranks(lists, cutoffs)
        return ratio(sums, self._divisors(lists, cutoffs))

    def _divisors(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray:
        if self.denominator == "reachable":
            return np.minimum(column(cutoffs), lists.n_relevant)
        if self.denominator == "listed":
            return np.minimum(filled(lists, cutoffs), lists.n_relevant)
        if self.denominator == "hits":
            return lists.relevant_within(cutoffs)
        return slots(lists, cutoffs) if self.denominator == "cutoff" else lists.n_relevant


def _precisions_at_all_ranks(lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    # A hit at rank r adds 1/r + ... + 1/n: a difference of two harmonic numbers.
    before = np.where(lists.relevant, _harmonic(lists.ranks - 1), 0.0)
    to_the_end = lists.relevant_within(cutoffs) * _harmonic(slots(lists, cutoffs))
    return np.asarray(to_the_end - lists.sums_within(cutoffs, before))


def _harmonic(n: NDArray) -> NDArray[np.float64]:
    return np.asarray(digamma(n + 1.0) + np.euler_gamma)


@dataclass(frozen=True, kw_only=True)
class AverageRecall(Metric):
    r"""Mean of the recalls at all ranks up to the cut-off; its mean over users is MAR.

    .. math:: AverageRecall@n = \frac{1}{n} \sum_{k=1}^{n} \frac{TP@k}{|PR_{test}(u)|}

    Without a cut-off, n is the list's length. With ``terms=hits`` the mean is of the recalls at the
    ranks of the relevant items, as in AP: they are summed, and divided by
    :math:`\min(n, |PR_{test}(u)|)`.

    :Denominator: in the formula
    :Source: Elliot's MAR; ``terms=hits`` is WarpRec's

    Parameters
    ----------
    terms : {"ranks", "hits"}
        See above.
    """

    name: ClassVar[str] = "AverageRecall"
    other_names: ClassVar[tuple[str, ...]] = ("MAR", "mean average recall")
    terms: Literal["ranks", "hits"] = "ranks"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        if self.terms == "hits":
            hits = lists.sums_within(cutoffs, np.where(lists.relevant, lists.relevant_above + 1, 0))
            reachable = np.minimum(column(cutoffs), lists.n_relevant)
            return ratio(hits, reachable * lists.n_relevant)
        # A hit at rank r counts in the recalls at the ranks r to n.
        ends = slots(lists, cutoffs)
        ranks = lists.sums_within(cutoffs, np.where(lists.relevant, lists.ranks, 0))
        return ratio(lists.relevant_within(cutoffs) * (ends + 1) - ranks, ends * lists.n_relevant)


@dataclass(frozen=True, kw_only=True)
class InferredAveragePrecision(Metric):
    r"""Mean over the relevant items of the precision expected at their ranks.

    .. math:: infAP@n = \frac{1}{R} \sum_{i \in PR_{test}(u),\, rank(i) \le n} E[P@rank(i)], \qquad
              E[P@k] = \frac{1}{k} + \frac{k - 1}{k} \frac{r + \epsilon}{r + s + 2 \epsilon}

    with :math:`r` relevant and :math:`s` non-relevant judged items above rank :math:`k` and
    :math:`\epsilon = 10^{-5}`. The form ``trec_eval`` multiplies the second term by
    :math:`(r + s) / (k - 1)`, the share of pooled items above; items with negative grades in TREC's
    judgments are pooled, too. The form ``bellogin`` also does so, without :math:`\epsilon` and
    with :math:`(r + 1) / (r + 1 + s)` as last fraction.

    :Denominator: all relevant test items
    :Source: Yilmaz and Aslam 2008; Valcarce et al. 2020, equations 10 and 11 (infAP2 of the
        released tool); trec_eval's infAP; Bellogín et al. 2017, section 7

    Parameters
    ----------
    form : {"valcarce", "trec_eval", "bellogin"}
        See above.
    """

    name: ClassVar[str] = "infAP"
    form: Literal["valcarce", "trec_eval", "bellogin"] = "valcarce"

    @property
    def refused_under_1r(self) -> bool:
        """Whether the metric needs more of a list than its one relevant item.

        The paper's form assumes that unjudged items are like the judged ones above. Under 1R there
        are none of these, so that half of the ranks above would count as hits.
        """
        return super().refused_under_1r or self.form == "valcarce"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits, judged = lists.relevant_above, lists.judged_above
        if self.form == "bellogin":
            share = judged * (hits + 1.0) / (judged + 1.0)
        else:
            pooled = judged if lists.pooled_above is None else judged + lists.pooled_above
            share = (hits + EPSILON) / (judged + 2.0 * EPSILON)
            share *= lists.ranks - 1 if self.form == "valcarce" else pooled
        expected = np.where(lists.relevant, (1.0 + share) / lists.ranks, 0.0)
        return ratio(lists.sums_within(cutoffs, expected), lists.n_relevant)


@dataclass(frozen=True, kw_only=True)
class BinaryPreference(Metric):
    r"""Share of preferences between relevant and non-relevant judged items that the list keeps.

    .. math:: bpref@n = \frac{1}{R} \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \left(1 - \frac{\min(FP@rank(i),\, R)}{\min(N,\, R)}\right)

    with :math:`R` relevant and :math:`N` non-relevant judged test items. In the form ``bellogin``
    the numerator is :math:`FP@rank(i)` without the minimum, so terms can be negative.

    :Denominator: all relevant test items
    :Source: Buckley and Voorhees 2004; trec_eval's bpref; Valcarce et al. 2020, equation 9;
        Bellogín et al. 2017, section 7 (the form ``bellogin``)

    Parameters
    ----------
    form : {"trec_eval", "bellogin"}
        See above.
    """

    name: ClassVar[str] = "bpref"
    needs_all_judgments: ClassVar[bool] = True
    form: Literal["trec_eval", "bellogin"] = "trec_eval"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        most = lists.n_relevant if self.form == "trec_eval" else np.full(lists.n_lists, np.inf)
        share = 1.0 / np.maximum(1, np.minimum(lists.n_relevant, lists.n_nonrelevant))
        above = np.minimum(lists.judged_above - lists.relevant_above, most[lists.list_of])
        kept = np.where(lists.relevant, 1.0 - above * share[lists.list_of], 0.0)
        return ratio(lists.sums_within(cutoffs, kept), lists.n_relevant)
