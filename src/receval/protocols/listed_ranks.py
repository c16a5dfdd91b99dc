# SPDX-License-Identifier: MIT
"""Judged ranks from given lists of recommendations, without scores of all items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import base_candidates
from receval.protocols.evaluation import tie_priority
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import GeneratorFor
from receval.splits.split import Fold
from receval.storage.kernel_cache import njit
from receval.top_lists import NO_ITEM, TopLists

_LAST_MARK = 2**16 - 1 - 2 * 3
"""A user after this mark could still have three marks of 16 bits."""

_SHORT = 256
"""Lists of at most so many items are sorted by insertion, since most are nearly in order."""


@dataclass(frozen=True)
class ListedItems:
    """The items that a system recommends, with one entry per user and item; no pair occurs twice.

    Codes are those of the fold. Higher scores are better, and none is NaN. ``given`` are
    the scores of the system where positions stand for them.
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    scores: NDArray[np.floating]
    given: NDArray[np.floating] | None = None

    def __len__(self) -> int:
        return len(self.users)

    def ends(self, n_users: int) -> NDArray[np.int64]:
        """Return where the entries of each user begin once they are by user, and the last ends."""
        counts = _counts_of_codes(self.users, n_users)
        return np.concatenate([[0], np.cumsum(counts)])


@dataclass(frozen=True)
class RankedLists:
    """Lists with the best item first: that of user u is ``items[starts[u]:starts[u + 1]]``.

    Codes are those of the fold.
    """

    starts: NDArray[np.int64]
    items: NDArray[np.int32]

    def ends(self, n_users: int) -> NDArray[np.int64]:
        """Return ``starts``, as :meth:`ListedItems.ends` does."""
        assert len(self.starts) == n_users + 1
        return self.starts


class RepeatedItemError(ValueError):
    """A list has an item twice."""


def rank_listed(
    listed: ListedItems | RankedLists,
    fold: Fold,
    protocol: Protocol,
    generator_for: GeneratorFor,
    threshold: float | None = None,
) -> JudgedRanks:
    """Rank the judged items of a fold within given lists.

    Items that are not listed count as not ranked. The user's training items, and items that are no
    base candidates, are removed from the lists, and the items below move up. The result equals that
    of :func:`receval.protocols.evaluation.rank_judged` with NaN as score of all items that are not
    listed.

    The protocol must rank all candidates (AN), without percentiles and with non-computable items
    unranked: a list lacks the scores of sampled items that are not in it. Other protocols are
    refused.

    Examples
    --------
    Item 0 is a training item of the user; the second of the other three is judged:

    >>> from receval.data.ratings import summed_matrix
    >>> from receval.seeds import generator
    >>> from receval.splits.split import Judgments
    >>> train = summed_matrix(np.array([0]), np.array([0]), np.ones(1), shape=(1, 5))
    >>> fold = Fold(train, test=Judgments.from_pairs([0], [3], [5], n_users=1))
    >>> listed = ListedItems(
    ...     users=np.zeros(4, dtype=np.int32),
    ...     items=np.array([0, 1, 3, 2], dtype=np.int32),
    ...     scores=np.array([9.0, 8.0, 7.0, 6.0]),
    ... )
    >>> judged = rank_listed(listed, fold, Protocol(), lambda *names: generator(1, *names))
    >>> judged.ranks.tolist(), judged.lengths.tolist(), judged.candidates.tolist()
    ([2], [3], [4])
    """
    protocol = protocol.with_threshold(threshold)
    if (
        protocol.sampled is not None
        or protocol.percentiles is not None
        or protocol.head_removed is not None
        or protocol.non_computable != "none"
        or protocol.ties == "librec"
    ):
        raise ValueError(
            f"Lists cannot be ranked under {protocol.name}, because it needs the scores of items "
            "that are not in the lists. Choose AR or 1R with all non-relevant candidates (AN)."
        )
    judgments = fold.test
    n_users, n_items = fold.train.shape
    is_base = base_candidates(protocol, fold, judgments)
    ranked = _ranked_users(fold, protocol)

    items = listed.items
    if isinstance(listed, ListedItems):
        order = _order(listed, fold, protocol, generator_for)
        items = items if order is None else items[order]
    ranks, lengths, repeat = _ranks_within_lists(
        listed.ends(n_users),
        _without_sign(items),
        is_base,
        ranked,
        fold.train.indptr.astype(np.int64),
        _without_sign(fold.train.indices),
        judgments.indptr,
        _without_sign(judgments.items),
    )
    if repeat >= 0:
        raise RepeatedItemError(f"A list has the item {items[repeat]} twice.")
    candidates = np.where(ranked, is_base.sum() - _base_in_train(fold, is_base), 0)
    if protocol.relevant == "AR":
        return JudgedRanks(ranks, lengths.astype(np.int32), candidates.astype(np.int32))
    judged_keys = judgments.users.astype(np.int64) * n_items + judgments.items
    train_keys = _keys_of_rows(fold.train.indptr, fold.train.indices, n_items)
    return _one_by_one(ranks, lengths, candidates, is_base, train_keys, judged_keys, fold, protocol)


def first_listed(
    listed: ListedItems,
    fold: Fold,
    protocol: Protocol,
    generator_for: GeneratorFor,
    n: int,
) -> TopLists:
    """Return the first n items of the given lists of all users, without training items.

    The lists have the order and the candidates of :func:`rank_listed`, but also those of users
    without judgments are returned.

    Examples
    --------
    >>> from receval.data.ratings import summed_matrix
    >>> from receval.seeds import generator
    >>> from receval.splits.split import Judgments
    >>> train = summed_matrix(np.array([0]), np.array([0]), np.ones(1), shape=(1, 3))
    >>> fold = Fold(train, test=Judgments.from_pairs([0], [2], [5], n_users=1))
    >>> listed = ListedItems(
    ...     users=np.zeros(3, dtype=np.int32),
    ...     items=np.array([0, 1, 2], dtype=np.int32),
    ...     scores=np.array([9.0, 7.0, 8.0]),
    ... )
    >>> first_listed(listed, fold, Protocol(), lambda *n: generator(1, *n), 5).items.tolist()
    [[2, 1, -1, -1, -1]]
    """
    is_base = base_candidates(protocol, fold, fold.test)
    train_keys = _keys_of_rows(fold.train.indptr, fold.train.indices, fold.train.shape[1])
    ranked = np.ones(fold.train.shape[0], dtype=bool)
    if protocol.candidates == "train":
        ranked = np.diff(fold.train.indptr) > 0
    users, items, scores = _listed_candidates(
        listed, fold, protocol, generator_for, is_base, train_keys, ranked
    )
    starts = np.searchsorted(users, np.arange(len(ranked)))
    positions = np.arange(len(users)) - starts[users]
    is_first = positions < n
    codes = np.flatnonzero(ranked).astype(np.int64)
    rows = (np.cumsum(ranked) - 1)[users[is_first]]
    first = np.full((len(codes), n), NO_ITEM, dtype=np.int32)
    best = np.full((len(codes), n), np.nan)
    first[rows, positions[is_first]] = items[is_first]
    best[rows, positions[is_first]] = scores[is_first]
    return TopLists(codes, first, best)


def _ranked_users(fold: Fold, protocol: Protocol) -> NDArray[np.bool_]:
    """Return which users are ranked for."""
    ranked = np.diff(fold.test.indptr) > 0
    if protocol.candidates == "train":
        ranked &= np.diff(fold.train.indptr) > 0
    return np.asarray(ranked)


def _listed_candidates(
    listed: ListedItems,
    fold: Fold,
    protocol: Protocol,
    generator_for: GeneratorFor,
    is_base: NDArray[np.bool_],
    train_keys: NDArray[np.int64],
    ranked: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.floating]]:
    """Return users, items and scores of the listed candidates, by user with the best first."""
    order = _order(listed, fold, protocol, generator_for)
    users, items = listed.users, listed.items
    scores = listed.scores if listed.given is None else listed.given
    if order is not None:
        users, items, scores = users[order], items[order], scores[order]
    keys = users.astype(np.int64) * fold.train.shape[1] + items
    stays = is_base[items] & ranked[users] & ~_found(keys, train_keys)
    return users[stays], items[stays], scores[stays]


def _one_by_one(
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int64],
    candidates: NDArray[np.int64],
    is_base: NDArray[np.bool_],
    train_keys: NDArray[np.int64],
    judged_keys: NDArray[np.int64],
    fold: Fold,
    protocol: Protocol,
) -> JudgedRanks:
    """Return the ranks under 1R: each relevant item among the non-relevant candidates only."""
    judgments = fold.test
    n_users = len(lengths)
    assert protocol.threshold is not None
    relevant = judgments.values >= protocol.threshold
    is_listed = relevant & (ranks > 0)
    chosen = np.flatnonzero(is_listed)
    by_rank = chosen[np.lexsort((ranks[chosen], judgments.users[chosen]))]
    counts = np.bincount(judgments.users[by_rank], minlength=n_users)
    above = np.arange(len(by_rank)) - (np.cumsum(counts) - counts)[judgments.users[by_rank]]
    alone = np.zeros_like(ranks)
    alone[by_rank] = ranks[by_rank] - above
    reachable = relevant & is_base[judgments.items] & ~_found(judged_keys, train_keys)
    others = candidates - np.bincount(judgments.users[reachable], minlength=n_users)
    return JudgedRanks(
        alone,
        (lengths - counts).astype(np.int32),
        np.maximum(others, 0).astype(np.int32),
    )


def _order(
    listed: ListedItems, fold: Fold, protocol: Protocol, generator_for: GeneratorFor
) -> NDArray[np.int64] | None:
    """Return the order of entries by user with the best first, or None if they are in it."""
    priority = tie_priority(protocol, fold, generator_for)
    entries = (listed.users, listed.items, listed.scores, priority)
    if _are_in_order(*entries):
        return None
    order = _order_of_short_lists(listed.ends(fold.train.shape[0]), *entries)
    if not len(order):
        order = np.lexsort((priority[listed.items], -listed.scores, listed.users))
    return order


def _without_sign(codes: NDArray[np.integer]) -> NDArray[np.uint32]:
    """Return codes as numbers without a sign, by which compiled loops find places faster."""
    return np.ascontiguousarray(codes, dtype=np.int32).view(np.uint32)


@njit(cache=True)
def _counts_of_codes(codes: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return how often each code below n occurs; codes that occur in runs are counted fast."""
    counts = np.zeros(n, dtype=np.int64)
    begin = 0
    for row in range(1, len(codes) + 1):
        if row == len(codes) or codes[row] != codes[begin]:
            counts[codes[begin]] += row - begin
            begin = row
    return counts


@njit(cache=True)
def _are_in_order(
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    scores: NDArray[np.float64],
    priority: NDArray[np.uint32],
) -> bool:
    """Tell whether entries are by user, with the best first."""
    for row in range(1, len(users)):
        if users[row] > users[row - 1]:
            continue
        if users[row] < users[row - 1] or scores[row] > scores[row - 1]:
            return False
        if scores[row] == scores[row - 1] and priority[items[row]] < priority[items[row - 1]]:
            return False
    return True


@njit(cache=True)
def _order_of_short_lists(
    starts: NDArray[np.int64],
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    scores: NDArray[np.float64],
    priority: NDArray[np.uint32],
) -> NDArray[np.int64]:
    """Return the order of entries with the best of each user first; empty unless it is found fast.

    The entries of a user must stand together, and be few enough to be sorted by insertion.
    """
    order = np.full(len(users), -1, dtype=np.int64)
    first = end = 0
    for row in range(len(users)):
        if row == 0 or users[row] != users[row - 1]:
            first = end = starts[users[row]]
            if order[first] >= 0:
                return order[:0]
        if end - first >= _SHORT:
            return order[:0]
        place = end
        end += 1
        while place > first:
            above = order[place - 1]
            if scores[above] > scores[row] or (
                scores[above] == scores[row] and priority[items[above]] <= priority[items[row]]
            ):
                break
            order[place] = above
            place -= 1
        order[place] = row
    return order


@njit(cache=True)
def _ranks_within_lists(
    starts: NDArray[np.int64],
    items: NDArray[np.uint32],
    is_base: NDArray[np.bool_],
    ranked: NDArray[np.bool_],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.uint32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.uint32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Return the ranks of judged items in lists, 0 for those not in them, and the lists' lengths.

    Items that are no base candidates, or training items of the user, do not count. The third is a
    row whose item is that of an earlier row of the same user, or -1 without any.
    """
    ranks = np.zeros(len(judged_items), dtype=np.int32)
    lengths = np.zeros(len(starts) - 1, dtype=np.int64)
    repeat = -1
    # Marks hold what an item is for the present user, and are below `judged_mark` for all others
    # before. So a listed item needs one look-up, in little memory, and nothing is cleared.
    marks = np.zeros(len(is_base), dtype=np.uint16)
    all_base = is_base.all()
    judged_mark = np.uint16(0)
    for user in range(len(starts) - 1):
        if judged_mark > _LAST_MARK:
            marks[:] = 0
            judged_mark = np.uint16(0)
        judged_mark = np.uint16(judged_mark + 3)
        trained_mark, listed_mark = np.uint16(judged_mark + 1), np.uint16(judged_mark + 2)
        listed = items[starts[user] : starts[user + 1]]
        judged = judged_items[judged_indptr[user] : judged_indptr[user + 1]]
        own_ranks = ranks[judged_indptr[user] : judged_indptr[user + 1]]
        if ranked[user]:
            for item in judged:
                if is_base[item]:
                    marks[item] = judged_mark
            for item in train_items[train_indptr[user] : train_indptr[user + 1]]:
                marks[item] = trained_mark
        rank = 0
        for row in range(len(listed)):
            item = listed[row]
            mark = marks[item]
            marks[item] = listed_mark
            if mark < judged_mark:
                if all_base or is_base[item]:
                    rank += 1
            elif mark == judged_mark:
                rank += 1
                # Judged items ascend, so that halving what is left finds one of them.
                low, high = 0, len(judged)
                while high - low > 1:
                    middle = (low + high) >> 1
                    if judged[middle] <= item:
                        low = middle
                    else:
                        high = middle
                own_ranks[low] = rank
            elif mark == listed_mark:
                repeat = starts[user] + row
        if ranked[user]:
            lengths[user] = rank
    return ranks, lengths, repeat


def _keys_of_rows(
    indptr: NDArray[np.integer], columns: NDArray[np.integer], n_columns: int
) -> NDArray[np.int64]:
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    return rows * n_columns + columns


def _found(keys: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which keys are among some ascending keys."""
    if not len(ascending):
        return np.zeros(len(keys), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    return np.asarray(ascending[places] == keys)


def _base_in_train(fold: Fold, is_base: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of base candidates that are training items of each user."""
    if is_base.all():
        return np.diff(fold.train.indptr).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(is_base[fold.train.indices])])
    return np.diff(before[fold.train.indptr])
