# SPDX-License-Identifier: MIT
"""Columns without names are what their values say or a person says, and are never misread."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from data.read_rows import entries_of, read_text, rows_of
from hypothesis import given
from hypothesis import strategies as st

from receval.data import tables
from receval.data.column_roles import roles_of
from receval.data.columns import WantedColumn
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import AS_FOUND, ForeignOptionsError, TableError
from receval.data.run import read_run
from receval.evaluation.runs import evaluate_runs

RATINGS = ("user", "item", "rating", "timestamp")
RUN = ("user", "item", "score", "rank")
Rows = Sequence[Sequence[Any]]


def _as_text(delimiter: str, name: str) -> Callable[[Rows, Path], object]:
    def write(rows: Rows, folder: Path) -> object:
        text = "".join(delimiter.join(map(str, row)) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return write


def _as_gzip(rows: Rows, folder: Path) -> object:
    path = folder / "t.csv.gz"
    path.write_bytes(gzip.compress("".join(",".join(map(str, r)) + "\n" for r in rows).encode()))
    return path


def _as_folder(rows: Rows, folder: Path) -> object:
    for number, part in enumerate((rows, [])):
        own = folder / "parts"
        own.mkdir(exist_ok=True)
        text = "".join(",".join(map(str, row)) + "\n" for row in part)
        (own / f"{number}.csv").write_text(text, encoding="utf-8")
    return own


def _as_frame(rows: Rows, _: Path) -> object:
    return pd.DataFrame(list(rows))


def _as_indexed_frame(rows: Rows, _: Path) -> object:
    frame = pd.DataFrame(list(rows)).reset_index()
    return frame.set_axis(["Unnamed: 0", *range(len(rows[0]))], axis=1)


def _as_parquet(rows: Rows, folder: Path) -> object:
    frame = pd.DataFrame(list(rows))
    frame.set_axis(map(str, frame.columns), axis=1).to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


STORES: dict[str, Callable[[Rows, Path], object]] = {
    "csv": _as_text(",", "t.csv"),
    "tsv": _as_text("\t", "t.tsv"),
    "spaces": _as_text(" ", "t.txt"),
    "gzip": _as_gzip,
    "folder": _as_folder,
    "tuples": lambda rows, _: [tuple(row) for row in rows],
    "frame": _as_frame,
    "indexed frame": _as_indexed_frame,
    "parquet": _as_parquet,
}
"""How rows without names are stored."""

stored = pytest.mark.parametrize("store", STORES.values(), ids=STORES)


@pytest.mark.each("sign", [";", "\t", "|"])
@pytest.mark.each("name", ["m.csv", "m.tsv", "m.txt", "m.dat"])
@pytest.mark.each("header", ["", "user;item;rating\n"])
def test_a_comma_within_identifiers_or_numbers_is_no_delimiter(
    sign: str, name: str, header: str, tmp_path: Path
) -> None:
    text = f"{header}Doe, Ann;1;3,5\nDoe, Ann;2;4,0\nRoe, Bob;1;1,0\nRoe, Bob;2;5,0\n"
    ratings = read_text(tmp_path / name, text.replace(";", sign))
    assert rows_of(ratings) == [
        ("Doe, Ann", "1", 3.5),
        ("Doe, Ann", "2", 4.0),
        ("Roe, Bob", "1", 1.0),
        ("Roe, Bob", "2", 5.0),
    ]
    run = read_run(tmp_path / name)
    assert run.item_ids.tolist() == ["1", "2"]


def test_identifiers_with_as_many_commas_as_delimiters_are_refused_or_split_as_said(
    tmp_path: Path,
) -> None:
    text = "Doe, A, Ann;x, y;b\nRoe, B, Bob;x, z;c\n"
    path = tmp_path / "m.csv"
    with pytest.raises(TableError, match=r"separated by|may be a header"):
        read_text(path, text)
    ratings = read_text(path, text, delimiter=";", header=False, columns="user,item,-")
    assert ratings.user_ids.tolist() == ["Doe, A, Ann", "Roe, B, Bob"]


@stored
@pytest.mark.each("kind", ["ratings", "run"])
def test_a_list_of_columns_decides_wherever_columns_have_an_order(
    store: Callable[[Rows, Path], object], kind: str, tmp_path: Path
) -> None:
    table = store([("x", "ann", 5), ("y", "ann", 1)], tmp_path)
    index = "-," if isinstance(table, pd.DataFrame) and "Unnamed: 0" in table else ""
    expected = [("ann", "x", 5.0), ("ann", "y", 1.0)]
    if kind == "run":
        run = read_run(table, columns=f"{index}item,user,score")
        assert entries_of(run) == expected
        return
    assert rows_of(read_ratings(table, columns=f"{index}item,user,rating")) == expected
    timed = read_ratings(table, columns=f"{index}item,user,timestamp", time_unit="s")
    assert timed.timestamps is not None
    assert sorted(timed.timestamps.tolist()) == [1, 5]
    with pytest.raises(TableError, match="does not fit"):
        read_ratings(table, columns="item,user")


def test_a_list_of_columns_is_refused_where_there_are_no_columns() -> None:
    with pytest.raises(TableError, match="has lists of users instead of columns"):
        read_ratings({"ann": {"x": 5.0}}, columns="user,item,rating")


INDEXED = [(0, 1, 2, 5), (1, 1, 3, 1), (2, 2, 1, 5), (3, 2, 3, 1)]


@stored
def test_an_index_without_a_name_is_left_out_and_said(
    store: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    if store is STORES["indexed frame"]:
        pytest.skip("nothing has two indices")
    ratings = read_ratings(store(INDEXED, tmp_path))
    assert rows_of(ratings) == [("1", "2", 5), ("1", "3", 1), ("2", "1", 5), ("2", "3", 1)]
    assert any("column" in name and "index" in name for name in ratings.reading.unread)
    run = {"1": {"2": 2.0, "3": 1.0}, "2": {"1": 2.0, "3": 1.0}}
    result = evaluate_runs(ratings, {"mine": run}, metrics="RR", depth="whole")
    assert result.summary()["mean"].tolist() == [1.0]


def test_named_tuples_have_names() -> None:
    frame = pd.DataFrame([row[1:] for row in INDEXED], columns=["user", "item", "rating"])
    ratings = read_ratings(list(frame.itertuples()))
    assert rows_of(ratings) == rows_of(read_ratings(frame))
    assert ratings.reading.unread == ("Index",)


def test_users_with_one_row_each_are_no_index(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    timed = read_text(path, "0,7,4,1620000000\n1,3,5,1620000001\n2,9,4,1620000002\n")
    assert rows_of(timed) == [("0", "7", 4), ("1", "3", 5), ("2", "9", 4)]
    assert rows_of(read_text(path, "0,7,4\n1,3,5\n2,9,4\n")) == rows_of(timed)
    with pytest.raises(TableError, match="users with one row each, or an index"):
        read_text(path, "0,7,4\n1,7,5\n2,9,4\n")
    assert read_text(path, "0,7,4\n1,7,5\n2,9,4\n", columns="-,user,item").n_users == 2
    assert read_text(path, "0,7,4\n1,7,5\n2,9,4\n", user=0).n_users == 3


@stored
@pytest.mark.each("read", [read_test_data, read_run])
@pytest.mark.each(
    "rows",
    [
        [(0, 1, 7), (1, 2, 9), (2, 1, 8)],
        [(number, number % 7, 30 + number) for number in range(40)],
        [(3 * number, number % 7, 30 + number) for number in range(40)],
    ],
)
def test_users_with_one_row_each_or_an_index_in_no_order_are_refused_unless_said(
    rows: Rows, read: Callable[..., Any], store: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    if store is STORES["indexed frame"]:
        pytest.skip("its index has a name")
    table = store(rows, tmp_path)
    with pytest.raises(TableError, match=r"or an index .* or -,user,item"):
        read(table)
    assert len(read(table, columns="-,user,item").reading.columns) == 2


def test_an_index_with_a_name_is_said_in_every_store() -> None:
    frame = pd.DataFrame({"Unnamed: 0": [0, 1], "0": [5, 6], "1": [7, 8], "2": [4, 3]})
    reading = read_ratings(frame).reading
    assert reading.unread == ("column 0 (an index)",)
    assert reading.columns["user"] == "column 1"


@stored
def test_a_fourth_column_of_0_and_1_is_not_read_and_said(
    store: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    rows = [
        (user, item, 1 + (user + item) % 5, user * item % 2) for user in (1, 2) for item in (3, 4)
    ]
    ratings = read_ratings(store(rows, tmp_path))
    assert ratings.timestamps is None
    assert ratings.values.tolist() == [row[2] for row in rows]
    assert any("(0 or 1)" in own for own in ratings.reading.unread)


@stored
@pytest.mark.each("tail", [(), (0.5,)])
@pytest.mark.each("time", [1_620_000_000, "2021-05-03"])
def test_times_in_a_run_are_no_scores_unless_said(
    time: object, tail: tuple[float, ...], store: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    table = store([(1, 8, time, *tail), (2, 9, time, *tail)], tmp_path)
    index = "-," if isinstance(table, pd.DataFrame) and "Unnamed: 0" in table else ""
    columns = f"user,item,-{',score' if tail else ''}"
    if isinstance(time, str) and tail:
        assert read_run(table).scores.tolist() == [0.5, 0.5]
        return
    with pytest.raises(TableError, match=rf"column 2 .* seems to have times.*{columns}"):
        read_run(table)
    assert len(read_run(table, columns=index + columns)) == 2


@pytest.mark.each("read", [read_ratings, read_run])
@pytest.mark.each("last", ["", " 0.5"])
def test_ranks_before_items_are_refused_unless_said(read: Any, last: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    rows = [
        f"{user} {rank} {user * 100 + rank * 7}{last}\n" for user in (1, 2) for rank in (1, 2, 3)
    ]
    path.write_text("".join(rows), encoding="utf-8")
    with pytest.raises(TableError, match=r"as ranks do, and the next column may have the items"):
        read(path)
    read_again = read(path, columns="user,-,item" + ",-" * bool(last))
    assert read_again.item_ids.tolist() == ["107", "114", "121", "207", "214", "221"]


@pytest.mark.each("constant", ["", " Q0", " 0"])
def test_ranks_given_as_test_data_are_refused_unless_said(constant: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    rows = [f"{user}{constant} d{item} {item}\n" for user in "ab" for item in (1, 2, 3)]
    path.write_text("".join(rows), encoding="utf-8")
    with pytest.raises(TableError, match=r"as the ranks of a run are"):
        read_test_data(path)
    columns = f"user,{'-,' if constant else ''}item,rating"
    assert len(read_test_data(path, columns=columns).ratings) == 6
    columns = columns.replace("rating", "rank")
    assert read_run(path, format="table", columns=columns).scores.tolist() == [-1, -2, -3] * 2
    if constant:
        with pytest.raises(TableError, match=r"as TREC's judgments .*--columns user,-,item,rank"):
            read_run(path)
        assert read_test_data(path, format="qrels").are_grades


@pytest.mark.each("sign", [" ", ",", "\t"])
@pytest.mark.each(("read", "said"), [(read_test_data, "rating"), (read_run, "rank,score")])
def test_the_constant_of_trec_is_no_item_beside_numbers(
    sign: str, read: Callable[..., Any], said: str, tmp_path: Path
) -> None:
    rows = [(user, 0, user + 7, 1.5 / user, "tag") for user in range(1, 9)]
    path = _as_text(sign, "a.txt")(rows, tmp_path)
    with pytest.raises(TableError, match=rf"column of items has 0 in all rows.*user,-,item,{said}"):
        read(path)


TIMES = (1_620_000_000, 1_620_000_001_000, "2021-05-03", 20210503)


@stored
@pytest.mark.parametrize("time", TIMES)
def test_times_are_known_by_their_range_in_any_place_after_the_item(
    store: Callable[[Rows, Path], object], time: object, tmp_path: Path
) -> None:
    def read(*rows: tuple[object, ...]) -> tuple[list[Any], bool]:
        ratings = read_ratings(store(rows, tmp_path))
        return rows_of(ratings), ratings.timestamps is not None

    pair = [("1", "8", 1.0), ("2", "9", 1.0)]
    assert read((1, 8, time), (2, 9, time)) == (pair, True)
    rated = [("1", "8", 5.0), ("2", "9", 4.0)]
    assert read((1, 8, time, 5), (2, 9, time, 4)) == (rated, True)
    assert read((1, 8, 5, time), (2, 9, 4, time)) == (rated, True)
    if store is not STORES["tuples"]:
        assert read((1, 8, 5, time, "foo", 7), (2, 9, 4, time, "bar", 7)) == (rated, True)
        assert read((1, 8, 5, "foo", time), (2, 9, 4, "bar", time)) == (rated, True)


def test_columns_without_names_are_said_with_those_that_are_not_read(tmp_path: Path) -> None:
    ratings = read_text(tmp_path / "t.csv", "1,8,3,1620000000,foo,5\n2,9,4,1620000000,bar,5\n")
    (first, _) = ratings.reading.lines()
    assert first.endswith(
        "taken by their values: user is column 0 (1), item is column 1 (8), "
        "rating is column 2 (3), timestamp is column 3 (1620000000); "
        "not read: column 4, column 5."
    )


@pytest.mark.each("ranks", [False, True])
def test_scores_that_may_have_decimal_commas_are_refused_unless_said(
    tmp_path: Path, ranks: bool
) -> None:
    path = tmp_path / "run.csv"
    rows = [(f"{user},{item}", rank) for user in (1, 2) for rank, item in enumerate((7, 9, 8), 1)]
    text = [f"{pair},{f'{rank},' if ranks else ''}0,{95 - 7 * rank}\n" for pair, rank in rows]
    path.write_text("".join(text), encoding="utf-8")
    with pytest.raises(TableError, match="may be scores with decimal commas, which need quotes"):
        read_run(path)
    said = "user,item,rank,score,-" if ranks else "user,item,-,score"
    assert len(read_run(path, columns=said)) == 6


def test_what_may_be_decimal_commas_is_refused_unless_said(tmp_path: Path) -> None:
    path, text = tmp_path / "t.csv", "1,8,3,5\n2,9,4,0\n"
    with pytest.raises(TableError, match="times, or the fractions of ratings"):
        read_text(path, text)
    with pytest.raises(TableError, match="times, or the fractions of ratings"):
        read_text(path, "".join(f"{n % 9},{n},3,{n % 10}\n" for n in range(2000)))
    timed = "".join(f"{n % 9},{n},3,{n % 2 * 5},{1_620_000_000 + n}\n" for n in range(50))
    with pytest.raises(TableError, match="may have the fractions of ratings"):
        read_text(path, timed)
    assert read_text(path, timed, columns="user,item,rating,-,timestamp").timestamps is not None
    assert read_text(path, text, columns="user,item,rating,timestamp").timestamps is not None
    assert read_text(path, text, timestamp="-").timestamps is None
    quoted = read_text(path, '1,8,"3,5"\n2,9,"4,0"\n')
    assert rows_of(quoted) == [("1", "8", 3.5), ("2", "9", 4.0)]


@pytest.mark.each("rating", ["", "4 "])
@pytest.mark.each(("header", "order"), [(False, 1), (False, -1), (True, 1), (True, -1)])
def test_a_date_and_a_time_in_two_cells_are_one_moment(
    rating: str, order: int, tmp_path: Path, *, header: bool
) -> None:
    path = tmp_path / "t.txt"
    names = f"user item {rating and 'rating '}{' '.join(['date', 'time'][::order])}\n" * header
    rows = [("a x", "2021-05-03", "10:00:00"), ("b y", "2021-05-04", "09:00:00.5")]
    text = names + "".join(f"{pair} {rating}{' '.join(times[::order])}\n" for pair, *times in rows)
    read = read_text(path, text, header=header)
    assert read.timestamps.tolist() == [1_620_036_000, 1_620_118_800.5]
    assert " with " in read.reading.columns["timestamp"]
    assert read.reading.unread == ()
    place = text.split("\n")[-2].split().index("2021-05-04")
    for options in (
        {"timestamp": place},
        {
            "columns": ",".join(
                ["user", "item", *["rating"] * bool(rating), *["timestamp", "-"][::order]]
            )
        },
    ):
        days = read_text(path, text, **options, header=header)
        assert days.timestamps.tolist() == [1_620_000_000, 1_620_086_400]
    assert read_text(path, text, timestamp="-", header=header).timestamps is None
    rest = text.removeprefix(names)
    late = names + rest * 600 + rest.replace("09:00:00.5", "25:00:00")
    with pytest.raises(TableError, match=r"line 120[23]: the time of the day is '25:00:00'"):
        read_text(path, late, header=header)
    tabs = text.replace(" ", "\t")
    for missing in ("2021-05-04", "09:00:00.5"):
        with pytest.raises(TableError, match=r"line \d has no timestamp"):
            read_text(path, tabs.replace(missing, ""), header=header)


@pytest.mark.each(
    ("day", "clock", "named"),
    [
        ("date", "time", "date with time"),
        ("day", "Time", "day with Time"),
        ("review_date", "review_time", "review_date with review_time"),
        ("date", "created_at", "date"),
        ("date", "review_time", "date"),
    ],
)
def test_a_date_is_joined_with_a_time_of_the_same_name_alone(
    day: str, clock: str, named: str, tmp_path: Path
) -> None:
    table = {"user": ["a"], "item": ["x"], clock: ["9:00"], day: ["2021-05-03"]}
    pd.DataFrame(table).to_parquet(tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet"):
        read = read_ratings(source)
        assert read.reading.columns["timestamp"] == named
        assert read.timestamps is not None
        assert read.timestamps.tolist() == [1_620_032_400 if " with " in named else 1_620_000_000]


def test_of_parquet_only_wanted_columns_and_the_time_of_a_date_are_read(tmp_path: Path) -> None:
    table = pd.DataFrame({"user": ["a"], "date": ["2021-05-03"], "item": ["x"], "time": ["9:00"]})
    path = tmp_path / "t.parquet"
    for more, options, expected, unread in (
        ({}, {}, [*table], ("text",)),
        ({"timestamp": 1}, {}, ["user", "item", "timestamp"], ("date", "time", "text")),
        ({}, {"timestamp": "date"}, ["user", "date", "item"], ("time", "text")),
        ({"time": 1.6e9}, {"time_unit": "s"}, [*table], ("date", "text")),
    ):
        table.assign(**more, text="long").to_parquet(path)
        for source in (path, tmp_path):
            with patch.object(tables, "checked_table", side_effect=tables.checked_table) as checked:
                reading = read_ratings(source, **options).reading
            assert checked.call_args.args[0].column_names == expected
            assert sorted(reading.unread) == sorted(unread)


@pytest.mark.each("order", ["dcr", "cdr", "drc", "crd", "rdc", "rcd"])
def test_ratings_are_found_beside_a_date_and_a_time_of_the_day_in_any_order(
    order: str, tmp_path: Path
) -> None:
    def rows(most: int) -> str:
        cells = (
            {"d": f"2021-05-{1 + n % 9:02}", "c": f"{n % 24}:30:00", "r": str(1 + n % most)}
            for n in range(60)
        )
        of_each = (",".join(map(own.__getitem__, order)) for own in cells)
        return "".join(f"u{n % 7},i{n % 11},{own}\n" for n, own in enumerate(of_each))

    read = read_text(tmp_path / "a.csv", rows(5))
    assert (set(read.values), read.timestamps[0]) == ({1, 2, 3, 4, 5}, 1_619_829_000)
    if order in ("dcr", "cdr"):
        with pytest.raises(TableError, match="column 4 may have ratings or something else"):
            read_text(tmp_path / "a.csv", rows(60))
        assert read_text(tmp_path / "a.csv", rows(60), rating=4).values.max() == 60
        none = read_text(tmp_path / "a.csv", rows(60), rating="-")
        assert (none.values.max(), none.timestamps[0]) == (1, 1_619_829_000)


@pytest.mark.each("columns", ["2003-02-28,3:{}", "3:{},2003-02-28"])
def test_a_duration_of_an_item_is_no_time_of_the_day(columns: str, tmp_path: Path) -> None:
    rows = (f"u{n},i{n % 50},{n % 4},{columns.format(10 + n % 50)}\n" for n in range(200))
    times = read_text(tmp_path / "a.csv", "".join(rows)).timestamps
    assert set(times) == {1_046_390_400}


@pytest.mark.each("times", ["T10:00:00", ",10:00:00"])
def test_what_describes_items_is_no_rating_before_a_time_in_one_or_two_cells(
    times: str, tmp_path: Path
) -> None:
    rows = (f"u{n},i{n % 50},{n % 50 % 4 + 1},2003-02-28{times}\n" for n in range(200))
    with pytest.raises(TableError, match=r"column 2 .* same value in all rows of each item"):
        read_text(tmp_path / "a.csv", "".join(rows))


@pytest.mark.each("kind", ["text", "types", "pandas"])
def test_a_date_and_a_time_of_a_frame_are_one_moment(kind: str) -> None:
    days, clock = ["2021-05-03", "2021-05-04"], ["10:00:00", "9:00:00"]
    table = {"user": [1, 2], "item": [7, 7], "date": days, "time": clock}
    if kind == "types":
        table["date"] = [datetime.fromisoformat(day).date() for day in days]
        table["time"] = [time(10), time(9)]
    if kind == "pandas":
        table["date"] = pd.to_datetime(days)
        table["time"] = pa.array([36_000, 32_400], pa.duration("s"))
    read = read_ratings(pd.DataFrame(table))
    assert read.timestamps is not None
    assert read.timestamps.tolist() == [1_620_036_000, 1_620_118_800]


RANKED = [("a", "x", 1), ("a", "y", 2), ("a", "z", 3), ("b", "y", 1), ("b", "x", 2)]


@stored
@pytest.mark.parametrize("first", [0, 1])
def test_ranks_without_a_name_are_known_by_counting_for_each_user(
    store: Callable[[Rows, Path], object], first: int, tmp_path: Path
) -> None:
    test = {"user": ["a", "b"], "item": ["x", "y"]}

    def reciprocal_rank(rows: Rows, **options: Any) -> float:
        run = read_run(store(rows, tmp_path), **options)
        result = evaluate_runs(test, {"mine": run}, metrics="RR", depth="whole")
        return round(float(result.summary()["mean"][0]), 4)

    ranks = [(user, item, rank - 1 + first) for user, item, rank in RANKED]
    assert reciprocal_rank(ranks) == 1.0
    scores = [(*row, 1.5 - row[2] / 4) for row in ranks]
    assert reciprocal_rank(scores) == 1.0
    assert reciprocal_rank(scores, order="rank") == 1.0
    swapped = [(user, item, score, rank) for user, item, rank, score in scores]
    assert reciprocal_rank(swapped) == 1.0
    # Of three items, x is last for a, and of two, y is last for b.
    if store is not STORES["indexed frame"]:
        assert reciprocal_rank(ranks, columns="user,item,score") == round((1 / 3 + 1 / 2) / 2, 4)


def test_what_may_be_ranks_or_scores_is_refused_unless_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,x,2\na,y,1\na,z,3\n", encoding="utf-8")
    with pytest.raises(TableError, match="They may be ranks or scores"):
        read_run(path)
    assert read_run(path, score=2).scores.tolist() == [2, 1, 3]
    assert read_run(path, columns="user,item,rank").scores.tolist() == [-2, -1, -3]
    path.write_text("a,x,3\na,y,2\na,z,1\n", encoding="utf-8")
    assert read_run(path).scores.tolist() == [3, 2, 1]


def test_a_column_that_is_asked_for_replaces_one_decision(tmp_path: Path) -> None:
    path, text = tmp_path / "t.csv", "1,8,3\n2,9,4\n"
    assert rows_of(read_text(path, text, user=1, item=0)) == [("8", "1", 3), ("9", "2", 4)]
    timed = read_text(path, text, timestamp=2)
    assert rows_of(timed) == [("1", "8", 1), ("2", "9", 1)]
    assert timed.timestamps is not None
    with pytest.raises(TableError, match="column 2 would be both item, as asked for, and rating"):
        read_text(path, text, item=2)
    assert rows_of(read_text(path, text, item=2, rating="-")) == [("1", "3", 1), ("2", "4", 1)]


def test_ranks_that_end_after_the_first_rows_are_refused(tmp_path: Path) -> None:
    rows = [f"{user},{item},{item + 1}\n" for user in range(200) for item in range(10)]
    path = tmp_path / "t.csv"
    path.write_text("".join(rows) + "200,1,7.5\n", encoding="utf-8")
    with pytest.raises(TableError, match="but in later rows it has others"):
        read_run(path)


@pytest.mark.each(
    ("text", "columns", "rows"),
    [
        ("ann,book\nbob,film\nbob,ball\n", "user,item", 3),
        ("0,1,2\n0,2,5\n1,1,4\n", "user,item,rating", 3),
        ("user,book\nbob,film\n", "user,item", 1),
        ("uid,iid,stars\n0,2,5\n1,1,4\n", "user,item,rating", 2),
        ("i,stars,u\n0,2,5\n1,1,4\n", "item,rating,user", 2),
    ],
)
@pytest.mark.each("pack", [False, True])
def test_with_a_list_of_columns_the_first_line_is_a_row_unless_it_names_them(
    text: str, columns: str, rows: int, tmp_path: Path, *, pack: bool
) -> None:
    content = gzip.compress(text.encode()) if pack else text.encode()
    ratings = read_text(tmp_path / ("t.csv.gz" if pack else "t.csv"), content, columns=columns)
    assert len(ratings) == rows


# Forms that options and detection share.

JUDGED = [("a", 0, "x", 1), ("b", 0, "y", 0)]


@pytest.mark.each(("between", "sign"), [("\t\t", "tabs"), ("||", "'|'")])
def test_columns_that_are_empty_between_others_are_not_read(
    between: str, sign: str, tmp_path: Path
) -> None:
    rows = [("u", "i", 5.0), ("u", "j", -2.5)]
    path = tmp_path / "a.dat"
    path.write_text("".join(between.join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    read = read_ratings(path)
    assert rows_of(read) == rows
    assert f"text with {sign}" in read.reading.form
    assert read.reading.unread == ("column 1", "column 3")


@pytest.mark.each("store", [STORES["tsv"], STORES["frame"], STORES["parquet"]])
def test_a_column_that_is_empty_in_the_first_rows_alone_is_refused_unless_it_is_no_rival(
    store: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    def table(*late: str) -> object:
        between = [[own if number > 1400 else "" for own in late] for number in range(1500)]
        rows = [(f"u{n}", f"i{n}", *own, 1_600_000_000 + n) for n, own in enumerate(between)]
        return store(rows, tmp_path)

    with pytest.raises(TableError, match=r"column 2 .* is empty in the first rows, but has '4'"):
        read_ratings(table("4"))
    assert read_ratings(table("4"), rating="-").reading.unread == ("column 2",)
    assert read_ratings(table("")).reading.unread == ("column 2",)
    rated = [(f"u{n}", f"i{n}", n % 5, "good" * (n > 1400), "2021-05-03") for n in range(1500)]
    read = read_ratings(store(rated, tmp_path))
    assert sorted(set(read.values.tolist())) == [0, 1, 2, 3, 4]
    assert read.reading.unread == ("column 3",)


@pytest.mark.each("sign", [",", "\t", ";", " "])
@pytest.mark.each(
    ("name", "options"),
    [
        ("q.csv", {}),
        ("q.csv", {"format": "qrels"}),
        ("q.tsv", {"format": "qrels", "header": False}),
        ("q.qrels", {"header": False}),
        ("q.qrels", {"columns": "user,-,item,rating"}),
        ("q.txt", {}),
    ],
)
def test_judgments_are_judgments_with_any_delimiter_and_option(
    sign: str, name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = _as_text(sign, name)(JUDGED, tmp_path)
    for said in (options, {**options, "delimiter": sign}):
        judged = read_test_data(path, **said)
        assert rows_of(judged.ratings) == [("a", "x", 1.0), ("b", "y", 0.0)]
        assert judged.are_grades


@pytest.mark.each("sign", [",", "\t", " "])
@pytest.mark.each("name", ["r.csv", "r.tsv", "r.txt", "r.run"])
def test_a_run_of_trec_is_known_by_its_form(sign: str, name: str, tmp_path: Path) -> None:
    rows = [("q", "Q0", "x", 1, 0.9, "me"), ("q", "Q0", "y", 2, 0.8, "me")]
    run = read_run(_as_text(sign, name)(rows, tmp_path))
    assert entries_of(run) == [("q", "x", 0.9), ("q", "y", 0.8)]


def test_options_of_texts_are_refused_for_other_formats(tmp_path: Path) -> None:
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rating": [4, 5]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for source in (tmp_path / "t.parquet", tmp_path / "t.jsonl", frame):
        for options in ({"delimiter": ";"}, {"header": False}, {"quotes": True}):
            with pytest.raises(
                ForeignOptionsError, match=f"read with {next(iter(options))}. Leave"
            ):
                read_ratings(source, **options)
        listed = read_ratings(source, columns="user,item,rating")
        assert rows_of(listed) == rows_of(read_ratings(frame))


@pytest.mark.each("store", ["frame", "json", "parquet", "csv"])
def test_a_decimal_mark_that_is_said_holds_for_texts_in_any_format(
    store: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rating": ["1,000", "2,500"]})
    path = tmp_path / f"t.{store}"
    if store == "frame":
        source: object = frame
    else:
        source = path
        if store == "json":
            frame.to_json(path, orient="records")
        elif store == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
    with pytest.raises(TableError, match="For decimal commas, set decimal=','"):
        read_ratings(source)
    assert rows_of(read_ratings(source, decimal=",")) == [("a", "x", 1.0), ("b", "y", 2.5)]


def test_a_folder_names_the_forms_and_unread_columns_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("user,item,rating\na,x,4\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("user;item;rating;note\nb,c;y;5;n\n", encoding="utf-8")
    reading = read_ratings(tmp_path).reading
    assert reading.unread == ("note",)
    assert "commas" in reading.form
    assert "semicolons" in reading.form


@pytest.mark.parametrize("users", [3, 30])
def test_a_mapping_with_values_as_of_ratings_says_what_it_was_taken_for(users: int) -> None:
    mapping = {
        f"u{user}": {f"i{item}": float(item) for item in range(1, 6)} for user in range(users)
    }
    judged = read_test_data(mapping)
    assert judged.are_grades == (users == 3)
    result = evaluate_runs(mapping, {"mine": mapping}, metrics="P@5", depth="whole")
    # 4 and 5 of five items are relevant, or all of them.
    assert result.summary()["mean"].tolist() == pytest.approx([1.0 if users == 3 else 0.4])
    assert "judgments-or-ratings" in [note.code for note in result.notes]
    with_zero = {user: {**own, "i9": 0.0} for user, own in mapping.items()}
    (note,) = read_test_data(with_zero).reading.notes  # type: ignore[union-attr]
    why = "there are fewer than 20 users" if users == 3 else "some are 0 or less"
    assert f"taken for judgments, as {why}, so that those of 1 or more are relevant" in note
    graded = {user: {"x": 0.0, "y": 3.0} for user in mapping}
    assert not read_test_data(graded).reading.notes  # type: ignore[union-attr]


def test_a_rule_for_duplicates_is_only_named_where_it_was_used() -> None:
    rows = np.array([[1, 1, 4], [2, 1, 5]])
    assert "rule" not in read_ratings(rows).reading.as_dict()
    assert "rule" in read_ratings(rows, duplicates="sum").reading.as_dict()


CELLS = st.sampled_from(
    [
        *("", "a", "0", "1", "2", "3", "1.5", "3,5", "nan", "inf", "-1", "1e400", "9" * 400),
        *("20210503", "1620000000", "2021-05-03", "2021-05-03T10:00:00+01:00"),
        *("\0", "\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "Q0", "[]"),
    ]
)


@given(
    rows=st.integers(2, 6).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8)
    ),
    kind=st.sampled_from([RATINGS, RUN]),
    asked=st.sampled_from([{}, {"user": 1}, {"item": 0}, {"rating": 2}, {"score": "-"}]),
)
def test_any_cells_give_different_columns_for_each_role_or_are_refused(
    rows: list[list[str]], kind: tuple[str, ...], asked: dict[str, Any]
) -> None:
    wanted = [
        WantedColumn(name, (name,), name in kind[:2], asked.get(name), name in kind[:2])
        for name in kind
    ]
    cells = list(zip(*rows, strict=True)) or [()] * 2
    try:
        roles = roles_of("t", None, cells, wanted, AS_FOUND, may_have_fractions=True)
    except TableError:
        return
    places = list(roles.places.values())
    assert {"user", "item"} <= roles.places.keys() <= set(kind)
    assert len(set(places)) == len(places)
    assert len(places) + len(roles.unread) == len(cells)


LISTS = {
    "a run as of LightGCN": [(1, 11, 12, 13, 14, 15), (2, 12, 11, 16, 13, 17)],
    "one user": [(1, 11, 12, 13, 14, 15)],
    "lists of three": [(0, 11, 12, 13), (1, 12, 11, 16), (2, 14, 12, 16)],
    "few items": [("ann", 3, 5, 7), ("bob", 4, 6, 5)],
    "large identifiers": [(1, *range(111111111, 111111115)), (2, *range(111111113, 111111117))],
    "lists of unequal lengths": [(1, 11, 12, 13, 14, 15), (2, 12, 11)],
}
"""Rows of a user and the user's items."""


@pytest.mark.each("rows", LISTS.values(), ids=LISTS)
@pytest.mark.each("write", [_as_text(" ", "t.txt"), _as_text("\t", "t.tsv"), _as_frame])
def test_rows_of_a_user_and_items_are_refused_as_a_run_and_as_test_data(
    rows: Rows, write: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    are_equal = len({len(row) for row in rows}) == 1
    if write is _as_frame and not are_equal:
        pytest.skip("a data frame has as many cells in each row")
    source = write(rows, tmp_path)
    for read in (read_run, read_test_data):
        with pytest.raises(TableError, match=r"each row seems to have a user and the user's items"):
            read(source)
    if are_equal:
        columns = ",".join(["user", "item", *"-" * (len(rows[0]) - 2)])
        assert len(read_run(source, columns=columns)) == len(rows)


@pytest.mark.each(
    "rows",
    [
        [(1, 11, 4, 1620000000), (2, 12, 5, 1620000001)],  # one rating per user held out
        [(1, 11, 350), (2, 12, 17)],  # plays
        [(1, 11, 1, 7), (2, 12, 1, 8)],  # feedback with early times
        [(1, 11, 4, 3.5), (2, 12, 5, 2.5)],
    ],
)
def test_one_row_per_user_is_no_list_of_items_if_its_values_say_otherwise(
    rows: Rows, tmp_path: Path
) -> None:
    ratings = read_ratings(_as_text(" ", "t.txt")(rows, tmp_path))
    assert ratings.values.tolist() == [row[2] for row in rows]


@pytest.mark.each(
    ("one", "other"),
    [
        ("2021-05-03", "2021-05-04"),
        ("2021-05-03 10:00:00 UTC", "2021-05-04 10:00:00 UTC"),
        ("20210503", "20210504"),
        ("5/3/2021", "12/30/2021"),
        ("03.05.2021", "4.5.2021"),
    ],
)
@pytest.mark.each("place", [0, 1])
@pytest.mark.each("read", [read_ratings, read_run, read_test_data])
def test_dates_in_the_place_of_users_or_items_are_refused_without_a_header(
    one: str, other: str, place: int, read: Callable[..., object], tmp_path: Path
) -> None:
    rows = [["ann", "4"], ["bob", "5"]]
    for row, date in zip(rows, (one, other), strict=True):
        row.insert(place, date)
    path = _as_text(",", "t.csv")(rows, tmp_path)
    columns = ["user", "item"]
    columns.insert(place, "-" if read is read_run else "timestamp")
    with pytest.raises(
        TableError, match=rf"column {place} .* has dates.*--columns {','.join(columns)}"
    ):
        read(path)


def exchanged(order: str) -> list[list[object]]:
    """Rows of 90 ratings, with columns in an order: user, item, rating, time, price and others."""
    rows = [
        {
            "u": n % 30,
            "i": 100 + n % 7 + 10 * (n // 30),
            "r": 1 + n * n // 7 % 5,
            "t": 1_620_000_000 + 7 * n,
            "c": (n % 7 + 10 * (n // 30)) % 4,
            "g": n % 30 % 3,
            "p": 1.5 * (n % 40),
            "q": 2 * n,
            "B": f"B0000000{10 + n % 7 + 10 * (n // 30)}",
            "A": f"A1B2C3D4E5F{n % 30}",
        }
        for n in range(90)
    ]
    return [[row[name] for name in order] for row in rows]


in_order = pytest.mark.each(
    "store", [own for name, own in STORES.items() if name != "indexed frame"]
)


@in_order
@pytest.mark.each(
    ("order", "told", "columns"),
    [
        ("tui", "column 0 .* has times such as 1620000000", "timestamp,user,item"),
        ("tuir", "column 0 .* has times such as 1620000000", "timestamp,user,item"),
        ("uti", "column 1 .* has times such as 1620000000", "user,timestamp,item"),
        ("pui", "column 0 .* has fractions such as 1.5", "rating,user,item"),
        ("upi", "column 1 .* has fractions such as 1.5", "user,rating,item"),
        ("BArt", "has products of Amazon and the next one its customers", "item,user,rating,time"),
        ("uiprt", "columns 2 and 3 .* may both have the ratings", "user,item,-,rating"),
        ("uic", "column 2 .* has the same value in all rows of each item", "user,item,- or"),
        ("uicrt", "column 2 .* has the same value in all rows of each item", "user,item,- or"),
        ("uig", "column 2 .* has the same value in all rows of each user", "user,item,- or"),
        ("uipqt", "columns 2 and 3 .* may both have the ratings", "user,item,-,rating"),
        ("rui", "column 0 .* has only 5 different numbers", "rating,user,item"),
        ("ruit", "column 0 .* has only 5 different numbers", "rating,user,item"),
    ],
)
def test_columns_in_another_order_are_refused_where_their_values_show_it(
    store: Callable[[Rows, Path], object], order: str, told: str, columns: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=rf"{told}.*--columns {columns}"):
        read_ratings(store(exchanged(order), tmp_path), duplicates="last")


@in_order
@pytest.mark.each("order", ["uir", "uirt", "uit", "uip", "ABrt"])
def test_columns_in_the_usual_order_are_not_refused(
    store: Callable[[Rows, Path], object], order: str, tmp_path: Path
) -> None:
    read = read_ratings(store(exchanged(order), tmp_path)).reading
    assert read.columns["item"] == "column 1"
    assert read.first_cells["item"] == str(exchanged(order)[0][1])


def test_a_pair_that_is_rated_again_may_mean_that_columns_are_exchanged(tmp_path: Path) -> None:
    text = "".join(f"{u},{r},{i}\n" for u, i, r in exchanged("uir"))
    with pytest.raises(TableError, match=r"If column 0 is not the user, or column 1 not the item"):
        read_text(tmp_path / "a.csv", text)
    with pytest.raises(TableError, match=r"--duplicates first\)\.$"):
        read_text(tmp_path / "a.csv", f"user,item,rating\n{text}")


@pytest.mark.each("tail", ["1 2.5", "2.5 mine"])
@pytest.mark.each("constant", ["Q0", "0"])
@pytest.mark.each(("name", "sign"), [("t.run", " "), ("t.txt", " "), ("t.tsv", "\t")])
def test_a_run_of_trec_with_five_columns_is_refused_unless_they_are_said(
    tail: str, constant: str, name: str, sign: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    lines = [f"1 {constant} {item} {tail}\n".replace(" ", sign) for item in ("a", "b")]
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(TableError, match=r"TREC's run .* has 6 columns .* line 1 has 5 .*the tag"):
        read_run(path)
    columns = "user,-,item,rank,score" if tail.startswith("1") else "user,-,item,score,-"
    assert [row[1] for row in entries_of(read_run(path, columns=columns))] == ["a", "b"]


def test_the_constant_of_trec_is_no_item_if_it_varies(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("1 Q0 a 1 9.5 m\n1 Q1 b 2 8 m\n", encoding="utf-8")
    with pytest.raises(TableError, match="the column of items has Q0, Q1 in all rows"):
        read_run(path)


def test_a_first_line_that_may_be_row_0_of_an_index_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counted.csv"
    path.write_text("0,1,2,3\n1,1,3,1\n2,2,1,5\n3,2,3,1\n", encoding="utf-8")
    with pytest.raises(TableError, match="may be a header that numbers the columns, or a row"):
        read_ratings(path)
    assert len(read_ratings(path, header=True, columns="-,user,item,rating")) == 3
    assert len(read_ratings(path, header=False, columns="-,user,item,rating")) == 4


def test_identifiers_of_json_lines_that_a_list_of_columns_names_stay_as_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dates.jsonl"
    lines = ['{"user": "u", "sku": "2021-01-01", "score": 5}', '{"user": "u", "sku": "2021-01-02"}']
    path.write_text("\n".join(lines).replace('02"}', '02", "score": 1}') + "\n", encoding="utf-8")
    ratings = read_ratings(path, columns="user,item,rating")
    assert ratings.item_ids.tolist() == ["2021-01-01", "2021-01-02"]


def test_a_constant_in_the_place_of_items_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"{user} |u {user} |i {user % 5}\n" for user in range(12))
    with pytest.raises(TableError, match=r"column of items has \|u in all rows.*--columns user,-"):
        read_text(tmp_path / "a.txt", rows)
