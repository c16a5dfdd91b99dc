# SPDX-License-Identifier: MIT
"""Texts are split into cells as all of their first lines say, and no row is lost in silence."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from data.read_rows import entries_of, read_text, rows_of
from hypothesis import given
from hypothesis import strategies as st

from receval.data.features import read_features
from receval.data.ratings_table import read_ratings
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.data.text_lines import QUOTED, Lines

HEADER = "user,title,item,rating\n"


def test_a_quote_within_a_cell_is_a_sign_like_others(tmp_path: Path) -> None:
    text = HEADER + "".join(f'{n},12" vinyl,{n},5\n' for n in range(1000))
    assert len(read_text(tmp_path / "a.csv", text)) == 1000


@pytest.mark.each(
    ("rows", "told"),
    [
        ('1,"12 inch,7,5\n2,b,8,4\n3,"c",9,3\n', "line 2: a cell is only partly in quotes"),
        (
            '1,"a,7,5\n2,b,8,4\n3,c",9,3\n',
            "the quote in line 2 is closed in line 4, but the text between",
        ),
        ('1,"a,7,5\n2,b",8,4\n', "the quote in line 2 is closed in line 3"),
        ('1,a,"7,5\n2,b,8",4\n', "line 2: the item begins with a quote and ends in line 3"),
        ('1,"a"b,7,5\n', "line 2: a cell is only partly in quotes"),
        ('1,"a\nb",7\n2,b,8,4\n', "line 2 has 3 cells"),
    ],
)
def test_a_quote_that_hides_rows_is_refused_with_its_line(
    rows: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_text(tmp_path / "a.csv", HEADER + rows)


@pytest.mark.costly
@pytest.mark.parametrize(
    "text",
    [
        'text,user,item,rating\n"good\nbook",1,2,5\n',
        'text,user,item,rating\n"good, fine\n\nbook, 3",1,2,5\n',
        'user,item,rating,text\n1,2,5,"a\rb"\n',
        'user,item,rating,text\n1,2,5,"a\r\nb, 7"\n',
        'user,item,text,rating\n1,2,"a\nb, c, d",5\n',
        'user,item,text,more,rating\n1,2,"a\nb","c\n1",5\n',
    ],
)
def test_a_text_over_lines_hides_rows_only_if_it_ends_in_the_column_where_it_began(
    tmp_path: Path, text: str
) -> None:
    assert rows_of(read_text(tmp_path / "reviews.csv", text)) == [("1", "2", 5.0)]


def test_texts_that_look_like_rows_are_one_cell_if_quotes_are_said(tmp_path: Path) -> None:
    text = 'user,item,text,rating\n1,2,"a,4\n1,5,b",5\n'
    with pytest.raises(TableError, match=r"looks like rows.*quotes=True \(in a command: --quotes"):
        read_text(tmp_path / "reviews.csv", text)
    ratings = read_text(tmp_path / "reviews.csv", text, quotes=True)
    assert rows_of(ratings) == [("1", "2", 5.0)]


@pytest.mark.each(
    ("text", "places"),
    [
        ("user,item,rating\n1,2,3\n\n\n1,2,4\n", "line 5 rates the same pair as line 2"),
        ('user,item,rating,text\n1,2,3,"a\nb"\n1,2,4,c\n', "line 4 rates .* as line 2"),
        ("1 2 3\n \n1  2 4\n", "line 3 rates the same pair as line 1"),
    ],
)
def test_repeats_name_lines_also_after_blank_lines_and_long_texts(
    tmp_path: Path, text: str, places: str
) -> None:
    with pytest.raises(TableError, match=places):
        read_text(tmp_path / "again.csv", text)


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("a.jsonl", '{"user": 1, "item": 2}\n\n\n{"user": 1, "item": 2}\n', "line 4 .* line 1:"),
        ("a.txt", "1:\n5,3,2005-09-06\n2:\n5,3,2005-09-06\n5,4,2005-09-06\n", "line 5 .* line 4:"),
    ],
)
def test_repeats_name_lines_in_other_formats_of_lines(
    tmp_path: Path, name: str, text: str, places: str
) -> None:
    with pytest.raises(TableError, match=places):
        read_text(tmp_path / name, text)


def test_a_wrong_rating_below_a_text_over_lines_is_named_with_its_line(tmp_path: Path) -> None:
    text = 'user,item,text,rating\n1,2,"a\nb",4\n1,3,b,five\n'
    with pytest.raises(TableError, match="line 4: the rating is 'five'"):
        read_text(tmp_path / "reviews.csv", text)


@pytest.mark.costly
def test_texts_of_several_lines_in_quotes_are_one_cell_however_long(tmp_path: Path) -> None:
    review = "It is\n, as they say,\n\n" + 'a ""classic"" of its kind. ' * 45_000
    text = HEADER + "".join(f'{user},"{review}",10,4\n' for user in range(3))
    ratings = read_text(tmp_path / "a.csv", text)
    assert rows_of(ratings) == [(str(user), "10", 4.0) for user in range(3)]


cells = st.text(st.sampled_from("ab\",; \n\r'x1é"), max_size=6)


@given(
    rows=st.lists(st.tuples(cells, st.integers(1, 5)), min_size=1, max_size=8),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from(",;\t|"),
)
def test_what_the_csv_module_writes_is_read_whole_or_refused(
    rows: list[tuple[str, int]],
    quoting: int,
    end: str,
    delimiter: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting, lineterminator=end, delimiter=delimiter)  # type: ignore[arg-type]
    writer.writerow(["user", "title", "item", "rating"])
    for number, (title, rating) in enumerate(rows):
        writer.writerow([number, title, number, rating])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    try:
        found = rows_of(read_text(path, path.read_bytes(), delimiter=delimiter))
    except TableError:
        found = []
    whole = [(str(n), str(n), float(rating)) for n, (_, rating) in enumerate(rows)]
    # Line ends within cells may look like rows.
    may_be_refused = any("\n" in title or "\r" in title for title, _ in rows)
    assert found == whole or (may_be_refused and not found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1;5;1,000\n2;6;2,500\n", "decimal commas or commas between thousands"),
        ("1;5;3,5\n2;6;4.5\n", "line 1: the rating is '3,5'. It must be a number"),
        # Signs that Python alone takes for white space.
        ("1 5 3\n2 6 4\x1d\n", r"line 2: the rating is '4\\x1d'. It must be a number"),
        ("1,5,3\n2,6,4\x0c\n", r"line 2: the rating is '4\\x0c'. It must be a number"),
        ("1\xa05\xa03\n2\xa06\xa04\n", "no delimiter that is tried"),
    ],
)
def test_numbers_and_delimiters_that_may_mean_two_things_are_refused(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_text(tmp_path / "a.csv", text)


def test_the_decimal_mark_may_be_said(tmp_path: Path) -> None:
    ratings = read_text(tmp_path / "a.csv", "1;5;1,000\n2;6;2,500\n", decimal=",")
    assert rows_of(ratings) == [("1", "5", 1.0), ("2", "6", 2.5)]


@pytest.mark.parametrize("delimiter", ["\t", "::", ";", "|", ",", " "])
def test_every_delimiter_is_found_by_the_lines_whatever_the_name_says(
    delimiter: str, tmp_path: Path
) -> None:
    text = "".join(delimiter.join(map(str, (n, n + 1, 5))) + "\n" for n in range(3))
    for name in ("a.csv", "a.tsv", "a.data", "a"):
        found = rows_of(read_text(tmp_path / name, text))
        assert found == [(str(n), str(n + 1), 5.0) for n in range(3)]


def test_words_between_spaces_make_no_columns_where_another_delimiter_does(tmp_path: Path) -> None:
    text = "user;item;rating\nann lee;the book;5\nbob roe;the film;4\n"
    ratings = read_text(tmp_path / "a.txt", text)
    assert rows_of(ratings) == [("ann lee", "the book", 5.0), ("bob roe", "the film", 4.0)]


def test_identifiers_without_a_header_need_it_to_be_said(tmp_path: Path) -> None:
    text = "ann,oslo\nbob,rome\n"
    with pytest.raises(TableError, match=r"may be a header or a row.*--no-header"):
        read_text(tmp_path / "a.csv", text)
    ratings = read_text(tmp_path / "a.csv", text, header=False)
    assert rows_of(ratings) == [("ann", "oslo", 1.0), ("bob", "rome", 1.0)]


@pytest.mark.each(
    ("columns", "told"),
    [
        (("user", "item"), "which has 3 cells in its first line. Name every column in order"),
        (("user", "item", "stars"), "Use user, item, rating, timestamp at most once"),
        (("user", "user", "item"), "at most once"),
        (("user", "rating", "-"), "does not fit"),
    ],
)
def test_a_list_of_columns_that_does_not_fit_is_refused(
    columns: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    with pytest.raises(TableError, match=told):
        read_text(tmp_path / "a.csv", "1,2,5\n", columns=columns)


@pytest.mark.each("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(encoding: str, tmp_path: Path) -> None:
    text = "user,item,rating\nzoë,größe,5\n"
    content = text.encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    ratings = read_text(tmp_path / "a.csv", content)
    assert rows_of(ratings) == [("zoë", "größe", 5.0)]


def test_other_bytes_are_refused_with_line_byte_and_encoding_until_it_is_said(
    tmp_path: Path,
) -> None:
    content = "user,item,rating\nann,book,5\nzoë,größe,5\n".encode("latin-1")
    with pytest.raises(
        TableError, match=r"line 3: byte 3 of the line is 0xEB.*Set encoding='latin-1'.*--encoding"
    ):
        read_text(tmp_path / "a.csv", content)
    ratings = read_text(tmp_path / "a.csv", content, encoding="latin-1")
    assert rows_of(ratings)[1] == ("zoë", "größe", 5.0)
    assert ratings.reading.form.endswith("in iso8859-1")
    with pytest.raises(TableError, match="There is no encoding klingon"):
        read_text(tmp_path / "a.csv", content, encoding="klingon")


@pytest.mark.parametrize("delimiter", [",", " ", "::", "\t"])
def test_lines_may_end_in_a_carriage_return_alone(delimiter: str, tmp_path: Path) -> None:
    text = "\r".join(delimiter.join(map(str, (n, n, 5))) for n in range(30))
    assert len(read_text(tmp_path / "a.txt", text)) == 30
    assert len(read_text(tmp_path / "a.txt", text.replace("\r", "\n", 3))) == 30
    mixed = text.replace("\r", "\n", 20)
    if delimiter in QUOTED:
        assert len(read_text(tmp_path / "a.txt", mixed)) == 30
        return
    with pytest.raises(TableError, match="line 21 has a carriage return within"):
        read_text(tmp_path / "a.txt", mixed)
    if delimiter == "::":
        with pytest.raises(TableError, match="line 3 has a tab within"):
            read_text(tmp_path / "a.txt", "1::2::5\n2::3::5\n3::4::\t5\t\n")
        with pytest.raises(TableError, match="line 2: the rating has only white space"):
            read_text(tmp_path / "a.txt", "1::2::5\n2::3::  \n3::4::5\n")


@given(
    lines=st.lists(st.sampled_from(["1,2,5", "", '1,"a",5', '"x",y,"z"', "\r"]), max_size=9),
    block=st.integers(1, 30),
)
def test_lines_with_anything_in_them_are_counted_wherever_blocks_end(
    lines: list[str], block: int
) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    found = Lines(io.BytesIO(text), ",", block)
    assert found.read() == text
    assert found.rows == sum(bool(line.strip("\r")) for line in lines)
    assert found.are_plain


def test_a_column_that_is_there_twice_is_refused_where_it_is_wanted(tmp_path: Path) -> None:
    text = "user,user,item,rating,note,note\n1,2,3,5,x,y\n"
    with pytest.raises(TableError, match=r"the name note, user\. .* user=0 .* --user 0\)"):
        read_text(tmp_path / "a.csv", text)
    (tmp_path / "b.csv").write_text("user,movieId,movieId,score\n1,2,3,5\n")
    with pytest.raises(TableError, match=r"the name movieId\. .* item=1 .* --run-item 1\)"):
        read_run(tmp_path / "b.csv")
    assert entries_of(read_run(tmp_path / "b.csv", item=2)) == [("1", "3", 5.0)]
    with pytest.raises(TableError, match="several columns with the name 'movieId'"):
        read_features(tmp_path / "b.csv", of="items")
    ratings = read_text(tmp_path / "a.csv", text.replace("user,user", "user,other"))
    assert rows_of(ratings) == [("1", "3", 5.0)]


@pytest.mark.costly
def test_one_long_identifier_among_many_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    rows = "".join(f"u{n},i{n},5\n" for n in range(100_000))
    with pytest.raises(TableError, match=r"line 100002: the item has 6,000 characters.*2.4 GB"):
        read_text(tmp_path / "a.csv", f"user,item,rating\n{rows}a,{'x' * 6000},1\n")


def test_rows_of_a_file_with_blank_lines_are_named_by_their_lines(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="line 5 has no rating"):
        read_text(tmp_path / "a.csv", "user,item,rating\n\n1,2,5\n\n1,3,\n")


@pytest.mark.each("text", ["good\nbad, really\n", "a\n\n", 'say ""a"" and\n', "5,1\n"])
@pytest.mark.each("when", ["1620000000", "2021-05-03T00:00:00Z"])
def test_texts_of_many_lines_may_be_cut_anywhere_by_blocks(
    tmp_path: Path, text: str, when: str
) -> None:
    # Longer than the first block that is read.
    own = text * (3000 // len(text))
    rows = "".join(f'{n % 9},{n},"{own}",{n % 5},{when}\n' for n in range(60))
    ratings = read_text(tmp_path / "a.csv", f"user,item,review,rating,time\n{rows}")
    assert sorted(rows_of(ratings)) == sorted((str(n % 9), str(n), float(n % 5)) for n in range(60))


def test_titles_of_two_words_below_known_names_are_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item\n" + 20 * "1,The Matrix\n", encoding="utf-8")
    assert read_ratings(path, duplicates="last").item_ids.tolist() == ["The Matrix"]


@pytest.mark.each("end", ["\u2028", "\x0b", "<br>"])
def test_a_file_of_a_single_long_line_is_refused_with_its_cells(tmp_path: Path, end: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(end.join(f"{row},{row},5" for row in range(30)), encoding="utf-8")
    with pytest.raises(TableError, match="a single line, of 61 cells"):
        read_ratings(path)
