# SPDX-License-Identifier: MIT
"""java.util.Random and HashSet in plain Python, and LibRec's first tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Dense = NDArray[np.float64]


class OracleRandom:
    """What the documentation of ``java.util.Random`` says, method by method."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)
        self.kept: float | None = None

    def next(self, bits: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self.state >> (48 - bits)

    def integer(self, bound: int) -> int:
        if bound & -bound == bound:
            return (bound * self.next(31)) >> 31
        while True:
            drawn = self.next(31)
            value = drawn % bound
            # In Java's 32 bits the sum is negative then.
            if drawn - value + (bound - 1) < 1 << 31:
                return value

    def double(self) -> float:
        high = self.next(26) << 27
        return (high + self.next(27)) / (1 << 53)

    def normal(self) -> float:
        if self.kept is not None:
            value, self.kept = self.kept, None
            return value
        while True:
            v1, v2 = 2 * self.double() - 1, 2 * self.double() - 1
            s = v1 * v1 + v2 * v2
            if 0 < s < 1:
                multiplier = math.sqrt(-2 * math.log(s) / s)
                self.kept = v2 * multiplier
                return v1 * multiplier

    def one_of(self, values: Sequence[int] | NDArray[np.integer]) -> int:
        return int(values[self.integer(len(values))])


class OracleHashSet:
    """A ``java.util.HashSet<Integer>`` of lists, which grows while keys are added."""

    def __init__(self, capacity: int) -> None:
        self.lists: list[list[int]] = [[]]
        while len(self.lists) < capacity:
            self.lists.append([])
            while len(self.lists).bit_count() != 1:
                self.lists.append([])
        self.size = 0

    def add(self, key: int) -> None:
        self.lists[(key ^ (key >> 16)) % len(self.lists)].append(key)
        self.size += 1
        if self.size > int(0.75 * len(self.lists)):
            keys = list(self)
            self.lists = [[] for _ in range(2 * len(self.lists))]
            for old in keys:
                self.lists[(old ^ (old >> 16)) % len(self.lists)].append(old)

    def __iter__(self) -> Iterator[int]:
        return (key for keys in self.lists for key in keys)


class OracleQueue:
    """A ``java.util.PriorityQueue``: the parent of place n is at (n - 1) / 2, no larger than it."""

    def __init__(self, keys: Sequence[float]) -> None:
        self.keys = keys
        self.heap: list[int] = []

    def add(self, item: int) -> None:
        """Let an item rise from the end while its key is smaller than its parent's."""
        self.heap.append(item)
        place = len(self.heap) - 1
        while place and self.keys[item] < self.keys[self.heap[(place - 1) // 2]]:
            self._swap(place, (place - 1) // 2)
            place = (place - 1) // 2

    def poll(self) -> int:
        """Remove the first; let the last sink from there while a child's key is smaller."""
        self._swap(0, len(self.heap) - 1)
        removed, place = self.heap.pop(), 0
        while children := range(2 * place + 1, min(2 * place + 3, len(self.heap))):
            # Of equal children the left one.
            child = min(children, key=lambda n: self.keys[self.heap[n]])
            if self.keys[self.heap[place]] <= self.keys[self.heap[child]]:
                break
            self._swap(place, child)
            place = child
        return removed

    def _swap(self, one: int, two: int) -> None:
        self.heap[one], self.heap[two] = self.heap[two], self.heap[one]


def oracle_table(
    draw: Callable[[], float], known: NDArray[np.bool_], width: int, scale: float = 1.0
) -> Dense:
    """Draw rows one after the other for what LibRec knows; other rows are 0."""
    table = np.zeros((len(known), width))
    for row in np.flatnonzero(known):
        table[row] = [scale * draw() for _ in range(width)]
    return table


def oracle_normals(java: OracleRandom, known: NDArray[np.bool_], width: int) -> Dense:
    """Return LibRec's normal numbers, whose deviation 0.1 is in single precision there."""
    return oracle_table(java.normal, known, width, float(np.float32(0.1)))


def oracle_factors(
    java: OracleRandom, rated: NDArray[np.bool_], factors: int
) -> tuple[Dense, Dense]:
    """Return LibRec's normal factors of users and items."""
    users = oracle_normals(java, rated.any(axis=1), factors)
    return users, oracle_normals(java, rated.any(axis=0), factors)
