# SPDX-License-Identifier: MIT
"""Which ratings the iterators of LibRec return, against its two iterators as loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from recommenders.matrices import to_matrix

from receval.recommenders.librec.iterators import read_by_column_iterator, read_by_row

# -1 stands for "not rated": it is what LibRec took for a missing value.
CELLS = arrays(
    np.int64,
    st.tuples(st.integers(1, 7), st.integers(1, 7)),
    elements=st.sampled_from([-1, -1, 0, 0, 1, 2]),
)


def first_position(values: list[int]) -> int:
    """Say where an iterator begins: at the first value but 0, or at the last."""
    position = 0
    while position < len(values) - 1 and values[position] == 0:
        position += 1
    return position


def loop_over_vector(values: list[int]) -> list[bool]:
    """Walk over the values of one user; say which are returned."""
    returned = [False] * len(values)
    position = first_position(values)
    while position < len(values):
        returned[position] = True
        position += 1
        while position < len(values) and values[position] == 0:
            position += 1
    return returned


def loop_over_matrix(cells: NDArray[np.int64]) -> list[bool]:
    """Walk over the values of all users; zeros are looked for in the other storage order."""
    by_item = [int(value) for column in cells.T for value in column if value >= 0]
    returned: list[bool] = []
    for row in cells:
        values = [int(value) for value in row if value >= 0]
        start = len(returned)
        returned += [False] * len(values)
        end = len(returned)
        if not values:
            continue
        position = start + first_position(values)
        while position < end:
            returned[position] = True
            position += 1
            while position < end and by_item[position] == 0:
                position += 1
    return returned


@given(cells=CELLS)
def test_rows_are_read_as_by_the_loop_over_a_vector(cells: NDArray[np.int64]) -> None:
    expected = [read for row in cells for read in loop_over_vector([int(v) for v in row if v >= 0])]
    assert read_by_row(to_matrix(cells, cells >= 0)).tolist() == expected


@given(cells=CELLS)
def test_columns_are_read_as_by_the_loop_over_the_matrix(cells: NDArray[np.int64]) -> None:
    train = to_matrix(cells, cells >= 0)
    assert read_by_column_iterator(train).tolist() == loop_over_matrix(cells)


def test_zeros_alone_are_read_once_a_user() -> None:
    rated = np.array([[True, True, True], [False, False, False], [True, False, True]])
    train = to_matrix(np.zeros((3, 3)), rated)
    for read in (read_by_row(train), read_by_column_iterator(train)):
        assert read.tolist() == [False, False, True, False, True]


def test_ratings_without_zeros_are_all_read() -> None:
    rated = np.eye(4, 6, dtype=bool) | np.eye(4, 6, 2, dtype=bool)
    train = to_matrix(rated * 3.0, rated)
    assert read_by_row(train).all()
    assert read_by_column_iterator(train).all()
