# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of

from reproduction.datasets.formats.trec_qrels import parse
from reproduction.datasets.reports import ParseReport, RawDataError


def qrels(tmp_path: Path, *contents: str) -> list[Path]:
    paths = [tmp_path / f"qrels.{number}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content.encode())
    return paths


def test_files_are_appended(tmp_path: Path) -> None:
    report = ParseReport()
    contents = ("51 0 ZF08-175-870 1\n52 0 AP88 0\n", "51 Q0 clueweb09-en 4\n53 0 AP88 -2\n")
    assert rows_of(parse(qrels(tmp_path, *contents), report=report)) == [
        ("51", "ZF08-175-870", 1.0),
        ("52", "AP88", 0.0),
        ("51", "clueweb09-en", 4.0),
        ("53", "AP88", -2.0),
    ]
    assert (report.rows, report.repeats_collapsed) == (4, 0)


def test_white_space_of_any_kind_separates_fields(tmp_path: Path) -> None:
    content = "51\t0\tAP 1\r\n 52  0\t\tNA   0 \n53 0 null 1"
    assert rows_of(parse(qrels(tmp_path, content))) == [
        ("51", "AP", 1.0),
        ("52", "NA", 0.0),
        ("53", "null", 1.0),
    ]


def test_the_last_judgment_of_a_document_stays_and_repeats_are_counted(tmp_path: Path) -> None:
    report = ParseReport()
    ratings = parse(qrels(tmp_path, "1 0 a 1\n1 0 b 1\n", "1 0 a 0\n"), report=report)
    assert rows_of(ratings) == [("1", "b", 1.0), ("1", "a", 0.0)]
    assert report.repeats_collapsed == 1


@pytest.mark.each(
    ("content", "line", "reason"),
    [
        ("1 0 a 1\n1 0 b\n", 2, "expected 4 fields (topic, iteration, document, grade)"),
        ("1 0 a 1\n1 0 b 1 extra\n", 2, "found 5"),
        ("1 0 a 1\n1 0 b high\n", 2, "the grade is 'high'"),
        ("1 0 a 1\n1 0 b 0.5\n", 2, "the grade is '0.5'"),
        ("1 0 a 1\n\n2 0 b 1\n", 2, "found 1"),
        ("1 0 caf\udce9 1\n", 1, "which is not valid UTF-8"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    good, bad = tmp_path / "qrels.good", tmp_path / "qrels.bad"
    good.write_text("9 0 z 1\n")
    bad.write_bytes(content.encode("utf-8", errors="surrogateescape"))
    assert refused(parse, good, bad, line=line, reason=reason).path == str(bad)


def test_empty_files_are_told(tmp_path: Path) -> None:
    refused(parse, *qrels(tmp_path, "", ""), line=None, reason="the files are empty")


@pytest.mark.parametrize(("row", "file", "line"), [(1, 0, 2), (3, 2, 2)])
def test_a_repeat_that_is_an_error_is_refused_with_its_file_and_line(
    tmp_path: Path, row: int, file: int, line: int
) -> None:
    lines = [f"{number} 0 d 1\n" for number in range(4)]
    lines[row] = lines[0]
    paths = qrels(tmp_path, "".join(lines[:2]), "", "".join(lines[2:]))
    with pytest.raises(RawDataError, match=f"qrels.{file}, line {line}: .* {row} line"):
        parse(paths, report=ParseReport(duplicates="error"))
