# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of

from reproduction.datasets.formats.cm100k import parse
from reproduction.datasets.reports import ParseReport


def ratings_txt(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "ratings.txt"
    path.write_text(content)
    return path


def test_the_flag_tells_known_from_unknown_tracks(tmp_path: Path) -> None:
    report = ParseReport()
    ratings = parse(
        [ratings_txt(tmp_path, "0\t74476228\t3\t0\n9\t5000000000\t4\t1\n")], report=report
    )
    assert rows_of(ratings) == [("0", "74476228", 3.0, False), ("9", "5000000000", 4.0, True)]
    assert ratings.timestamps is None
    assert report.rows == 2


@pytest.mark.each(
    ("content", "line", "reason"),
    [
        ("1\t2\t3\t0\n1\t3\t3\n", 2, "expected 4 fields (user, track, rating, known flag)"),
        ("1\t2\t3\t0\n1\t3\t5\t0\n", 2, "the rating is '5', not a whole number from 1 to 4"),
        ("1\t2\t3\t2\n", 1, "the known flag is '2'"),
        ("1\t2\t3\t\n", 1, "the known flag is ''"),
        ("1 2 3 0\n", 1, "found 1"),
        ("1\t2\t3\t0\n1\t2\t3\t1\n", 2, "already have a rating"),
        ("", None, "empty"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, content: str, line: int | None, reason: str
) -> None:
    refused(parse, ratings_txt(tmp_path, content), line=line, reason=reason)
