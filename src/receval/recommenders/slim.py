# SPDX-License-Identifier: MIT
"""Sparse linear methods (SLIM): an item's ratings as a sparse sum of other items' ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from scipy.sparse import csr_array, vstack

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import AtLeastOne, NonNegative, Positive, Whole
from receval.recommenders.neighbourhood import nearest_rows_for
from receval.recommenders.products import LinearModel, csr_parts
from receval.storage.kernel_cache import njit

# Limits the rows of the Gram matrix in memory: 2**28 entries of 4 bytes are 1 GiB, enough for the
# whole matrix of 16,384 items.
GRAM_ENTRIES = 2**28
# Columns of weights solved before zeros are dropped: 16 MiB with that many items.
BLOCK_ITEMS = 256


@dataclass(eq=False, repr=False)
class SLIM(LinearModel):
    """A sparse linear model: the rating vector of an item regressed on those of the others.

    ``s(u, i) = sum_j r_uj w_ji``, where column i of W minimises

    ``1/2 |r_i - R w|^2 + l2/2 |w|^2 + l1 |w|_1`` subject to ``w >= 0``, ``w_i = 0``,

    with missing ratings as 0. The objective has sums, not means, so l1 and l2 are in squared
    ratings, and the same l1 is a heavier penalty for items with few ratings. (scikit-learn's
    ElasticNet divides the first term by the number of users: its ``alpha`` is ``(l1 + l2) /
    n_users``, its ``l1_ratio`` ``l1 / (l1 + l2)``.)

    Every column is solved separately by coordinate descent with covariance updates: steps read only
    the Gram matrix ``R' R``. Descent runs on a working set of items, first those with nonzero
    weights; items whose step would be large join until none is left. A column is done when no step
    d of any item j has ``d^2 |r_j|^2 > tolerance |r_i|^2`` or after the given number of sweeps.

    At most 1 GiB of the Gram matrix is in memory at a time.

    Parameters
    ----------
    l1, l2 : float
        At least 0, in squared ratings.
    neighbours : int or None
        At least 1: only this many items, those with the largest cosine of the full rating vectors,
        may have a weight (fsSLIM); None allows all items.
    tolerance : float
        Above 0.
    sweeps : int
        Maximum number of passes over a column's working set, at least 1.

    Attributes
    ----------
    objective_ : ndarray of float64, shape (n_sweeps + 1,)
        The objective, summed over the columns, with W = 0 and after every sweep (columns that are
        done keep their value); it never increases, except for rounding.

    Raises
    ------
    ValueError
        In ``fit``, if the Gram matrix rows of the working set of one item do not fit into memory.

    References
    ----------
    Ning and Karypis, "SLIM: Sparse Linear Methods for Top-N Recommender Systems", ICDM 2011,
    equation 4 and section IV-C (fsSLIM). Covariance updates and active sets: Friedman, Hastie and
    Tibshirani, "Regularization Paths for Generalized Linear Models via Coordinate Descent",
    Journal of Statistical Software 2010, section 2.

    Examples
    --------
    Two groups of users share no item. The best unrated item of the first user is from the group of
    this user:

    >>> train = csr_array(np.kron(np.eye(2), [[5, 4, 0], [4, 5, 3], [5, 3, 4]]))
    >>> scores = SLIM(l1=0.1, l2=1.0).fit(train).score(np.array([0]))[0]
    >>> int(np.nanargmax(scores[2:])) + 2
    2
    """

    SHARED_OVER = ("l1", "l2", "neighbours", "tolerance", "sweeps")

    l1: NonNegative = 1.0
    l2: NonNegative = 1000.0
    neighbours: Annotated[int | None, Whole(1)] = None
    tolerance: Positive = 1e-5
    sweeps: AtLeastOne = 1000

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        gram = GramRows(train)
        numbers = [model.neighbours for model in models if model.neighbours is not None]
        nearest = iter(nearest_rows_for(train.T.tocsr(), numbers) if numbers else ())
        for model in models:
            allowed = None if model.neighbours is None else next(nearest)
            model._solve(gram, allowed)

    def _solve(self, gram: GramRows, allowed: RatingMatrix | None) -> None:
        """Solve the problem of each column, in blocks of columns.

        Uses covariance updates: a step reads rows of the Gram matrix, which are computed when first
        needed and dropped in turn if not all fit. Row i of the allowed items has an entry for every
        item that may have a weight for item i; None allows all.
        """
        train, raters = gram.train, gram.raters
        n_items = self.n_items_
        candidates = raters[:0] if allowed is None else allowed
        squares = np.bincount(
            train.indices, weights=np.square(train.data, dtype=np.float64), minlength=n_items
        )
        changes = np.zeros(self.sweeps + 1)
        changes[0] = squares.sum() / 2
        parts: list[RatingMatrix] = []
        for first in range(0, n_items, BLOCK_ITEMS):
            weights = np.zeros((min(BLOCK_ITEMS, n_items - first), n_items), np.float32)
            solved = _solve_columns(
                first,
                csr_parts(train),
                csr_parts(raters),
                allowed is not None,
                candidates.indptr.astype(np.int32, copy=False),
                candidates.indices.astype(np.int32, copy=False),
                squares,
                self.l1,
                self.l2,
                self.tolerance,
                gram.rows,
                gram.row_of,
                gram.item_of,
                gram.hand,
                changes,
                weights,
            )
            if not solved:
                raise ValueError(
                    f"SLIM: the parameter l1 is {self.l1}, with which more than {len(gram.rows)} "
                    f"of the {n_items} items are possible neighbours of one item. These do not fit "
                    "into memory. Set a larger l1, or a number of neighbours."
                )
            parts.append(csr_array(weights))
        by_target: RatingMatrix = vstack(parts, format="csr")
        self.ratings_, self.weights_ = train, by_target.T.tocsr()
        self.objective_ = np.cumsum(changes[: 1 + np.max(np.flatnonzero(changes), initial=0)])


class GramRows:
    """Rows of the Gram matrix ``R' R``, computed when first needed and cached."""

    def __init__(self, train: RatingMatrix) -> None:
        n_items = train.shape[1]
        held = max(1, min(n_items, GRAM_ENTRIES // n_items))
        self.train = train
        self.raters = train.T.tocsr()
        self.rows = np.empty((held, n_items), dtype=np.float32)
        self.row_of = np.full(n_items, -1, dtype=np.int32)
        self.item_of = np.full(held, -1, dtype=np.int32)
        self.hand = np.zeros(1, dtype=np.int64)


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
            # Solved only as exactly as is useful while other items have yet to join.
            precision = max(threshold, 0.01 * largest)
            if candidates > room:
                # A threshold on the gain that nearly fills the available space, found by bisection.
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
