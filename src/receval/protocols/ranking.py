# SPDX-License-Identifier: MIT
"""Compute the ranks of judged items by counting, without sorting the scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.storage.kernel_cache import njit

PADDED = 64
"""Parts of a list begin at multiples of this number, so that they fill whole SIMD vectors."""


@njit(cache=True)
def _count_above(listed: NDArray[np.floating], score: np.floating) -> tuple[np.int32, np.int32]:
    """Count the listed items with a higher score and those with an equal one, ignoring NaN."""
    # Plain comparisons over contiguous memory, which the compiler vectorises. Counts have 32 bits,
    # because numba's default of 64 bits would halve the number of items per vector.
    above = np.int32(0)
    equal = np.int32(0)
    for item in range(len(listed)):
        above = np.int32(above + np.int32(listed[item] > score))
        equal = np.int32(equal + np.int32(listed[item] == score))
    return above, equal


@njit(cache=True)
def _count_ties(
    listed: NDArray[np.floating],
    priority: NDArray[np.uint32],
    score: np.floating,
    own: np.uint32,
) -> np.int32:
    """Count the listed items with the same score as an item that rank above it."""
    ties = np.int32(0)
    for item in range(len(listed)):
        ties = np.int32(ties + np.int32((listed[item] == score) & (priority[item] < own)))
    return ties


@njit(cache=True)
def _count_computable(listed: NDArray[np.floating]) -> np.int32:
    """Count the scores that are not NaN."""
    count = np.int32(0)
    for item in range(len(listed)):
        count = np.int32(count + np.int32(listed[item] == listed[item]))
    return count


@njit(cache=True)
def _heap_positions(
    listed: NDArray[np.floating],
    order: NDArray[np.int64],
    heap: NDArray[np.int64],
    heap_scores: NDArray[np.floating],
    positions: NDArray[np.uint32],
) -> None:
    """Write each listed item's position in the array of a binary min-heap of all listed scores.

    The items are inserted in the given order as in Java's PriorityQueue: each moves up as long as
    its parent is larger.
    """
    size = 0
    for item in order:
        score = listed[item]
        if score != score:
            continue
        position = size
        size += 1
        while position > 0:
            parent = (position - 1) >> 1
            if score >= heap_scores[parent]:
                break
            heap[position] = heap[parent]
            heap_scores[position] = heap_scores[parent]
            position = parent
        heap[position] = item
        heap_scores[position] = score
    for position in range(size):
        positions[heap[position]] = position


@njit(cache=True)
def rank_among_all(
    scores: NDArray[np.floating],
    score_rows: NDArray[np.int64],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    train_indptr: NDArray[np.int64],
    train_items: NDArray[np.int32],
    judged_indptr: NDArray[np.int64],
    judged_items: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    one_relevant: bool,
    heap_order: NDArray[np.int64],
    ranks: NDArray[np.int32],
    lengths: NDArray[np.int32],
    candidates: NDArray[np.int32],
) -> None:
    r"""Rank judged items among all candidates (AN), and fill the last three arguments.

    .. math:: rank(i) = 1 + |\{c : s_c > s_i\}| + |\{c : s_c = s_i, priority(c) < priority(i)\}|

    The candidates are compared with each of the user's few judged items, without sorting.

    ``scores`` are those of a block of users, of shape (n_block, n_items), NaN if not computable.
    ``users`` are ranked for, each by its row of scores. ``is_candidate`` marks the base candidates;
    the kernel excludes the user's training items. Of items with equal scores, the one with the
    smaller priority ranks higher. Training items and judgments are compressed rows. Under 1R
    (``one_relevant``), a list has no other ``relevant`` items.

    ``heap_order`` has the items by priority, if equal scores have the order of the array of a
    min-heap into which the candidates are inserted (LibRec 2.0.0 with whole lists; only for AR). It
    is empty if ties are broken by priority.
    """
    outside = np.empty(len(is_candidate), dtype=np.int64)
    n_outside = 0
    for item in range(len(is_candidate)):
        if not is_candidate[item]:
            outside[n_outside] = item
            n_outside += 1
    listed = np.empty(len(is_candidate), dtype=scores.dtype)
    is_open = is_candidate.copy()
    heap = np.empty(len(heap_order), dtype=np.int64)
    heap_scores = np.empty(len(heap_order), dtype=scores.dtype)
    tie_order = priority.copy()
    for number in range(len(users)):
        user = users[number]
        own_scores = scores[score_rows[number]]
        for item in range(len(listed)):
            listed[item] = own_scores[item]
        for position in range(n_outside):
            listed[outside[position]] = np.nan
        n_open = len(is_candidate) - n_outside
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            item = train_items[entry]
            n_open -= int(is_candidate[item])
            is_open[item] = False
            listed[item] = np.nan
        first, end = judged_indptr[user], judged_indptr[user + 1]
        needs_heap = len(heap_order) > 0
        if one_relevant:
            # A relevant item is not in the list of another one.
            for row in range(first, end):
                item = judged_items[row]
                if relevant[row] and is_open[item]:
                    n_open -= 1
                    listed[item] = np.nan
        for row in range(first, end):
            item = judged_items[row]
            score = own_scores[item]
            ranks[row] = 0
            if is_open[item] and score == score and (relevant[row] or not one_relevant):
                above, equal = _count_above(listed, score)
                # Without ties, neither a second pass, which would take as long as the first, nor a
                # heap is needed. Under AR the count includes the item itself.
                if equal > np.int32(not one_relevant):
                    if needs_heap:
                        _heap_positions(listed, heap_order, heap, heap_scores, tie_order)
                        needs_heap = False
                    above += _count_ties(listed, tie_order, score, tie_order[item])
                ranks[row] = 1 + above
        lengths[user] = _count_computable(listed)
        candidates[user] = n_open
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            is_open[train_items[entry]] = is_candidate[train_items[entry]]


@njit(cache=True)
def rank_among_samples(
    scores: NDArray[np.floating],
    score_rows: NDArray[np.int64],
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
    """Rank judged items among nested samples (NN), and fill the last three arguments.

    The first arguments are those of :func:`rank_among_all`. The samples are compressed rows, in the
    order drawn. Sizes increase; one pass over the largest sample suffices for all. Ranks, lengths
    and candidates have a row per size.
    """
    n_items = len(is_candidate)
    n_sizes = len(sizes)
    in_train = np.zeros(n_items, dtype=np.bool_)
    drawn_at = np.full(n_items, -1, dtype=np.int64)
    # Scores and priorities of the list: under AR the relevant items, and then the sample. The items
    # that each size adds form a separate part, padded with NaN, which ranks above nothing.
    longest = 2 * n_items + PADDED * n_sizes
    listed = np.empty(longest, dtype=scores.dtype)
    listed_priority = np.zeros(longest, dtype=np.uint32)
    parts = np.zeros(n_sizes + 1, dtype=np.int64)
    for number in range(len(users)):
        user = users[number]
        own_scores = scores[score_rows[number]]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = True
        first, end = judged_indptr[user], judged_indptr[user + 1]
        n_relevant = 0
        if not one_relevant:
            for row in range(first, end):
                item = judged_items[row]
                if relevant[row] and is_candidate[item] and not in_train[item]:
                    listed[n_relevant] = own_scores[item]
                    listed_priority[n_relevant] = priority[item]
                    n_relevant += 1
        sample = sample_items[sample_indptr[user] : sample_indptr[user + 1]][: sizes[-1]]
        stop = n_relevant
        taken = 0
        n_ranked = np.int32(0)
        for size_row in range(n_sizes):
            size = min(sizes[size_row], len(sample))
            for position in range(taken, size):
                item = sample[position]
                drawn_at[item] = position
                listed[stop] = own_scores[item]
                listed_priority[stop] = priority[item]
                stop += 1
            taken = size
            while stop % PADDED:
                listed[stop] = np.nan
                stop += 1
            parts[size_row + 1] = stop
            n_ranked += _count_computable(listed[parts[size_row] : stop])
            lengths[size_row, user] = n_ranked
            candidates[size_row, user] = n_relevant + size
        for row in range(first, end):
            item = judged_items[row]
            score = own_scores[item]
            ranks[:, row] = 0
            index = drawn_at[item]
            is_drawn = index >= 0 and not one_relevant
            if not is_candidate[item] or in_train[item] or score != score:
                continue
            if not relevant[row] and not is_drawn:
                continue
            above = np.int32(0)
            n_smaller = 0
            for size_row in range(n_sizes):
                part = listed[parts[size_row] : parts[size_row + 1]]
                higher, equal = _count_above(part, score)
                above += higher
                # Under AR the item is compared with itself, in the first part or where it was
                # drawn.
                if relevant[row]:
                    meets_itself = size_row == 0 and not one_relevant
                else:
                    meets_itself = n_smaller <= index < sizes[size_row]
                if equal > np.int32(meets_itself):
                    priorities = listed_priority[parts[size_row] : parts[size_row + 1]]
                    above += _count_ties(part, priorities, score, priority[item])
                if relevant[row] or index < sizes[size_row]:
                    ranks[size_row, row] = 1 + above
                n_smaller = sizes[size_row]
        for entry in range(train_indptr[user], train_indptr[user + 1]):
            in_train[train_items[entry]] = False
        for position in range(len(sample)):
            drawn_at[sample[position]] = -1
