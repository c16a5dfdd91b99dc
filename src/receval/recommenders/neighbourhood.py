# SPDX-License-Identifier: MIT
"""Nearest neighbours of users or items by cosine similarity, comparing all pairs of rows.

:func:`nearest_rows` finds them by the cosine of the full vectors; :func:`co_rated_cosines` compares
the common entries only.

In random order, the n-th row compared with a row is among its k nearest so far with probability k /
n. If k is large, collecting these rows and repeatedly selecting among them takes longer than the
comparisons. A sample tells in advance which rows will be too far. A sample of one row in a has k /
a of the k nearest rows on average, so the r-th nearest of the sample, with r well above k / a, is
hardly ever among the k nearest of all. The rows of a sample are compared with all first, and rows
farther than the r-th nearest of the sample are left out from the start. If fewer than k rows are
nearer, the guess was wrong, and the row is compared with all again. The result is exact.

The sample is every a-th row. If rows vary with that period, guesses are wrong, which takes time but
does not change results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.checks import with_short_indices
from receval.recommenders.neighbourhood_kernels import (
    LANES,
    find_nearest_rows,
    keep_nearest,
    mark_too_few,
    pack_in_row_order,
    part_packed,
    part_rows,
)
from receval.recommenders.products import csr_parts, row_norms
from receval.storage.kernel_cache import njit

SPARE = 2
FEWEST_SPARE = 16
"""Room for keys besides the nearest rows: a fraction of their number, and a minimum."""

SAMPLED = 32
"""Average number of a row's nearest rows that are in the sample."""

DEVIATIONS = 6
"""Number of standard deviations by which the rank in the sample exceeds that average."""

FEWEST_APART = 8
"""A sample with more than one row in this many takes longer than it saves."""

ROWS_A_NEIGHBOUR = 16
"""A sample is useful if there are at least this many times as many rows as neighbours."""


def nearest_rows(
    matrix: RatingMatrix, neighbours: int, minimum_overlap: int = 1, wanted: range | None = None
) -> RatingMatrix:
    """Return every row's nearest other rows by the cosine of the full vectors.

    ``cos(u, v) = sum_i r_ui r_vi / (|r_u| |r_v|)``, with the sum over common entries, and the norms
    over all entries of each row. Only positive cosines count; rows with fewer common entries than
    the minimum overlap, whatever their values, are no neighbours. Cosines are rounded to float32
    before they are compared; of equal ones, the lower row comes first.

    The result has the shape (n_wanted, n_rows), with at most as many neighbours per row as given; a
    row is not its own neighbour. Only neighbours of some consecutive rows may be wanted; their
    results do not depend on which ones these are.

    Every pair with a wanted row is compared once, in blocks of rows whose sums stay in cache
    (:mod:`receval.recommenders.neighbourhood_kernels`); only pairs of a sample are compared again.
    Memory: about one and a half times the result, a copy of the matrix (temporarily two), the
    entries of a block and a few vectors of length n_rows or n_columns.

    Examples
    --------
    The neighbour of the second row only:

    >>> ratings = csr_array(np.array([[4, 3], [3, 4], [0, 5]], dtype=np.float32))
    >>> nearest_rows(ratings, 1, wanted=range(1, 2)).toarray().round(2).tolist()
    [[0.9599999785423279, 0.0, 0.0]]
    """
    return nearest_rows_for(matrix, [neighbours], minimum_overlap, wanted)[0]


def nearest_rows_for(
    matrix: RatingMatrix,
    numbers: Sequence[int],
    minimum_overlap: int = 1,
    wanted: range | None = None,
) -> list[RatingMatrix]:
    """Return the result of :func:`nearest_rows` for each of several numbers of neighbours.

    Pairs are compared only for the largest number, whose neighbours include all others. Equal
    numbers share one matrix.
    """
    n_rows = matrix.shape[0]
    wanted = range(n_rows) if wanted is None else wanted
    keys, counts = nearest_keys(matrix, min(max(numbers), n_rows), minimum_overlap, wanted)
    nearest: dict[int, RatingMatrix] = {}
    falling = sorted(set(numbers), reverse=True)
    for number in falling:
        keep_nearest(keys, counts, number)
        found = int(counts.sum(dtype=np.int64))
        if found > _LARGEST_INTEGER:
            raise ValueError(
                f"{len(wanted):,} rows have {found:,} neighbours together, more than the "
                f"{_LARGEST_INTEGER:,} that 32 bits can number. Ask for fewer neighbours, or for "
                "those of fewer rows at a time (in config/config.yaml, set more shards than "
                "folds)."
            )
        starts = np.zeros(len(wanted) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        # The result reuses the memory of the keys, which smaller numbers still need.
        own = keys if number == falling[-1] else keys.copy()
        nearest[number] = _in_row_order(own, starts, n_rows)
    return [nearest[number] for number in numbers]


OTHERS_BLOCK = 256
"""Rows that are compared with those of another matrix at a time."""


def nearest_of_others(
    matrix: RatingMatrix, others: RatingMatrix, neighbours: int, minimum_overlap: int = 1
) -> RatingMatrix:
    """Return every row's nearest rows of another matrix, as :func:`nearest_rows` defines them.

    The result has the shape (n_rows, n_other_rows). Products are added in double precision, in the
    order of the columns. Memory: the products of a block of :data:`OTHERS_BLOCK` rows.

    Examples
    --------
    >>> new = csr_array(np.array([[4, 3]], dtype=np.float32))
    >>> train = csr_array(np.array([[0, 5], [3, 4]], dtype=np.float32))
    >>> nearest_of_others(new, train, 1).toarray().round(2).tolist()
    [[0.0, 0.9599999785423279]]
    """
    columns = others.T.tocsr().astype(np.float64)
    ones = csr_array((np.ones(columns.nnz), columns.indices, columns.indptr), columns.shape)
    norms, other_norms = row_norms(matrix), row_norms(others)
    parts: list[tuple[NDArray, NDArray, NDArray]] = []
    for start in range(0, matrix.shape[0], OTHERS_BLOCK):
        block = csr_array(matrix[start : start + OTHERS_BLOCK]).astype(np.float64)
        products = (block @ columns).tocoo()
        if not products.nnz:
            continue
        rows, found = products.row + start, products.col
        scale = norms[rows] * other_norms[found]
        cosines = np.zeros(len(rows))
        np.divide(products.data, scale, out=cosines, where=scale > 0)
        nearest = cosines.astype(np.float32)
        kept = nearest > 0
        if minimum_overlap > 1:
            filled = csr_array((np.ones(block.nnz), block.indices, block.indptr), block.shape)
            common = csr_array(filled @ ones)
            kept &= common[products.row, products.col] >= minimum_overlap
        rows, found, nearest = rows[kept], found[kept], nearest[kept]
        order = np.lexsort((found, -nearest, rows))
        rows, found, nearest = rows[order], found[order], nearest[order]
        starts = np.searchsorted(rows, rows)
        near = np.arange(len(rows)) - starts < neighbours
        parts.append((rows[near], found[near], nearest[near]))
    shape = (matrix.shape[0], others.shape[0])
    if not parts:
        return csr_array(shape, dtype=np.float32)
    rows, found, nearest = (np.concatenate(own) for own in zip(*parts, strict=True))
    result = csr_array((nearest, (rows, found)), shape=shape)
    result.sort_indices()
    return with_short_indices(result)


def _in_row_order(keys: NDArray[np.int64], starts: NDArray[np.int32], n_rows: int) -> RatingMatrix:
    """Convert the keys of rows to their neighbours, in the memory of the keys.

    Separate arrays of keys and neighbours would determine the peak memory on large data.
    """
    n_rows_wanted, found = len(keys), int(starts[-1])
    pack_in_row_order(keys, starts, n_rows, keys.reshape(-1))
    keys.resize(found, refcheck=False)
    indices = np.empty(found, dtype=np.int32)
    part_packed(keys, indices, keys.view(np.int32))
    # Half as long, because the bits of a cosine are half of a packed key.
    keys.resize(-(-found // 2), refcheck=False)
    cosines = keys.view(np.float32)[:found]
    return csr_array((cosines, indices, starts), shape=(n_rows_wanted, n_rows))


# The data of the kernels: the parts of a matrix, and memory for blocks of rows.

BLOCK_ROWS = 2_048
"""Rows of a block: a multiple of ``LANES`` and at most 65,536, because positions have 16 bits."""

CHUNK_ROWS = 128
"""Rows compared with a block together, per table, such that they fit into the L2 cache."""

MOST_DENSE = 1_536
"""Maximum number of dense columns, so that a table of them fits into the L2 cache."""

DENSE_FROM = 0.02
"""Share of the rows from which a column is dense: both methods take equally long there."""

_LARGEST_BYTE = 2**8 - 1
_LARGEST_SHORT = 2**16 - 1
_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class BlockMemory:
    """The parts of a matrix, and memory for one block and one chunk.

    The fields are in the order of the arguments of ``find_nearest_rows``:

    - ``starts_of_values``, shape (n_rows, largest value + 2): begin of each row's dense columns
      with each value, as an index of ``places``, which has their positions in the tables;
    - ``row_starts, columns, values``: all other entries, as compressed rows;
    - ``unit``: the number 1 in the type in which products are added;
    - ``most_lines``: number of dense columns whose sum fits into a byte;
    - ``starts``: begin of each column's entries of the block; ``rows`` and ``entries``: their rows,
      counted from the first of the block, which may begin at any row, and their values;
    - ``tables``, shape (n_tables, n_dense, LANES): values of the block's rows in dense columns;
    - ``sums``, shape (n_chunk, n_block): the product of each row of the chunk with each row of the
      block; ``common``: number of their common columns, equal to ``sums`` if all values are 1, and
      of shape (n_chunk, 0) if not needed; ``counts_common``: whether they are counted.
    """

    starts_of_values: NDArray[np.int64]
    places: NDArray[np.uint16]
    row_starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray
    unit: np.int32 | np.float64
    most_lines: int
    starts: NDArray[np.int64]
    rows: NDArray[np.uint16]
    entries: NDArray
    tables: NDArray[np.uint8]
    sums: NDArray
    common: NDArray[np.int32]
    counts_common: bool

    @classmethod
    def of(cls, matrix: RatingMatrix, needs_common: bool = False) -> BlockMemory:
        """Return the memory for the rows of a matrix, whose common columns may have to be counted.

        Examples
        --------
        Products of integer ratings are added as integers, those of other ratings are not:

        >>> ratings = csr_array(np.array([[5, 3], [0, 4]], dtype=np.float32))
        >>> BlockMemory.of(ratings).sums.dtype, BlockMemory.of(ratings / 3).sums.dtype
        (dtype('int32'), dtype('float64'))
        """
        n_rows, n_columns = matrix.shape
        largest = int(np.abs(matrix.data).max(initial=0)) if _are_whole(matrix.data) else 128
        longest = int(np.diff(matrix.indptr).max(initial=0))
        is_whole = largest < 128 and longest * largest**2 <= _LARGEST_INTEGER
        values = matrix.data.astype(np.int8 if is_whole else np.float32, copy=False)
        is_one = is_whole and bool((values == 1).all())
        counts_common = needs_common and not is_one
        n_dense = 0
        # Dense columns are unsigned, and their common columns are not counted.
        if is_whole and not counts_common and values.min(initial=0) >= 0:
            n_dense = min(MOST_DENSE, _LARGEST_SHORT // max(largest, 1) ** 2)
        frequent = _frequent_columns(matrix, n_dense)
        starts_of_values, places, row_starts, columns, other_values = _parted(
            matrix, values, frequent, largest
        )
        size = -(-min(BLOCK_ROWS, max(n_rows, 1)) // LANES) * LANES
        ends = np.minimum(np.arange(n_rows) + size, n_rows)
        n_entries = int((row_starts[ends] - row_starts[:-1]).max(initial=0))
        sums = np.zeros((CHUNK_ROWS, size), dtype=np.int32 if is_whole else np.float64)
        common = np.zeros((CHUNK_ROWS, size if counts_common else 0), dtype=np.int32)
        return cls(
            starts_of_values=starts_of_values,
            places=places,
            row_starts=row_starts,
            columns=columns,
            values=other_values,
            unit=np.int32(1) if is_whole else np.float64(1),
            most_lines=_LARGEST_BYTE // max(largest, 1),
            starts=np.zeros(n_columns + 1, dtype=np.int64),
            rows=np.empty(n_entries, dtype=np.uint16),
            entries=np.empty(n_entries, dtype=values.dtype),
            tables=np.zeros((size // LANES, len(frequent), LANES), dtype=np.uint8),
            sums=sums,
            common=sums if needs_common and is_one else common,
            counts_common=counts_common,
        )

    def arrays(self) -> tuple[object, ...]:
        """Return the arguments of ``find_nearest_rows``, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self))


def _are_whole(values: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _frequent_columns(matrix: RatingMatrix, most: int) -> NDArray[np.int64]:
    """Return the most frequent columns, up to a maximum, among those that enough rows have."""
    n_rows, n_columns = matrix.shape
    numbers = np.bincount(matrix.indices, minlength=n_columns)
    falling = np.argsort(-numbers, kind="stable")[:most]
    return falling[numbers[falling] >= max(1, DENSE_FROM * n_rows)]


def _parted(
    matrix: RatingMatrix, values: NDArray, frequent: NDArray[np.int64], largest: int
) -> tuple[NDArray, ...]:
    """Return the first fields of :class:`BlockMemory`: entries of frequent and other columns."""
    n_rows, n_columns = matrix.shape
    indptr = matrix.indptr.astype(np.int64)
    if not len(frequent):
        starts = np.zeros((n_rows, 1), dtype=np.int64)
        return starts, np.empty(0, dtype=np.uint16), indptr, matrix.indices, values
    place_of = np.full(n_columns, -1, dtype=np.int32)
    place_of[frequent] = np.arange(len(frequent))
    n_dense = int((place_of[matrix.indices] >= 0).sum())
    parted = (
        np.zeros((n_rows, largest + 2), dtype=np.int64),
        np.empty(n_dense, dtype=np.uint16),
        np.zeros(n_rows + 1, dtype=np.int64),
        np.empty(matrix.nnz - n_dense, dtype=np.int32),
        np.empty(matrix.nnz - n_dense, dtype=values.dtype),
    )
    part_rows(indptr, matrix.indices, values, place_of, *parted)
    return parted


class RowSearch:
    """Compares some rows of a matrix, in ascending order, with all rows.

    The cost of a pair is the number of entries in frequent columns of one of its rows: of the row
    at the lower position, if the row at the higher position is compared. Compared rows are
    therefore sorted by their numbers of entries, and placed between the other rows with fewer than
    half of them and those with more. ``numbers`` has the rows' numbers in the matrix by position,
    and ``positions`` are those of the compared rows.

    Columns of each row of the matrix must be sorted. Rows with fewer common entries than the
    minimum overlap are no neighbours, whatever their cosine.
    """

    def __init__(
        self,
        matrix: RatingMatrix,
        norms: NDArray[np.float64],
        minimum_overlap: int,
        compared: NDArray[np.int64],
    ) -> None:
        n_rows = matrix.shape[0]
        self.numbers, self.positions = _by_entries(np.diff(matrix.indptr), compared)
        self.norms = norms[self.numbers]
        self.minimum_overlap = minimum_overlap
        self.memory = BlockMemory.of(matrix[self.numbers], needs_common=minimum_overlap > 1)
        # For integer sums, marks of near rows are only approximate, so products of 32 bits suffice.
        rough = np.float32 if self.memory.sums.dtype == np.int32 else np.float64
        self.reciprocals = np.zeros(n_rows + LANES, dtype=rough)
        reciprocals = self.reciprocals[:n_rows]
        np.divide(1.0, self.norms, out=reciprocals, where=self.norms > 0, casting="same_kind")

    def collect(
        self,
        rows: NDArray[np.int64],
        guesses: NDArray[np.float32] | float,
        neighbours: int,
        keys: NDArray[np.int64],
        counts: NDArray[np.int32],
        collectors: NDArray[np.int64],
    ) -> None:
        """Add keys of near rows to the collected keys of some rows.

        No keys are collected below the guessed cosine of a row. The keys of a row, ``counts`` of
        them, are at the index of its collector in ``keys``; afterwards, they include the largest
        ones, as many as there are to be neighbours.
        """
        n_rows = len(self.numbers)
        floors = np.full(n_rows, np.inf, dtype=self.reciprocals.dtype)
        # A little lower, so that the rounding of a product of reciprocals does no harm.
        floors[rows] = np.multiply(guesses, 1 - 4e-6, dtype=floors.dtype)
        collector_of = np.full(n_rows, -1, dtype=np.int64)
        collector_of[rows] = collectors
        behind = np.full(LANES, np.inf, dtype=floors.dtype)
        arguments = (
            *self.memory.arrays(),
            *(self.norms, self.reciprocals, np.concatenate([floors[self.numbers], behind])),
            *(self.minimum_overlap, neighbours, self.numbers, collector_of[self.numbers]),
            *(self.positions.start, self.positions.stop, keys, counts),
        )
        find_nearest_rows(*arguments)


def _by_entries(
    entries: NDArray[np.integer], compared: NDArray[np.int64]
) -> tuple[NDArray[np.int64], range]:
    """Return the numbers of all rows by position, and the positions of compared rows."""
    n_rows = len(entries)
    is_compared = np.zeros(n_rows, dtype=bool)
    is_compared[compared] = True
    rising = np.argsort(entries, kind="stable")
    own = rising[is_compared[rising]]
    others = rising[~is_compared[rising]]
    middle = entries[own[len(own) // 2]] if len(own) else 0
    few, many = others[entries[others] < middle], others[entries[others] >= middle]
    return np.concatenate([few, own, many]), range(len(few), len(few) + len(own))


def nearest_keys(
    matrix: RatingMatrix, neighbours: int, minimum_overlap: int, wanted: range
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return keys of each wanted row's nearest rows, and their number per row.

    A key has the bits of a cosine above ``n_rows`` minus the number of the other row: keys are
    ordered by cosine, and of rows with the same cosine, the lower has the larger key. The keys,
    shape (n_wanted, room), are in any order, and may include some that are not among the nearest.
    At most n_rows neighbours may be wanted.
    """
    norms = row_norms(matrix)
    guesses = np.zeros(len(wanted), dtype=np.float32)
    pays = neighbours >= SAMPLED * FEWEST_APART and matrix.shape[0] >= ROWS_A_NEIGHBOUR * neighbours
    if pays:
        guesses = guessed_cosines(matrix, norms, neighbours, minimum_overlap, wanted)
    rows = np.arange(wanted.start, wanted.stop)
    search = RowSearch(matrix, norms, minimum_overlap, rows)
    keys, counts = _room(len(wanted), neighbours)
    search.collect(rows, guesses, neighbours, keys, counts, rows - wanted.start)
    too_few = np.zeros(len(wanted), dtype=bool)
    mark_too_few(keys, counts, neighbours, guesses.view(np.int32), too_few)
    if too_few.any():
        counts[too_few] = 0
        again = np.flatnonzero(too_few)
        search.collect(wanted.start + again, 0.0, neighbours, keys, counts, again)
    return keys, counts


def guessed_cosines(
    matrix: RatingMatrix,
    norms: NDArray[np.float64],
    neighbours: int,
    minimum_overlap: int,
    wanted: range,
) -> NDArray[np.float32]:
    """Guess from a sample a cosine that at least `neighbours` rows reach with each wanted row.

    There must be at least ``SAMPLED`` neighbours. The guess is 0 for rows of the sample, and if too
    few rows of the sample have a positive cosine.
    """
    n_rows = matrix.shape[0]
    apart = neighbours // SAMPLED
    expected = neighbours / apart
    rank = math.ceil(expected + DEVIATIONS * math.sqrt(expected))
    sampled = np.arange(0, n_rows, apart)
    others = np.setdiff1d(np.arange(wanted.start, wanted.stop), sampled, assume_unique=True)
    met = np.union1d(sampled, others)
    search = RowSearch(matrix[met], norms[met], minimum_overlap, np.searchsorted(met, sampled))
    keys, counts = _room(len(others), rank)
    rows = np.searchsorted(met, others)
    search.collect(rows, 0.0, rank, keys, counts, np.arange(len(others)))
    keep_nearest(keys, counts, rank)
    enough = counts == rank
    lowest = keys[enough, :rank].min(axis=1) >> 32
    guesses = np.zeros(len(wanted), dtype=np.float32)
    guesses[others[enough] - wanted.start] = lowest.astype(np.int32).view(np.float32)
    return guesses


def _room(n_rows: int, neighbours: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    spare = max(FEWEST_SPARE, neighbours // SPARE)
    return np.empty((n_rows, neighbours + spare), dtype=np.int64), np.zeros(n_rows, dtype=np.int32)


# Cosines over common entries.


def co_rated_cosines(
    rows: NDArray[np.int64], matrix: RatingMatrix, transposed: RatingMatrix, shrinkage: float
) -> NDArray[np.float64]:
    """Return the shrunk cosines of some rows with all rows, over common entries only.

    ``sim(a, b) = n / (n + shrinkage) * sum_c x_ac x_bc / sqrt(sum_c x_ac^2 sum_c x_bc^2)``, where
    every sum is over the n columns c in which both rows have an entry, even of value 0. The
    similarity is 0 if the formula is undefined (no common entry, or only zeros on one side), and
    with the row itself. The matrix has users by items to compare users, its transpose items.
    """
    cosines = np.empty((len(rows), matrix.shape[0]))
    parts = (*csr_parts(matrix), *csr_parts(transposed))
    _co_rated_cosines(rows, *parts, shrinkage, cosines)
    return cosines


@njit(cache=True)
def _co_rated_cosines(  # type: ignore[no-untyped-def]
    rows, starts, columns, values, by_starts, by_rows, by_values, shrinkage, cosines
):
    n_rows = cosines.shape[1]
    # Product, both sums of squares and count are adjacent, so that each pair needs one cache line.
    sums = np.empty((n_rows, 4), dtype=np.float64)
    for n in range(len(rows)):
        row = rows[n]
        sums[:] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            value = np.float64(values[entry])
            square = value * value
            column = columns[entry]
            # Unsigned positions avoid numba's check for negative indices.
            for position in range(np.uint64(by_starts[column]), np.uint64(by_starts[column + 1])):
                other = np.uint64(by_rows[position])
                theirs = np.float64(by_values[position])
                sums[other, 0] += value * theirs
                sums[other, 1] += square
                sums[other, 2] += theirs * theirs
                sums[other, 3] += 1.0
        sums[row] = 0.0
        for compared in range(n_rows):
            squares = sums[compared, 1] * sums[compared, 2]
            if squares > 0.0:
                common = sums[compared, 3]
                cosine = sums[compared, 0] / np.sqrt(squares)
                cosines[n, compared] = cosine * (common / (common + shrinkage))
            else:
                cosines[n, compared] = 0.0
