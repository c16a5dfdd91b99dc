# SPDX-License-Identifier: MIT
"""Files as tools and datasets ship them are known by their form, and read as what they are."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data.read_rows import Row, entries_of, read_text, rows_of

from receval.cli.main import command_parser
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingOptions, TableError
from receval.data.run import read_run
from receval.evaluation.runs import evaluate_runs

THREE: list[Row] = [("1", "10", 5.0), ("1", "11", 3.5), ("2", "10", 4.0)]

AMAZON = [
    {"reviewerID": "1", "asin": "10", "overall": 5.0, "unixReviewTime": 1252800000},
    {"reviewerID": "1", "asin": "11", "overall": 3.5, "unixReviewTime": 1252800001},
    {"reviewerID": "2", "asin": "10", "overall": 4.0, "unixReviewTime": 1252800002},
]

RATINGS = {
    "MovieLens 10M with CR": ("a.dat", "1::10::5::978\r1::11::3.5::9\r2::10::4::9\r", "'::'"),
    "pandas without names, with an index": (
        "a.csv",
        ",0,1,2\n0,1,10,5\n1,1,11,3.5\n2,2,10,4\n",
        "numbers the columns, without its first column, which is an index",
    ),
    "an array of objects": ("a.json", json.dumps(AMAZON, indent=1), "JSON"),
    "semicolons and decimal commas": ("a.csv", "1;10;5,0\n1;11;3,5\n2;10;4,0\n", "decimal commas"),
    "a header and decimal commas in quotes": (
        "a.csv",
        'user,item,rating\n1,10,"5,0"\n1,11,"3,5"\n2,10,"4,0"\n',
        "decimal commas",
    ),
}  # fmt: skip
"""Name and text of a file, and what the report says of its form."""


@pytest.mark.each("kind", RATINGS)
def test_ratings_of_every_form_are_read_and_their_form_is_said(kind: str, tmp_path: Path) -> None:
    name, text, form = RATINGS[kind]
    ratings = read_text(tmp_path / name, text)
    assert sorted(rows_of(ratings)) == sorted(THREE)
    assert form in ratings.reading.form
    assert ratings.reading.rows == 3
    assert not ratings.are_grades


QRELS = {
    "Q0": ("qrels.trec", "301 Q0 CR93E-10279 0\n301 Q0 CR93E-10505 1\n"),
    "tabs": ("a.txt", "301\t0\tCR93E-10279\t0\n301\t0\tCR93E-10505\t1\n"),
    "queries and documents": (
        "a.csv",
        "query_id,doc_id,relevance\n301,CR93E-10279,0\n301,CR93E-10505,1\n",
    ),
    "docno": ("a.tsv", "qid\tdocno\tlabel\n301\tCR93E-10279\t0\n301\tCR93E-10505\t1\n"),
}


@pytest.mark.each("kind", QRELS)
def test_judgments_are_known_by_their_form_and_relevant_from_1_on(
    kind: str, tmp_path: Path
) -> None:
    name, text = QRELS[kind]
    (tmp_path / name).write_text(text)
    judged = read_test_data(tmp_path / name)
    assert rows_of(judged.ratings) == [("301", "CR93E-10279", 0.0), ("301", "CR93E-10505", 1.0)]
    assert judged.are_grades


def test_grades_of_parquet_with_queries_are_relevant_from_1_on_whatever_is_the_highest(
    tmp_path: Path,
) -> None:
    qrels = {"q_id": ["q1", "q1", "q1"], "doc_id": ["a", "b", "c"], "score": [1, 2, 3]}
    run = {"q_id": ["q1", "q1", "q1"], "doc_id": ["b", "a", "c"], "score": [3.0, 2.0, 1.0]}
    for name, table in (("qrels", qrels), ("run", run)):
        pq.write_table(pa.table(table), tmp_path / f"{name}.parquet")
    result = evaluate_runs(
        tmp_path / "qrels.parquet", {"mine": tmp_path / "run.parquet"}, metrics="AP", depth="whole"
    )
    assert result.summary()["mean"].tolist() == [1.0]
    assert result.words[0] == ("Test ratings of 1 or more are relevant: 3 of 3 (100.0 %).")


def test_a_second_column_that_begins_with_0_makes_no_judgments(tmp_path: Path) -> None:
    text = "7 0 5 978300760\n7 12 4 978300761\n8 13 3 978300762\n"
    ratings = read_text(tmp_path / "test.txt", text)
    assert rows_of(ratings) == [("7", "0", 5.0), ("7", "12", 4.0), ("8", "13", 3.0)]
    assert not ratings.are_grades


def test_what_is_said_of_the_format_goes_before_what_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("7 0 5 1\n8 0 4 2\n")
    assert read_ratings(path).are_grades
    ratings = read_ratings(path, format="table")
    assert rows_of(ratings) == [("7", "0", 5.0), ("8", "0", 4.0)]
    with pytest.raises(TableError, match=r"There is no format 'xml'\. Choose one of table, qrels"):
        read_ratings(path, format="xml")


TWO: list[Row] = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 0.5)]

RUNS = {
    "TREC": ("a.run", "1 Q0 a 1 2.0 mine\n1 Q0 b 2 1.0 mine\n2 Q0 a 1 0.5 mine\n"),
    "TREC without a name of its own": ("a.txt", "1 0 a 1 2.0 m\n1 0 b 2 1.0 m\n2 0 a 1 0.5 m\n"),
    "TREC between any white space": ("r", "1\tQ0\ta\t1\t2\tm\n1 Q0  b 2 1 m\n2 q0 a 1 .5 m\n"),
    "Elliot": ("elliot.tsv", "1\ta\t2.0\n1\tb\t1.0\n2\ta\t0.5\n"),
    "a table": ("a.csv", "score,item_id,rank,user_id\n2,a,1,1\n1,b,2,1\n0.5,a,1,2\n"),
    "an array of lists": (
        "b.json",
        '[{"user": "1", "items": ["a", "b"], "scores": [2.0, 1.0]},\n'
        ' {"user": "2", "items": ["a"], "scores": [0.5]}]',
    ),
    "an object of users": ("a.json", '{"1": {"a": 2.0, "b": 1.0}, "2": {"a": 0.5}}'),
    "lists by line": (
        "a.jsonl",
        '{"user": "1", "items": ["a", "b"], "scores": [2.0, 1.0]}\n'
        '{"user": "2", "items": ["a"], "scores": [0.5]}\n',
    ),
    "entries by line": (
        "a.jsonl",
        '{"user": 1, "item": "a", "score": 2}\n{"user": 1, "item": "b", "score": 1.0}\n'
        '{"user": 2, "item": "a", "score": 0.5}\n',
    ),
    "an array of entries": (
        "a.json",
        '[{"user": 1, "item": "a", "score": 2}, {"user": 1, "item": "b", "score": 1.0},\n'
        ' {"user": 2, "item": "a", "score": 0.5}]',
    ),
    "objects by line": ("a.jsonl", '{"1": {"a": 2.0, "b": 1.0}}\n{"2": {"a": 0.5}}\n'),
}


@pytest.mark.each("kind", RUNS)
def test_runs_of_every_form_are_read(kind: str, tmp_path: Path) -> None:
    name, text = RUNS[kind]
    (tmp_path / name).write_text(text)
    assert entries_of(read_run(tmp_path / name)) == TWO


@pytest.mark.parametrize(
    "text", ['{"1": ["a", "b"]}\n{"2": ["a"]}\n', '{"1": ["a", "b"], "2": ["a"]}']
)
def test_lists_without_scores_have_the_best_first(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("a.jsonl" if text.count("\n") > 1 else "a.json")
    path.write_text(text)
    run = read_run(path)
    assert [row[:2] for row in entries_of(run)] == [("1", "a"), ("1", "b"), ("2", "a")]
    assert run.scores[0] > run.scores[1]


@pytest.mark.each(
    ("name", "text", "told"),
    [
        ("a.json", '{"1": {"a": {"x": 1}}}', "the score of item a for user 1 is .* must be a"),
        ("a.json", '{"1": {"a": "t01115"}}', 'the score of item a for user 1 is "t01115"'),
        ("a.json", '{"1": ["a", "a"]}', "user 1 has item a twice"),
        ("a.json", '{"1": ["a", null]}', "item 2 of user 1 is null. It must be an identifier"),
        ("a.json", '{"1": 5}', "must hold an object of users with their items and scores"),
        ("a.json", '{"1": {"a": 1, "a": 2}}', "an object has the name a twice"),
        ("a.json", '{"1": {"a": 1}, "1": {"b": 2}}', "an object has the name 1 twice"),
        ("a.json", '{"1": {"a": 1}', "is not JSON: "),
        ("a.json", '{\0"1": {"a": 1}}', "is not JSON: at column 2, "),
        ("a.jsonl", '{\0"1": {"a": 1}}\n', "line 1 is not JSON"),
        ("a.jsonl", '{"user": "1", "items": ["a"], "scores": [1, 2]}\n', "have different lengths"),
        (
            "a.jsonl",
            '{"user": 1, "item": "a"}\n{"user": "b", "item": "a"}\n',
            "line 2: user is a text",
        ),
        ("a.jsonl", 'null"user": "a"}\n{"user": "b", "item": "x"}\n', "line 1 is not JSON"),
        ("a.jsonl", '{"1": ["a"]}\n{"1": ["b"]}\n', "line 2: user 1 has a second list"),
        ("a.json", '{"1": {"a": 1,}}', "the comma at column 14 is before a closing bracket"),
        (
            "a.json",
            '{"1":\n["a",\n]}',
            "the comma at line 2, column 5 is before",
        ),
        ("a.jsonl", '{"1": ["a"]}\n{"1"', "line 2 is not JSON: it ends within a value"),
        ("a.json", '{"1": {"a": 1}}}', "at column 16, more follows its end: '}'"),
        ("a.jsonl", '{"1": ["a"]}\n[1]\n', "line 2 must be an object that gives a user a list"),
    ],
)
def test_json_that_is_no_run_is_refused_with_its_place(
    name: str, text: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match=told):
        read_run(tmp_path / name)


def test_a_run_is_not_taken_for_ratings_and_judgments_not_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUNS["TREC"][1])
    (tmp_path / "a.qrels").write_text("1 0 a 1\n")
    with pytest.raises(TableError, match=r"was read as TREC's run \(by its name, .run\)"):
        read_ratings(tmp_path / "a.run")
    with pytest.raises(TableError, match=r"was read as TREC's judgments"):
        read_run(tmp_path / "a.qrels")


def test_parts_in_a_folder_are_one_table_and_partitions_are_columns(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "_SUCCESS").touch()
    (texts / ".part-0.csv.crc").write_text("crc")
    (texts / "part-2.csv").touch()
    (texts / "_temporary").mkdir()
    (texts / "_temporary" / "part-3.csv").write_text("user,item,rating\n3,10,4\n")
    (texts / "part-0.csv").write_text("user,item,rating\n1,10,5\n1,11,3.5\n")
    (texts / "part-1.csv").write_text("user,item,rating\n2,10,4\n")
    ratings = read_ratings(texts)
    assert rows_of(ratings) == THREE
    left_out = ".part-0.csv.crc, _SUCCESS, _temporary/part-3.csv, part-2.csv"
    form = f"folder of 2 files (left out: {left_out}), text with commas and a header"
    assert ratings.reading.form == form
    for user, own in (("1", THREE[:2]), ("2", THREE[2:])):
        folder = tmp_path / "parquet" / f"user={user}"
        folder.mkdir(parents=True)
        items = {"item": [row[1] for row in own], "rating": [row[2] for row in own]}
        pq.write_table(pa.table(items), folder / "part-0.parquet")
    assert rows_of(read_ratings(tmp_path / "parquet")) == THREE
    (texts / "part-2.csv").write_text("user,item,stars\n3,10,4\n")
    with pytest.raises(TableError, match=r"part-2.csv and .*part-0.csv have different columns"):
        read_ratings(texts)
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="is a folder without files"):
        read_ratings(tmp_path / "empty")


def test_lists_in_a_table_give_each_item_a_row() -> None:
    table = {"user": ["1", "2"], "items": [["a", "b"], ["a"]], "scores": [[2.0, 1.0], [0.5]]}
    assert entries_of(read_run(pa.table(table))) == TWO


def test_a_netflix_line_that_is_neither_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"line 3 is foo\. It must be a rating such as"):
        read_text(tmp_path / "a.txt", "1:\n5,3,2005-09-06\nfoo\n")


@pytest.mark.each(
    ("name", "text"),
    [
        ("a.qrels", "ann 0 b7 4\n"),
        ("a.json", '[{"user": "ann", "item": "b7", "rating": 4}]'),
        ("b.json", '{"ann": {"b7": 4}}'),
        ("a.jsonl", '{"user": "ann", "item": "b7", "rating": 4}\n'),
        ("b.jsonl", '{"ann": {"b7": 4}}\n'),
        ("netflix.txt", "1:\nann,4,2005-09-06\n"),
        ("a.csv", "user,item,rating\nann,b7,4\n"),
    ],
)
def test_other_encodings_are_said_in_every_format(tmp_path: Path, name: str, text: str) -> None:
    item = "1" if name == "netflix.txt" else "b7"
    ratings = read_text(tmp_path / name, text.encode("utf-16"))
    assert rows_of(ratings) == [("ann", item, 4.0)]
    assert ratings.reading.form.endswith(" in utf-16")
    assert " in " not in read_text(tmp_path / name, text).reading.form.partition("(")[0]


@pytest.mark.each(
    ("content", "said"),
    [
        ("日本".encode("shift_jis"), "shift_jis, gb18030 or cp1252; one line does not tell"),
        ("カタ".encode("shift_jis"), "shift_jis, gb18030 or cp1252; one line does not tell"),
        ("中国人民".encode("gb18030"), "gb18030, euc_jp, euc_kr or latin-1; one line does not"),
        ("café".encode("latin-1"), "latin-1. Set encoding='latin-1'"),
        ("5€".encode("cp1252"), "cp1252. Set encoding='cp1252'"),
    ],
)
def test_all_likely_encodings_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(TableError, match=rf"It may be {said}"):
        read_text(tmp_path / "a.csv", b"user,item,rating\nu," + content + b",3\n")


def test_a_header_that_is_not_utf_8_gets_no_advice_on_names(tmp_path: Path) -> None:
    text = "usér,item\nu,a\n".encode("latin-1")
    with pytest.raises(TableError, match=r"line 1: byte 3 .* is 0xE9.*latin-1"):
        read_text(tmp_path / "a.csv", text)
    assert read_text(tmp_path / "a.csv", text, encoding="latin-1", user="usér").n_users == 1


@pytest.mark.each(
    ("name", "text", "said"),
    [
        ("a.run", "1 Q0 a 1 2.0 my tag\n", r"has 6 columns .* line 1 has 7 .*No column may have"),
        ("a.run", "1 Q0 a 1 2.0\n", "has 6 columns .* line 1 has 5 "),
        ("a.run", "user,item,score\n1,2,3\n", "has 6 columns .* line 1 has 3 "),
        ("a.run", "qid Q0 docid rank score tag\n1 Q0 a 1 2 me\n", "has no header.*Remove it"),
        ("a.qrels", "qid iteration docid rel\n1 0 a 1\n", "has no header, but line 1 seems"),
        ("a.qrels", "1 0 a\n", "has 4 columns .* line 1 has 3 "),
    ],
)
def test_a_first_line_that_does_not_fit_trec_is_refused_with_its_columns(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    read = read_run if name == "a.run" else read_ratings
    with pytest.raises(TableError, match=rf"was read as TREC's .*{said}") as error:
        read(tmp_path / name)
    assert "--columns" not in str(error.value)


@pytest.mark.each(
    ("name", "line", "read", "said"),
    [
        ("a.run", "1 0 107 1", read_ratings, "These seem to be judgments .*--format qrels"),
        ("a.run", "1 0 107 1", read_run, "These seem to be judgments .*Give them as test data"),
        ("a.run", "1 Q0 a 1 2.5 me", read_ratings, "This is a run. Give it as a run, not as rat"),
        ("a.txt", "1 Q0 a 1 2.5 me", read_ratings, "This is a run. Give it as a run, not as rat"),
        ("a.qrels", "1 0 a 1", read_run, "These are judgments. Give them as test data, not as"),
    ],
)
def test_runs_and_judgments_in_the_place_of_the_other_are_called_so(
    tmp_path: Path, name: str, line: str, read: Callable[[Path], object], said: str
) -> None:
    (tmp_path / name).write_text(f"{line}\n" * 3)
    with pytest.raises(TableError, match=said):
        read(tmp_path / name)


def test_a_run_with_a_header_is_read_as_the_table_that_it_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("qid Q0 docid rank score tag\n1 Q0 a 1 2 me\n")
    run = read_run(tmp_path / "a.run", format="table")
    assert entries_of(run) == [("1", "a", 2.0)]


@pytest.mark.each(
    ("line", "said"),
    [
        ("8,five,2005-09-06", "line 4: the rating is 'five'"),
        ("8,3,2005-09-06-16", "line 4: the timestamp is '2005-09-06-16'"),
        ("8,3,6.9.2005", "line 4: the timestamp is '6.9.2005'"),
    ],
)
def test_a_wrong_line_of_netflix_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_text(tmp_path / "a.txt", f"1:\n7,3,2005-09-06\n2:\n{line}\n")


@pytest.mark.each(
    ("name", "text"),
    [("a.json", '[{"who": 1, "what": 2}]'), ("a.jsonl", '{"user": 1, "what": 2}\n'), ("frame", "")],
)
def test_what_has_names_in_any_case_gets_no_advice_on_headers(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    source = tmp_path / name if text else pd.DataFrame({"user": [1], "what": [2]})
    with pytest.raises(TableError, match="no column with a known name") as error:
        read_ratings(source)
    assert "header" not in str(error.value)
    with pytest.raises(TableError, match=r"set header=False \(--no-header\)"):
        read_text(tmp_path / "a.csv", "user,what\na,b\n")


def test_every_argument_of_reading_is_an_option_with_an_example_in_the_table_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs/reading.md").read_text(encoding="utf-8")
    table = page.partition("| what | how it is detected | option |\n")[2].partition("\n\n")[0]
    cells = "\n".join(row.rpartition(" | ")[2] for row in table.splitlines())
    examples = re.findall("`(--[^`]+)`", cells)
    fields = {field.name for field in dataclasses.fields(ReadingOptions)}
    of_ratings = {*inspect.signature(read_ratings).parameters} - {"source", "options"} | fields
    of_runs = {*inspect.signature(read_run).parameters} - {"source", "options"} - of_ratings
    expected = {f"--{name.replace('_', '-')}" for name in of_ratings}
    expected |= {f"--run-{name}" for name in of_runs}
    assert expected == {word for own in examples for word in own.split() if word in expected}
    parser = command_parser(False)
    for own in examples:
        command = "runs a.csv --test b.csv" if "--run-" in own else "evaluate a.csv --system pop"
        parser.parse_args([*command.split(), *shlex.split(own)])
