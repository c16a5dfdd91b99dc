# SPDX-License-Identifier: MIT
"""Scores of all candidates for the users of given test ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.protocols.evaluation import Scorer, in_ranked_precision
from receval.splits.split import Fold

_USERS = 512
"""Number of users scored at a time."""


class ScoredCandidates(NamedTuple):
    """Some users with their candidates and their requested test ratings.

    ``scores`` and ``candidates`` have a row per user and a column per item; candidates are all
    items except the user's training items and relevant test items. For each test rating, ``asked``
    is its position among all that are requested, and ``owners`` the row of its user.
    """

    scores: NDArray[np.floating]
    candidates: NDArray[np.bool_]
    asked: NDArray[np.int64]
    owners: NDArray[np.int64]
    items: NDArray[np.int64]


def scored_candidates(
    system: Scorer, fold: Fold, rows: NDArray[np.int64], relevant: NDArray[np.bool_]
) -> Iterator[ScoredCandidates]:
    """Yield the scored candidates of the users of some test ratings, in blocks of users.

    ``rows`` are the requested test ratings of the fold, in ascending order. ``relevant`` marks the
    relevant ones among all; relevant items are no candidates of their user.

    Examples
    --------
    >>> from receval.data.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> class Falling:
    ...     def score(self, users):
    ...         return np.tile(np.float32([4, 3, 2, 1]), (len(users), 1))
    >>> fold = Fold(summed_matrix([0], [0], [1], (1, 4)), Judgments.from_pairs([0], [2], [5], 1))
    >>> (only,) = scored_candidates(Falling(), fold, np.array([0]), np.array([True]))
    >>> only.candidates.tolist(), only.items.tolist()
    ([[False, True, False, True]], [2])
    """
    if (np.diff(rows) < 0).any():
        raise ValueError("Test ratings must be requested in ascending order. Sort their rows.")
    owners = fold.test.users[rows].astype(np.int64)
    everybody = np.unique(owners)
    entries = np.flatnonzero(relevant)
    entry_owners = fold.test.users[entries]
    for start in range(0, len(everybody), _USERS):
        users = everybody[start : start + _USERS]
        asked = np.arange(*np.searchsorted(owners, [users[0], users[-1] + 1]))
        scores = in_ranked_precision(system.score(users))
        candidates = np.ones(scores.shape, dtype=np.bool_)
        trained = fold.train[users]
        candidates[np.repeat(np.arange(len(users)), np.diff(trained.indptr)), trained.indices] = 0
        near = slice(*np.searchsorted(entry_owners, [users[0], users[-1] + 1]))
        own = np.isin(entry_owners[near], users)
        barred = fold.test.items[entries[near][own]]
        candidates[np.searchsorted(users, entry_owners[near][own]), barred] = 0
        yield ScoredCandidates(
            scores,
            candidates,
            asked,
            np.searchsorted(users, owners[asked]),
            fold.test.items[rows[asked]].astype(np.int64),
        )


def refuse_without_weight(
    users: ScoredCandidates, weights: NDArray[np.float64], names: NDArray[np.integer]
) -> None:
    """Refuse weights with which no candidate could be drawn for a ranked item.

    ``names`` are the users of all requested test ratings.
    """
    totals = users.candidates @ weights
    is_ranked = ~np.isnan(users.scores[users.owners, users.items])
    lost = users.asked[is_ranked & ~(totals[users.owners] > 0)]
    if len(lost):
        raise ValueError(
            f"No candidate of the user {names[lost[0]]} has a weight above 0, so none can be drawn "
            "by weight. Give items without training ratings a weight, too."
        )
