# SPDX-License-Identifier: MIT
"""Tables that may mean two things are refused, and what looks like a mistake is said."""

from __future__ import annotations

import json
import os
import threading
import time
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from data.read_rows import entries_of, read_text, rows_of

from receval.cli.main import main
from receval.data import text_tables
from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.relevance import relevance_threshold
from receval.data.run import read_run


@pytest.mark.each(
    ("name", "text", "told"),
    [
        ("a.csv", "0,1\n5,10\n6,11\n", "may be a header that numbers the columns, or a row"),
        ("a.csv", "1,2,3\n1,12,5\n2,13,4\n", "may be a header that numbers the columns"),
        ("a.csv", "0,1,3\n5,12,5\n2,1,4\n", "may be a header that numbers the columns"),
        ("a.csv", "1,0,2\n5,12,5\n2,13,4\n", "may be a header that numbers the columns"),
        ("a.csv", "0.0,1.0,2.0\n5,12,5\n2,13,4\n", "may be a header that numbers the columns"),
        ("a.csv", "0,2\n5,12\n2,13\n", "may be a header that numbers the columns"),
        ("a.csv", ",0,1,3\n0,5,12,5\n1,2,13,4\n", "may be a header that numbers the columns"),
        ("a.csv", "user,item,value\n1,2,1.6e9\n1,3,1.61e9\n2,3,1.62e9\n", "seem to be times"),
        ("a.csv", "1;2,5\n1;3,0\n", "cells may be separated by commas or semicolons"),
        ("a.csv", "u1 i1 5,0\nu2 i1 4,5\n", "cells may be separated by commas or spaces"),
        ("a.txt", "".join(f"{n} 0 7 3\n" for n in range(1001)) + "5 17 3 7\n",
         "line 1002: the second column is '17', but before it was '0'"),
        ("a.csv", "user,item,rating\n", "has no rows below its header"),
        ("a.csv", "user,item,rating\n1,2,5\n   \n", "line 3 has 1 cell "),
        ("a.csv", "1;2;3,5\n" * 1200 + "1;2;1.500\n", "line 1201: the rating is '1.500'"),
        ("a.csv", "user,item,date\n1,2,2021-W05-1\n", "the timestamp is '2021-W05-1'"),
        ("a.txt", "1:\n5,x,2005-09-06\n", "line 2: the rating is 'x'"),
        ("a.csv", "user,item,rating,time\n1,2,5,20210503\n1,3,5,20210532\n1,4,5,20210504\n",
         "line 3 has the time 20210532, which is not a date"),
        ("a.csv", "sep=;\nuser;item;rating\n1;2;5\n", r"line 1 \(sep=;\) seems to be a comment"),
        ("a.txt", "# user item rating\n1 2 5\n", "line 1 .* seems to be a comment"),
        ("a.txt", "user item rating\n1 7 2 5\n2 8 2 4\n", "all others have one more, as where R"),
        ("a.csv", "user,item\nann,x\nuser,item\nbob,y\n", "has its header again as row 2"),
        ("a.csv", "1,2,5\n\ufeff2,2,4\n", "line 2: the user has a byte order mark"),
        ("a.txt", "1 12:3\n1 13:4\n2 12:5\n", "seems to have its rating after a colon"),
        ("a.txt", "0 5 3 1 2\n4 0 0 3 2\n1 0 5 3 4\n4 4 1 2 0\n", "a matrix of users by items"),
        ("a.txt", "30 30 21\n" + "".join(f"{n} {n % 7} {n % 5}\n" for n in range(21)),
         "line 1 seems to have the sizes of a matrix"),
        ("a.csv", 'user,item,plays\nu,i,"1,234,567"\n', "marks between thousands"),
        ("a.csv", 'user,item,plays\nu,i,"1,234.5"\n', "marks between thousands"),
        ("a.csv", "user,item,plays\nu,i,1'234\n", "marks between thousands"),
        ("a.csv", "user,item,rating\nu,i,85 %\n", "Write the number alone"),
        ("a.csv", "user,item,liked\nu,i,TRUE\n", "Write 1 for true"),
        ("a.csv", "user,1,2,3\n1,5,0,4\n2,0,3,0\n", "a matrix of users by items"),
        ("a.csv", ",10,11\n1,5,0\n2,0,3\n", "a matrix of users by items"),
        ("a.csv", "Ratings of May\n\nuser,item\n" + 9 * "1,2\n", "line 1 .* seems to be a title"),
        ("a.txt", "1^12^5\n2^13^4\n", "no delimiter that is tried .* separates"),
        ("a.txt", "1\x0112\x015\n2\x0113\x014\n", "no delimiter that is tried .* separates"),
        ("a.csv", '"1,12,5"\n"2,13,4"\n', "each line is in quotes"),
        ("a.csv", "user;item;rating;date\n1;2;3,5;03.05.2021\n", "is '03.05.2021'"),
        ("a.jsonl", "{u'user': 'a', u'item': 'x'}\n", "line 1 .* to be printed by Python"),
        ("a.json", "{1: [3, 2], 2: [4]}", "seems to be printed by Python"),
        ("a.csv", "user,item,rating\n1,2,3,5\n1,3,4,0\n", "line 2 has 4. .* commas, such as 3,5"),
        ("a.csv", "user,item,rating\n1,2,3\n2,2,4,5\n", "line 3 .* commas, such as 4,5, where"),
        ("a.csv", "user,item,rating\n1,2,3,5\n2,2,4,1\n3,2,4,1\n", "all others have one more"),
        ("a.csv", "user,item,date,time\n1,2,28.2.2003,23:59:59\n", "needs its date in the same"),
        ("a.txt", " user | item\n------+------\n ann  | x\n", "is a table drawn with lines"),
        ("a.md", "| user | item |\n|:--|--:|\n| ann | x |\n", "is a table drawn with lines"),
        ("a.md", "| user | item |\n| ann | x |\n| bob | x |\n", "is a table drawn with lines"),
        ("a.txt", "user  item\n----  ----\nann   x\n", "is a table drawn with lines"),
        ("a.rst", "====  ====\nuser  item\n====  ====\nann   x\n", "is a table drawn with lines"),
    ],
)  # fmt: skip
def test_what_may_mean_two_things_is_refused(
    name: str, text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_text(tmp_path / name, text, duplicates="last")


@pytest.mark.each(
    ("text", "n_rows"),
    [
        ("1,2,3\n1,12,5\n2,2,4\n", 3),
        ("1,1,2\n2,12,5\n", 2),
        ("1,2,4\n5,3,1\n", 2),
        ("1,2,3\n2,5,4\n7,3,2\n", 3),
        ("2,1,3\n7,8,1\n", 2),
    ],
    ids=["user and item again", "a number twice", "more than columns", "few like it", "disorder"],
)
def test_first_rows_of_small_numbers_are_rows(text: str, n_rows: int, tmp_path: Path) -> None:
    assert len(read_text(tmp_path / "a.csv", text)) == n_rows
    headed = read_text(tmp_path / "b.csv", "1,2,3\n1,12,5\n", header=True)
    assert rows_of(headed) == [("1", "12", 5)]


@pytest.mark.each(
    ("values", "told"),
    [
        ([-1, 7, 8, 9], "the rating -1 (25.0% of all)"),
        ([0, 0, 0, 7, 9], "the rating 0 (60.0% of all)"),
        ([2, 5, 99], "the rating 99"),
        ([-999, 2, 5], "the rating -999"),
        ([-1, 0, 1], ""),
        ([0, 1, 2], ""),
        ([1, 3, 5], ""),
        ([0, 1, 99, 250], ""),
        ([1, 2, 3, 4, 5, 5, -9], "the rating -9 (14.3% of all)"),
        ([1, 2, 3, 4, 5, 5, 9], "the rating 9 (14.3% of all)"),
        ([0, 50, 100, 999], "the rating 999"),
        ([*range(60), -1], "the rating -1 (1.6% of all)"),
        ([1, 2, 3, 4, 5, 5, 9, -9], "the rating -9 (12.5% of all) and 9 (12.5% of all)"),
        ([1, 2, 3, 4, 5, 5, 6], ""),
        ([1, 1, 2, 3, 4, 9], ""),
        ([-2, 0, 2, 4], ""),
    ],
)
def test_ratings_that_may_stand_for_missing_ones_are_told(values: list[float], told: str) -> None:
    items = [f"i{place}" for place in range(len(values))]
    table = {"user": ["u"] * len(values), "item": items, "rating": values}
    notes = [note for note in read_ratings(table).reading.notes if note.code == "missing-ratings"]
    assert bool(notes) == bool(told)
    assert all(told in note for note in notes)
    assert not read_ratings({"user": table["user"], "item": items, "plays": values}).reading.notes


@pytest.mark.each("read", [read_ratings, read_run])
@pytest.mark.each(
    ("ids", "code"),
    [
        (["7", "NULL"], "missing-identifiers"),
        (["7", "NA"], "missing-identifiers"),
        (["7", "007"], "near-identifiers"),
        (["7", "7\u200b"], "near-identifiers"),
        (["Caf\u00e9", "Cafe\u0301"], "near-identifiers"),
        (["7", "[PAD]"], "missing-identifiers"),
        (["-1", "0", "7"], "missing-identifiers"),
        (["-1", "-2", "7"], None),
        (["7", "8", "Total"], "row-of-totals"),
        (["ann", "Total"], None),
        (["7", "8", "Average"], "row-of-totals"),
        (["u7", "u8", "MEAN:"], "row-of-totals"),
        (["1", "2", "user_1", "user_3"], "mixed-identifiers"),
        (["1", "2", "'1'", "'3'"], "mixed-identifiers"),
        (["1", "2", "B007", "C1X"], None),
        (["user_1", "user_22"], None),
        (["9.78014E+12", '"9,78E+12"'], "spreadsheet-identifiers"),
        (["1.23457e+11", "7"], "spreadsheet-identifiers"),
        (["1.5e+10", "7.0"], None),
        (["7", "1-Mar"], "spreadsheet-identifiers"),
        (["7", "#REF!"], "spreadsheet-identifiers"),
        (['"=""7"""', "8"], "spreadsheet-identifiers"),
        (["0", "10"], None),
        ([" 7", " 18"], "wrapped-identifiers"),
        (["'x'", "'zy'"], "wrapped-identifiers"),
        (["\u201cx\u201d", "\u201czy\u201d"], "wrapped-identifiers"),
        ([" 7", "8", "9"], None),
    ],
)
def test_identifiers_that_may_be_missing_or_alike_are_told(
    read: Any, ids: list[str], code: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating\n" + "".join(f"u,{own},{len(own)}\n" for own in ids), "utf-8")
    assert [note.code for note in read(path).reading.notes] == ([code] if code else [])


LISTS = [["10", "11"], ["11", "10", "12"], ["12"], ["10", "12", "11"]]


@pytest.mark.each("read", [read_ratings, read_run])
@pytest.mark.each("store", ["csv", "frame"])
@pytest.mark.each(
    "written", [str, lambda own: str([*map(int, own)]), " ".join, ", ".join, "|".join, json.dumps]
)
def test_items_that_are_lists_written_as_text_are_refused_unless_they_are_said_to_be_identifiers(
    read: Any, store: str, written: Any, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"user": range(4), "item": [written(own) for own in LISTS]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    source = frame if store == "frame" else tmp_path / "a.csv"
    with pytest.raises(TableError, match=r"items seem to be lists.*--identifiers as-written"):
        read(source)
    assert len(read(source, identifiers="as-written")) == 4


@pytest.mark.each(
    ("users", "items"),
    [
        ([1, 2, 3], ["The Matrix", "The Sting", "Heat"]),
        ([1, 1, 2], ["1 2", "2 1", "1 2"]),
        ([1, 2, 3], ["[REC]", "Heat", "Alien"]),
        ([1], ["[1, 2]"]),
        ([1, 2, 3, 4], [f"Season {n // 2} Episode {n % 2}" for n in range(4)]),
    ],
)
def test_titles_of_several_words_are_no_lists(users: list[int], items: list[str]) -> None:
    assert len(read_ratings({"user": users, "item": items})) == len(users)


@pytest.mark.each("rating", ["٣", "３"])
@pytest.mark.each("header", ["user,item,rating\n", ""])
def test_digits_of_other_scripts_are_no_numbers(rating: str, header: str, tmp_path: Path) -> None:
    with pytest.raises(
        TableError, match=rf"line .: the rating is '{rating}'\. It must be a number"
    ):
        read_text(tmp_path / "a.csv", f"{header}1,2,{rating}\n", header=bool(header))


def test_counts_with_fractions_and_scores_beside_ranks_are_told() -> None:
    for more, code in (
        ({"plays": [4.004, 900, 1.5]}, "fractional-counts"),
        ({"plays": [4, 900, 1]}, None),
        ({"plays": ["3.000", "900", "1.000"]}, "fractional-counts"),
        ({"plays": ["3.000", "900.000", "1.000"]}, None),
        ({"rating": ["4.500", "3.25", "1"]}, None),
        ({"rating": [4.5, 3, 1]}, None),
        ({"score": [4.5, 3, 1], "rank": [1, 2, 1]}, "run-as-test-data"),
        ({"rating": [4.5, 3, 1], "rank": [1, 2, 1]}, None),
        ({"score": np.linspace(0, 1, 48)}, "run-as-test-data"),
        ({"score": np.arange(48) / 10}, None),
    ):
        (values, *_) = more.values()
        pairs = {"user": [1, 1, 2] * (len(values) // 3), "item": range(len(values))}
        notes = read_ratings(pairs | more).reading.notes
        assert [note.code for note in notes] == ([code] if code else [])


@pytest.mark.each(
    ("early", "late", "is_told"),
    [
        ("900", "1.500", True),
        ("900", "3.000", True),
        ("2.500", "900", True),
        ("9", "3.000", False),
        ("9", "3.5", False),
        ("3.5", "1.500", False),
        ("900", "0.500", False),
        ("900", "2500", False),
    ],
)
def test_points_between_thousands_are_told_if_they_first_appear_late(
    early: str, late: str, tmp_path: Path, *, is_told: bool
) -> None:
    rows = [f"{n},7,x.y,{late if n > 1100 else early}" for n in range(1500)]
    text = "\n".join(["user,item,title,rating", *rows])
    notes = read_text(tmp_path / "a.csv", text).reading.notes
    assert ("fractional-counts" in {note.code for note in notes}) is is_told


@pytest.mark.each(
    ("plays", "more", "is_read_again"),
    [
        (900, "x.y", False),
        (900, "1262304000.123", False),
        (900, "0.500", False),
        (900, "3.0000", False),
        (9, "3.000", False),
        (900, "3.000", True),
        (900, "'-12.500'", True),
        (900, "999.000", True),
    ],
)
@pytest.mark.each("delimiter", [",", "\t", "::"])
def test_a_text_is_read_again_only_if_a_cell_may_have_a_point_between_thousands(
    plays: int, more: str, delimiter: str, tmp_path: Path, *, is_read_again: bool
) -> None:
    more = more.replace("'", "" if delimiter == "::" else '"')
    rows = [delimiter.join(map(str, (n, 7, plays, more))) for n in range(30)]
    text = "\n".join([delimiter.join(("user", "item", "plays", "title")), *rows])
    with patch.object(text_tables._Reader, "texts_of", return_value=["9"]) as again:
        read_text(tmp_path / "a.csv", text)
    assert again.called is is_read_again


def test_ranks_are_not_read_again_for_points_in_scores(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"u Q0 i{n} {n} {500 - n + 0.125:.3f} tag\n" for n in range(1, 200)))
    with patch.object(text_tables._Reader, "texts_of", return_value=["9"]) as again:
        assert len(read_run(path)) == 199
    assert not again.called


def test_numbers_that_are_neither_a_scale_nor_counts_are_told_to_be_taken_for_ratings() -> None:
    rng = np.random.default_rng(3)
    pairs = [(n // 20, n % 20) for n in range(400)]
    of_each = {
        "even": rng.integers(0, 1000, 400),
        "grades": rng.integers(1, 6, 400),
        "counts": rng.geometric(0.05, 400),
        "jokes": rng.uniform(-10, 10, 400).round(2),
        "percent": np.r_[100, rng.integers(0, 101, 399)],
        "tenths": np.r_[10, rng.integers(0, 101, 399) / 10],
    }
    for kind, values in of_each.items():
        rows = [(*pair, float(own)) for pair, own in zip(pairs, values, strict=True)]
        reading = read_ratings(rows).reading
        assert [own.code for own in reading.notes] == ["unlikely-ratings"] * (kind == "even")
        assert all("half of the rows are above a quarter" in own for own in reading.notes)
        why = "in column 2, the first with numbers behind users and items"
        assert (why in reading.values) is (kind != "grades")
        assert not read_ratings(rows, columns="user,item,rating").reading.notes


def test_rows_that_describe_users_are_refused_unless_the_columns_are_said(tmp_path: Path) -> None:
    users = "".join(f"{n}::{'FM'[n % 2]}::{18 + n % 7}::{n % 21}::4{n:04}\n" for n in range(1, 99))
    with pytest.raises(TableError, match=r"only 2 different items, such as 'M', so the rows may"):
        read_text(tmp_path / "users.dat", users)
    assert len(read_text(tmp_path / "users.dat", users, columns="user,item,rating,-,-")) == 98
    for few in ("1::F::1::10::4806\n2::M::56::16::7007\n3::M::25::15::5511\n", "b,M,7\na,M,8\n"):
        with pytest.raises(TableError, match=r"no user has two rows, .* may describe users"):
            read_text(tmp_path / "users.dat", few)
    ages = "".join(f"u{n},{18 + n % 7},{1 + n % 5}\n" for n in range(98))
    with pytest.raises(TableError, match=r"only 7 different items, such as '18'.*, say what"):
        read_text(tmp_path / "ages.csv", ages)
    last_items = "".join(f"{n},{n % 5},4,16{n:08}\n" for n in range(1, 99))
    by_item = "".join(f"{n},{n // 20},{1 + n % 5}\n" for n in range(99, 197))
    of_one_item = "".join(f"{n},7,{1 + n % 5}\n" for n in range(1, 99))
    shuffled = np.random.default_rng(1).permutation(98)
    of_shop = "".join(f"A{n},B00{n % 9},{1 + n % 5}\n" for n in shuffled)
    for text in (last_items, by_item, of_one_item, of_shop):
        assert len(read_text(tmp_path / "a.csv", text)) == 98
    few = "".join(f"u{n},{n % 2},{1 + n % 5}\n" for n in range(20))
    assert len(read_text(tmp_path / "a.csv", few)) == 20


@pytest.mark.each("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.each(
    ("name", "text"),
    [("a.csv", "user,item,rating\nann,film 1,5\n"), ("a.json", '{"ann": {"film 1": 5}}')],
)
def test_utf_16_without_a_mark_is_known_by_its_nulls_or_refused_with_the_option(
    name: str, text: str, encoding: str, tmp_path: Path
) -> None:
    ratings = read_text(tmp_path / name, text.encode(encoding))
    assert rows_of(ratings) == [("ann", "film 1", 5)]
    assert f"in {encoding}" in ratings.reading.form
    other = "甲,乙,5\n".encode(encoding)
    with pytest.raises(TableError, match=r"null character.*--encoding utf-16"):
        read_text(tmp_path / "b.csv", other)
    assert len(read_text(tmp_path / "b.csv", other, encoding=encoding, header=False)) == 1


@pytest.mark.each("store", ["csv", "parquet", "frame"])
@pytest.mark.each(
    ("column", "values", "told"),
    [
        ("split", ["train", "test", "train"], "refused"),
        ("Set", ["Training", "valid", "valid"], "refused"),
        ("partition", ["trn"] * 2000 + ["tst"], "refused"),
        ("is_train", [0, 1, 1], "noted"),
        ("split", pd.Categorical(["train"] * 3, ["test", "train"]), "noted"),
        ("fold", [0, 1, 2], "noted"),
        ("set", ["A", "B", "C"], ""),
        ("set", [{"a": 1}, {"a": 2}], ""),
    ],
)
def test_a_column_that_divides_ratings_is_refused_or_told_unless_columns_are_said(
    store: str, column: str, values: list[Any], told: str, tmp_path: Path
) -> None:
    rows = len(values)
    source: Any = pd.DataFrame({"user": range(rows), "item": 1, column: values})
    if store != "frame":
        write = source.to_parquet if store == "parquet" else source.to_csv
        source = tmp_path / f"a.{store}"
        write(source, index=False)
    assert not read_ratings(source, columns="user,item,-").reading.notes
    if told == "refused":
        with pytest.raises(TableError, match=rf"column {column} has .*--part {column}\)"):
            read_ratings(source)
    else:
        codes = {note.code for note in read_ratings(source).reading.notes}
        assert ("parts-of-a-split" in codes) is (told == "noted")
    assert len(read_run(source)) == rows


def test_several_tags_in_a_run_are_told(tmp_path: Path) -> None:
    for name, tags, codes in (("a.run", "xy", ["several-tags"]), ("b.run", "xx", [])):
        rows = (f"u{n} Q0 i 1 {n} {tag}\n" for n, tag in enumerate(tags))
        (tmp_path / name).write_text("".join(rows), encoding="utf-8")
        assert [note.code for note in read_run(tmp_path / name).reading.notes] == codes
    (tmp_path / "a.run").write_text("u7 Q0 i 1 7 y\n", encoding="utf-8")
    assert [note.code for note in read_run(tmp_path).reading.notes] == ["several-tags"]


def test_parts_of_a_folder_with_other_roles_are_refused_with_the_roles_of_both(
    tmp_path: Path,
) -> None:
    (tmp_path / "1.csv").write_text("1,2,5,1620000000\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("1,7,1620000000,5\n", encoding="utf-8")
    with pytest.raises(
        TableError, match=r"2\.csv .*timestamp is column 2, .*rating is column 2, .*--columns user"
    ):
        read_ratings(tmp_path)


@pytest.mark.each(
    ("text", "options"),
    [
        ("0,1\n5,10\n", {"header": True}),
        ("index,0,1,2\n0,5,10,1\n", {}),
        ("user,item,rating\n5,10,1\n", {"columns": "user,item,rating"}),
        ("user,item,rating\r5,10,1\r\n", {}),
        ("user\titem\ttitle\n5\t10\t\"Odd\n", {"quotes": False}),
    ],
)  # fmt: skip
def test_what_is_said_decides(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    assert rows_of(read_text(tmp_path / "a.csv", text, **options)) == [("5", "10", 1.0)]


def test_numbered_columns_of_a_frame_are_in_their_usual_order() -> None:
    frame = pd.DataFrame([[5, 10, 4.0], [6, 11, 3.5]])
    ratings = read_ratings(frame)
    assert rows_of(ratings) == [("5", "10", 4.0), ("6", "11", 3.5)]
    told = {"user": "column 0", "item": "column 1", "rating": "column 2"}
    assert ratings.reading.columns == told


def test_files_of_a_folder_are_parts_of_one_table_or_refused(tmp_path: Path) -> None:
    dates = tmp_path / "dates"
    dates.mkdir()
    (dates / "a.csv").write_text("user,item,time\n1,2,2021-05-03\n")
    (dates / "b.csv").write_text("user,item,time\n1,3,1620000000000\n")
    with pytest.raises(
        TableError, match="write times differently: one as dates, the other as numbers"
    ):
        read_ratings(dates)
    parts = tmp_path / "parts"
    parts.mkdir()
    pd.DataFrame({"user": ["a"], "item": ["x"], "rating": [5]}).to_parquet(parts / "a.parquet")
    pd.DataFrame({"user": ["a"], "item": ["y"], "rating": [4.5]}).to_parquet(parts / "b.parquet")
    assert rows_of(read_ratings(parts)) == [("a", "x", 5.0), ("a", "y", 4.5)]
    pd.DataFrame({"user": ["b"], "item": ["y"]}).to_parquet(parts / "c.parquet")
    with pytest.raises(TableError, match=r"c.parquet and .*a.parquet have different columns"):
        read_ratings(parts)
    by_user = tmp_path / "by_user" / "user=01"
    by_user.mkdir(parents=True)
    pd.DataFrame({"item": ["x"]}).to_parquet(by_user / "a.parquet")
    assert rows_of(read_ratings(tmp_path / "by_user")) == [("01", "x", 1.0)]


@pytest.mark.each("name", ["plays", "count", "listens", "click"])
def test_what_is_called_a_count_is_one_whatever_its_values(name: str) -> None:
    table = {"user": [1, 2, 3], "item": [1, 1, 1], name: [1, 7, 14]}
    ratings = read_ratings(table)
    assert ratings.reading.are_counts
    assert relevance_threshold(ratings.values, "auto", are_counts=True) == 1
    assert not read_ratings({**table, "rating": [1, 7, 14]}).reading.are_counts
    assert read_ratings({"user": [1, 1], "item": [2, 2]}, duplicates="sum").reading.are_counts


def test_identifiers_of_json_that_look_like_moments_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"user": "2021-05-03", "item": "2021-05-03T10:00:00Z", "rating": 5}\n' * 1)
    assert rows_of(read_ratings(path)) == [("2021-05-03", "2021-05-03T10:00:00Z", 5.0)]


_DAY = ("2021-01-01", "2021-01-01T00:00:00")


@pytest.mark.parametrize("item", ["sku", 1])
def test_identifiers_that_look_like_moments_stay_if_their_column_is_named(
    tmp_path: Path, item: str | int
) -> None:
    lines = [f'{{"user": "u", "sku": "{day}", "rating": {n}}}\n' for n, day in enumerate(_DAY, 4)]
    ratings = read_text(tmp_path / "a.jsonl", "".join(lines), item=item)
    assert rows_of(ratings) == [("u", _DAY[0], 4.0), ("u", _DAY[1], 5.0)]


@pytest.mark.parametrize(
    "line",
    [
        f'{{"user": "u", "items": ["{_DAY[0]}", "{_DAY[1]}"], "scores": [2, 1]}}\n',
        f'{{"user": "u", "items": [{{"item": "{_DAY[0]}", "score": 2}}, '
        f'{{"item": "{_DAY[1]}", "score": 1}}]}}\n',
    ],
)
def test_identifiers_within_lists_that_look_like_moments_stay(tmp_path: Path, line: str) -> None:
    (tmp_path / "run.jsonl").write_text(line)
    run = read_run(tmp_path / "run.jsonl")
    assert entries_of(run) == [("u", _DAY[0], 2.0), ("u", _DAY[1], 1.0)]
    assert run.reading.unread == ()


@pytest.mark.each(
    ("name", "text"),
    [
        ("a.json", '[{"user": "\\ud800", "item": "a"}]'),
        ("b.json", '{"u": {"\\ud800": 1}}'),
        ("c.json", '{"\\ud800": ["a"]}'),
        ("a.jsonl", '{"user": "\\ud800", "item": "a"}\n'),
        ("b.jsonl", '{"u": ["\\ud800"]}\n'),
    ],
)
def test_half_a_character_is_refused_in_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    for read in (read_ratings, read_run):
        with pytest.raises(TableError, match=rf"{name}.*has half of a character"):
            read(tmp_path / name)


@pytest.mark.each(
    "table",
    [
        {"u": {"\ud800": 1.0}},
        {"user": ["\ud800"], "item": ["a"]},
        [("\ud800", "a", 1)],
        [{"user": "\ud800", "item": "a"}],
        np.array([["\ud800", "a"]]),
    ],
)
def test_half_a_character_is_refused_in_memory(table: Any) -> None:
    for read in (read_ratings, read_run):
        with pytest.raises(TableError, match="has half of a character"):
            read(table)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"user": "ü", "item": "a"}]'),
        ("run.json", '{"ü": {"a": 1}}'),
        ("a.jsonl", '{"user": "ü", "item": "a"}\n'),
        ("a.csv", "user,item\nü,a\n"),
        ("a.qrels", "ü 0 a 1\n"),
        ("a.run", "ü Q0 a 1 1 me\n"),
    ],
)
def test_bytes_that_are_not_utf_8_are_named_with_their_line_in_every_format(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    read = read_run if "run" in name else read_ratings
    with pytest.raises(TableError, match=r"line \d: byte .* is 0xFC.*--encoding"):
        read(tmp_path / name)
    assert read(tmp_path / name, encoding="latin-1").user_ids.tolist() == ["ü"]


@pytest.mark.each(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"user": "1", "items": [["5", 10]]}\n', "line 1: the list items has values"),
        ("b.jsonl", '{"user": "1", "items": {"5": 10}}\n', "'items' for item has objects of"),
        ("c.jsonl", '{"user": "1", "item": "5", "score": {"a": 1}}\n', "'score' for score has obj"),
        ("d.jsonl", '{"user": "1", "items": [[["5"]]]}\n', "'items' for item has lists of"),
        ("a.json", '[{"user": "1", "items": [["5", 10]]}]', "row 1: the list items has values of"),
        ("b.json", '[{"user": "1", "items": {"5": 10}}]', "'items' for item has objects of"),
    ],
)
def test_values_that_hold_others_are_refused_with_the_form_to_write(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match=said) as error:
        read_run(tmp_path / name)
    assert '{"user": "ann", "items": ["book"], "scores": [1.5]}' in str(error.value)


@pytest.mark.each(
    ("second", "said"),
    [
        ('{"user": "1", "item": 5}', "line 2: item is a number, but in line 1 it is a text"),
        (
            '{"user": "1", "item": ["5"]}',
            "item is a list whose first entry is a text, but in line 1 it is a text",
        ),
        ('{"user": "1", "item": "6", "item": "7"}', "line 2: an object has the name item twice"),
        (
            '{"user": "1", "item": "6", "stars": [5]}',
            "line 2: stars is a list whose first entry is",
        ),
        ('{"user": "1", "item": "6", "of": [{"ts": "b"}]}', "ts in of is a text, but in line 1 it"),
        ('{"user": "1", "item": "6", "score": 1e400}', "line 2: 1e400 is too large for a floating"),
    ],
)
def test_a_line_of_json_that_differs_is_named_in_plain_words(
    tmp_path: Path, second: str, said: str
) -> None:
    first = '{"user": "1", "item": "5", "stars": ["x"], "of": [{"ts": 1}]}'
    with pytest.raises(TableError, match=said):
        read_text(tmp_path / "a.jsonl", f"{first}\n{second}\n")


@pytest.mark.each("name", ["a.csv", "a.jsonl", "a.json", "a.parquet", "a.qrels", "a.npz"])
@pytest.mark.each("content", [b"", b"\n\n"])
def test_a_file_without_content_is_refused_in_plain_words(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError) as error:
        read_ratings(tmp_path / name)
    assert "cannot be read: " not in str(error.value)


@pytest.mark.each("date", ['"2021-05-03T00:00:00Z"', '{"$numberLong": "1620000000000"}'])
@pytest.mark.each("name", ["a.jsonl", "a.json"])
def test_values_with_their_type_as_mongodb_exports_them_are_read(
    tmp_path: Path, name: str, date: str
) -> None:
    row = (
        '{"user": {"$oid": "5f"}, "item": "a", "rating": {"$numberInt": "4"}, '
        f'"timestamp": {{"$date": {date}}}}}'
    )
    ratings = read_text(tmp_path / name, f"[{row}]" if name == "a.json" else f"{row}\n")
    assert rows_of(ratings) == [("5f", "a", 4.0)]
    assert ratings.timestamps.tolist() == [1_620_000_000]
    assert ratings.reading.columns["user"] == "user.$oid"


def test_an_archive_with_a_password_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "user,item\n1,2\n")
        archive.writestr("__MACOSX/._a.csv", "x")
    assert rows_of(read_ratings(path)) == [("1", "2", 1.0)]
    content = bytearray(path.read_bytes())
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(magic) + place] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(TableError, match=r"cannot be unpacked here \(File 'a.csv' is encrypted"):
        read_ratings(path)


@pytest.mark.costly
def test_a_table_of_many_columns_is_read_in_seconds(tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(30_000))
    begun = time.process_time()
    ratings = read_text(tmp_path / "a.csv", f"user,item,{names}\n1,2,{',' * 29_999}\n")
    assert rows_of(ratings) == [("1", "2", 1.0)]
    assert time.process_time() - begun < 10


def test_errors_of_a_pipe_name_the_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("user,item,rating\n1,2,x\n",))
    writer.start()
    with pytest.raises(TableError, match=f"^{pipe}, line 2: the rating is 'x'"):
        read_ratings(pipe)
    writer.join()


@pytest.mark.each(
    ("options", "told"),
    [
        ({"time_unit": "h"}, "There is no time unit 'h'. Choose one of s, ms, us, ns, date"),
        ({"decimal": ";"}, "There is no decimal ';'"),
        ({"delimiter": ""}, "The delimiter is empty"),
        ({"encoding": "rot13"}, "There is no encoding rot13"),
    ],
)
def test_options_that_there_are_not_are_refused(
    options: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_text(tmp_path / "a.csv", "user,item,rating\n1,2,5\n", **options)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
def test_how_runs_and_training_data_are_read_has_options_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.txt").write_text("zoë;b1;5\nann;b2;4\n", encoding="utf-8")
    Path("train.csv").write_text("who,what\nann,b3\n", encoding="utf-8")
    Path("run.csv").write_bytes("user,item,points\nzoë,b1,2\nann,b1,1\n".encode("latin-1"))
    command = [
        *("runs", "--test", "test.txt", "--train", "train.csv", "run.csv", "--out", "out"),
        *("--train-user", "who", "--train-item", "what", "--run-encoding", "latin-1"),
        *("--run-score", "points", "--metric", "RR", "--depth", "whole"),
    ]
    assert main(command) == 0
    assert "run.csv: text with commas and a header in iso8859-1" in capsys.readouterr().err
    read = json.loads(Path("out/settings.json").read_text(encoding="utf-8"))["reading"]
    assert [Path(own["source"]).name for own in read] == ["test.txt", "train.csv", "run.csv"]
    assert main(["runs", "--settings", "out/settings.json", "--out", "again"]) == 0
    assert Path("again/averages.csv").read_bytes() == Path("out/averages.csv").read_bytes()
