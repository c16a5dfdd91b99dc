# SPDX-License-Identifier: MIT
"""The keys of each row's nearest rows, found by comparing all pairs of rows.

In any order, the n-th row that a row meets is among its k nearest so far with probability k / n:
collecting all these, and selecting among them again and again, takes longer than comparing where k
is large. What will be too far can be known before. Of the k nearest rows a sample has k / a on
average, if it has one row in a; so the r-th nearest of the sample, with r well above k / a, is
hardly ever among the k nearest of all. The rows of a sample are compared with all first, and what
is farther than the r-th nearest of them is left out from the start. Where fewer than k rows are
nearer, the guess was wrong, and the row is compared with all again. Nothing is approximated.

The sample is every a-th row. Rows that differ with that period make guesses wrong, which takes
time, and results stay the same.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix
from receval.recommenders.neighbourhood_blocks import BlockMemory
from receval.recommenders.neighbourhood_kernels import (
    LANES,
    find_nearest_rows,
    keep_nearest,
    mark_too_few,
)
from receval.recommenders.row_norms import row_norms

SPARE = 2
FEWEST_SPARE = 16
"""Keys collected beside the nearest rows, an n-th of them and no fewer, before a selection."""

SAMPLED = 32
"""Of a row's nearest rows, as many are in the sample on average."""

DEVIATIONS = 6
"""Standard deviations that the rank in the sample is above that number."""

FEWEST_APART = 8
"""A sample that has more than one row in so many takes longer to compare than it spares."""

ROWS_A_NEIGHBOUR = 16
"""A sample pays from so many times as many rows as neighbours on."""


class RowSearch:
    """Rows of a matrix, some of which are compared with all.

    A pair costs what one of the two has entries in frequent columns, and which of them it is the
    positions say: the row at the lower one, where the one at the higher is compared. So rows that
    are compared are in order of their numbers of entries, between those others that have fewer than
    half of them and those that have more.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
        With the columns of each row in order.
    norms : ndarray of float64, shape (n_rows,)
        Of its rows.
    minimum_overlap : int
        Rows with fewer common entries are not near, whatever their cosine.
    compared : ndarray of int64
        Numbers of rows, rising: of each pair of rows one is among them.

    Attributes
    ----------
    numbers : ndarray of int64, shape (n_rows,)
        Of the rows in the matrix, by their positions.
    positions : range
        Of those that are compared.
    norms : ndarray of float64, shape (n_rows,)
        By position.
    minimum_overlap
        The parameter.
    memory : BlockMemory
        The matrix in parts, its rows by position.
    reciprocals : ndarray of float32 or float64, shape (n_rows + LANES,)
        Of the norms; 0 for rows without entries, and behind the last.
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
        # Marks of near rows are rough where sums are whole: 32 bits of a product suffice for them.
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
        """Add the keys of near rows to those of some rows.

        Parameters
        ----------
        rows : ndarray of int64
            The numbers of those whose keys are collected.
        guesses : ndarray of float32 or float
            Of each of them, the cosine below which none is collected.
        neighbours : int
            How many of a row's keys are wanted, at most.
        keys : ndarray of int64, shape (n, room)
        counts : ndarray of int32, shape (n,)
            How many there are of each: afterwards the largest that are wanted are among them.
        collectors : ndarray of int64
            Where each of the rows has its keys.
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
    """Return the numbers of all rows by position, and the positions of those that are compared."""
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
    """Return keys of each wanted row's nearest rows, and how many there are of each.

    A key has the bits of a cosine above ``n_rows`` less the number of the other row: keys order by
    cosine, and of rows at the same cosine the lower has the larger key. The largest are among them,
    in any order, with some that are not among the nearest.

    Parameters
    ----------
    matrix : csr_array of float32, shape (n_rows, n_columns)
    minimum_overlap : int
        As for :class:`RowSearch`.
    neighbours : int
        How many of the largest are wanted, at most n_rows.
    wanted : range
        Consecutive rows.

    Returns
    -------
    keys : ndarray of int64, shape (n_wanted, room)
    counts : ndarray of int32, shape (n_wanted,)
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
    """Guess a cosine that so many rows at least will reach with each wanted row, from a sample.

    Parameters
    ----------
    matrix, norms, minimum_overlap
        As for :class:`RowSearch`.
    neighbours : int
        At least ``SAMPLED``.
    wanted : range
        Consecutive rows.

    Returns
    -------
    ndarray of float32, shape (n_wanted,)
        0 for rows of the sample, and where too few of the sample have a positive cosine.
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
