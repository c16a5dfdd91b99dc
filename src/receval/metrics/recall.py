# SPDX-License-Identifier: MIT
"""Recall, stratified recall and fallout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.judged_items import JudgedItems
from receval.metrics.list_view import ListView
from receval.metrics.metric import Metric, column, ratio


@dataclass(frozen=True, kw_only=True)
class Recall(Metric):
    r"""Share of the relevant test items that the list holds.

    .. math:: Recall@n = \frac{TP@n}{|PR_{test}(u)|}

    :Denominator: all relevant test items of the user; with ``denominator=reachable``
        :math:`\min(n, |PR_{test}(u)|)`
    :Source: trec_eval's recall; valcarce2020, equation 2; LensKit and RecPack's CalibratedRecallK
        have ``denominator=reachable``

    Parameters
    ----------
    denominator : {"relevant", "reachable"}
        See the denominator above.
    """

    name: ClassVar[str] = "Recall"
    denominator: Literal["relevant", "reachable"] = "relevant"

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        wanted: NDArray = lists.n_relevant
        if self.denominator == "reachable":
            wanted = np.minimum(column(cutoffs), wanted)
        return ratio(lists.relevant_within(cutoffs), wanted)


@dataclass(frozen=True, kw_only=True)
class StratifiedRecall(Metric):
    r"""Recall with lower weights for items with more positive ratings.

    .. math:: StratifiedRecall@n =
              \frac{\sum_{i \in PR_{test}(u),\, rank(i) \le n} |PR(i)|^{-\gamma / (\gamma + 1)}}
                   {\sum_{i \in PR_{test}(u)} |PR(i)|^{-\gamma / (\gamma + 1)}}

    :math:`PR(i)` are the positive ratings of the item in the whole dataset, at least one.
    :math:`\gamma = 0` is recall; ``inf`` makes weights inversely proportional to :math:`|PR(i)|`.

    :Denominator: the weights of all relevant test items of the user
    :Source: Steck 2011; bellogin2017, section 7

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

    def check_judged(self, judged: JudgedItems) -> None:
        popularity = self._popularity(judged)
        if judged.relevant.any() and not popularity[judged.relevant].any():
            raise ValueError(
                f"No relevant item has a positive rating in the dataset that {self.name} was told "
                "of: give the DatasetMetadata of these judgments' dataset, with the plays of a "
                "pair summed."
            )

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        judged = lists.judged
        power = 1.0 if np.isinf(self.gamma) else self.gamma / (self.gamma + 1.0)
        popularity = np.maximum(self._popularity(judged), 1).astype(np.float64)
        weights = np.where(judged.relevant, popularity**-power, 0.0)
        found = lists.sums_within(cutoffs, weights[lists.indices])
        return ratio(found, judged.sums(weights)[lists.rows])

    def _popularity(self, judged: JudgedItems) -> NDArray[np.int64]:
        if judged.popularity is None:
            raise ValueError(
                f"{self.name} needs the number of positive ratings of each item: give "
                "DatasetMetadata when the judged ranks are bound to their judgments."
            )
        return judged.popularity


@dataclass(frozen=True, kw_only=True)
class Fallout(Metric):
    r"""Share of the test items judged non-relevant that the list holds.

    .. math:: Fallout@n = \frac{FP@n}{|R_{test}(u) \setminus PR_{test}(u)|}

    :Denominator: all test items of the user that are judged non-relevant
    :Source: menamaldonado2021, section 3
    """

    name: ClassVar[str] = "Fallout"
    less_is_better: ClassVar[bool] = True
    needs_all_judgments: ClassVar[bool] = True

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        return ratio(lists.nonrelevant_within(cutoffs), lists.n_nonrelevant)
