# SPDX-License-Identifier: MIT
"""Which ratings the iterators of LibRec return, and the order of Java's sets, against loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from recommenders.java_oracle import OracleHashSet
from recommenders.matrices import to_matrix

from receval.recommenders.librec.java_random import (
    hash_set_order,
    read_by_column_iterator,
    read_by_row,
)

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


@given(
    keys=st.lists(
        st.one_of(st.integers(0, 300), st.integers(0, 2**31 - 1)), unique=True, max_size=60
    ),
    capacity=st.integers(0, 130),
)
def test_keys_come_in_the_order_of_a_set_that_grows(keys: list[int], capacity: int) -> None:
    oracle = OracleHashSet(capacity)
    for key in keys:
        oracle.add(key)
    order = hash_set_order(np.array(keys, dtype=np.int64), capacity)
    assert [keys[position] for position in order] == list(oracle)


def test_keys_of_the_same_list_come_as_they_were_added() -> None:
    keys = np.array([130, 2, 127, 258, 1])
    assert keys[hash_set_order(keys, 100)].tolist() == [1, 130, 2, 258, 127]
    # 65,536 is 1 and 0 in its two halves, and goes to list 1.
    assert hash_set_order(np.array([65536, 0]), 16).tolist() == [1, 0]
