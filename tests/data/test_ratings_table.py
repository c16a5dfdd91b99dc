# SPDX-License-Identifier: MIT
"""Tables of ratings are read whatever they are called, or refused in a sentence that helps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError

ROWS = [("ann", "book", 5.0, 10), ("bob", "film", 2.5, 20), ("ann", "film", 4.0, 30)]


def rows_of(ratings: Ratings) -> list[tuple[str, str, float, int]]:
    times = ratings.timestamps if ratings.timestamps is not None else np.zeros(len(ratings), int)
    return [
        (str(ratings.user_ids[u]), str(ratings.item_ids[i]), float(value), int(time))
        for u, i, value, time in zip(
            ratings.users, ratings.items, ratings.values, times, strict=True
        )
    ]


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.each(
    ("name", "text"),
    [
        ("a.csv", "\ufeffuserId,movieId,rating,timestamp\r\nann,book,5,10\r\nbob,film,2.5,20\r\n"
         "ann,film,4,30"),
        ("a.csv", 'note,rating,"User ID",ITEM,time\nx,5,ann,book,10\n"a, b",2.5,bob,film,20\n'
         "z,4,ann,film,30\n"),
        ("u.txt", "ann book  5 10\nbob\tfilm 2.5 20\nann film 4 30\n"),
        ("a.csv", "user,item,rating,date\nann,book,5,1970-01-01 00:00:10\n"
         "bob,film,2.5,1970-01-01T00:00:20\nann,film,4,1970-01-01 00:00:30.9\n"),
        ("a.csv", "user,item,rating,date\nann,book,5,1970-01-01T00:00:10Z\n"
         "bob,film,2.5,1970-01-01T01:00:20+01:00\nann,film,4,1969-12-31 23:00:30-01:00\n"),
    ],
    ids=["a byte order mark", "any order", "spaces", "dates", "dates with offsets"],
)  # fmt: skip
def test_texts_of_other_forms_than_those_that_are_shipped_are_read(
    tmp_path: Path, name: str, text: str
) -> None:
    assert rows_of(read_ratings(written(tmp_path / name, text))) == sorted(ROWS)


def test_frames_parquet_and_mappings_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=["user_id", "item_id", "rating", "timestamp"])
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path)
    for source in (frame, path, frame.to_dict("list"), pa.Table.from_pandas(frame)):
        assert rows_of(read_ratings(source)) == sorted(ROWS)


def test_numbers_are_identifiers_as_they_are_printed() -> None:
    frame = pd.DataFrame({"user": [7, 7], "item": [1.0, 2.0], "rating": [1, 2]})
    ratings = read_ratings(frame)
    assert ratings.user_ids.tolist() == ["7"]
    assert ratings.item_ids.tolist() == ["1", "2"]


def test_columns_are_named_or_counted_by_the_caller(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "stars,what,who\n5,book,ann\n")
    named = read_ratings(path, user="who", item="what", rating="stars")
    counted = read_ratings(
        written(tmp_path / "b.csv", "5,book,ann\n"), user=2, item=1, rating=0, header=False
    )
    assert rows_of(named) == rows_of(counted) == [("ann", "book", 5.0, 0)]


@pytest.mark.each(
    ("duplicates", "kept"),
    [("first", [1.0, 9.0]), ("last", [2.0, 9.0]), ("sum", [3.0, 9.0]), ("mean", [1.5, 9.0])],
)
def test_repeated_pairs_are_merged_where_the_caller_says_how(
    duplicates: str, kept: list[float]
) -> None:
    table = {"user": ["a", "a", "a"], "item": ["x", "y", "x"], "rating": [1, 9, 2]}
    assert read_ratings(table, duplicates=duplicates).values.tolist() == kept  # type: ignore[arg-type]


@pytest.mark.each(("times", "by"), [([5, 7, 5], "row"), ([5, 7, 4], "time")])
def test_repeats_at_equal_times_are_said_to_be_kept_by_row(times: list[int], by: str) -> None:
    table = {"user": ["a", "a", "a"], "item": ["x", "y", "x"], "timestamp": times}
    reading = read_ratings(table, duplicates="last").reading
    assert reading.rule == f"the last by {by} is kept"


@pytest.mark.filterwarnings("ignore:read_ratings")
def test_the_old_name_of_duplicates_has_the_same_values() -> None:
    with pytest.raises(ValueError, match="duplicates is 'one'"):
        read_ratings({"user": ["a"], "item": ["x"]}, repeats="one")


def test_the_old_name_of_duplicates_is_still_taken_with_a_warning() -> None:
    table = {"user": ["a", "a"], "item": ["x", "x"], "rating": [1, 9]}
    with pytest.warns(DeprecationWarning, match="repeats is now called duplicates") as warned:
        assert read_ratings(table, repeats="last").values.tolist() == [9.0]
    assert warned[0].filename == __file__


@pytest.mark.each(
    ("text", "told"),
    [
        ("user,item,rating\na,x,5\n,y,4\n", "line 3 has no user"),
        ("user,item,rating\na,x,5\nb,,4\n", "line 3 has no item"),
        ("user,item,rating\na,x,5\nb,y,\n", "line 3 has no rating"),
        ("user,item,rating\na,x,five\n", "line 2: the rating is 'five'. It must be a number"),
        ("user,item,rating\na,x,5\nb,y\n", "line 3 has 2 cells between commas, but .* has 3"),
        ("user,item,rating\na,x,inf\n", "line 2 has the rating inf"),
        (
            "user,item,rating\na,x,5\na,x,4\n",
            "line 3 rates the same pair as line 2: user a and item",
        ),
        ("user,item,rating\n", "has no rows"),
        ("", "the first line is empty"),
        ("who,what\na,x\n", "neither a known name nor a number, so it may be a header or a row"),
        (
            "user,what,rating\na,x,5\n",
            r"no column with a known name for the item .* Its columns are user, ",
        ),
        ("user,item,rating,timestamp\na,x,5,\na,y,5,1\n", "line 2 has no timestamp"),
        ("user,item,rating,date\na,x,5,2003-02-28\na,y,5,\n", "line 3 has no timestamp"),
        (
            "user,item,rating,date\na,x,5,2003-02-28\na,y,5,28.2.2003\n",
            "line 3: the timestamp is '28.2.2003'. It must be a number, or a date",
        ),
        (
            "user,item,rating,date\na,x,5,2003-02-28\na,y,5,2003-02-28T10:00Z\n",
            "line 3: the timestamp is a date with an offset, but in line 2 it is a date without",
        ),
        (
            "user,item,rating,date\na,x,5,2003-02-28\na,y,5,1046390400\n",
            "line 3: the timestamp is a number, but in line 2 it is a date without an offset",
        ),
        (
            "who,what,rating\na,x,5\n",
            r"for the user or the item \(for example user, item\). Its columns are who, what, "
            r"rating. Name the right columns: user=..., item=... \(in a command: --user",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(TableError, match=told):
        read_ratings(written(tmp_path / "a.csv", text))


@pytest.mark.each(
    "moments",
    [
        pd.to_datetime(["1970-01-02", "1970-01-03"]),
        pd.to_datetime(["1970-01-02", "1970-01-03"]).tz_localize("Europe/Madrid"),
        ["1970-01-02", "1970-01-03"],
        np.array(["1970-01-02", "1970-01-03"], dtype="datetime64[D]"),
        pd.Series(["1970-01-02", "1970-01-03"], dtype="category"),
    ],
    ids=["times", "with a zone", "texts", "days", "categories"],
)
def test_dates_of_every_usual_type_become_seconds(tmp_path: Path, moments: object) -> None:
    frame = pd.DataFrame({"user": ["a", "b"], "item": ["x", "x"], "date": moments})
    frame.to_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.parquet"):
        times = read_ratings(source).timestamps
        assert times is not None
        hour = 3600 if getattr(moments, "tz", None) else 0
        assert times.tolist() == [86_400 - hour, 172_800 - hour]


def test_texts_that_are_no_dates_are_refused_in_a_frame() -> None:
    with pytest.raises(TableError, match=r"the column 'date' for timestamp .* are not times"):
        read_ratings({"user": ["a"], "item": ["x"], "date": ["28.2.2003"]})


def test_a_remark_in_brackets_is_no_part_of_a_name() -> None:
    table = {"User (id)": [1, 2], "Item ID": [3, 3], "Rating (1-5)": [4, 5]}
    assert read_ratings(table).reading.columns["rating"] == "Rating (1-5)"


def test_a_wrong_name_gets_the_names_that_there_are(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "user,item,stars\na,x,5\n")
    with pytest.raises(
        TableError, match=r"no column 'rating' for rating\. Its columns are user, item, stars"
    ):
        read_ratings(path, rating="rating")
    with pytest.raises(TableError, match="has 3 columns, and none has the number 7"):
        read_ratings(path, rating=7)
    with pytest.raises(TableError, match=r"int cannot be read\. Give the path of a file"):
        read_ratings(12)


def test_a_frame_with_a_missing_identifier_names_its_row() -> None:
    frame = pd.DataFrame({"user": ["a", None], "item": ["x", "y"]})
    with pytest.raises(TableError, match="row 2 has no user"):
        read_ratings(frame)


@pytest.mark.each("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_categories_of_pandas_and_polars_are_their_values(kind: pa.DataType) -> None:
    names = pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 1], pa.uint32()), pa.array(["ann", "bob"], pa.string()).cast(kind)
    )
    table = pa.table({"user": names, "item": pa.array(["x", "y", "y"], pa.string()).cast(kind)})
    ratings = read_ratings(table)
    assert ratings.user_ids[ratings.users].tolist() == ["ann", "bob", "bob"]
    assert ratings.item_ids[ratings.items].tolist() == ["y", "x", "y"]


@pytest.mark.parametrize(
    ("users", "told"),
    [
        (["ann", "Ann "], "1 identifier of users differs from others only in white space"),
        (["10", "10.0"], "a fraction of 0, such as '10' and '10.0'"),
    ],
)
def test_identifiers_that_look_alike_are_told_and_stay_apart(users: list[str], told: str) -> None:
    ratings = read_ratings({"user": users, "item": ["x", "y"]})
    assert ratings.user_ids.tolist() == sorted(users)
    (note,) = ratings.reading.notes
    assert told in note


def test_identifiers_that_print_alike_are_told_by_their_codes() -> None:
    (note,) = read_ratings({"user": ["u", "u"], "item": ["\u00e9", "e\u0301"]}).reading.notes
    assert r"'\xe9' and 'e\u0301'" in note


def test_more_names_of_columns_are_known() -> None:
    for names in (
        ("Cust_Id", "Movie_Id", "Rating", "Date"),  # Netflix at Kaggle
        ("user_id", "recipe_id", "rating", "date"),  # Food.com
        ("user_id", "gmap_id", "rating", "time"),  # Google Local
        ("user_id", "video_id", "is_click", "time_ms"),  # KuaiRand
        ("member_id", "song_id", "listen_count", "unix_time"),
    ):
        rows = [[1, 7, 1, 1_620_000_000], [1, 8, 0, 1_620_000_060]]
        read = read_ratings(pd.DataFrame(rows, columns=names))
        assert dict(read.reading.columns) == dict(
            zip(("user", "item", "rating", "timestamp"), names, strict=True)
        )
