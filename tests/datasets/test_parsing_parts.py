# SPDX-License-Identifier: MIT
"""Codes, repeated rows and counts, which all parsers share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings import Ratings, first_repeat
from receval.data.repeats import IdentifierEncoder, last_rows, merge_repeats
from reproduction.datasets import prepare
from reproduction.datasets.prepare import count_ratings, fewest_and_most

Pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@given(st.lists(st.lists(st.text(max_size=2))))
def test_codes_go_by_first_appearance_over_all_pieces(pieces: list[list[str]]) -> None:
    encoder = IdentifierEncoder()
    found = [code for piece in pieces for code in encoder.encode(pa.array(piece, pa.string()))]
    order = list(dict.fromkeys(name for piece in pieces for name in piece))
    assert found == [order.index(name) for piece in pieces for name in piece]
    assert len(encoder) == len(order)


@given(Pairs)
def test_last_rows_are_those_a_dictionary_would_keep(pairs: list[tuple[int, int]]) -> None:
    last = {pair: row for row, pair in enumerate(pairs)}
    assert last_rows(*columns(pairs)).tolist() == sorted(last.values())


@given(Pairs)
def test_the_first_repeat_is_the_one_a_reader_meets(pairs: list[tuple[int, int]]) -> None:
    seen: dict[tuple[int, int], int] = {}
    expected = None
    for row, pair in enumerate(pairs):
        if pair in seen:
            expected = (row, seen[pair])
            break
        seen[pair] = row
    users, items = columns(pairs)
    assert first_repeat(6 * users.astype(np.int64) + items) == expected


def test_large_numbers_do_not_collide() -> None:
    users = np.array([2**62 - 1, 0, 1, 2**62 - 1])
    items = np.array([2**62 - 1, 1, 0, 2**62 - 1])
    assert last_rows(users, items).tolist() == [1, 2, 3]


@given(Pairs.filter(bool), st.integers(1, 9))
def test_counting_in_pieces_counts_everything_once(
    pairs: list[tuple[int, int]], piece: int
) -> None:
    users, items = columns(pairs)
    ids = np.arange(6).astype(str)
    ratings = Ratings(users, items, (users + items).astype(np.float32) / 2, ids, ids, events=True)
    odd = items % 2 == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "_PIECE", piece)
        found = count_ratings(ratings, lambda rows: odd[rows])
        span = fewest_and_most(users, 6)
    chosen = [(user, item) for user, item in pairs if item % 2]
    assert found.ratings == len(chosen)
    assert found.users == len({user for user, _ in chosen})
    assert found.items == len({item for _, item in chosen})
    sums = [(user + item) / 2 for user, item in chosen]
    assert found.values == {value: sums.count(value) for value in sums}
    by_user = [sum(user == one for user, _ in pairs) for one in range(6)]
    assert span == (min(by_user), max(by_user))


@given(Pairs, st.sampled_from(["first", "last", "sum", "mean"]))
def test_repeats_are_merged_as_by_hand(pairs: list[tuple[int, int]], duplicates: str) -> None:
    users, items = columns(pairs)
    values = np.arange(len(pairs), dtype=np.float64) ** 2
    rows, kept = merge_repeats(users, items, values, duplicates)
    of_pair: dict[tuple[int, int], list[int]] = {}
    for row, pair in enumerate(pairs):
        of_pair.setdefault(pair, []).append(row)
    stays = 0 if duplicates == "first" else -1
    expected = {own[stays]: own for own in of_pair.values()}
    assert rows.tolist() == sorted(expected)
    for row, value in zip(rows.tolist(), kept.tolist(), strict=True):
        own = values[expected[row]]
        by_hand = {"first": own[0], "last": own[-1], "sum": own.sum(), "mean": own.mean()}
        assert value == pytest.approx(by_hand[duplicates])


def test_repeats_that_are_errors_are_refused_with_their_rows() -> None:
    users, items = np.array([1, 1, 1]), np.array([3, 4, 3])
    with pytest.raises(ValueError, match=r"Row 3: this user and item already have a rating 2 line"):
        merge_repeats(users, items, np.ones(3), "error")
    rows, kept = merge_repeats(users[:2], items[:2], np.ones(2), "error")
    assert (rows.tolist(), kept.tolist()) == ([0, 1], [1, 1])


@pytest.mark.parametrize(("duplicates", "value"), [("sum", 201), ("mean", 100.5)])
def test_merged_whole_numbers_are_what_they_are_by_hand(duplicates: str, value: float) -> None:
    values = np.array([101, 100], dtype=np.int8)
    _, kept = merge_repeats(np.array([1, 1]), np.array([3, 3]), values, duplicates)
    assert kept.tolist() == [value]
    assert kept.dtype == np.float32


@pytest.mark.each(
    ("users", "items", "reason"),
    [
        # As pandas codes what is missing; the two pairs must not become one.
        ([-1, 0], [0, -1], "users holds codes from -1 to 0"),
        ([0, 0], [0, -1], "items holds codes from -1 to 0"),
        ([0.2, 0.7], [0, 0], "users has the type float64"),
        ([0, 1], [0], "2 users, 1 items and 2 values"),
    ],
)
@pytest.mark.each("duplicates", ["error", "last"])
def test_codes_that_tell_no_pairs_apart_are_refused(
    users: list[float], items: list[int], reason: str, duplicates: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        merge_repeats(np.array(users), np.array(items), np.ones(2), duplicates)


def test_a_rule_that_there_is_not_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"'max'\. It must be one of error, first, last, sum, mean"
    ):
        merge_repeats(np.array([1, 1]), np.array([3, 3]), np.ones(2), "max")
