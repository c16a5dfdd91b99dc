# SPDX-License-Identifier: MIT
"""Equal scores in lists: how many there are, and the order in which a run names them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from receval.protocols.listed_ranks import ListedItems


def equal_scores(listed: ListedItems) -> int:
    """Return how many items have the score of another item of the user's, but for the first."""
    order = np.lexsort((listed.scores, listed.users))
    users, scores = listed.users[order], listed.scores[order]
    return int(((users[1:] == users[:-1]) & (scores[1:] == scores[:-1])).sum())


def in_listed_order(listed: ListedItems) -> ListedItems:
    """Return lists whose scores are places, so that equal scores stand as the run names them.

    Examples
    --------
    >>> entries = np.array([0, 0, 0], dtype=np.int32), np.array([7, 4, 9], dtype=np.int32)
    >>> in_listed_order(ListedItems(*entries, np.array([1.0, 2.0, 1.0]))).scores.tolist()
    [2.0, 3.0, 1.0]
    """
    order = np.lexsort((-listed.scores, listed.users))
    places = np.empty(len(order))
    places[order] = np.arange(len(order), 0, -1)
    return replace(listed, scores=places)
