# SPDX-License-Identifier: MIT
"""Replicas of java.util.Random, and of the order in which LibRec's loops read ratings.

The authors of Mena-Maldonado et al. (2021) ran LibRec 2.0.0 with ``rec.random.seed=1``: each system
of each fold starts with a ``Random(1)``, and draws all its random numbers from it in the order of
LibRec's loops. A system that makes the same draws from the same numbers reproduces the released one
exactly.
:func:`librec_factors` draws the initial factors, for users and items of the train file only.

To keep ratings of value 0, its authors let the value -1 mean "missing" in LibRec's sparse matrix.
The iterators of the matrix still skip some zeros, each in a different way.
:func:`read_by_row` and :func:`read_by_column_iterator` compute which entries of a training matrix
they return. Users and items must be numbered as in LibRec, in the order of their first appearance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.storage.kernel_cache import njit


def read_by_row(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which ratings the iterator over a user's vector returns.

    They are the entries that are not 0, or the last one if all of a user's entries are 0.
    """
    read = train.data != 0
    read[_firsts(train)] = True
    return read


def read_by_column_iterator(train: RatingMatrix) -> NDArray[np.bool_]:
    """Return which ratings of users the iterator of the matrix returns.

    It begins at the user's first rating that is not 0, or at the last one if all are 0. Whether it
    then skips an entry depends, by mistake, on the entry at the same position of the *other*
    storage order, in which the ratings are stored item by item.

    Examples
    --------
    Two users have rated two items: the first one 1 and 2, the second one 0 and 2. User by user the
    ratings are 1, 2, 0, 2; item by item they are 1, 0, 2, 2. The second number of the other order
    is 0, so the first user's rating of 2 is skipped. The second user's 0 is skipped because the
    iterator begins after it.

    >>> from scipy.sparse import csr_array
    >>> train = csr_array(([1.0, 2.0, 0.0, 2.0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    >>> read_by_column_iterator(train).tolist()
    [True, False, False, True]
    """
    read: NDArray[np.bool_] = train.T.tocsr().data != 0
    firsts = _firsts(train)
    owners = np.repeat(np.arange(train.shape[0]), np.diff(train.indptr))
    begin = np.zeros(train.shape[0], dtype=np.int64)
    begin[owners[firsts]] = firsts
    read &= np.arange(train.nnz) >= begin[owners]
    read[firsts] = True
    return read


def _firsts(train: RatingMatrix) -> NDArray[np.int64]:
    """Return the first nonzero entry, or else the last entry, of each user with entries."""
    ends = train.indptr.astype(np.int64)
    some = np.flatnonzero(np.diff(ends))
    others = np.append(np.flatnonzero(train.data != 0), train.nnz)
    found = others[np.searchsorted(others, ends[some])]
    return np.minimum(found, ends[some + 1] - 1)


# The iteration order of a Java set of integers, in which LibRec's SLIM does its steps.


def hash_set_order(keys: NDArray[np.int64], capacity: int) -> NDArray[np.int64]:
    """Return the positions of some keys in the order of a ``java.util.HashSet<Integer>``.

    The number of its buckets is a power of two, at least the capacity, and doubles whenever there
    are more keys than three quarters of it. The hash of a key is the key itself with its upper 16
    bits mixed in; its last bits select the bucket, and the key is appended there. (The trees that
    replace buckets of more than eight keys are left out, because items have too few neighbours for
    them.) Keys are distinct numbers from 0 to 2^31 - 1, in the order in which they are added.

    Java's documentation of ``HashMap`` (capacity, load factor), and OpenJDK 8's ``HashMap.hash``.

    Examples
    --------
    >>> hash_set_order(np.array([17, 3, 1, 16]), 16).tolist()
    [3, 0, 2, 1]
    """
    lists = 1
    while lists < capacity or 4 * len(keys) > 3 * lists:
        lists *= 2
    return np.argsort((keys ^ (keys >> 16)) & (lists - 1), kind="stable")


MULTIPLIER = np.uint64(0x5DEECE66D)
INCREMENT = np.uint64(0xB)
MASK = np.uint64((1 << 48) - 1)
UNIT = 1.0 / (1 << 53)

DEVIATION = float(np.float32(0.1))
"""Standard deviation of LibRec's initial factors, in single precision."""

Codes = NDArray[np.int32]
Grouped = tuple[Codes, Codes, Codes, Codes, Codes]
"""Users, positive items, negative items, groups of users, and sizes of the groups."""


class JavaRandom:
    """The linear congruential generator that Java's documentation prescribes.

    ``state = (0x5DEECE66D state + 0xB) mod 2^48``; a number of b bits has the b highest bits of the
    state. The state is an array of one number, which compiled code changes in place.

    The documentation of the class ``java.util.Random``, methods ``next``, ``nextInt``,
    ``nextDouble`` and ``nextGaussian``.

    Examples
    --------
    >>> JavaRandom(42).doubles(2).tolist()
    [0.7275636800328681, 0.6832234717598454]
    >>> JavaRandom(42).integers(10, 5).tolist()
    [0, 3, 8, 4, 0]
    >>> JavaRandom(42).normals(1).round(12).tolist()
    [1.141905315473]
    """

    def __init__(self, seed: int) -> None:
        self.state = np.array([(seed ^ int(MULTIPLIER)) & int(MASK)], dtype=np.uint64)
        self._second_normals: list[float] = []

    def doubles(self, *shape: int) -> NDArray[np.float64]:
        """Draw uniformly from [0, 1), the last axis first: ``nextDouble``."""
        drawn = np.empty(shape)
        _draw_doubles(self.state, drawn.reshape(-1))
        return drawn

    def normals(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the standard normal distribution, the last axis first: ``nextGaussian``.

        Numbers are drawn in pairs: after an odd number, the next call begins with the second of the
        last pair.
        """
        number = math.prod(shape)
        first = len(self._second_normals[:number])
        drawn = np.empty(number + (number - first) % 2)
        drawn[:first] = self._second_normals[:first]
        _draw_normals(self.state, drawn[first:])
        self._second_normals = drawn[number:].tolist() or self._second_normals[first:]
        return drawn[:number].reshape(shape)

    def integers(self, bound: int, *shape: int) -> NDArray[np.int64]:
        """Draw uniformly from 0 to bound - 1, the last axis first: ``nextInt(bound)``."""
        drawn = np.empty(shape, dtype=np.int64)
        _draw_integers(self.state, bound, drawn.reshape(-1))
        return drawn


def rated_rows(train: RatingMatrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which users and items have training ratings, the only ones that LibRec knows."""
    items = np.bincount(train.indices, minlength=train.shape[1]) > 0
    return np.diff(train.indptr) > 0, items


def librec_factors(
    java: JavaRandom, train: RatingMatrix, factors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the initial factors of LibRec's matrix factorisations, around 0.

    Users come first, then items. Rows of users and items without training ratings are 0, without
    any draw.
    """
    of_users, of_items = rated_rows(train)
    n_users = int(of_users.sum())
    drawn = DEVIATION * java.normals(n_users + int(of_items.sum()), factors)
    return spread(drawn[:n_users], of_users), spread(drawn[n_users:], of_items)


def spread(rows: NDArray[np.floating], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a table with the given rows at marked positions, and zeros elsewhere."""
    table = np.zeros((len(where), *rows.shape[1:]))
    table[where] = rows
    return table


class JavaSampler:
    """The draws of LibRec's pairwise systems: users, with rated and unrated items.

    An entry of value 0 is a rating too. The users that can be drawn are ``eligible``, ascending.
    A user who has rated every item is refused, because LibRec would search for an unrated one for
    ever.
    """

    def __init__(self, train: RatingMatrix, java: JavaRandom) -> None:
        lengths = np.diff(train.indptr)
        self.eligible = np.flatnonzero(lengths).astype(np.int32)
        self._items = np.unique(train.indices)
        if lengths.max() == len(self._items):
            user = int(np.argmax(lengths))
            raise ValueError(
                f"The user {user} has rated every item that anybody has rated, so LibRec would "
                "never find one that is not rated. Leave out librec_seed to draw in another way."
            )
        self._starts, self._rated = train.indptr, train.indices
        by_item = train.T.tocsr()
        self._item_starts, self._raters = by_item.indptr, by_item.indices
        popularity = np.diff(by_item.indptr)[self._items] / train.nnz
        rising = np.argsort(popularity, kind="stable")
        self._rising = self._items[rising]
        self._sums = np.cumsum(popularity[rising])
        self._state = java.state

    def groups(self, number: int, size: int) -> Grouped:
        """Draw users, each with a rated item, other raters of the item and an unrated item.

        A group is the user and other raters of the item, up to the given size; all raters if there
        are fewer.
        """
        users, positives, negatives, sizes = np.empty((4, number), dtype=np.int32)
        groups = np.zeros((number, size), dtype=np.int32)
        _draw_groups(
            self._state,
            self.eligible,
            self._items,
            self._starts,
            self._rated,
            self._item_starts,
            self._raters,
            users,
            positives,
            negatives,
            groups,
            sizes,
        )
        return users, positives, negatives, groups, sizes

    def rated(self, number: int) -> tuple[Codes, Codes, NDArray[np.float64]]:
        """Draw users, each with a rated item and a number in [0, 1)."""
        users, positives = np.empty((2, number), dtype=np.int32)
        shares = np.empty(number)
        _draw_rated(self._state, self.eligible, self._starts, self._rated, users, positives, shares)
        return users, positives, shares

    def negatives(self, users: Codes) -> Codes:
        """Draw an unrated item for each user, in proportion to its number of ratings."""
        drawn = np.empty(len(users), dtype=np.int32)
        _draw_popular(
            self._state, self._rising, self._sums, self._starts, self._rated, users, drawn
        )
        return drawn


@njit(cache=True)
def _next(state, bits):  # type: ignore[no-untyped-def]
    state[0] = (state[0] * MULTIPLIER + INCREMENT) & MASK
    return np.int64(state[0] >> np.uint64(48 - bits))


@njit(cache=True)
def _next_double(state):  # type: ignore[no-untyped-def]
    high = _next(state, 26)
    return ((high << 27) + _next(state, 27)) * UNIT


@njit(cache=True)
def _next_integer(state, bound):  # type: ignore[no-untyped-def]
    drawn = _next(state, 31)
    if bound & (bound - 1) == 0:
        return (bound * drawn) >> 31
    # The highest numbers are drawn again, because they would not give all remainders equally often.
    while drawn - drawn % bound + bound > 1 << 31:
        drawn = _next(state, 31)
    return drawn % bound


@njit(cache=True)
def _draw_doubles(state, drawn):  # type: ignore[no-untyped-def]
    for n in range(len(drawn)):
        drawn[n] = _next_double(state)


@njit(cache=True)
def _draw_integers(state, bound, drawn):  # type: ignore[no-untyped-def]
    for n in range(len(drawn)):
        drawn[n] = _next_integer(state, bound)


@njit(cache=True)
def _draw_normals(state, drawn):  # type: ignore[no-untyped-def]
    for n in range(0, len(drawn), 2):
        square = 0.0
        first = second = 0.0
        while square >= 1.0 or square == 0.0:
            first = 2.0 * _next_double(state) - 1.0
            second = 2.0 * _next_double(state) - 1.0
            square = first * first + second * second
        scale = np.sqrt(-2.0 * np.log(square) / square)
        drawn[n] = first * scale
        drawn[n + 1] = second * scale


@njit(cache=True)
def _is_among(items, first, last, item):  # type: ignore[no-untyped-def]
    """Return whether an item is among ascending items."""
    end = last
    while first < end:
        middle = (first + end) >> 1
        if items[middle] < item:
            first = middle + 1
        else:
            end = middle
    return first < last and items[first] == item


@njit(cache=True)
def _draw_groups(  # type: ignore[no-untyped-def]
    state,
    raters,
    candidates,
    starts,
    rated,
    item_starts,
    item_raters,
    users,
    positives,
    negatives,
    groups,
    sizes,
):
    for n in range(len(users)):
        user = raters[_next_integer(state, len(raters))]
        first, last = np.int64(starts[user]), np.int64(starts[user + 1])
        item = rated[first + _next_integer(state, last - first)]
        begin = np.int64(item_starts[item])
        n_raters = np.int64(item_starts[item + 1]) - begin
        group = groups[n]
        group[0] = user
        size = 1
        if n_raters <= len(group):
            for position in range(begin, begin + n_raters):
                if item_raters[position] != user:
                    group[size] = item_raters[position]
                    size += 1
        while size < n_raters and size < len(group):
            drawn = item_raters[begin + _next_integer(state, n_raters)]
            known = False
            for member in range(size):
                known |= group[member] == drawn
            if not known:
                group[size] = drawn
                size += 1
        other = candidates[_next_integer(state, len(candidates))]
        while _is_among(rated, first, last, other):
            other = candidates[_next_integer(state, len(candidates))]
        users[n], positives[n], negatives[n], sizes[n] = user, item, other, size


@njit(cache=True)
def _draw_popular(state, items, sums, starts, rated, users, negatives):  # type: ignore[no-untyped-def]
    for n in range(len(users)):
        first, last = np.int64(starts[users[n]]), np.int64(starts[users[n] + 1])
        while True:
            # The first item whose cumulative sum is not below the number.
            index = min(np.searchsorted(sums, _next_double(state)), len(sums) - 1)
            if not _is_among(rated, first, last, items[index]):
                break
        negatives[n] = items[index]


@njit(cache=True)
def _draw_rated(state, raters, starts, rated, users, positives, shares):  # type: ignore[no-untyped-def]
    for n in range(len(users)):
        user = raters[_next_integer(state, len(raters))]
        first, last = np.int64(starts[user]), np.int64(starts[user + 1])
        users[n], positives[n] = user, rated[first + _next_integer(state, last - first)]
        shares[n] = _next_double(state)
