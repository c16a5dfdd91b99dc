# SPDX-License-Identifier: MIT
"""Sort and select in compiled kernels: numpy's functions take numba up to ten seconds to compile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.storage.kernel_cache import njit

_RUN = 16
"""How many numbers are sorted by insertion before sorted runs are merged."""


@njit(cache=True)
def descending_order(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the places of numbers from the largest to the smallest; equal ones keep their order.

    Examples
    --------
    >>> descending_order(np.array([1.0, 3.0, 2.0, 3.0])).tolist()
    [1, 3, 2, 0]
    """
    n = len(values)
    order, merged = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for place in range(n):
        hole, value = place, values[place]
        while hole % _RUN and values[order[hole - 1]] < value:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = place
    width = _RUN
    while width < n:
        for start in range(0, n, 2 * width):
            left, right = start, start + width
            middle, end = min(right, n), min(start + 2 * width, n)
            for place in range(start, end):
                if left < middle and (right >= end or values[order[left]] >= values[order[right]]):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@njit(cache=True)
def move_smallest_to_front(keys: NDArray[np.unsignedinteger], n: int) -> None:
    """Bring the n smallest of some distinct keys to the front, in any order.

    Hoare's selection algorithm with the median of three as pivot.

    Examples
    --------
    >>> keys = np.array([5, 2, 9, 1, 7], dtype=np.uint64)
    >>> move_smallest_to_front(keys, 2)
    >>> sorted(keys[:2].tolist())
    [1, 2]
    """
    low, high = 0, len(keys) - 1
    while low < high:
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
