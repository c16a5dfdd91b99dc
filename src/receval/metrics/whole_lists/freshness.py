# SPDX-License-Identifier: MIT
"""How old recommended items are when they are recommended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from receval.metrics.whole_lists.list_metric import ListMetric, RecommendedLists
from receval.metrics.whole_lists.popularity import mean_of_lists

SECONDS_PER_DAY = 86_400.0


def ages_in_days(
    items: NDArray[np.integer], timestamps: NDArray[np.number], n_items: int
) -> NDArray[np.float64]:
    """Return the days from the first of some ratings of each item to the last of all, (n_items,).

    An item without a rating is as new as can be: 0.

    Examples
    --------
    >>> ages_in_days(np.array([0, 1, 0]), np.array([0, 86_400, 172_800]), 3).tolist()
    [2.0, 1.0, 0.0]
    """
    times = timestamps.astype(np.float64)
    now = float(times.max())
    first = np.full(n_items, now)
    np.minimum.at(first, items, times)
    return (now - first) / SECONDS_PER_DAY


@dataclass(frozen=True, kw_only=True)
class ItemAge(ListMetric):
    r"""Mean age of the recommended items, in days: the smaller, the fresher is the list.

    .. math:: ItemAge@k = \frac{1}{|L_u^k|} \sum_{i \in L_u^k} \big(t_{now} - t_i\big)

    Here :math:`t_i` is the time of the first training rating of item i, and :math:`t_{now}`, the
    time of the recommendation, that of the last training rating of all.

    An item without a training rating has the age 0. The ratings need timestamps.

    :Denominator: the length of the list, at most k
    :Source: Sánchez and Bellogín (2018), "Time-aware novelty metrics for recommender systems", who
        scale times to between 0 (the oldest item) and 1
    """

    name: ClassVar[str] = "ItemAge"
    other_names: ClassVar[tuple[str, ...]] = ("freshness", "recency")
    training_needed: ClassVar[bool] = True
    times_needed: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        assert recommended.item_ages is not None
        return mean_of_lists(recommended, recommended.item_ages)
