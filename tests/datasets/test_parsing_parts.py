"""Codes, repeated rows and counts, which all parsers share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receval.datasets import counts
from receval.datasets.counts import count_ratings, fewest_and_most
from receval.datasets.formats.pairs import IdentifierEncoder, first_repeat, last_rows
from receval.ratings import Ratings

Pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@settings(deadline=None)
@given(st.lists(st.lists(st.text(max_size=2))))
def test_codes_go_by_first_appearance_over_all_pieces(pieces: list[list[str]]) -> None:
    encoder = IdentifierEncoder()
    found = [code for piece in pieces for code in encoder.encode(pa.array(piece, pa.string()))]
    order = list(dict.fromkeys(name for piece in pieces for name in piece))
    assert found == [order.index(name) for piece in pieces for name in piece]
    assert len(encoder) == len(order)


@settings(deadline=None)
@given(Pairs)
def test_last_rows_are_those_a_dictionary_would_keep(pairs: list[tuple[int, int]]) -> None:
    last = {pair: row for row, pair in enumerate(pairs)}
    assert last_rows(*columns(pairs)).tolist() == sorted(last.values())


@settings(deadline=None)
@given(Pairs)
def test_the_first_repeat_is_the_one_a_reader_meets(pairs: list[tuple[int, int]]) -> None:
    seen: dict[tuple[int, int], int] = {}
    expected = None
    for row, pair in enumerate(pairs):
        if pair in seen:
            expected = (row, seen[pair])
            break
        seen[pair] = row
    assert first_repeat(*columns(pairs)) == expected


def test_large_numbers_do_not_collide() -> None:
    users = np.array([2**62 - 1, 0, 1, 2**62 - 1])
    items = np.array([2**62 - 1, 1, 0, 2**62 - 1])
    assert last_rows(users, items).tolist() == [1, 2, 3]


@settings(deadline=None)
@given(Pairs.filter(bool), st.integers(1, 9))
def test_counting_in_pieces_counts_everything_once(
    pairs: list[tuple[int, int]], piece: int
) -> None:
    users, items = columns(pairs)
    ids = np.arange(6).astype(str)
    ratings = Ratings(users, items, (users + items).astype(np.float32) / 2, ids, ids)
    odd = items % 2 == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_PIECE", piece)
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
