# SPDX-License-Identifier: MIT
"""Kernels of neighbourhoods: products of rows with a block of rows, and the largest cosines.

A block is of so few rows that their sums stay in a core's first cache, and their entries, sorted by
column, in its second. Columns that many rows of a block have are kept dense as well: added as
vectors they take less time than entry by entry. Whole numbers are added as integers, of which many
fit into a vector, and whose sums do not depend on their order; all others as float64 in the order
of the row's columns.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DENSE_FROM = 0.08
"""Share of a block's rows from which on a column is dense: where both ways take as long."""


@njit(cache=True)
def find_nearest_rows(  # type: ignore[no-untyped-def]
    indptr,
    columns,
    values,
    unit,
    sums,
    common,
    starts,
    rows,
    entries,
    places,
    dense,
    short_sums,
    flush,
    norms,
    minimum_overlap,
    neighbours,
    wanted,
    keys,
    counts,
):
    """Fill the keys of rows from `wanted` on, which order by cosine and then by row.

    With at least the largest. There are as many such rows as keys have; every pair of rows of which
    one is wanted is compared once.
    """
    n_rows = len(norms)
    room = keys.shape[1]
    wanted_end = wanted + len(keys)
    similarity = np.zeros(1, dtype=np.float32)
    # The bits of positive floats order like the floats.
    bits = similarity.view(np.int32)
    # No cosine below a row's floor can be among its nearest; a little lower than the last that is,
    # so that the rounding of a product of reciprocals does no harm.
    floors = np.full(n_rows, np.inf, dtype=np.float64)
    floors[wanted:wanted_end] = 0.0
    reciprocals = np.zeros(n_rows, dtype=np.float64)
    for row in range(n_rows):
        if norms[row] > 0.0:
            reciprocals[row] = 1.0 / norms[row]
    for first in range(0, n_rows, len(sums)):
        end = min(n_rows, first + len(sums))
        if end <= wanted:
            continue
        take_block(indptr, columns, values, first, end, starts, rows, entries, places, dense)
        # With rows before the block's own, and among these every pair once. Behind the wanted rows
        # these alone are of interest.
        is_behind = first >= wanted_end
        for row in range(wanted if is_behind else 0, wanted_end if is_behind else end):
            add_products(
                indptr,
                columns,
                row,
                values,
                unit,
                sums,
                common,
                starts,
                rows,
                entries,
                places,
                dense,
                short_sums,
                flush,
            )
            for other in range(first, end):
                product = sums[other - first]
                sums[other - first] = 0
                if minimum_overlap > 1:
                    overlap = common[other - first]
                    common[other - first] = 0
                    if overlap < minimum_overlap:
                        continue
                if product <= 0 or other <= row:
                    continue
                rough = product * reciprocals[row] * reciprocals[other]
                if rough < floors[row] and rough < floors[other]:
                    continue
                similarity[0] = np.float32(product / (norms[row] * norms[other]))
                if bits[0] == 0:
                    continue
                key = np.int64(bits[0]) << 32
                for one, two in ((row, other), (other, row)):
                    if rough >= floors[one]:
                        own = keys[one - wanted]
                        own[counts[one - wanted]] = key + (n_rows - two)
                        counts[one - wanted] += 1
                        if counts[one - wanted] == room:
                            _keep_largest(own, neighbours)
                            counts[one - wanted] = neighbours
                            bits[0] = np.int32(own[neighbours - 1] >> 32)
                            floors[one] = np.float64(similarity[0]) * (1.0 - 1e-6)


@njit(cache=True)
def take_block(  # type: ignore[no-untyped-def]
    indptr, columns, values, first, end, starts, rows, entries, places, dense
):
    """Sort the entries of the rows from first to end by column, and fill the dense columns."""
    starts[:] = 0
    for entry in range(indptr[first], indptr[end]):
        starts[columns[entry] + 1] += 1
    enough = DENSE_FROM * dense.shape[1]
    n_dense = 0
    for column in range(len(places)):
        places[column] = -1
        if starts[column + 1] >= enough and n_dense < dense.shape[0]:
            places[column] = n_dense
            dense[n_dense, :] = 0
            n_dense += 1
        starts[column + 1] += starts[column]
    for row in range(first, end):
        for entry in range(indptr[row], indptr[row + 1]):
            column = columns[entry]
            position = starts[column]
            rows[position] = row - first
            entries[position] = values[entry]
            starts[column] = position + 1
            if places[column] >= 0:
                dense[places[column], row - first] = values[entry]
    # Each start has become the next one's.
    for column in range(len(places), 0, -1):
        starts[column] = starts[column - 1]
    starts[0] = 0


@njit(cache=True)
def add_products(  # type: ignore[no-untyped-def]
    indptr,
    columns,
    row,
    values,
    unit,
    sums,
    common,
    starts,
    rows,
    entries,
    places,
    dense,
    short_sums,
    flush,
):
    """Add the products of a row with each row of the block to the sums, which begin with zeros."""
    n_dense = 0
    for entry in range(indptr[row], indptr[row + 1]):
        column = columns[entry]
        if places[column] >= 0:
            n_dense += 1
            continue
        value = unit * values[entry]
        # Unsigned positions spare numba's test for negative ones.
        for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
            sums[np.uint64(rows[position])] += value * entries[position]
        if len(common):
            for position in range(np.uint64(starts[column]), np.uint64(starts[column + 1])):
                common[np.uint64(rows[position])] += 1
    if not n_dense:
        return
    waiting = 0
    for entry in range(indptr[row], indptr[row + 1]):
        place = places[columns[entry]]
        if place < 0:
            continue
        value = values[entry]
        own = dense[place]
        for other in range(len(short_sums)):
            short_sums[other] += value * own[other]
        waiting += 1
        if waiting == flush:
            _flush(sums, short_sums)
            waiting = 0
    _flush(sums, short_sums)


@njit(cache=True)
def _flush(sums, short_sums):  # type: ignore[no-untyped-def]
    for other in range(len(sums)):
        sums[other] += short_sums[other]
        short_sums[other] = 0


@njit(cache=True)
def keep_nearest(keys, counts, neighbours):  # type: ignore[no-untyped-def]
    """Keep so many of every row's keys at most, the largest."""
    for row in range(len(counts)):
        if counts[row] > neighbours:
            _keep_largest(keys[row, : counts[row]], neighbours)
            counts[row] = neighbours


@njit(cache=True)
def _keep_largest(keys, kept):  # type: ignore[no-untyped-def]
    """Move the largest of some distinct keys to the front, the smallest of these to their end.

    Hoare's selection, with the median of three as pivot.
    """
    low = 0
    high = len(keys) - 1
    while low < high:
        one, two, three = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(one, two), min(max(one, two), three))
        left = low
        right = high
        while left <= right:
            while keys[left] > pivot:
                left += 1
            while keys[right] < pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if kept - 1 <= right:
            high = right
        elif kept - 1 >= left:
            low = left
        else:
            break


@njit(cache=True)
def in_row_order(keys, starts, n_rows, indices, cosines):  # type: ignore[no-untyped-def]
    """Write every row's keys as its neighbours, in the order of all rows, and their cosines."""
    bits = cosines.view(np.int32)
    for row in range(len(keys)):
        start = starts[row]
        found = keys[row, : starts[row + 1] - start]
        for position in range(len(found)):
            # The other row's number above the bits of the cosine.
            key = found[position]
            other = n_rows - (key & 0xFFFFFFFF)
            found[position] = (other << 32) | (key >> 32)
        found.sort()
        for position in range(len(found)):
            indices[start + position] = found[position] >> 32
            bits[start + position] = np.int32(found[position] & 0xFFFFFFFF)
