# SPDX-License-Identifier: MIT
"""Recommend by hitting time: the steps a random walk takes from an item to the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import Whole, positive_ratings
from receval.recommenders.products import csr_parts
from receval.storage.kernel_cache import njit

# Number of users processed together: every rating is then read once for a few cache lines.
USERS_AT_A_TIME = 64


@dataclass(eq=False, repr=False)
class HittingTime(Recommender):
    """How many steps before its limit a random walk from the item reaches the user, on average.

    ``s(u, i) = t - H_t(u | i)``, where H_t(u | x) is the expected number of steps of a walk from
    the node x until it first reaches u, with walks cut off after t steps: ``H_t(u | u) = 0``,
    ``H_0(u | x) = 0`` and else ``H_t(u | x) = 1 + sum_y p(x -> y) H_{t-1}(u | y)``. The walk is on
    the bipartite graph of users and items, and follows a rating in proportion to its value: ``p(x
    -> y) = r_xy / sum_z r_xz``; ratings of 0 are no edges. As t grows, H_t approaches the hitting
    time if every node can reach u. The recurrence is computed for ``t - H_t`` directly, which for
    most pairs is tiny relative to t.

    With ``nearest_items``, only that many items are scored: the first ones that a breadth-first
    search from the user finds, including the user's own; raters and rated items are visited by
    code. This leaves out most rare items, which would otherwise rank first.

    NaN for items without training ratings above 0, for all items of users without them, and for
    items not among the nearest. Items from which the user cannot be reached in t - 1 steps score 0.

    Parameters
    ----------
    steps : int
        t, at least 2.
    nearest_items : int or None
        At least 1; None scores all items.

    Attributes
    ----------
    from_users_ : csr_array of float32, shape (n_users, n_items)
        Probabilities of the steps from users to items.
    from_items_ : csr_array of float32, shape (n_items, n_users)
        Probabilities of the steps from items to users.

    References
    ----------
    Yin, Cui, Li, Yao and Chen, "Challenging the Long Tail Recommendation", PVLDB 2012, section 3
    (hitting time) and algorithm 1: a breadth-first search, there for at most 6,000 items, and 15
    steps. There the walk is also restricted to the nodes found; here it uses the whole graph.
    """

    SHARED_OVER = ("nearest_items",)

    steps: Annotated[int, Whole(2)] = 15
    nearest_items: Annotated[int | None, Whole(1)] = None

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        ratings = positive_ratings(models[0], train)
        from_users, from_items = _transitions(ratings), _transitions(ratings.T.tocsr())
        for model in models:
            model._keep(from_users, from_items)

    def _keep(self, from_users: RatingMatrix, from_items: RatingMatrix) -> None:
        self.from_users_, self.from_items_ = from_users, from_items

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        self._walk(users, scores)
        self._forget(users, scores)

    @classmethod
    def _score_grid(
        cls, models: Sequence[Self], users: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> None:
        models[0]._walk(users, scores[0])
        scores[1:] = scores[0]
        for model, own in zip(models, scores, strict=True):
            model._forget(users, own)

    def _walk(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Write the scores of all items."""
        for start in range(0, len(users), USERS_AT_A_TIME):
            targets = users[start : start + USERS_AT_A_TIME]
            saved = np.zeros((self.n_items_, len(targets)), dtype=np.float32)
            parts = (*csr_parts(self.from_users_), *csr_parts(self.from_items_))
            _saved_steps(targets, *parts, self.steps, saved)
            scores[start : start + USERS_AT_A_TIME] = saved.T

    def _forget(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Write NaN where no score can be computed."""
        if self.nearest_items is not None:
            graph = (*csr_parts(self.from_users_)[:2], *csr_parts(self.from_items_)[:2])
            _forget_far_items(users, *graph, self.nearest_items, scores)
        scores[:, np.diff(self.from_items_.indptr) == 0] = np.nan
        scores[np.diff(self.from_users_.indptr)[users] == 0] = np.nan


def _transitions(ratings: RatingMatrix) -> RatingMatrix:
    rows = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
    values = ratings.data.astype(np.float64)
    sums = np.bincount(rows, weights=values, minlength=ratings.shape[0])
    probabilities = (values / sums[rows]).astype(np.float32)
    return csr_array((probabilities, ratings.indices, ratings.indptr), shape=ratings.shape)


@njit(cache=True)
def _saved_steps(  # type: ignore[no-untyped-def]
    targets,
    user_starts,
    user_items,
    user_probabilities,
    item_starts,
    item_users,
    item_probabilities,
    steps,
    saved,
):
    n_users = len(user_starts) - 1
    from_users = np.zeros((n_users, len(targets)), dtype=np.float32)
    # Items are reached after an odd number of steps: only every other step of either side matters,
    # and all values are still 0 after the first one or two.
    for step in range(1 + steps % 2, steps, 2):
        if step > 2:
            _step(user_starts, user_items, user_probabilities, saved, from_users)
        for column in range(len(targets)):
            from_users[targets[column], column] = step
        if step > 2:
            _step(item_starts, item_users, item_probabilities, from_users, saved)
        else:
            is_target = np.zeros(n_users, dtype=np.bool_)
            is_target[targets] = True
            _first_step(item_starts, item_users, item_probabilities, from_users, is_target, saved)


@njit(cache=True)
def _first_step(  # type: ignore[no-untyped-def]
    starts, indices, probabilities, source, is_target, target
):
    """Do a step to which most rows of the source do not contribute, because they are 0."""
    for row in range(len(starts) - 1):
        line = target[row]
        for entry in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            index = np.uint64(indices[entry])
            if is_target[index]:
                probability = probabilities[entry]
                other = source[index]
                for column in range(len(line)):
                    line[column] += probability * other[column]


@njit(cache=True)
def _step(starts, indices, probabilities, source, target):  # type: ignore[no-untyped-def]
    four = np.uint64(4)
    for row in range(len(starts) - 1):
        line = target[row]
        line[:] = np.float32(0)
        # Unsigned positions avoid numba's check for negative indices.
        first = np.uint64(starts[row])
        last = np.uint64(starts[row + 1])
        whole = first + (last - first) // four * four
        # Four ratings per pass over the line, added one after the other, need a quarter of the
        # reads and writes and give the same bits.
        for start in range(first, whole, four):
            entry = np.uint64(start)
            a, b = probabilities[entry], probabilities[entry + np.uint64(1)]
            c, d = probabilities[entry + np.uint64(2)], probabilities[entry + np.uint64(3)]
            of_a = source[np.uint64(indices[entry])]
            of_b = source[np.uint64(indices[entry + np.uint64(1)])]
            of_c = source[np.uint64(indices[entry + np.uint64(2)])]
            of_d = source[np.uint64(indices[entry + np.uint64(3)])]
            for column in range(len(line)):
                so_far = line[column] + a * of_a[column]
                so_far = so_far + b * of_b[column]
                so_far = so_far + c * of_c[column]
                line[column] = so_far + d * of_d[column]
        for rest in range(whole, last):
            probability = probabilities[rest]
            other = source[np.uint64(indices[rest])]
            for column in range(len(line)):
                line[column] += probability * other[column]


@njit(cache=True)
def _forget_far_items(  # type: ignore[no-untyped-def]
    users, user_starts, user_items, item_starts, item_users, nearest_items, scores
):
    n_users, n_items = len(user_starts) - 1, len(item_starts) - 1
    # A code is always written at the end of its queue, which grows only if the code is new. This
    # avoids a branch that processors cannot predict.
    user_queue = np.empty(n_users + 1, dtype=np.int32)
    item_queue = np.empty(n_items + 1, dtype=np.int32)
    user_is_new = np.empty(n_users, dtype=np.int8)
    item_is_new = np.empty(n_items, dtype=np.int8)
    for row in range(len(users)):
        user_is_new[:] = 1
        item_is_new[:] = 1
        user_queue[0] = users[row]
        user_is_new[users[row]] = 0
        users_read, users_met, items_read, items_met = 0, 1, 0, 0
        while items_met < nearest_items:
            if users_read < users_met:
                user = np.uint64(user_queue[users_read])
                users_read += 1
                first = np.uint64(user_starts[user])
                last = np.uint64(user_starts[user + np.uint64(1)])
                for entry in range(first, last):
                    item = np.uint64(user_items[entry])
                    item_queue[np.uint64(items_met)] = item
                    items_met += int(item_is_new[item])
                    item_is_new[item] = 0
            elif items_read < items_met:
                # Raters are looked up only after all users found so far have been read; this
                # changes the order of neither queue.
                item = np.uint64(item_queue[items_read])
                items_read += 1
                first = np.uint64(item_starts[item])
                last = np.uint64(item_starts[item + np.uint64(1)])
                for entry in range(first, last):
                    user = np.uint64(item_users[entry])
                    user_queue[np.uint64(users_met)] = user
                    users_met += int(user_is_new[user])
                    user_is_new[user] = 0
            else:
                break
        # The last user may have rated more items than were still needed.
        for index in range(nearest_items, items_met):
            item_is_new[item_queue[index]] = 1
        for far in range(n_items):
            if item_is_new[far]:
                scores[row, far] = np.nan
