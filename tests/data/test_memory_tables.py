# SPDX-License-Identifier: MIT
"""Tables in memory hold identifiers of any type, and what does not belong together is refused."""

from __future__ import annotations

import decimal
import json
import uuid
from collections import namedtuple
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from data.read_rows import entries_of, rows_of

from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run

IDS = [uuid.UUID(int=1), uuid.UUID(int=2**127)]


@pytest.mark.each(
    ("users", "read"),
    [
        (IDS, [str(own) for own in IDS]),
        ([b"ann", b"bob"], ["ann", "bob"]),
        ([2**70, 7], [str(2**70), "7"]),
        (np.array([2**63, 7], np.uint64), [str(2**63), "7"]),
        ([1, "b"], ["1", "b"]),
        ([1.0, "b"], ["1", "b"]),
        ([1.0, 2.0], ["1", "2"]),
        ([1.5, 2.0], ["1.5", "2"]),
        (np.array(["ann", "bob"], dtype=object), ["ann", "bob"]),
        (pd.Series(["ann", "bob"], dtype="category"), ["ann", "bob"]),
        (pd.Series(["ann", "bob"], dtype="string"), ["ann", "bob"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        ([decimal.Decimal(1), decimal.Decimal(2)], ["1", "2"]),
        (pa.array([own.bytes for own in IDS], pa.binary(16)), [str(own) for own in IDS]),
    ],
    ids=["UUIDs", "bytes", "long", "unsigned", "mixed", "mixed with floats", "floats",
         "fractions", "objects",
         "categories", "strings", "nullable", "decimals", "binary"],
)  # fmt: skip
def test_identifiers_of_every_type_are_read_as_they_are_printed(
    users: object, read: list[str]
) -> None:
    ratings = read_ratings({"user": users, "item": ["x", "y"], "rating": [5, 4]})
    assert ratings.user_ids[ratings.users[np.argsort(ratings.items)]].tolist() == read


@pytest.mark.each(
    ("table", "told"),
    [
        ({"user": ["a", None], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": ["a", float("nan")], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": [1.0, float("nan")], "item": ["x", "y"]}, "row 2 has no user"),
        ({"user": ["a", "b"], "item": ["x"]}, "different lengths: user has 2, item has 1"),
        ({"user": "ann", "item": ["x"]}, "The column user must be a list or an array"),
        ({"user": np.zeros((2, 2)), "item": ["x", "y"]}, r"has the shape \(2, 2\)"),
        ({"user": {"a": 1}, "item": {"b": 1}}, "mappings with different keys"),
        ({"user": [2.0**60, 1.0], "item": ["x", "y"]}, "so large that floating-point numbers"),
        ({"user": np.array([2**24, 1], np.float32), "item": ["x", "y"]}, "16777216 is so large"),
        ({"user": np.array([2**11, 1], np.float16), "item": ["x", "y"]}, "2048 is so large"),
        (
            {"user": [("a", "b"), ("c", "d")], "item": ["x", "y"]},
            "has lists of several values in a row",
        ),
        (
            {"user": pd.Series(["a", "b"]), "item": pd.Series(["x", "y"], index=[1, 2])},
            "Series with different indices",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(table: dict[str, object], told: str) -> None:
    with pytest.raises(TableError, match=told):
        read_ratings(table)


def test_every_form_of_to_dict_and_to_json_of_pandas_is_the_same_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"user": [7, 8], "item": ["x", "y"], "rating": [5.0, 4.5]})
    rows = [("7", "x", 5.0), ("8", "y", 4.5)]
    for orient in ("dict", "list", "series", "index", "split", "records"):
        assert rows_of(read_ratings(frame.to_dict(orient))) == rows  # type: ignore[call-overload]
    path = tmp_path / "a.json"
    for orient in ("columns", "index", "records", "split", "table"):
        frame.to_json(path, orient=orient)  # type: ignore[call-overload]
        assert rows_of(read_ratings(path)) == rows
    path.write_text(json.dumps(frame.to_dict("list")))
    assert rows_of(read_ratings(path)) == rows


@pytest.mark.each("in_a_file", [False, True])
@pytest.mark.each("read", [read_ratings, read_run])
def test_lists_of_numbered_columns_are_columns_if_an_entry_is_there_twice(
    read: Any, *, in_a_file: bool, tmp_path: Path
) -> None:
    columns = {0: [7, 7, 8], 1: [12, 13, 12], 2: [5, 4, 3]}
    source: Any = columns
    if in_a_file:
        source = tmp_path / "a.json"
        source.write_text(json.dumps(columns))
    found = read(source)
    assert (found.user_ids.tolist(), found.item_ids.tolist()) == (["7", "8"], ["12", "13"])
    assert found.reading.columns["item"] == "column 1"
    assert read({0: [7, 8], 1: [12, 7], 2: [8, 12]}).user_ids.tolist() == ["0", "1", "2"]


def test_values_of_pairs_and_numbers_of_every_type_are_read() -> None:
    numbers = (decimal.Decimal("1.5"), Fraction(3, 2), np.float32(1.5), True, np.bool_(True))
    for number in numbers:
        value = float(number)
        assert rows_of(read_ratings({("u", "i"): number})) == [("u", "i", value)]
        assert rows_of(read_ratings({"u": {"i": number}})) == [("u", "i", value)]
        assert entries_of(read_run({("u", "i"): number})) == [("u", "i", value)]
        assert entries_of(read_run({"u": [("i", number)]})) == [("u", "i", value)]


@pytest.mark.each(
    "kind",
    [pa.list_(pa.string(), 2), pa.list_view(pa.string()), pa.large_list_view(pa.string())],
    ids=str,
)
@pytest.mark.each("in_a_file", [False, True])
def test_lists_of_every_type_have_a_row_an_entry(
    kind: pa.DataType, *, in_a_file: bool, tmp_path: Path
) -> None:
    lists = pa.array([["x", "y"], None, ["z", "x"]], kind)
    source: Any = pa.table({"user": ["a", "b", "c"], "items": lists}).slice(1)
    if in_a_file:
        written, source = source, tmp_path / "a.parquet"
        try:
            pq.write_table(written, source)
            pq.read_table(source)
        except pa.ArrowException as error:
            pytest.skip(f"pyarrow {pa.__version__} cannot store such lists: {error}")
    for read in (read_ratings, read_run):
        found = read(source)
        assert (found.user_ids.tolist(), sorted(found.item_ids)) == (["c"], ["x", "z"])
        assert [note.code for note in found.reading.notes] == ["empty-lists"]


def test_lengths_of_runs_of_equal_values_are_read() -> None:
    table = pa.table(
        {
            "user": pc.run_end_encode(pa.array(["a", "a", "b"])),
            "item": ["x", "y", "x"],
            "rating": pc.run_end_encode(pa.array([4.0, 4.0, 5.0])),
        }
    )
    expected = [("a", "x", 4.0), ("a", "y", 4.0), ("b", "x", 5.0)]
    assert rows_of(read_ratings(table)) == expected
    assert entries_of(read_run(table)) == expected


@pytest.mark.each("store", ["frame", "parquet", "csv"])
def test_identifiers_of_floats_that_become_whole_numbers_are_said(
    store: str, tmp_path: Path
) -> None:
    source: Any = pd.DataFrame({"user": [1.0, 2.0], "item": [1.5, 2.5]})
    if store != "frame":
        write = source.to_parquet if store == "parquet" else source.to_csv
        source = tmp_path / f"a.{store}"
        write(source, index=False)
    for read in (read_ratings, read_run):
        told = read(source).reading.values
        assert "users such as 1.0 were read as whole numbers (1)" in told.replace("Users", "users")
        assert "items" not in told


@pytest.mark.each("orient", ["columns", "index", "split", "records"])
@pytest.mark.each("read", [read_ratings, read_run])
def test_frames_with_numbers_for_names_are_read_by_values_or_refused(
    orient: Any, read: Any, tmp_path: Path
) -> None:
    frame = pd.DataFrame([[7, 12, 5], [7, 13, 4], [8, 12, 3]])
    frame.to_json(tmp_path / "a.json", orient=orient)
    for source in (tmp_path / "a.json", frame.to_dict(orient.replace("columns", "dict"))):
        if orient in ("columns", "index"):
            with pytest.raises(TableError, match="may be a data frame without names"):
                read(source)
        else:
            assert read(source).user_ids.tolist() == ["7", "8"]


def test_scores_of_users_and_items_that_are_numbered_are_no_frame() -> None:
    run = read_run({user: {0: 0.5, 1: 0.25, 2: 1.0} for user in range(3)})
    assert len(run.scores) == 9


@pytest.mark.each("rows", [[[7], [8]], [[7, 8]]], ids=["a row each", "all in one"])
def test_tables_of_which_every_column_has_lists_have_a_row_an_entry(
    rows: list[list[int]], tmp_path: Path
) -> None:
    lines = [{"user": own, "item": own, "rating": [4] * len(own)} for own in rows]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(lines))
    assert rows_of(read_ratings(path)) == [("7", "7", 4.0), ("8", "8", 4.0)]


def test_lists_of_users_are_judgments_and_runs_in_memory_as_in_json() -> None:
    judged = read_ratings({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})
    assert rows_of(judged) == [("q1", "d1", 1.0), ("q1", "d2", 0.0), ("q2", "d1", 2.0)]
    assert judged.are_grades
    liked = read_ratings({"ann": ["x", "y"], "bob": ["x"]})
    assert rows_of(liked) == [("ann", "x", 1.0), ("ann", "y", 1.0), ("bob", "x", 1.0)]
    run = read_run({"ann": ["x", "y"]})
    assert run.scores[0] > run.scores[1]


def test_lists_that_are_not_read_change_no_row() -> None:
    table = pa.table(
        {
            "user": ["a", "b", "c"],
            "item": ["x", "y", "z"],
            "rating": [5, 4, 3],
            "images": [[], ["p"], ["q", "r"]],
            "genres": [None, ["drama"], []],
        }
    )
    ratings = read_ratings(table)
    assert rows_of(ratings) == [("a", "x", 5.0), ("b", "y", 4.0), ("c", "z", 3.0)]
    assert ratings.reading.unread == ("images", "genres")


def in_form(form: str, table: list[dict[str, Any]], folder: Path) -> Any:
    """Return the table itself, or the path of a file that has it."""
    if form == "memory":
        return table
    path = folder / f"table.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(table), path)
    elif form == "json":
        path.write_text(json.dumps(table))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    return path


FORMS = pytest.mark.each("form", ["memory", "json", "jsonl", "parquet"])


@FORMS
@pytest.mark.each(
    ("row", "told"),
    [
        (
            {"user": "a", "rating": 5, "items": [{"item": "x", "rating": 1}]},
            "the column 'rating' is in the objects of the list 'items' and also outside of them",
        ),
        (
            {"user": "a", "bought": [{"item": "x"}], "seen": [{"item": "y"}]},
            "the column 'item' is in the objects of the list 'seen' and also outside of them",
        ),
        (
            {"user": "a", "items": [{"id": "x", "rating": 1}]},
            "no column with a known name for the item. Their columns are id, rating",
        ),
    ],
    ids=["outside", "in two lists", "nowhere"],
)
def test_lists_of_objects_must_have_each_wanted_column_once(
    form: str, row: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_ratings(in_form(form, [row], tmp_path))


@FORMS
def test_lists_of_objects_with_names_that_rows_have_themselves_change_no_row(
    form: str, tmp_path: Path
) -> None:
    comments: list[list[dict[str, str]]] = [[{"user": "b"}, {"user": "c"}], []]
    table = [
        {"user": "a", "item": item, "rating": 5, "comments": own}
        for item, own in zip("xy", comments, strict=True)
    ]
    ratings = read_ratings(in_form(form, table, tmp_path))
    assert rows_of(ratings) == [("a", "x", 5.0), ("a", "y", 5.0)]
    assert ratings.reading.unread == ("comments",)


def test_empty_lists_of_items_are_counted() -> None:
    run = read_run(pa.table({"user": ["a", "b"], "items": [["x"], []], "scores": [[1.0], []]}))
    assert run.reading.notes == ("the table: 1 of 2 lists are empty.",)


def test_dates_beyond_the_calendar_of_nanoseconds_are_read_or_refused() -> None:
    table = {"user": ["a", "b"], "item": ["x", "y"], "date": ["9999-12-31", "2021-01-01"]}
    if int(pd.__version__.partition(".")[0]) < 3:
        # Before, pandas had no other unit.
        with pytest.raises(TableError, match="Out of bounds nanosecond timestamp"):
            read_ratings(table)
        return
    assert read_ratings(table, time_unit="s").timestamps.tolist() == [253402214400, 1609459200]  # type: ignore[union-attr]


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["user", "user", "item"])
    with pytest.raises(TableError, match="several columns with the name user"):
        read_ratings(frame)


def test_names_in_levels_are_refused_if_a_wanted_column_may_have_one(tmp_path: Path) -> None:
    frame = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [5, 4, 3]})
    means = frame.groupby(["user", "item"]).agg({"rating": ["mean", "count"]}).reset_index()
    means.to_parquet(tmp_path / "means.parquet")
    expected = rows_of(read_ratings(frame))
    for table in (means, tmp_path / "means.parquet"):
        with pytest.raises(TableError, match=r"the column \('rating', 'mean'\) has a name in sev"):
            read_ratings(table)
        assert rows_of(read_ratings(table, rating="('rating', 'mean')")) == expected
    # What the message advises.
    means.columns = ["user", "item", "rating", "n"]
    assert rows_of(read_ratings(means)) == expected
    with pytest.raises(TableError, match=r"the column \(1, 'rating'\) has a name in sev"):
        read_ratings(frame.rename(columns={"rating": (1, "rating")}))
    frame.columns = pd.MultiIndex.from_product([frame.columns, [""]])
    assert rows_of(read_ratings(frame)) == expected


def test_a_named_index_of_a_frame_is_a_column() -> None:
    frame = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [5, 4, 3]})
    expected = rows_of(read_ratings(frame))
    for names in ("user", ["user", "item"]):
        assert rows_of(read_ratings(frame.set_index(names))) == expected
    wide = frame.pivot_table(index="user", columns="item", values="rating")
    with pytest.raises(TableError, match=r"Its columns are 7, 8, user\."):
        read_ratings(wide)
    both = frame.set_index("user").assign(user=[3, 3, 4])
    assert read_ratings(both).user_ids.tolist() == ["3", "4"]
    with pytest.raises(TableError, match=r"reset_index\(\)"):
        read_ratings(frame.set_index(["user", "item"])["rating"])


@pytest.mark.each(("name", "role"), [("date", "timestamp"), ("id", None)])
def test_positions_and_lists_of_columns_count_no_index_unless_a_list_has_one_name_more(
    name: str, role: str | None
) -> None:
    frame = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [5, 4, 3]})
    expected = rows_of(read_ratings(frame))
    frame.index = pd.Index([3, 5, 9], name=name)
    if role:
        frame.index = pd.to_datetime(frame.index, unit="D").rename(name)
    places = {"user": 0, "item": 1, "rating": 2}
    for options in ({}, places, {"columns": f"{role or '-'},user,item,rating"}):
        read = read_ratings(frame, **options)
        assert rows_of(read) == expected
        assert (read.timestamps is not None) is (role is not None)
    read = read_ratings(frame, columns="user,item,rating")
    assert (rows_of(read), read.timestamps, read.reading.unread) == (expected, None, (name,))
    with pytest.raises(TableError, match=rf"3 columns beside its index \({name}\)"):
        read_ratings(frame, user=1, item=2, rating=3)
    beside = r"beside its index \(user\), but no user\. Name every column, those of the index first"
    with pytest.raises(TableError, match=beside):
        read_ratings(frame.set_index("user"), columns="item,rating")


@pytest.mark.each("kind", [pa.large_string(), pa.string_view()])
def test_categories_of_other_libraries_are_parts_of_a_split(kind: pa.DataType) -> None:
    parts = pa.array(["train", "test"]).cast(kind)
    texts = pa.array(["train"] * 1200 + ["test"]).cast(kind)
    codes = pa.array([0] * 1200 + [1], pa.uint32())
    table = {"user": range(1201), "item": range(1201)}
    for column in (texts, pa.DictionaryArray.from_arrays(codes, parts)):
        with pytest.raises(TableError, match="column split has train, test"):
            read_ratings(pa.table({**table, "split": column}))


def test_an_index_of_times_without_a_name_is_said_to_be_unread() -> None:
    times = pd.to_datetime(["2021-05-03", "2021-05-04"])
    frame = pd.DataFrame({"user": [1, 2], "item": [7, 7]}, index=times)
    assert read_ratings(frame).reading.unread == ("index",)
    assert read_ratings(frame.set_axis([5, 3])).reading.unread == ()
    for names in (["a", "b"], [0, 1]):
        read = read_ratings(frame.set_axis(names, axis=1), user=0, item=1)
        assert rows_of(read) == [("1", "7", 1), ("2", "7", 1)]
        assert read.reading.unread == ("index",)
    lists = pd.DataFrame.from_dict({"ann": [7, 8], "bob": [8, 9]}, orient="index")
    with pytest.raises(TableError, match="rows of the table have names, such as 'ann'"):
        read_run(lists)
    with pytest.raises(TableError, match="has no rows"):
        read_run(lists[:0])


@pytest.mark.each("of_lines", [False, True])
@pytest.mark.each(
    "others",
    [
        [[1, "a", None], [2]],
        [[[0, "a"]], []],
        [1, "a"],
        [{"a": 1}, "b"],
        [{"a": 1}, {"a": "b"}],
        [[[1]], [["a"]]],
    ],
)
def test_unread_values_of_json_may_have_any_type(
    tmp_path: Path, others: list[Any], *, of_lines: bool
) -> None:
    rows = [{"user": n, "item": 7, "other": own, "rating": n + 0.5} for n, own in enumerate(others)]
    path = tmp_path / "a.json"
    path.write_text(
        "".join(f"{json.dumps(row)}\n" for row in rows) if of_lines else json.dumps(rows)
    )
    read = read_ratings(path)
    assert rows_of(read) == [("0", "7", 0.5), ("1", "7", 1.5)]
    assert read.reading.unread == ("other",)
    if others != [1, "a"]:
        with pytest.raises(TableError):
            read_ratings(path, rating="other")


def test_frames_of_polars_are_read_through_narwhals() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"user": [1, 2], "item": ["x", "y"], "rating": [5.0, 4.0]})
    for source in (frame, frame.lazy()):
        assert rows_of(read_ratings(source)) == [("1", "x", 5.0), ("2", "y", 4.0)]


def test_what_arrow_streams_is_read() -> None:
    class Stream:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return pa.table({"user": [1], "item": ["x"]}).__arrow_c_stream__(schema)

    assert rows_of(read_ratings(Stream())) == [("1", "x", 1.0)]


def test_a_mapping_with_one_known_column_is_a_table_and_no_lists_of_users() -> None:
    with pytest.raises(TableError, match="no column with a known name for the item"):
        read_ratings({"user": ["ann", "bob"], "colour": ["red", "blue"]})


def test_rows_and_arrays_have_the_columns_in_their_usual_order() -> None:
    rows = [("ann", "x", 5), ("bob", "y", 2)]
    for source in (rows, tuple(map(list, rows)), np.array(rows, dtype=object)):
        ratings = read_ratings(source)
        assert ratings.user_ids.tolist() == ["ann", "bob"]
        assert ratings.values.tolist() == [5.0, 2.0]
    assert read_run([("ann", "x", 0.5), ("ann", "y", 2.5)]).scores.tolist() == [0.5, 2.5]
    assert read_ratings([("ann", "x"), ("bob", "y")]).values.tolist() == [1.0, 1.0]


_Row = namedtuple("_Row", ["Index", "item", "user", "rating"])
_FIELDS = [("item", "U4"), ("user", "U3"), ("rating", "f8")]


@pytest.mark.each(
    "rows",
    [
        [{"item": "book", "user": "ann", "rating": 4}],
        ({"item": "book", "user": "ann", "rating": 4},),
        [_Row(0, "book", "ann", 4)],
        np.array([("book", "ann", 4)], dtype=_FIELDS),
        np.rec.array([("book", "ann", 4)], dtype=_FIELDS),
        pd.DataFrame({"item": ["book"], "user": ["ann"], "rating": [4]}).to_records(),
        list(pd.DataFrame({"item": ["book"], "user": ["ann"], "rating": [4]}).itertuples()),
    ],
)
def test_rows_with_names_have_the_columns_by_name(rows: Any) -> None:
    assert rows_of(read_ratings(rows)) == [("ann", "book", 4.0)]
    assert entries_of(read_run(rows)) == [("ann", "book", 4.0)]


@pytest.mark.each("kind", ["list", "frame", "categories", "parquet"])
def test_texts_that_are_no_numbers_are_named_with_their_row(tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "rating": ["4", "four"]})
    table: Any = frame
    if kind == "list":
        table = frame.to_dict("list")
    elif kind == "categories":
        table = frame.astype("category")
    elif kind == "parquet":
        table = tmp_path / "a.parquet"
        frame.to_parquet(table)
    with pytest.raises(TableError, match="row 2: the rating is 'four'"):
        read_ratings(table)


@pytest.mark.each("missing", ["", "NA", "null"])
def test_texts_of_missing_numbers_are_missing_in_memory_as_in_files(missing: str) -> None:
    table = {"user": ["a", "b"], "item": ["x", "y"], "rating": ["4", missing]}
    with pytest.raises(TableError, match="row 2 has no rating"):
        read_ratings(table)


@pytest.mark.each("role", ["user", "item", "rating", "timestamp"])
def test_floats_of_half_precision_are_read_in_every_column(role: str) -> None:
    table: dict[str, Any] = {"user": ["7", "8"], "item": ["7", "8"], "rating": [7, 8]}
    table |= {"timestamp": [7, 8], role: np.array([7, 8], np.float16)}
    ratings = read_ratings(table)
    assert rows_of(ratings) == [("7", "7", 7.0), ("8", "8", 8.0)]
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [7, 8]


@pytest.mark.each(
    ("rows", "said"),
    [
        (
            [("ann", "x", 5), ("bob", "y")],
            r"Row 2 is not a valid row.* such as \(user, item, rating\)",
        ),
        (["ann", "bob"], "Row 1 is not a valid row"),
        ([], "All rows must be"),
        ([("ann",)], "have 1 column. They must have user, item, rating, timestamp"),
    ],
)
def test_rows_that_are_no_table_are_refused(rows: list[Any], said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_ratings(rows)


def test_periods_of_pandas_are_times_of_their_begin() -> None:
    days = pd.period_range("2021-05-03", periods=2, freq="D")
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "timestamp": days})
    assert read_ratings(frame).timestamps.tolist() == [1_620_000_000, 1_620_086_400]


@pytest.mark.each("kind", ["coo_matrix", "csr_array", "csc_matrix", "lil_array", "dok_matrix"])
def test_sparse_matrices_are_users_by_items(kind: str) -> None:
    matrix = getattr(scipy.sparse, kind)(np.array([[5, 0], [0, 3], [1, 0]]))
    ratings = read_ratings(matrix)
    assert rows_of(ratings) == [("0", "0", 5.0), ("1", "1", 3.0), ("2", "0", 1.0)]
    assert ratings.reading.form == "a sparse matrix of scipy"
    assert read_run(matrix).scores.tolist() == [5, 3, 1]


@pytest.mark.each(
    ("source", "said"),
    [
        ("https://a.org/ratings.csv", "is an address rather than a file"),
        (Path("s3://bucket/ratings.parquet"), "is an address rather than a file"),
        ("user,item\nann,book\n", "seems to be the content of a file"),
    ],
)
def test_texts_that_are_no_file_are_refused(source: str | Path, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_ratings(source)
