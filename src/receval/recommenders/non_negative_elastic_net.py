# SPDX-License-Identifier: MIT
"""Non-negative elastic nets of each column on the others, by coordinate descent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit

# Limits the rows of the Gram matrix in memory: 2**28 entries of 4 bytes are 1 GiB, enough for the
# whole matrix of 16,384 items.
GRAM_ENTRIES = 2**28
# Columns of weights solved before zeros are dropped: 16 MiB with that many items.
BLOCK_ITEMS = 256


class GramRows:
    """Rows of the Gram matrix ``R' R``, computed when first needed and cached.

    Parameters
    ----------
    train : csr_array of float32, shape (n_users, n_items)
        R.
    """

    def __init__(self, train: RatingMatrix) -> None:
        n_items = train.shape[1]
        held = max(1, min(n_items, GRAM_ENTRIES // n_items))
        self.train = train
        self.raters = train.T.tocsr()
        self.rows = np.empty((held, n_items), dtype=np.float32)
        self.row_of = np.full(n_items, -1, dtype=np.int32)
        self.item_of = np.full(held, -1, dtype=np.int32)
        self.hand = np.zeros(1, dtype=np.int64)


def solve_columns(
    gram: GramRows,
    allowed: RatingMatrix | None,
    l1: float,
    l2: float,
    tolerance: float,
    sweeps: int,
) -> tuple[RatingMatrix, NDArray[np.float64]]:
    """Solve the problems of `receval.recommenders.slim`, one per column.

    Uses covariance updates: a step reads rows of the Gram matrix, which are computed when first
    needed and dropped in turn if not all fit. Memory: 1 GiB of these rows, the result, and blocks.

    Parameters
    ----------
    gram : GramRows
        Gram matrix of R; several calls may use it one after the other.
    allowed : csr_array or None, shape (n_items, n_items)
        Row i has an entry for every item that may have a weight for item i; None allows all.
    l1, l2, tolerance : float
        As in SLIM.
    sweeps : int
        Maximum number of passes over a column's working set.

    Returns
    -------
    weights : csr_array of float32, shape (n_items, n_items)
        W, with one problem per column.
    objective : ndarray of float64, shape (n_sweeps + 1,)
        Sum over the columns before the first and after every sweep.

    Raises
    ------
    ValueError
        If the rows of the Gram matrix that one column needs do not fit into memory.
    """
    train, raters = gram.train, gram.raters
    n_items = train.shape[1]
    restricted = allowed is not None
    candidates = raters[:0] if allowed is None else allowed
    squares = np.bincount(
        train.indices, weights=np.square(train.data, dtype=np.float64), minlength=n_items
    )
    changes = np.zeros(sweeps + 1)
    changes[0] = squares.sum() / 2
    parts: list[RatingMatrix] = []
    for first in range(0, n_items, BLOCK_ITEMS):
        weights = np.zeros((min(BLOCK_ITEMS, n_items - first), n_items), np.float32)
        solved = _solve_columns(
            first,
            (train.indptr, train.indices, train.data),
            (raters.indptr, raters.indices, raters.data),
            restricted,
            candidates.indptr.astype(np.int32, copy=False),
            candidates.indices.astype(np.int32, copy=False),
            squares,
            l1,
            l2,
            tolerance,
            gram.rows,
            gram.row_of,
            gram.item_of,
            gram.hand,
            changes,
            weights,
        )
        if not solved:
            raise ValueError(
                f"SLIM: the parameter l1 is {l1}, and with it more than {len(gram.rows)} of the "
                f"{n_items} items come into question for one item, more than fit into "
                "memory: choose a larger l1, or a number of neighbours."
            )
        parts.append(csr_array(weights))
    by_target: RatingMatrix = vstack(parts, format="csr")
    objective = np.cumsum(changes[: 1 + np.max(np.flatnonzero(changes), initial=0)])
    return by_target.T.tocsr(), objective


@njit(cache=True)
def _solve_columns(  # type: ignore[no-untyped-def]
    first,
    by_user,
    by_item,
    restricted,
    allowed_starts,
    allowed,
    squares,
    l1,
    l2,
    tolerance,
    gram,
    row_of,
    item_of,
    hand,
    changes,
    weights,
):
    n_items = len(squares)
    held = gram.shape[0]
    most_sweeps = len(changes) - 1
    row, target_row, correlations, gains, local = np.empty((5, n_items), dtype=np.float64)
    member = np.zeros(n_items, dtype=np.bool_)
    working = np.empty(n_items, dtype=np.int32)
    solution = np.zeros(n_items, dtype=np.float64)
    inner = np.empty((64, 64), dtype=np.float32)
    for n in range(weights.shape[0]):
        target = first + n
        if squares[target] == 0.0:
            continue
        threshold = tolerance * squares[target]
        _gram_row(target, by_user, by_item, target_row)
        correlations[:] = target_row
        size = sweep = 0
        objective = 0.5 * squares[target]
        room = 64
        precision = np.inf
        while sweep < most_sweeps:
            # Items with the largest decrease of the objective join the working set.
            candidates = 0
            largest = best = 0.0
            for position in range(
                allowed_starts[target] if restricted else 0,
                allowed_starts[target + 1] if restricted else n_items,
            ):
                item = allowed[position] if restricted else position
                excess = correlations[item] - l1
                if excess > 0.0 and not member[item] and item != target and squares[item] > 0.0:
                    step = excess / (squares[item] + l2)
                    if step * step * squares[item] > threshold:
                        largest = max(largest, step * step * squares[item])
                        best = max(best, step * excess)
                        gains[candidates] = step * excess
                        working[size + candidates] = item
                        candidates += 1
            if candidates == 0 and precision <= threshold:
                break
            # Only as exact as is useful while other items are still to join.
            precision = max(threshold, 0.01 * largest)
            if candidates > room:
                # A threshold of the gain that nearly fills the room, found by bisection.
                kept = 0
                level = 2.0 * best
                while kept < room // 2:
                    level *= 0.5
                    kept = 0
                    for candidate in range(candidates):
                        kept += gains[candidate] >= level
                kept = 0
                for candidate in range(candidates):
                    if gains[candidate] >= level and kept < room:
                        working[size + kept] = working[size + candidate]
                        kept += 1
                candidates = kept
            before = size
            size += candidates
            room = max(room, size)
            if size > held:
                return False
            for position in range(before, size):
                member[working[position]] = True
            if size > inner.shape[0]:
                inner = np.empty((2 * size, 2 * size), dtype=np.float32)
                before = 0
            for position in range(before, size):
                item = working[position]
                if row_of[item] < 0:
                    # Rows are replaced in turn, except those of items in use.
                    while item_of[hand[0]] >= 0 and member[item_of[hand[0]]]:
                        hand[0] = (hand[0] + 1) % held
                    index = hand[0]
                    hand[0] = (index + 1) % held
                    if item_of[index] >= 0:
                        row_of[item_of[index]] = -1
                    item_of[index] = item
                    row_of[item] = index
                    _gram_row(item, by_user, by_item, row)
                    gram[index] = row
            for left in range(size):
                line = gram[row_of[working[left]]]
                for right in range(before if left < before else 0, size):
                    inner[left, right] = line[working[right]]
            for position in range(size):
                local[position] = correlations[working[position]]
            sweep, objective = _descend(
                working[:size],
                inner,
                target_row,
                squares,
                l1,
                l2,
                precision,
                squares[target],
                solution,
                local,
                sweep,
                objective,
                changes,
            )
            correlations[:] = target_row
            for position in range(size):
                item = working[position]
                weight = solution[item]
                if weight != 0.0:
                    line = gram[row_of[item]]
                    for other in range(n_items):
                        correlations[other] -= weight * line[other]
        for position in range(size):
            item = working[position]
            weights[n, item] = solution[item]
            solution[item] = 0.0
            member[item] = False
    return True


@njit(cache=True)
def _gram_row(item, by_user, by_item, row):  # type: ignore[no-untyped-def]
    starts, items, values = by_user
    by_starts, by_users, by_values = by_item
    row[:] = 0.0
    for entry in range(by_starts[item], by_starts[item + 1]):
        user = by_users[entry]
        value = np.float64(by_values[entry])
        # Unsigned positions avoid numba's check for negative indices.
        for position in range(np.uint64(starts[user]), np.uint64(starts[user + 1])):
            row[np.uint64(items[position])] += value * values[position]


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    working, gram, row, squares, l1, l2, threshold, total, weights, local, sweep, objective, changes
):
    size = len(working)
    everyone = True
    while sweep < len(changes) - 1:
        largest = 0.0
        for position in range(size):
            item = working[position]
            old = weights[item]
            if old == 0.0 and not everyone:
                continue
            square = squares[item]
            new = max(0.0, local[position] + square * old - l1) / (square + l2)
            step = new - old
            if step != 0.0:
                weights[item] = new
                largest = max(largest, step * step * square)
                line = gram[position]
                for other in range(size):
                    local[other] -= step * line[other]
        sweep += 1
        reached = total
        for position in range(size):
            item = working[position]
            weight = weights[item]
            reached += weight * (l2 * weight + 2.0 * l1 - row[item] - local[position])
        changes[sweep] += 0.5 * reached - objective
        objective = 0.5 * reached
        if largest <= threshold and everyone:
            break
        everyone = largest <= threshold
    return sweep, objective
