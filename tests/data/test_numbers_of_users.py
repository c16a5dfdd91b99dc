# SPDX-License-Identifier: MIT
"""Numbers of users and items in Parquet files: runs of rows, codes, and the set of those met."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.data import parquet_by_user as module

LOW = -(2**40)
"""Beyond 32 bits, as hashes are."""

small = st.lists(st.integers(-3, 6), max_size=8)
scores = st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), max_size=4)


@given(small)
def test_runs_begin_where_another_number_follows(numbers: list[int]) -> None:
    begins = [row for row, own in enumerate(numbers) if not row or own != numbers[row - 1]]
    found = module._starts(np.array(numbers, dtype=np.int64) + LOW)
    assert found.tolist() == [*begins, len(numbers)]


@given(st.lists(scores, max_size=4))
def test_scores_descend_if_each_is_below_the_one_before_of_its_user(
    users: list[list[float]],
) -> None:
    starts = np.cumsum([0, *map(len, users)])
    values = np.array([value for own in users for value in own])
    expected = all(
        not np.isnan(own[:1]).any() and all(later < earlier for earlier, later in pairwise(own))
        for own in users
    )
    assert module._descend(starts, values) == expected


@given(small, st.integers(1, 6))
def test_codes_are_distances_from_the_first_within_the_span(ids: list[int], span: int) -> None:
    codes = np.full(len(ids), -7, dtype=np.int32)
    are_within = module._distances(np.array(ids, dtype=np.int64) + LOW, LOW, span, codes)
    assert are_within == all(0 <= own < span for own in ids)
    if are_within:
        assert codes.tolist() == ids


@given(small, st.lists(st.integers(-1, 3), max_size=6))
def test_codes_are_looked_up_at_the_distance_from_the_first(
    ids: list[int], table: list[int]
) -> None:
    codes = np.full(len(ids), -7, dtype=np.int32)
    given_table = np.array(table, dtype=np.int32)
    are_known = module._look_up(np.array(ids, dtype=np.int64) + LOW, LOW, given_table, codes)
    known = dict(enumerate(table))
    assert are_known == all(known.get(own, -1) >= 0 for own in ids)
    if are_known:
        assert codes.tolist() == [known[own] for own in ids]


@given(
    parts=st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), max_size=5),
    most=st.integers(1, 20),
)
def test_the_numbers_of_all_parts_are_kept_once_however_far_apart(
    parts: list[list[int]], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_MARKED", most)
        numbers = module._MarkedNumbers()
        for own in parts:
            numbers.add(np.array(own, dtype=np.int64) + LOW)
    met = {number for own in parts for number in own}
    assert (numbers.numbers() - LOW).tolist() == sorted(met)
