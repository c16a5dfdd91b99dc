# SPDX-License-Identifier: MIT
"""The popularity of items in a fold: percentiles, and the most popular items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.splits.split import Fold


def popularity(fold: Fold) -> NDArray[np.int64]:
    """Return the number of users with a training or test rating of each item, :math:`|R(i)|`."""
    n_items = fold.train.shape[1]
    trains = np.bincount(fold.train.indices, minlength=n_items)
    tests = np.bincount(fold.test.items, minlength=n_items)
    return (trains + tests).astype(np.int64)


def popularity_percentiles(fold: Fold, percentiles: int) -> NDArray[np.int16]:
    r"""Partition the items into popularity percentiles of equal size.

    Those with most ratings are in percentile 0. Items of equal popularity are in the order of their
    codes. Sizes differ by at most one. These are the :math:`\mathcal{I}_k` of bellogin2017, section
    6.1.
    """
    n_items = fold.train.shape[1]
    if percentiles > n_items:
        raise ValueError(
            f"{n_items} items cannot be divided into {percentiles} popularity percentiles. Ask for "
            "at most as many percentiles as there are items."
        )
    order = np.argsort(-popularity(fold), kind="stable")
    percentile_of = np.empty(n_items, dtype=np.int16)
    percentile_of[order] = np.arange(n_items) * percentiles // n_items
    return percentile_of


def popular_head(fold: Fold, share: float) -> NDArray[np.bool_]:
    """Mark the most popular items, a share of all, whose number is rounded.

    Items of equal popularity are in the order of their codes. bellogin2017, section 6.3 (the "-10 %
    head" bars of figure 8), after Cremonesi et al. 2010.
    """
    n_items = fold.train.shape[1]
    is_head = np.zeros(n_items, dtype=bool)
    is_head[np.argsort(-popularity(fold), kind="stable")[: round(share * n_items)]] = True
    return is_head
