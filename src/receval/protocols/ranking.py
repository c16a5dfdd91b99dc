"""Ranks of judged items: one pass over the scores, and no ranking is ever sorted."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_NAN_ABOVE = np.uint32(0x7F800000)


@njit(cache=True, inline="always")
def _key(bits: np.uint32, priority: np.uint32) -> np.uint64:
    """Order a float32 score and a tie priority as one integer: the greater ranks higher."""
    if bits & np.uint32(0x80000000):
        # -0.0 equals 0.0, so it must not get a key of its own.
        ordered = np.uint32(0x80000000) - (bits & np.uint32(0x7FFFFFFF))
    else:
        ordered = bits | np.uint32(0x80000000)
    return (np.uint64(ordered) << np.uint64(32)) | np.uint64(np.uint32(0xFFFFFFFF) - priority)


@njit(cache=True, inline="always")
def _count_below(keys: NDArray[np.uint64], n_keys: int, key: np.uint64) -> int:
    """Count the sorted keys that are strictly below a key, without a branch to mispredict."""
    base = 0
    length = n_keys
    while length > 1:
        half = length >> 1
        base += half * np.int64(keys[base + half - 1] < key)
        length -= half
    return base + np.int64(length > 0 and keys[base] < key)


@njit(cache=True, inline="always")
def _computable(bits: np.uint32) -> bool:
    return (bits & np.uint32(0x7FFFFFFF)) <= _NAN_ABOVE


@njit(cache=True)
def rank_among_all(
    score_bits: NDArray[np.uint32],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    one_relevant: bool,
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> None:
    r"""Rank judged items among all candidates (AN); fills the last three arguments.

    .. math:: rank(i) = 1 + |\{c : s_c > s_i\}| + |\{c : s_c = s_i, priority(c) < priority(i)\}|

    Each candidate is placed among the user's few judged items by binary search and counted; a
    running sum of the counts gives all ranks, in ``O(n_items log n_judged)`` a user.

    Parameters
    ----------
    score_bits : ndarray of uint32, shape (n_block, n_items)
        The float32 scores of a block of users, viewed as bits; NaN where not computable.
    users : ndarray of int64, shape (n_block,)
        The users of the block.
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates; a user's training items are taken out here.
    priority : ndarray of uint32, shape (n_items,)
        Among equal scores the smaller ranks higher.
    train_indptr, train_items, judged_indptr, judged_items
        Compressed rows of the training items and of the judgments.
    relevant : ndarray of bool, shape (n_judgments,)
        Used under 1R, where other relevant items do not share the list.
    one_relevant : bool
        True for 1R, False for AR.
    """
    n_items = len(is_candidate)
    open_to_user = is_candidate.copy()
    most = 0
    for block_row in range(len(users)):
        user = users[block_row]
        most = max(most, judged_indptr[user + 1] - judged_indptr[user])
    keys = np.empty(most, dtype=np.uint64)
    rows = np.empty(most, dtype=np.int64)
    above = np.empty(most + 1, dtype=np.int64)
    for block_row in range(len(users)):
        user = users[block_row]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            open_to_user[train_items[entry]] = False
        n_keys = 0
        hidden = 0
        hidden_computable = 0
        for row in range(judged_indptr[user], judged_indptr[user + 1]):
            item = judged_items[row]
            ranks[row] = 0
            if not open_to_user[item]:
                continue
            bits = score_bits[block_row, item]
            if one_relevant and relevant[row]:
                hidden += 1
                hidden_computable += _computable(bits)
            if _computable(bits) and (relevant[row] or not one_relevant):
                keys[n_keys] = _key(bits, priority[item])
                rows[n_keys] = row
                n_keys += 1
        order = np.argsort(keys[:n_keys])
        rows[:n_keys] = rows[:n_keys][order]
        keys[:n_keys] = keys[:n_keys][order]
        above[: n_keys + 1] = 0
        n_open = 0
        n_computable = 0
        for item in range(n_items):
            if open_to_user[item]:
                n_open += 1
                bits = score_bits[block_row, item]
                if _computable(bits):
                    n_computable += 1
                    above[_count_below(keys, n_keys, _key(bits, priority[item]))] += 1
        # above[p] counts the candidates that outrank exactly the p lowest judged items.
        total = 0
        for position in range(n_keys - 1, -1, -1):
            total += above[position + 1]
            # Under 1R the relevant items counted so far do not share this item's list.
            others = (n_keys - 1 - position) if one_relevant else 0
            ranks[rows[position]] = 1 + total - others
        lengths[user] = n_computable - hidden_computable
        candidates[user] = n_open - hidden
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            open_to_user[train_items[entry]] = is_candidate[train_items[entry]]


@njit(cache=True)
def rank_among_samples(
    score_bits: NDArray[np.uint32],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    one_relevant: bool,
    sample_indptr: NDArray[np.int64],
    sample_items: NDArray[np.int32],
    sizes: NDArray[np.int64],
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> None:
    """Rank judged items among nested samples of candidates (NN); fills the last three arguments.

    Parameters
    ----------
    score_bits, users, is_candidate, priority, train_indptr, train_items, judged_indptr,
    judged_items, relevant, one_relevant
        As in :func:`rank_among_all`.
    sample_indptr, sample_items
        Compressed rows of the samples, in the order drawn.
    sizes : ndarray of int64, shape (n_sizes,)
        The sizes wanted, increasing: one pass over the largest sample serves them all.
    ranks : ndarray of int32, shape (n_sizes, n_judgments)
    lengths, candidates : ndarray of int32, shape (n_sizes, n_users)
    """
    n_sizes = len(sizes)
    in_train = np.zeros(len(is_candidate), dtype=np.bool_)
    sampled_at = np.full(len(is_candidate), -1, dtype=np.int64)
    most = 0
    for block_row in range(len(users)):
        user = users[block_row]
        most = max(most, judged_indptr[user + 1] - judged_indptr[user])
    keys = np.empty(most, dtype=np.uint64)
    rows = np.empty(most, dtype=np.int64)
    above = np.empty(most + 1, dtype=np.int64)
    for block_row in range(len(users)):
        user = users[block_row]
        start = sample_indptr[user]
        n_sampled = sample_indptr[user + 1] - start
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = True
        for position in range(n_sampled):
            sampled_at[sample_items[start + position]] = position
        n_keys = 0
        n_relevant = 0
        n_relevant_computable = 0
        for row in range(judged_indptr[user], judged_indptr[user + 1]):
            item = judged_items[row]
            ranks[:, row] = 0
            if not is_candidate[item] or in_train[item]:
                continue
            bits = score_bits[block_row, item]
            if relevant[row]:
                n_relevant += 1
                n_relevant_computable += _computable(bits)
            if _computable(bits) and (
                relevant[row] or (not one_relevant and sampled_at[item] >= 0)
            ):
                keys[n_keys] = _key(bits, priority[item])
                rows[n_keys] = row
                n_keys += 1
        order = np.argsort(keys[:n_keys])
        rows[:n_keys] = rows[:n_keys][order]
        keys[:n_keys] = keys[:n_keys][order]
        above[: n_keys + 1] = 0
        n_listed = 0
        n_computable = 0
        if not one_relevant:
            n_listed = n_relevant
            n_computable = n_relevant_computable
            for position in range(n_keys):
                if relevant[rows[position]]:
                    above[position] += 1
        drawn = 0
        for size_row in range(n_sizes):
            while drawn < min(sizes[size_row], n_sampled):
                item = sample_items[start + drawn]
                bits = score_bits[block_row, item]
                n_listed += 1
                if _computable(bits):
                    n_computable += 1
                    above[_count_below(keys, n_keys, _key(bits, priority[item]))] += 1
                drawn += 1
            total = 0
            for position in range(n_keys - 1, -1, -1):
                total += above[position + 1]
                row = rows[position]
                if relevant[row] or sampled_at[judged_items[row]] < sizes[size_row]:
                    ranks[size_row, row] = 1 + total
            lengths[size_row, user] = n_computable
            candidates[size_row, user] = n_listed
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = False
        for position in range(n_sampled):
            sampled_at[sample_items[start + position]] = -1
