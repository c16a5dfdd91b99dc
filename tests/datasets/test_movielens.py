# SPDX-License-Identifier: MIT
from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from datasets.parsed_rows import refused, rows_of
from faults.raw_samples import zipped
from real_files import MIRROR, MOVIELENS, needs

from reproduction.datasets.formats.movielens import parse_dat, parse_zip
from reproduction.datasets.reports import ParseReport

SAMPLE = "fixtures/ml-1m_ratings_with_timestamps.dat"


def dat(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "ratings.dat"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_timestamps_are_read_where_the_variant_has_them(tmp_path: Path) -> None:
    report = ParseReport()
    ratings = parse_dat([dat(tmp_path, "9::7::5::978300760\n2::7::1::4\n")], report=report)
    assert rows_of(ratings) == [("9", "7", 5.0, 978300760), ("2", "7", 1.0, 4)]
    assert ratings.values.dtype == np.float32
    assert ratings.timestamps is not None
    assert ratings.timestamps.dtype == np.int64
    assert report.rows == 2


# Line ends of Windows are line ends.
@pytest.mark.each("content", ["9::7::5\n2::7::1", "9::7::5\r\n2::7::1\r\n"])
def test_the_variant_of_three_columns_has_no_timestamps(tmp_path: Path, content: str) -> None:
    ratings = parse_dat([dat(tmp_path, content)])
    assert rows_of(ratings) == [("9", "7", 5.0), ("2", "7", 1.0)]
    assert ratings.timestamps is None


@pytest.mark.parametrize("folder", ["ml-1m/", ""])
def test_the_archive_is_read_without_unpacking(tmp_path: Path, folder: str) -> None:
    path = tmp_path / "ml-1m.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{folder}movies.dat", "1::Mis\u00e9rables::Drama\n".encode("latin-1"))
        archive.writestr(f"{folder}ratings.dat", "9::7::5::3\n")
    assert rows_of(parse_zip([path])) == [("9", "7", 5.0, 3)]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.each(
    ("content", "line", "reason"),
    [
        ("1::2::3::4\n1::3::3\n", 2, "expected 4 fields (user, movie, rating, timestamp)"),
        ("1::2::3\n1::3::3::4\n", 2, "expected 3 fields"),
        ("1::2::3::4\n\n1::3::3::4\n", 2, "found 1"),
        ("1::2::3::4\n1::3:3::4\n", 2, "found 3"),
        ("1::2::3::4\n1::x::3::4\n", 2, "the movie is 'x', not a whole number"),
        ("1::2::3::4\n1::::3::4\n", 2, "the movie is ''"),
        ("1::2::3::4\n1::3::6::4\n", 2, "the rating is '6', not a whole number from 1 to 5"),
        ("1::2::0::4\n", 1, "the rating is '0'"),
        ("1::2::3.5::4\n", 1, "the rating is '3.5'"),
        ("1::2::3::-4\n", 1, "the timestamp is '-4'"),
        ("-1::2::3::4\n", 1, "the user is '-1'"),
        ("1::2::3::4\n99999999999::2::3::4\n", 2, "the user is '99999999999'"),
        ("1::2::3::4\n1\t::3::3::4\n1::4::9::4\n", 2, "the line contains a tab"),
        ("1::2::3::4\n1::3::3::4\n1::2::5::4\n", 3, "already have a rating 2 line(s) above"),
        ("", None, "the file is empty"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, content: str, line: int | None, reason: str
) -> None:
    refused(parse_dat, dat(tmp_path, content), line=line, reason=reason)


def test_a_bad_row_in_an_archive_names_archive_and_member(tmp_path: Path) -> None:
    path = tmp_path / "ml-1m.zip"
    path.write_bytes(zipped("ratings.dat")(b"1::2::3::4\n1::2::3::4\n"))
    error = refused(parse_zip, path, line=2, reason="already have a rating")
    assert error.path == f"{path.as_posix()}/folder/ratings.dat"


@pytest.mark.parametrize("content", [b"PK\x03\x04 and no more", b""])
def test_a_damaged_archive_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ml-1m.zip"
    path.write_bytes(content)
    refused(parse_zip, path, line=None, reason="the archive is damaged")


def test_an_altered_byte_in_an_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ml-1m.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("ml-1m/ratings.dat", "1::2::3::4\n")
    path.write_bytes(path.read_bytes().replace(b"1::2::3", b"1::2::4"))
    refused(parse_zip, path, line=None, reason="the archive is damaged")


def test_an_archive_without_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ml-1m.zip"
    path.write_bytes(zipped("movies.dat")(b""))
    refused(parse_zip, path, line=None, reason="no member ratings.dat")


@needs(SAMPLE)
def test_the_real_sample_with_timestamps() -> None:
    lines = [line.split("::") for line in (MIRROR / SAMPLE).read_text().splitlines()]
    expected = [(user, movie, float(value), int(time)) for user, movie, value, time in lines]
    assert rows_of(parse_dat([MIRROR / SAMPLE])) == expected


@pytest.mark.costly
@needs(MOVIELENS)
def test_the_real_file_without_timestamps_row_by_row() -> None:
    file = MIRROR / MOVIELENS
    ratings = parse_dat([file])
    raw = np.array(file.read_bytes().replace(b"::", b" ").split(), dtype=np.int64).reshape(-1, 3)
    np.testing.assert_array_equal(ratings.user_ids.astype(np.int64)[ratings.users], raw[:, 0])
    np.testing.assert_array_equal(ratings.item_ids.astype(np.int64)[ratings.items], raw[:, 1])
    np.testing.assert_array_equal(ratings.values, raw[:, 2])
