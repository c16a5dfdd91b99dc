# SPDX-License-Identifier: MIT
"""The order of Java's sets, against one that grows key by key."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from recommenders.java_oracle import OracleHashSet

from receval.recommenders.librec.iterators import hash_set_order


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
