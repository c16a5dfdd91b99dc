# SPDX-License-Identifier: MIT
r"""Compute exact expected metrics on candidates sampled by weight, with replacement.

Let :math:`q_i` be the share of the weights of a user's non-relevant candidates that belongs to the
candidates above a relevant item i. If s candidates are drawn independently, with probabilities
proportional to their weights, :math:`H_i \sim Binomial(s, q_i)` of them are above the item. Judged
ranks give only the number of candidates above it, so :math:`q_i` needs the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from receval.protocols.evaluation import Scorer, in_ranked_precision
from receval.splits.split import Fold
from receval.storage.kernel_cache import njit

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


def weight_shares_above(
    system: Scorer,
    fold: Fold,
    rows: NDArray[np.int64],
    relevant: NDArray[np.bool_],
    weights: NDArray[np.float64],
    priority: NDArray[np.uint32],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the share of a user's candidate weights that is ranked above each relevant item.

    ``rows`` are indices of the test ratings to compute shares for, in ascending order. ``relevant``
    tells of every test rating whether it is relevant; its item is then in no sample of its user.
    Also returned is the number of candidates above the item, as by its rank. Where the item is not
    ranked, the share is NaN and the number -1. If all candidates of a user with a ranked item have
    weight 0, none can be drawn, which is refused.

    Examples
    --------
    Item 2 is relevant. Item 1 is above it, and has a quarter of the weights of items 1 and 3:

    >>> from receval.recommenders.non_personalised import Random
    >>> from receval.splits.split import Judgments
    >>> from receval.data.ratings import summed_matrix
    >>> class Falling:
    ...     def score(self, users):
    ...         return np.tile(np.float32([4, 3, 2, 1]), (len(users), 1))
    >>> fold = Fold(summed_matrix([0], [0], [1], (1, 4)), Judgments.from_pairs([0], [2], [5], 1))
    >>> weight_shares_above(
    ...     Falling(), fold, np.array([0]), np.array([True]), np.array([9.0, 1, 5, 3]),
    ...     np.arange(4, dtype=np.uint32)
    ... )
    (array([0.25]), array([1]))
    """
    shares = np.full(len(rows), np.nan)
    above = np.full(len(rows), -1, dtype=np.int64)
    for users in scored_candidates(system, fold, rows, relevant):
        refuse_without_weight(users, weights, fold.test.users[rows])
        _add_up(*users, weights, priority, shares, above)
    return shares, above


@njit(cache=True)
def _add_up(
    scores: NDArray[np.floating],
    candidates: NDArray[np.bool_],
    asked: NDArray[np.int64],
    owners: NDArray[np.int64],
    items: NDArray[np.int64],
    weights: NDArray[np.float64],
    priority: NDArray[np.uint32],
    shares: NDArray[np.float64],
    above: NDArray[np.int64],
) -> None:
    """Go over the candidates of each user once, for all of the user's test ratings together.

    Weights are still added in the order of the items.
    """
    begin = 0
    while begin < len(asked):
        row = owners[begin]
        end = begin + 1
        while end < len(asked) and owners[end] == row:
            end += 1
        own_scores = scores[row][items[begin:end]]
        own_priority = priority[items[begin:end]]
        counts = np.zeros(end - begin, dtype=np.int64)
        found = np.zeros(end - begin)
        total = 0.0
        for item in range(scores.shape[1]):
            if candidates[row, item]:
                weight = weights[item]
                total += weight
                other = scores[row, item]
                first = priority[item]
                for n in range(end - begin):
                    is_above = (other > own_scores[n]) | (
                        (other == own_scores[n]) & (first < own_priority[n])
                    )
                    counts[n] += is_above
                    found[n] += weight if is_above else 0.0
        for n in range(end - begin):
            if own_scores[n] == own_scores[n]:
                above[asked[begin + n]] = counts[n]
                shares[asked[begin + n]] = found[n] / total
        begin = end


def expected_of_weighted_ranks(
    shares: NDArray[np.float64], tables: NDArray[np.float64], sampled: int
) -> NDArray[np.float64]:
    r"""Return the expected values of functions of the rank among s weighted samples.

    .. math:: E[g(1 + H)] = \sum_h \binom{s}{h} q^h (1 - q)^{s - h}\, g(1 + h)

    The tables, shape (n_ranks, n_functions), have the values by rank, at least s + 2 rows; index 0
    is for an item that is not ranked.

    Examples
    --------
    Each of two samples is above the item with probability one quarter:

    >>> table = np.array([[0.0], [1.0], [0.0], [0.0]])
    >>> expected_of_weighted_ranks(np.array([0.25, np.nan]), table, 2).tolist()
    [[0.5625], [0.0]]
    """
    if len(tables) < sampled + 2:
        raise ValueError(
            f"Among {sampled} samples, an item may have rank {sampled + 1}, but the tables end at "
            f"{len(tables) - 1}. Give the values of all ranks."
        )
    return _expected_binomial(shares, sampled, tables)


@njit(cache=True)
def _expected_binomial(
    shares: NDArray[np.float64], size: int, tables: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the expectations from the mode outwards, by ratios of neighbouring probabilities."""
    n_functions = tables.shape[1]
    expected = np.zeros((len(shares), n_functions))
    for item in range(len(shares)):
        share = shares[item]
        if share != share:
            expected[item] = tables[0]
            continue
        if share <= 0.0 or share >= 1.0:
            expected[item] = tables[1 + (size if share >= 1.0 else 0)]
            continue
        odds = share / (1 - share)
        mode = min(int((size + 1) * share), size)
        total = 1.0
        for column in range(n_functions):
            expected[item, column] = tables[mode + 1, column]
        weight = 1.0
        for hits in range(mode, size):
            weight *= odds * (size - hits) / (hits + 1.0)
            if weight < 1e-20:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * tables[hits + 2, column]
        weight = 1.0
        for hits in range(mode, 0, -1):
            weight *= hits / (odds * (size - hits + 1.0))
            if weight < 1e-20:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * tables[hits, column]
        for column in range(n_functions):
            expected[item, column] /= total
    return expected
