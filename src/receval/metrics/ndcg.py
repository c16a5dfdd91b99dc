"""Normalised discounted cumulative gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.metrics.metric import Metric, ratio

Gain = Literal["rating", "binary", "exponential", "relevant"]
Ideal = Literal["cut", "all"]


@dataclass(frozen=True, kw_only=True)
class NDCG(Metric):
    r"""Discounted gain of the list over that of the best possible list.

    .. math::
        nDCG@n = \frac{DCG@n}{IDCG@n}, \qquad
        DCG@n = \sum_{k=1}^{n} \frac{g(r_k)}{\log_2(k + 1)}

    (Jaervelin and Kekaelaeinen 2002.) The ideal list holds the user's judged test items by
    descending gain. Users whose test items have no gain score 0.

    Parameters
    ----------
    gain : {"rating", "binary", "exponential", "relevant"}
        :math:`g(r) = r` for every judged item, also below the relevance threshold (trec_eval);
        1 for relevant items; :math:`2^r - 1`; or :math:`r` for relevant items and 0 for others
        (bellogin2017, section 6.3).
    ideal : {"cut", "all"}
        Whether the ideal list ends at the cut-off (trec_eval's ``ndcg_cut``) or holds all judged
        test items (``ndcg`` of a run that was cut).
    """

    name: ClassVar[str] = "nDCG"
    gain: Gain = "rating"
    ideal: Ideal = "cut"

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter, accepted in (
            ("gain", ("rating", "binary", "exponential", "relevant")),
            ("ideal", ("cut", "all")),
        ):
            value = getattr(self, parameter)
            if value not in accepted:
                raise ValueError(
                    f"The {parameter} of nDCG is {value!r}; it must be one of "
                    f"{', '.join(accepted)}."
                )

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        gains = self._gains(lists)
        discounts = 1.0 / np.log2(np.maximum(lists.ranks, 1) + 1.0)
        gained = lists.sums_above(cutoffs, gains * discounts)
        order, positions = lists.by_value
        ideal_gains = np.empty_like(gains)
        ideal_gains[order] = gains[order] / np.log2(positions + 1.0)
        if self.ideal == "all":
            return ratio(gained, lists.totals(ideal_gains))
        ideal_ranks = np.empty_like(lists.ranks)
        ideal_ranks[order] = positions
        ideal_lists = ListView(
            lists.n_lists,
            lists.owner,
            ideal_ranks,
            lists.lengths,
            lists.values,
            lists.relevant,
        )
        return ratio(gained, ideal_lists.sums_above(cutoffs, ideal_gains))

    def _gains(self, lists: ListView) -> NDArray[np.float64]:
        ratings = lists.values.astype(np.float64)
        if self.gain == "rating":
            return ratings
        if self.gain == "exponential":
            return np.exp2(ratings) - 1.0
        return np.where(lists.relevant, ratings if self.gain == "relevant" else 1.0, 0.0)
