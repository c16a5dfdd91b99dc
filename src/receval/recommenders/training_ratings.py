# SPDX-License-Identifier: MIT
"""What systems train on: ratings from plays, grades of relevance, and clicks.

Systems that treat every pair as positive get only the clicked pairs of data that also have items
that were shown but not clicked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix

GRADES = 5


def relevance_grades(ratings: RatingMatrix, threshold: float) -> RatingMatrix:
    r"""Replace ratings by relevance grades: 0 below the threshold, and 1 for the threshold itself.

    .. math:: g_{ui} = \max(0, r_{ui} - \tau + 1)

    with :math:`\tau` the relevance threshold: on the scale 1 to 5 with threshold 4 the ratings 1
    to 3 become 0, 4 becomes 1 and 5 becomes 2. The released train files of Mena-Maldonado et al.
    (2021) hold these grades, although the paper mentions binary ratings; rated items of grade 0
    stay entries.

    Examples
    --------
    >>> ratings = csr_array(np.array([[1, 3, 4, 5]], dtype=np.float32))
    >>> relevance_grades(ratings, threshold=4).toarray().tolist()
    [[0.0, 0.0, 1.0, 2.0]]
    """
    grades = np.maximum(ratings.data - np.float32(threshold - 1), np.float32(0))
    return csr_array((grades, ratings.indices, ratings.indptr), shape=ratings.shape)


def ratings_from_plays(plays: RatingMatrix) -> RatingMatrix:
    r"""Map each user's numbers of plays to ratings 1 to 5.

    The rating of an item depends on its rank in the distribution of the user's plays:

    .. math:: r_{ui} = \left\lceil 5 \, \frac{\sum_{j : n_{uj} \le n_{ui}} n_{uj}}
                                              {\sum_j n_{uj}} \right\rceil

    so that the items of the last fifth of the plays, ordered by number of plays, get 5, and so on.
    Bellogín et al. (2017, section 3.3) map plays "as in Celma and Herrera (2008)", who grade the
    artists of a user by fifths of the complementary cumulative distribution of plays; the formula
    is our reading of that sentence. Items with equal numbers of plays get equal ratings.

    Examples
    --------
    The first artist has eight of the user's ten plays:

    >>> plays = csr_array(np.array([[8, 1, 1, 0]], dtype=np.float32))
    >>> ratings_from_plays(plays).toarray().tolist()
    [[5.0, 1.0, 1.0, 0.0]]
    """
    if plays.nnz and plays.data.min() <= 0:
        raise ValueError(
            "Numbers of plays must be positive to become ratings, but one of them is "
            f"{plays.data.min():g}."
        )
    users = np.repeat(np.arange(plays.shape[0]), np.diff(plays.indptr))
    counts = plays.data.astype(np.float64)
    order = np.lexsort((counts, users))
    running = np.cumsum(counts[order])
    totals = np.bincount(users, weights=counts, minlength=plays.shape[0])
    before = np.concatenate([[0.0], np.cumsum(totals)[:-1]])
    up_to = running - before[users[order]]
    # Equal numbers of plays share the cumulative sum of the last of them.
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (np.diff(users[order]) != 0) | (np.diff(counts[order]) != 0)
    ends = np.flatnonzero(last)
    up_to = up_to[ends[np.searchsorted(ends, np.arange(len(order)))]]
    ratings = plays.astype(np.float32, copy=True)
    # Sums of integers are exact, so a share on the border of two grades is exact too.
    ratings.data[order] = np.ceil(GRADES * up_to / totals[users[order]])
    return ratings


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
