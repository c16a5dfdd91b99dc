# SPDX-License-Identifier: MIT
"""Metrics that count items in the list: precision, recall, F1, accuracy, hit rate, fallout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import JudgedItems, ListView
from receval.metrics.metric import Metric, column, filled, ratio, slots

Denominator = Literal["cutoff", "filled"]


@dataclass(frozen=True, kw_only=True)
class Precision(Metric):
    r"""Share of relevant items in the list.

    .. math:: P@n = \frac{TP@n}{n}, \qquad P = \frac{TP}{|list|}

    :Denominator: the cut-off, even where the list is shorter, and the list's length if there is no
        cut-off; with ``denominator=filled`` the ranks that the list fills, which for condensed
        lists is :math:`TP + FP` (Mena-Maldonado et al. 2021)
    :Source: trec_eval's P and set_P; Bellogín et al. 2017, section 3.2; Valcarce et al. 2020,
        equation 1

    Parameters
    ----------
    denominator : {"cutoff", "filled"}
        See the denominator above.
    """

    name: ClassVar[str] = "P"
    other_names: ClassVar[tuple[str, ...]] = ("precision", "prec")
    denominator: Denominator = "cutoff"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        length = slots if self.denominator == "cutoff" else filled
        return ratio(lists.relevant_within(cutoffs), length(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class AntiPrecision(Metric):
    r"""Share of items judged non-relevant in the list.

    .. math:: antiP@n = \frac{FP@n}{n}

    :Denominator: as that of P
    :Source: Mena-Maldonado et al. 2021, section 3

    Parameters
    ----------
    denominator : {"cutoff", "filled"}
        As that of P.
    """

    name: ClassVar[str] = "antiP"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True
    denominator: Denominator = "cutoff"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        length = slots if self.denominator == "cutoff" else filled
        return ratio(lists.nonrelevant_within(cutoffs), length(lists, cutoffs))


@dataclass(frozen=True, kw_only=True)
class F1(Metric):
    r"""Harmonic mean of precision and recall.

    .. math:: F1@n = \frac{2\, P@n\, Recall@n}{P@n + Recall@n} = \frac{2\, TP@n}{n + |PR_{test}(u)|}

    :Denominator: the cut-off (without one, the list's length) and all relevant test items
    :Source: Valcarce et al. 2020, equation 3; trec_eval's set_F
    """

    name: ClassVar[str] = "F1"
    other_names: ClassVar[tuple[str, ...]] = ("F", "F1 score", "F measure")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        return ratio(2.0 * hits, slots(lists, cutoffs) + lists.n_relevant)


@dataclass(frozen=True, kw_only=True)
class Accuracy(Metric):
    r"""Share of the candidates that the first ranks put into the right class, relevant or not.

    Here N is the number of candidates of the user, in the list or not.

    .. math:: Accuracy@n = \frac{TP@n + TN@n}{N}, \qquad
              TN@n = N - \min(n, |list|) - |PR_{test}(u)| + TP@n

    Few candidates are relevant, so nearly all systems have a value close to 1. It needs a cut-off
    below N to mean anything.

    :Denominator: in the formula
    :Source: RecTools; Herlocker et al. (2004), section 4.2
    """

    name: ClassVar[str] = "Accuracy"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        counts = _Counts.of(lists, cutoffs)
        return ratio(np.where(lists.lengths > 0, counts.right, 0.0), counts.candidates)


@dataclass(frozen=True, kw_only=True)
class MatthewsCorrelation(Metric):
    r"""Correlation of being relevant with being in the first ranks, over all candidates.

    Here TN is as in :class:`Accuracy`, :math:`FN = |PR_{test}(u)| - TP`, and FP is the number of
    items in the first ranks that are not relevant.

    .. math:: MCC@n = \frac{TP \cdot TN - FP \cdot FN}
              {\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    It is 1 if the first ranks hold all relevant items and no others, and 0 on average for a random
    order, or where the denominator is 0, as without a cut-off below N.

    :Denominator: in the formula
    :Source: RecTools; Matthews (1975)
    """

    name: ClassVar[str] = "MCC"
    other_names: ClassVar[tuple[str, ...]] = ("Matthews correlation coefficient", "phi")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        counts = _Counts.of(lists, cutoffs)
        chosen, relevant = counts.chosen, counts.relevant
        covariance = counts.candidates * counts.hits - chosen * relevant
        others = (counts.candidates - chosen) * (counts.candidates - relevant)
        return ratio(covariance, np.sqrt(np.maximum(chosen * relevant * others, 0.0)))


@dataclass(frozen=True)
class _Counts:
    """The counts of each list at each cut-off that its four classes follow from."""

    hits: NDArray[np.float64]
    chosen: NDArray[np.float64]
    relevant: NDArray[np.int64]
    candidates: NDArray[np.int64]

    @classmethod
    def of(cls, lists: ListView, cutoffs: tuple[int, ...]) -> _Counts:
        hits, chosen = lists.relevant_within(cutoffs), filled(lists, cutoffs)
        return cls(hits, chosen, lists.n_relevant, lists.n_candidates)

    @property
    def right(self) -> NDArray[np.float64]:
        return self.candidates - self.chosen - self.relevant + 2 * self.hits


@dataclass(frozen=True, kw_only=True)
class Recall(Metric):
    r"""Share of the relevant test items that the list holds.

    .. math:: Recall@n = \frac{TP@n}{|PR_{test}(u)|}

    :Denominator: all relevant test items of the user; with ``denominator=reachable``
        :math:`\min(n, |PR_{test}(u)|)`
    :Source: trec_eval's recall; Valcarce et al. 2020, equation 2; LensKit and RecPack's
        CalibratedRecallK have ``denominator=reachable``

    Parameters
    ----------
    denominator : {"relevant", "reachable"}
        See the denominator above.
    """

    name: ClassVar[str] = "Recall"
    other_names: ClassVar[tuple[str, ...]] = ("R",)
    denominator: Literal["relevant", "reachable"] = "relevant"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        wanted: NDArray = lists.n_relevant
        if self.denominator == "reachable":
            wanted = np.minimum(column(cutoffs), wanted)
        return ratio(lists.relevant_within(cutoffs), wanted)


class _OfPositiveRatings(Metric):
    """A metric that weighs relevant items by their positive ratings in the whole dataset."""

    def check_judged(self, judged: JudgedItems) -> None:
        popularity = self._popularity(judged)
        if judged.relevant.any() and not popularity[judged.relevant].any():
            raise ValueError(
                f"No relevant item has a positive rating in the dataset that {self.name} was "
                "given. Give the DatasetMetadata of the dataset of these judgments, with the "
                "plays of each pair summed."
            )

    def _popularity(self, judged: JudgedItems) -> NDArray[np.int64]:
        if judged.popularity is None:
            raise ValueError(
                f"{self.name} needs the number of positive ratings of each item. Give "
                "DatasetMetadata when you bind the judged ranks to their judgments."
            )
        return judged.popularity


@dataclass(frozen=True, kw_only=True)
class StratifiedRecall(_OfPositiveRatings):
    r"""Recall with lower weights for items with more positive ratings.

    .. math:: StratifiedRecall@n =
              \frac{\sum_{i \in PR_{test}(u),\, rank(i) \le n} |PR(i)|^{-\gamma / (\gamma + 1)}}
                   {\sum_{i \in PR_{test}(u)} |PR(i)|^{-\gamma / (\gamma + 1)}}

    :math:`PR(i)` are the positive ratings of the item in the whole dataset, at least one.
    :math:`\gamma = 0` is recall; ``inf`` makes weights inversely proportional to :math:`|PR(i)|`.

    :Denominator: in the formula
    :Source: Steck 2011; Bellogín et al. 2017, section 7

    Parameters
    ----------
    gamma : float
        At least 0; larger values give popular items less weight.

    Raises
    ------
    ValueError
        The dataset's positive ratings are not known (``DatasetMetadata``), or there are none of any
        relevant item.
    """

    name: ClassVar[str] = "StratifiedRecall"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.gamma >= 0:
            raise ValueError(f"The gamma of {self.name} is {self.gamma}; it must be at least 0.")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        judged = lists.judged
        power = 1.0 if np.isinf(self.gamma) else self.gamma / (self.gamma + 1.0)
        popularity = np.maximum(self._popularity(judged), 1).astype(np.float64)
        weights = np.where(judged.relevant, popularity**-power, 0.0)
        found = lists.sums_within(cutoffs, weights[lists.indices])
        return ratio(found, judged.sums(weights)[lists.rows])


@dataclass(frozen=True, kw_only=True)
class IPSHit(_OfPositiveRatings):
    r"""Number of hits, each weighted by the inverse of the item's share of the positive ratings.

    .. math:: IPSHit@n = \sum_{i \in PR_{test}(u),\, rank(i) \le n}
              \min\Big(c,\, \frac{\sum_j |PR(j)|}{|PR(i)|}\Big)

    :math:`PR(i)` are the positive ratings of the item in the whole dataset, at least one.

    :Denominator: none
    :Source: RecPack's IPSHitRateK, fitted on the positive ratings of training and test data

    Parameters
    ----------
    most : float
        The largest weight c, so that items with few ratings do not decide alone.
    """

    name: ClassVar[str] = "IPSHit"
    other_names: ClassVar[tuple[str, ...]] = ("IPS hit rate",)
    most: float = 10_000.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.most > 0:
            raise ValueError(f"The most of {self.name} is {self.most}; it must be above 0.")

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        judged = lists.judged
        popularity = np.maximum(self._popularity(judged), 1)
        weights = np.minimum(self.most, judged.n_positive / popularity)
        return lists.sums_within(cutoffs, np.where(judged.relevant, weights, 0.0)[lists.indices])


@dataclass(frozen=True, kw_only=True)
class Fallout(Metric):
    r"""Share of the test items judged non-relevant that the list holds.

    .. math:: Fallout@n = \frac{FP@n}{|R_{test}(u) \setminus PR_{test}(u)|}

    :Denominator: in the formula
    :Source: Mena-Maldonado et al. 2021, section 3
    """

    name: ClassVar[str] = "Fallout"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.nonrelevant_within(cutoffs), lists.n_nonrelevant)


@dataclass(frozen=True, kw_only=True)
class Hit(Metric):
    r"""Whether the list has a relevant item; its mean over users is the hit rate.

    .. math:: Hit@n = \min(1, TP@n)

    With ``form=count`` it is :math:`TP@n`, the number of hits. It equals Recall where every user
    has one relevant test item.

    :Denominator: none
    :Source: trec_eval's success; Deshpande and Karypis 2004 (the hit rate); RecPack's HitK is
        ``form=count``

    Parameters
    ----------
    form : {"indicator", "count"}
        See above.
    """

    name: ClassVar[str] = "Hit"
    other_names: ClassVar[tuple[str, ...]] = (
        "hit rate",
        "hit ratio",
        "HR",
        "success",
        "hits(form=count)",
    )
    form: Literal["indicator", "count"] = "indicator"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        hits = lists.relevant_within(cutoffs)
        return hits.copy() if self.form == "count" else (hits > 0).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class RPrecision(Metric):
    r"""Precision at the number of relevant items, where it equals recall.

    .. math:: Rprec@n = \frac{TP@\min(n, R)}{R}, \qquad R = |PR_{test}(u)|

    :Denominator: all relevant test items of the user
    :Source: trec_eval's Rprec, which has no cut-off; Microsoft recommenders' r_precision_at_k
    """

    name: ClassVar[str] = "Rprec"
    other_names: ClassVar[tuple[str, ...]] = ("R-precision",)

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        counted = lists.relevant & (lists.ranks <= lists.n_relevant[lists.list_of])
        return ratio(lists.sums_within(cutoffs, counted), lists.n_relevant)
