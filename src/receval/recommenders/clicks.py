# SPDX-License-Identifier: MIT
"""Clicks or likes with shown items that were not clicked, and the systems that can use these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

LEARN_FROM_NEGATIVES = (
    "AverageRating",
    "BiasedMF",
    "CentredItemNeighbourhood",
    "CentredNeighbourhood",
    "ListRankMF",
    "SVDPlusPlus",
)
"""Classes of receval for which a low value means that a user does not like an item."""


def are_clicks(values: NDArray[np.floating] | NDArray[np.integer]) -> bool:
    """Return whether there are two distinct values, only one of them positive, such as 1 and 0.

    Examples
    --------
    >>> are_clicks(np.array([0.0, 1.0])), are_clicks(np.array([1.0, 1.0]))
    (True, False)
    """
    if not len(values):
        return False
    low, high = values.min(), values.max()
    return bool(low <= 0 < high and ((values == low) | (values == high)).all())


def takes_all_as_positive(system: Any) -> bool:
    """Return whether a system of receval treats every training pair as positive.

    Parameters
    ----------
    system : object
        Custom classes are not restricted: they get all pairs.
    """
    own, ours = type(system), "receval.recommenders."
    return (
        own.__module__.startswith(ours)
        and not own.__module__.startswith(f"{ours}adapters.")
        and own.__name__ not in LEARN_FROM_NEGATIVES
    )


def clicked_training(system: Any, train: csr_array) -> csr_array:
    """Return the training pairs of a system, without unclicked ones if it needs only positives.

    Systems that treat every pair as positive would treat shown but unclicked items as clicked.
    Ratings, counts, and data with only clicks are returned unchanged.

    Parameters
    ----------
    system : object
    train : csr_array, shape (n_users, n_items)

    Examples
    --------
    >>> from receval.recommenders.non_personalised import AverageRating, Popularity
    >>> shown = csr_array((np.array([1.0, 0.0]), ([0, 0], [0, 1])), shape=(1, 2))
    >>> [clicked_training(own, shown).nnz for own in (Popularity(), AverageRating())]
    [1, 2]
    """
    if not (takes_all_as_positive(system) and are_clicks(train.data)):
        return train
    positive = csr_array(train, copy=True)
    positive.data[positive.data <= 0] = 0
    positive.eliminate_zeros()
    return positive
