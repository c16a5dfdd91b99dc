# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of
from faults.raw_samples import packed, tar

from receval.data.ratings import Ratings
from reproduction.datasets.formats import netflix
from reproduction.datasets.formats.netflix import parse_archive, parse_combined, parse_movie_files
from reproduction.datasets.reports import ParseReport

Movies = Mapping[int, str]
MOVIES = {
    1: "1488844,3,2005-09-06\n822109,5,2005-05-13\n",
    2: "822109,1,1999-12-31\n",
    10: "7,2,1970-01-01\n1488844,4,2005-12-31\n",
}
DAY = 86_400
ROWS = [
    ("1488844", "1", 3, 13_032 * DAY),
    ("822109", "1", 5, 12_916 * DAY),
    ("822109", "2", 1, 10_956 * DAY),
    ("7", "10", 2, 0),
    ("1488844", "10", 4, 13_148 * DAY),
]


def movie_files(folder: Path, movies: Movies) -> list[Path]:
    paths = []
    for number, lines in movies.items():
        paths.append(folder / f"mv_{number:07d}.txt")
        paths[-1].write_bytes(f"{number}:\n{lines}".encode())
    return paths


def training_set(folder: Path, movies: Movies) -> list[Path]:
    path = folder / "training_set.tar"
    members = [
        (f"training_set/mv_{number:07d}.txt", f"{number}:\n{lines}".encode())
        for number, lines in movies.items()
    ]
    path.write_bytes(tar(members))
    return [path]


def archive(folder: Path, movies: Movies) -> list[Path]:
    (inner,) = training_set(folder, movies)
    path = folder / "nf_prize_dataset.tar.gz"
    path.write_bytes(packed(tar([("download/training_set.tar", inner.read_bytes())])))
    return [path]


def combined(folder: Path, movies: Movies) -> list[Path]:
    numbers = list(movies)
    paths = []
    for part, chosen in enumerate((numbers[:2], numbers[2:]), start=1):
        paths.append(folder / f"combined_data_{part}.txt")
        content = "".join(f"{number}:\n{movies[number]}" for number in chosen)
        paths[-1].write_bytes(content.encode())
    return paths


Editions = pytest.mark.parametrize(
    ("write", "parse"),
    [
        (movie_files, parse_movie_files),
        (training_set, parse_archive),
        (archive, parse_archive),
        (combined, parse_combined),
    ],
)
Write = Callable[[Path, Movies], list[Path]]
Parse = Callable[..., Ratings]


@Editions
def test_every_variant_gives_the_same_table(tmp_path: Path, write: Write, parse: Parse) -> None:
    report = ParseReport()
    # A movie without ratings is no item.
    ratings = parse(write(tmp_path, MOVIES | {5: ""}), report=report)
    assert rows_of(ratings) == ROWS
    assert report.rows == 5
    # Codes go by the order of numbers, and columns are small.
    assert ratings.user_ids.tolist() == ["7", "822109", "1488844"]
    assert ratings.item_ids.tolist() == ["1", "2", "10"]
    columns = (ratings.users, ratings.items, ratings.values, ratings.timestamps)
    assert [column.dtype.name for column in columns] == ["int32", "int32", "int8", "int32"]


@Editions
def test_neither_the_order_of_movies_nor_windows_line_ends_matter(
    tmp_path: Path, write: Write, parse: Parse
) -> None:
    turned = {number: lines.replace("\n", "\r\n") for number, lines in reversed(MOVIES.items())}
    assert rows_of(parse(write(tmp_path, turned))) == ROWS


def test_a_user_who_is_the_first_beyond_the_table_of_users_is_read(tmp_path: Path) -> None:
    # The table made for the users of the first movie has the numbers 0 to 5.
    movies = {1: "3,3,1970-01-01\n", 2: "6,4,1970-01-01\n3,5,1970-01-01\n"}
    rows = [("3", "1", 3, 0), ("6", "2", 4, 0), ("3", "2", 5, 0)]
    assert rows_of(parse_movie_files(movie_files(tmp_path, movies))) == rows


BAD_LINES = [
    ("5,3\n", "expected 3 fields (user, rating, date) separated by ','"),
    ("5,6,2005-09-06\n", "the rating is '6', not a whole number from 1 to 5"),
    ("5,0,2005-09-06\n", "the rating is '0'"),
    ("5,300,2005-09-06\n", "the rating is '300'"),
    ("x,3,2005-09-06\n", "the user is 'x'"),
    ("0,3,2005-09-06\n", "the user is '0'"),
    ("16777216,3,2005-09-06\n", "the user is '16777216'"),
    ("5,3,2005-02-30\n", "the date is '2005-02-30', not a date"),
    ("5,3,06/09/2005\n", "the date is '06/09/2005'"),
    ("5,3,1969-12-31\n", "the date is '1969-12-31'"),
    ("5,3,2038-01-01\n", "the date is '2038-01-01'"),
    ("822109,3,2005-09-06\n", "the user 822109 already rated this movie, 1 line(s) above"),
    ("\n5,3,2005-09-06\n", "found 1"),
]


@pytest.mark.each(("bad", "reason"), BAD_LINES)
@pytest.mark.each(
    ("write", "parse", "line"),
    [
        (movie_files, parse_movie_files, 3),
        (archive, parse_archive, 3),
        (combined, parse_combined, 6),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, write: Write, parse: Parse, line: int, bad: str, reason: str
) -> None:
    movies = {**MOVIES, 2: MOVIES[2] + bad}
    refused(parse, *write(tmp_path, movies), line=line, reason=reason)


def test_a_bad_row_in_an_archive_names_archive_and_member(tmp_path: Path) -> None:
    (path,) = archive(tmp_path, {1: "5,9,2005-09-06\n"})
    error = refused(parse_archive, path, line=2, reason="'9'")
    assert error.path == f"{path.as_posix()}/training_set.tar/training_set/mv_0000001.txt"


@pytest.mark.each("header", ["", "1\n", "one:\n", ":\n", "1:2\n"])
def test_a_file_without_a_movie_line_is_told(tmp_path: Path, header: str) -> None:
    path = tmp_path / "mv_0000001.txt"
    path.write_text(header + "5,3,2005-09-06\n" if header else "")
    refused(parse_movie_files, path, line=1, reason="expected a line '<movie>:'")
    combined_path = path.rename(tmp_path / "combined_data_1.txt")
    refused(parse_combined, combined_path, line=1, reason="expected a line '<movie>:'")


def test_lines_of_movies_at_wrong_places_are_told(tmp_path: Path) -> None:
    path = tmp_path / "combined_data_1.txt"
    path.write_text("5,3,2005-09-06\n1:\n5,3,2005-09-06\n")
    refused(parse_combined, path, line=1, reason="before the ratings")
    path.write_text("1:\n5,3,2005-09-06\n1:\n6,3,2005-09-06\n")
    refused(parse_combined, path, line=3, reason="the movie 1 occurs twice")


def test_an_archive_without_ratings_is_told(tmp_path: Path) -> None:
    path = tmp_path / "nf_prize_dataset.tar.gz"
    path.write_bytes(packed(tar([])))
    refused(parse_archive, path, line=None, reason="no member training_set.tar")
    (empty,) = training_set(tmp_path, {})
    refused(parse_archive, empty, line=None, reason="there are no ratings")


def test_a_movie_without_an_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(netflix, "_LARGEST_MOVIE", 100)
    monkeypatch.setattr(netflix, "_BLOCK", 64)
    path = tmp_path / "combined_data_1.txt"
    for content, line in ((b"1" * 300, 1), (b"1:\n5,3,2005-09-06\n2:\n" + b"1" * 300, 4)):
        path.write_bytes(content)
        refused(
            parse_combined, path, line=line, reason="another line '<movie>:' within the next 100"
        )
    archive = tmp_path / "training_set.tar"
    archive.write_bytes(tar([("mv_0000001.txt", b"1:\n" + b"1" * 98)]))
    error = refused(parse_archive, archive, line=1, reason="expected another line '<movie>:'")
    assert error.path.endswith("training_set.tar/mv_0000001.txt")
