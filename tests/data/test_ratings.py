# SPDX-License-Identifier: MIT
"""The canonical table survives its files and refuses codes that mean nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from receval.data.ratings import Ratings, first_repeat


def ratings(**columns: object) -> Ratings:
    given = {
        "users": np.array([1, 0, 1], dtype=np.int32),
        "items": np.array([2, 0, 0], dtype=np.int32),
        "values": np.array([4.5, 1, 3], dtype=np.float32),
        "user_ids": np.array(["anna", ""]),
        "item_ids": np.array(["Ægir", "007", "c"]),
        **columns,
    }
    return Ratings(**given)  # type: ignore[arg-type]


PLAIN = ratings()
FULL = ratings(
    values=np.array([5, 1, 3], dtype=np.int8),
    timestamps=np.array([978300760, 2**40, 0], dtype=np.int64),
    known=np.array([True, False, True]),
)


def test_a_digest_is_of_the_ratings_and_not_of_their_types() -> None:
    ids = PLAIN.user_ids
    for users in (ids.astype("U9"), ids.astype(object), ids.tolist()):
        assert ratings(user_ids=users).digest() == PLAIN.digest()
    wide = {name: getattr(PLAIN, name).astype(np.int64) for name in ("users", "items")}
    assert ratings(**wide, values=PLAIN.values.astype(np.float64)).digest() == PLAIN.digest()


@pytest.mark.parametrize("table", [PLAIN, FULL], ids=["plain", "full"])
def test_every_column_comes_back_with_its_type_and_order(tmp_path: Path, table: Ratings) -> None:
    table.write(tmp_path / "ml-1m")
    found = Ratings.read(tmp_path / "ml-1m")
    for name in ("users", "items", "values", "timestamps", "known"):
        before, after = getattr(table, name), getattr(found, name)
        if before is None:
            assert after is None
        else:
            assert after.dtype == before.dtype
            assert after.tolist() == before.tolist()
    assert found.user_ids.tolist() == ["anna", ""]
    assert found.item_ids.tolist() == ["Ægir", "007", "c"]


@pytest.mark.each(
    ("columns", "reason"),
    [
        ({"users": np.array([1, 0, 2], dtype=np.int32)}, r"users holds codes from 0 to 2.*0\.\.1"),
        ({"users": np.array([1, 0, -1], dtype=np.int32)}, r"users holds codes from -1 to 1"),
        ({"items": np.array([3, 0, 0], dtype=np.int32)}, r"items holds codes from 0 to 3.*0\.\.2"),
        ({"items": np.array([0, 0], dtype=np.int32)}, r"items has shape \(2,\).*one entry per"),
        ({"values": np.ones((3, 1), dtype=np.float32)}, "values is not a one-dimensional array"),
        ({"timestamps": np.zeros(2, dtype=np.int64)}, r"timestamps has shape \(2,\)"),
        ({"known": np.zeros(4, dtype=bool)}, r"known has shape \(4,\)"),
        ({"users": np.zeros((3, 1), dtype=np.int32)}, "users is not a one-dimensional array"),
        ({"users": [1, 0, 1]}, "The column users is not a one-dimensional array"),
        ({"values": np.array(["5", "4", "3"])}, "values is of type <U1, not of numbers"),
        ({"values": np.array([5, None, 3])}, "values is of type object, not of numbers"),
        ({"values": np.array([5, 4j, 3])}, "values is of type complex128"),
        ({"values": np.array([5, 1e39, 3])}, r"Row 2 has the value 1e\+39. .* single precision"),
        (
            {"timestamps": np.array([1.0, np.nan, 2.0])},
            "Row 2 has the timestamp nan. It must be a finite",
        ),
        ({"known": np.array([0, 1, 2])}, "known is of type int64, not of bool"),
        ({"values": np.array([4, np.nan, 3], dtype=np.float32)}, "Row 2 has the value nan"),
        ({"values": np.array([4, 1, np.inf], dtype=np.float32)}, "Row 3 has the value inf"),
        (
            {"users": np.array([1.0, 0.0, 1.0])},
            "users has the type float64. Codes must be integers",
        ),
        (
            {"items": np.array([True, False, False])},
            "items has the type bool. Codes must be integers",
        ),
        (
            {"items": np.array([0, 0, 0], dtype=np.int32)},
            r"Row 3 rates the same pair as row 1: user \S* and item Ægir\. Merge such rows",
        ),
    ],
)
def test_columns_that_are_no_ratings_are_refused_by_name_or_row(
    columns: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        ratings(**columns)


def test_long_identifiers_of_a_repeated_pair_are_shortened() -> None:
    with pytest.raises(ValueError, match="Row 3 rates the same pair as row 1") as caught:
        ratings(items=np.array([2, 0, 2], dtype=np.int32), user_ids=np.array(["", "a" * 1_000]))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("rows", [np.array([True, False, True]), np.array([0, 2])])
def test_selected_rows_keep_all_columns_and_codes(rows: np.ndarray) -> None:
    chosen = FULL.select(rows)
    assert chosen.users.tolist() == [1, 1]
    assert chosen.items.tolist() == [2, 0]
    assert chosen.values.tolist() == [5, 3]
    assert chosen.timestamps is not None
    assert chosen.timestamps.tolist() == [978300760, 0]
    assert chosen.known is not None
    assert chosen.known.tolist() == [True, True]
    assert (len(chosen), chosen.n_users, chosen.n_items) == (2, 2, 3)
    with pytest.raises(ValueError, match="Row 2 rates the same pair as row 1"):
        PLAIN.select(np.array([1, 1]))


def test_a_table_without_ratings_is_a_table(tmp_path: Path) -> None:
    empty = PLAIN.select(np.zeros(3, dtype=bool))
    empty.write(tmp_path)
    assert len(Ratings.read(tmp_path)) == 0
    assert len(replace(empty, user_ids=np.array([], dtype=np.str_))) == 0


def test_a_pair_may_repeat_among_events_and_once_each_way_where_two_ways_are_told_apart(
    tmp_path: Path,
) -> None:
    twice = {"items": np.array([0, 0, 0], dtype=np.int32)}
    plays = ratings(**twice, events=True)
    plays.write(tmp_path / "plays")
    assert Ratings.read(tmp_path / "plays").events
    assert plays.select(np.array([0, 0])).events
    ratings(**twice, known=np.array([True, True, False]))
    with pytest.raises(ValueError, match="Row 3 rates the same pair as row 1"):
        ratings(**twice, known=np.array([True, False, True]))


@pytest.mark.each("size", [1, 3, 10_000])
def test_a_repeat_is_found_in_any_block_of_users(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receval.data.ratings._BLOCK_RATINGS", size)
    rng = np.random.default_rng(1)
    users, items = np.divmod(rng.permutation(40), 8)
    for row in (1, 20, 39):
        repeated = {"users": np.append(users, users[row]), "items": np.append(items, items[row])}
        with pytest.raises(ValueError, match=f"Row 41 rates the same pair as row {row + 1}"):
            ratings(
                **repeated,
                values=np.ones(41, dtype=np.float32),
                user_ids=np.arange(5).astype(str),
                item_ids=np.arange(8).astype(str),
            )


def test_blocks_of_users_hold_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("receval.data.ratings._BLOCK_RATINGS", 3)
    table = ratings(
        users=np.array([9, 0, 4, 4, 2, 7, 0, 3, 8], dtype=np.int32),
        items=np.arange(9, dtype=np.int32),
        values=np.ones(9, dtype=np.float32),
        user_ids=np.arange(10).astype(str),
        item_ids=np.arange(9).astype(str),
    )
    blocks = [(start, size, rows.tolist()) for start, size, rows in table.blocks_of_users()]
    assert blocks == [(0, 3, [1, 4, 6]), (3, 3, [2, 3, 7]), (6, 3, [5, 8]), (9, 1, [0])]


@pytest.mark.costly
def test_more_blocks_than_a_byte_can_count_hold_the_rows_of_their_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("receval.data.ratings._BLOCK_RATINGS", 1)
    users = np.random.default_rng(3).permutation(600).astype(np.int32)
    table = ratings(
        users=users,
        items=np.zeros(600, dtype=np.int32),
        values=np.ones(600, dtype=np.float32),
        user_ids=np.arange(600).astype(str),
        item_ids=np.array(["0"]),
    )
    blocks = list(table.blocks_of_users())
    assert len(blocks) == 600
    for start, size, rows in blocks:
        assert users[rows].tolist() == list(range(start, start + size))


def test_the_first_repeat_of_many_is_told_with_the_row_before_it() -> None:
    rng = np.random.default_rng(2)
    keys = np.concatenate([rng.permutation(300), rng.integers(0, 300, 300)])
    for order in (slice(None), slice(None, None, -1), rng.permutation(600)):
        own = keys[order].tolist()
        row = next(row for row, key in enumerate(own) if key in own[:row])
        assert first_repeat(keys[order]) == (row, own.index(own[row]))


def test_columns_of_other_widths_are_written_as_the_usual_ones(tmp_path: Path) -> None:
    wide = ratings(
        users=np.array([1, 0, 1], dtype=np.int64),
        items=np.array([2, 0, 0], dtype=np.uint16),
        values=np.array([5, 4, 3.5]),
        timestamps=np.array([1, 2, 3], dtype=np.uint8),
    )
    wide.write(tmp_path)
    read = Ratings.read(tmp_path)
    for name in ("users", "items", "values", "timestamps"):
        np.testing.assert_array_equal(getattr(read, name), getattr(wide, name))
    assert [read.users.dtype, read.items.dtype, read.values.dtype] == ["i4", "i4", "f4"]
