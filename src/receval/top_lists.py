# SPDX-License-Identifier: MIT
"""The first items of each user's list: select them from scores, and keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from receval.storage.kernel_cache import njit

NO_ITEM = -1
"""Stands behind the last item of a list that is shorter than the others."""

# Scores of one block of users are held at a time: 32 MiB of float32.
_BLOCK_ENTRIES = 2**23

# Scores whose excluded items are masked: 1 MiB of float32, which stays in the cache.
_MASKED_ENTRIES = 2**18

# Rounds of a selection; half of the keys are left out in each on average.
_MOST_ROUNDS = 64

# Items in a group, of whose scores only the highest is compared at first.
_FOLDS = 8


class ListScorer(Protocol):
    """The interface of a fitted system: scores of all items for some users."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return scores, shape (n, n_items); NaN where the system cannot compute one."""
        ...


@dataclass(frozen=True)
class TopLists:
    """The first items of the lists of some users, in n x 8 bytes per user.

    Attributes
    ----------
    users : ndarray of int64, shape (n_users,)
        Codes of the users, in ascending order.
    items : ndarray of int32, shape (n_users, n)
        Codes of the items, the best first; :data:`NO_ITEM` behind the end of a shorter list.
    scores : ndarray of float32 or float64, shape (n_users, n)
        Their scores; NaN behind the end.

    Examples
    --------
    >>> lists = top_lists(np.float32([[0.1, 0.3, 0.2]]), np.array([7]), n=2)
    >>> lists.items.tolist(), lists.lengths.tolist()
    ([[1, 2]], [2])
    """

    users: NDArray[np.int64]
    items: NDArray[np.int32]
    scores: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.users)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items of each list, shape (n_users,)."""
        return np.asarray((self.items != NO_ITEM).sum(axis=1))

    def cut(self, n: int) -> TopLists:
        """Return lists of at most n items."""
        return TopLists(self.users, self.items[:, :n], self.scores[:, :n])

    def of_users(self, users: NDArray[np.int64]) -> TopLists:
        """Return the lists of some users by ascending code; a user without one has an empty list.

        Examples
        --------
        >>> lists = top_lists(np.float32([[0.1, 0.3]]), np.array([7]), n=1)
        >>> lists.of_users(np.array([3, 7])).items.tolist()
        [[-1], [1]]
        """
        places = np.searchsorted(self.users, users)
        places = np.minimum(places, max(0, len(self.users) - 1))
        is_known = self.users[places] == users if len(self.users) else np.zeros(len(users), bool)
        items = np.full((len(users), self.items.shape[1]), NO_ITEM, dtype=np.int32)
        scores = np.full(items.shape, np.nan, dtype=self.scores.dtype)
        items[is_known] = self.items[places[is_known]]
        scores[is_known] = self.scores[places[is_known]]
        return TopLists(users, items, scores)

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows, the positions in the list (from 0) and the items of all entries."""
        rows, positions = np.nonzero(self.items != NO_ITEM)
        return rows, positions, self.items[rows, positions].astype(np.int64)


def top_lists(
    scores: ArrayLike,
    users: NDArray[np.integer[Any]],
    n: int,
    *,
    exclude: csr_array | None = None,
    is_candidate: NDArray[np.bool_] | None = None,
    priority: NDArray[np.uint32] | None = None,
) -> TopLists:
    """Return the n items with the highest scores for each user.

    Parameters
    ----------
    scores : array_like, shape (n_users, n_items)
        Items with the score NaN or minus infinity are not listed.
    users : ndarray of int, shape (n_users,)
        Codes of the users, in ascending order: rows of ``exclude``.
    n : int
        The number of items of a list, at least 1.
    exclude : csr_array or other matrix, optional
        Users by items; a user's entries are not listed.
    is_candidate : ndarray of bool, shape (n_items,), optional
        The items that may be listed; by default, all.
    priority : ndarray of uint32, shape (n_items,), optional
        Of items with equal scores, the one with the smaller priority comes first; by default, the
        one with the smaller code.

    Raises
    ------
    ValueError
        ``n`` is less than 1, or the shapes do not fit.
    """
    if n < 1:
        raise ValueError(f"A list of {n} items was asked for. It must have at least 1.")
    given = np.asarray(scores)
    if given.ndim != 2 or len(given) != len(users):
        raise ValueError(
            f"The scores of {len(users)} users have the shape {given.shape}. There must be a row "
            "for each user and a column for each item."
        )
    if given.dtype not in (np.float32, np.float64):
        given = given.astype(np.float32 if np.can_cast(given.dtype, np.float32) else np.float64)
    given = np.ascontiguousarray(given)
    n_items = given.shape[1]
    items = np.full((len(users), n), NO_ITEM, dtype=np.int32)
    best = np.full((len(users), n), np.nan, dtype=given.dtype)
    if exclude is None:
        indptr, excluded = np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32)
    else:
        exclude = csr_array(exclude)
        indptr = exclude.indptr.astype(np.int64)
        excluded = exclude.indices.astype(np.int32, copy=False)
    codes = np.asarray(users, dtype=np.int64)
    open_items = np.ones(n_items, dtype=bool) if is_candidate is None else is_candidate
    order = np.arange(n_items, dtype=np.uint32) if priority is None else priority
    n_others = {len(open_items), len(order), n_items if exclude is None else exclude.shape[1]}
    if n_others != {n_items}:
        raise ValueError(
            f"The scores are of {n_items:,} items, but there are {max(n_others - {n_items}):,} "
            "items in the data. Give scores and ratings of the same items, as columns."
        )
    if len(given) > 1 and (given[0] == given[-1]).all() and (given == given[0]).all():
        # Such as popularity: one order serves all users.
        ranked = np.lexsort((order, -given[0]))
        ranked = ranked[open_items[ranked] & (given[0][ranked] > -np.inf)].astype(np.int32)
        _first_of_order(ranked, given[0], codes, indptr, excluded, items, best)
        return TopLists(codes, items, best)
    by_bits = given.dtype == np.float32
    places, item_of = _places(order)
    step = max(1, _MASKED_ENTRIES // max(1, n_items))
    for start in range(0, len(codes), step):
        part = slice(start, start + step)
        masked = np.empty_like(given[part])
        _mask(given[part], codes[part], open_items, indptr, excluded, masked)
        least = np.full(len(masked), -np.inf, dtype=given.dtype)
        if n < n_items:
            # The n-th highest of the maxima of groups of items is at most the n-th highest score.
            folds = min(_FOLDS, max(1, n_items // (4 * n)))
            groups = masked[:, : n_items // folds * folds].reshape(len(masked), folds, -1)
            highest = groups.max(axis=1)
            # Contiguous as above, so that the kernels are compiled for one layout.
            least = np.ascontiguousarray(np.partition(highest, -n, axis=1)[:, -n])
        if by_bits:
            bits = masked.view(np.uint32)
            _select_by_bits(
                masked, bits, given[part], least, places, item_of, items[part], best[part]
            )
        else:
            _select(masked, given[part], least, places, items[part], best[part])
    return TopLists(codes, items, best)


def _places(priority: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Return the place of each item in the order of priorities, and the item of each place.

    Examples
    --------
    >>> [each.tolist() for each in _places(np.array([2, 0, 1], dtype=np.uint32))]
    [[2, 0, 1], [1, 2, 0]]
    >>> [each.tolist() for each in _places(np.array([20, 0, 20], dtype=np.uint32))]
    [[1, 0, 2], [1, 0, 2]]
    """
    n_items = len(priority)
    item_of = np.full(n_items, NO_ITEM, dtype=np.int32)
    if n_items and priority.max() < n_items:
        item_of[priority] = np.arange(n_items, dtype=np.int32)
    if (item_of != NO_ITEM).all():
        return priority, item_of
    item_of = np.argsort(priority, kind="stable").astype(np.int32)
    places = np.empty(n_items, dtype=np.uint32)
    places[item_of] = np.arange(n_items, dtype=np.uint32)
    return places, item_of


def recommended(
    system: ListScorer,
    users: NDArray[np.integer[Any]],
    n: int,
    *,
    exclude: csr_array | None = None,
    is_candidate: NDArray[np.bool_] | None = None,
    priority: NDArray[np.uint32] | None = None,
    n_items: int,
) -> TopLists:
    """Score users in blocks, and return the first n items of each; as :func:`top_lists`."""
    codes = np.unique(np.asarray(users, dtype=np.int64))
    step = max(1, _BLOCK_ENTRIES // max(1, n_items))
    parts = [
        top_lists(
            system.score(codes[start : start + step]),
            codes[start : start + step],
            n,
            exclude=exclude,
            is_candidate=is_candidate,
            priority=priority,
        )
        for start in range(0, len(codes), step)
    ]
    return joined_lists(parts, n)


class ListSystem:
    """Adds ``recommend`` to a class of systems that have ``score``."""

    def recommend(
        self: ListScorer,
        users: NDArray[np.integer[Any]],
        n: int = 10,
        *,
        exclude: csr_array | None = None,
    ) -> TopLists:
        """Return the items with the highest scores for some users.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Codes of users. The lists are in ascending order of the codes, each once.
        n : int
            The most items of each list, at least 1. Items with the score NaN or minus infinity are
            not listed; of items with equal scores, the one with the smaller code comes first.
        exclude : csr_array or other matrix, shape (n_users, n_items), optional
            A user's entries, such as the training ratings, are not listed.

        Returns
        -------
        TopLists

        Raises
        ------
        ValueError
            ``n`` is below 1, or the system is not fitted or does not know a user.

        Examples
        --------
        >>> from receval.recommenders.non_personalised import Popularity
        >>> train = csr_array(np.array([[1, 1, 0], [0, 1, 0]], dtype=np.float32))
        >>> Popularity().fit(train).recommend(np.array([1, 0]), 2, exclude=train).items.tolist()
        [[2, -1], [0, 2]]
        """
        codes = np.asarray(users)
        n_items = self.score(codes[:1]).shape[1] if len(codes) else 0
        return recommended(self, codes, n, exclude=exclude, n_items=n_items)


def joined_lists(parts: list[TopLists], n: int) -> TopLists:
    """Return the lists of several groups of users as one, in ascending order of the users."""
    if not parts:
        empty = np.empty((0, n))
        return TopLists(np.empty(0, np.int64), empty.astype(np.int32), empty.astype(np.float32))
    users = np.concatenate([part.users for part in parts])
    order = np.argsort(users, kind="stable")
    return TopLists(
        users[order],
        np.concatenate([part.items for part in parts])[order],
        np.concatenate([part.scores for part in parts])[order],
    )


@njit(cache=True, nogil=True)
def _first_of_order(
    ranked: NDArray[np.int32],
    scores: NDArray[np.floating],
    users: NDArray[np.int64],
    indptr: NDArray[np.int64],
    excluded: NDArray[np.int32],
    items: NDArray[np.int32],
    best: NDArray[np.floating],
) -> None:
    """Fill the lists of users with the first of the ranked items that are not excluded."""
    last = np.full(len(scores), -1, dtype=np.int64)
    for row in range(len(users)):
        user = users[row]
        if user + 1 < len(indptr):
            for entry in range(indptr[user], indptr[user + 1]):
                last[excluded[entry]] = row
        size = 0
        for item in ranked:
            if size == items.shape[1]:
                break
            if last[item] != row:
                items[row, size] = item
                best[row, size] = scores[item]
                size += 1


@njit(cache=True, nogil=True)
def _mask(
    scores: NDArray[np.floating],
    users: NDArray[np.int64],
    is_candidate: NDArray[np.bool_],
    indptr: NDArray[np.int64],
    excluded: NDArray[np.int32],
    masked: NDArray[np.floating],
) -> None:
    """Copy scores with minus infinity for items that may not be listed and for missing ones."""
    nothing, zero = scores.dtype.type(-np.inf), scores.dtype.type(0)
    for row in range(len(users)):
        given, own = scores[row], masked[row]
        for item in range(len(own)):
            is_listed = (given[item] == given[item]) & is_candidate[item]
            # Adding 0 makes -0 the same as 0, also in its bits.
            own[item] = given[item] + zero if is_listed else nothing
        user = users[row]
        if user + 1 < len(indptr):
            for entry in range(indptr[user], indptr[user + 1]):
                own[excluded[entry]] = -np.inf


@njit(cache=True)
def _is_behind(
    item: int, other: int, scores: NDArray[np.floating], priority: NDArray[np.uint32]
) -> bool:
    """Tell whether an item comes after another one in the list."""
    return scores[item] < scores[other] or (
        scores[item] == scores[other] and priority[item] > priority[other]
    )


@njit(cache=True)
def _sink(
    heap: NDArray[np.int32],
    size: int,
    item: int,
    scores: NDArray[np.floating],
    priority: NDArray[np.uint32],
    top: int = 0,
) -> None:
    """Put an item on top of a heap (or of a part of it) and move it down to its place."""
    hole = top
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and _is_behind(heap[child + 1], heap[child], scores, priority):
            child += 1
        if not _is_behind(heap[child], item, scores, priority):
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = item


@njit(cache=True, nogil=True)
def _select(
    masked: NDArray[np.floating],
    scores: NDArray[np.floating],
    least: NDArray[np.floating],
    priority: NDArray[np.uint32],
    items: NDArray[np.int32],
    best: NDArray[np.floating],
) -> None:
    """Fill the lists of items and scores with the best items of each row.

    ``least`` is at most the n-th highest score of each row. If more items have it or a higher one
    than fit, a heap with the last of the kept items on top finds the best of them.
    """
    n = items.shape[1]
    heap = np.empty(n, dtype=np.int32)
    for row in range(len(masked)):
        own = masked[row]
        lowest = least[row]
        size = 0
        for item in range(len(own)):
            # Nearly all items end here.
            if not own[item] >= lowest or own[item] == -np.inf:
                continue
            if size < n:
                heap[size] = item
                size += 1
                continue
            if size == n:
                _make_heap(heap, own, priority)
                size += 1
            if _is_behind(heap[0], item, own, priority):
                _sink(heap, n, item, own, priority)
        size = min(size, n)
        _sort(heap[:size], own, priority)
        for place in range(size):
            items[row, place] = heap[place]
            best[row, place] = scores[row, heap[place]]


@njit(cache=True, nogil=True)
def _select_by_bits(
    masked: NDArray[np.float32],
    bits: NDArray[np.uint32],
    scores: NDArray[np.float32],
    least: NDArray[np.float32],
    priority: NDArray[np.uint32],
    item_of: NDArray[np.int32],
    items: NDArray[np.int32],
    best: NDArray[np.float32],
) -> None:
    """Do what :func:`_select` does, by sorting whole numbers, which takes half of the time.

    The upper half of a number has the bits of the masked score, so that higher scores come first,
    and the lower half the priority.
    """
    n = items.shape[1]
    keys = np.empty(masked.shape[1], dtype=np.uint64)
    passing = np.empty(masked.shape[1], dtype=np.int32)
    for row in range(len(masked)):
        own = masked[row]
        lowest = least[row]
        count = 0
        for item in range(len(own)):
            # Without a branch, because processors cannot predict which items pass.
            passing[count] = item
            count += (own[item] >= lowest) & (own[item] > -np.inf)
        for place in range(count):
            item = passing[place]
            upper = bits[row, item]
            if not upper >> np.uint32(31):
                upper = ~(upper | np.uint32(0x80000000))
            keys[place] = (np.uint64(upper) << np.uint64(32)) | np.uint64(priority[item])
        found = keys[:count]
        if count > 2 * n:
            _move_smallest_to_front(found, n)
            found = found[:n]
        found.sort()
        for place in range(min(count, n)):
            item = item_of[found[place] & np.uint64(0xFFFFFFFF)]
            items[row, place] = item
            best[row, place] = scores[row, item]


@njit(cache=True)
def _move_smallest_to_front(keys: NDArray[np.unsignedinteger], n: int) -> None:
    """Bring the n smallest of some distinct keys to the front, in any order.

    Hoare's selection algorithm with the median of three as pivot: numba would take nine seconds to
    compile numpy's. Orders for which it would take quadratic time are sorted after some rounds.
    """
    low, high = 0, len(keys) - 1
    rounds = 0
    while low < high:
        rounds += 1
        if rounds > _MOST_ROUNDS:
            keys[low : high + 1].sort()
            break
        one, two, three = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(one, two), min(max(one, two), three))
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if n - 1 <= right:
            high = right
        elif n - 1 >= left:
            low = left
        else:
            break


@njit(cache=True)
def _make_heap(
    heap: NDArray[np.int32], scores: NDArray[np.floating], priority: NDArray[np.uint32]
) -> None:
    """Bring the last item to the top, and so for each part of the heap."""
    for top in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, len(heap), heap[top], scores, priority, top)


@njit(cache=True)
def _sort(
    chosen: NDArray[np.int32], scores: NDArray[np.floating], priority: NDArray[np.uint32]
) -> None:
    """Sort items, the best first, as a heap: numpy's sorting would take long to compile."""
    _make_heap(chosen, scores, priority)
    for end in range(len(chosen) - 1, 0, -1):
        last = chosen[end]
        chosen[end] = chosen[0]
        _sink(chosen, end, last, scores, priority)
