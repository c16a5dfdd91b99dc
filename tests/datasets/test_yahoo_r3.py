# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of

from reproduction.datasets.formats.yahoo_r3 import parse
from reproduction.datasets.reports import ParseReport
from reproduction.datasets.spec import PartCounts


def files(tmp_path: Path, train: str, test: str) -> list[Path]:
    paths = [tmp_path / f"ydata-ymusic-rating-study-v1_0-{part}.txt" for part in ("train", "test")]
    for path, content in zip(paths, (train, test), strict=True):
        path.write_text(content)
    return paths


TRAIN = "1\t14\t5\n2\t14\t4\n3\t35\t1\n1\t35\t1\n"
TEST = "3\t14\t2\n1\t99\t3\n"


def test_only_test_users_are_kept_and_the_flag_tells_the_files_apart(tmp_path: Path) -> None:
    report = ParseReport()
    ratings = parse(files(tmp_path, TRAIN, TEST), report=report)
    assert rows_of(ratings) == [
        ("1", "14", 5.0, True),
        ("3", "35", 1.0, True),
        ("1", "35", 1.0, True),
        ("3", "14", 2.0, False),
        ("1", "99", 3.0, False),
    ]
    assert ratings.user_ids.tolist() == ["1", "3"]
    assert report.dropped == {"train ratings of users without test ratings": 1}
    assert report.rows == 6


def test_both_files_are_counted_whole(tmp_path: Path) -> None:
    report = ParseReport()
    parse(files(tmp_path, TRAIN, TEST), report=report)
    assert report.files == {
        "train": PartCounts(ratings=4, users=3, items=2, values={1: 2, 4: 1, 5: 1}),
        "test": PartCounts(ratings=2, users=2, items=2, values={2: 1, 3: 1}),
    }


def test_a_song_rated_in_both_files_keeps_both_rows_and_is_told(tmp_path: Path) -> None:
    report = ParseReport()
    ratings = parse(files(tmp_path, TRAIN, "1\t14\t2\n"), report=report)
    assert rows_of(ratings).count(("1", "14", 5.0, True)) == 1
    assert rows_of(ratings).count(("1", "14", 2.0, False)) == 1
    assert report.notes == {"pairs rated in both files": 1}


@pytest.mark.each(
    ("train", "test", "file", "line", "reason"),
    [
        (TRAIN + "1\t2\n", TEST, 0, 5, "expected 3 fields (user, song, rating)"),
        (TRAIN, TEST + "1\t2\t0\n", 1, 3, "the rating is '0', not a whole number from 1 to 5"),
        (TRAIN, TEST + "0\t2\t1\n", 1, 3, "the user is '0'"),
        (TRAIN + "2\t14\t4\n", TEST, 0, 5, "already have a rating 3 line(s) above"),
        (TRAIN, "", 1, None, "empty"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, train: str, test: str, file: int, line: int | None, reason: str
) -> None:
    paths = files(tmp_path, train, test)
    error = refused(parse, *paths, line=line, reason=reason)
    assert error.path == str(paths[file])
