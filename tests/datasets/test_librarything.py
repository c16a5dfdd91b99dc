# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from datasets.parsed_rows import refused, rows_of
from hypothesis import given
from hypothesis import strategies as st
from real_files import MIRROR, needs

from reproduction.datasets.formats.librarything import parse
from reproduction.datasets.reports import ParseReport

SAMPLE = "fixtures/librarything_UI2_first_1000_lines.txt"


def ui2(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "UI2.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_ratings_are_halved_and_tags_collapse(tmp_path: Path) -> None:
    report = ParseReport()
    content = "1 20 10 50s\n1 20 10 fantasy fiction\n1 30 7 a\n2 20 1 own, read, and  sold\n"
    ratings = parse([ui2(tmp_path, content)], report=report)
    assert rows_of(ratings) == [("1", "20", 5.0), ("1", "30", 3.5), ("2", "20", 0.5)]
    assert ratings.values.dtype == np.float32
    assert (report.rows, report.repeats_collapsed) == (4, 1)


def test_the_last_of_two_ratings_of_a_pair_stays(tmp_path: Path) -> None:
    content = "1 20 10 a\n1 30 7 a\n1 20 4 b\n"
    assert rows_of(parse([ui2(tmp_path, content)])) == [("1", "30", 3.5), ("1", "20", 2.0)]


CONTENT = "1 20 10 a\n1 20 4 b\n1 20 4 c\n1 30 7 a\n"


@pytest.mark.each(("expected", "in_print"), [(None, None), (2, None), (3, 3), (99, None)])
def test_a_pair_is_one_rating_also_where_print_counts_triples(
    tmp_path: Path, expected: int | None, in_print: int | None
) -> None:
    report = ParseReport(expected_ratings=expected)
    ratings = parse([ui2(tmp_path, CONTENT)], report=report)
    assert ratings.values.tolist() == [2, 3.5]
    assert report.repeat_rule == "the last row of each (user, item) stays"
    assert report.ratings_in_print == in_print
    assert report.notes == {
        "distinct (user, work) pairs": 2,
        "distinct (user, work, rating) triples": 3,
    }


def test_tags_may_be_of_any_encoding_and_hold_carriage_returns(tmp_path: Path) -> None:
    content = b"1 20 10 caf\xe9 \r noir\r\n1 30 8 x\ty\r\n"
    assert rows_of(parse([ui2(tmp_path, content)])) == [("1", "20", 5.0), ("1", "30", 4.0)]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.integers(0, 5),
            st.integers(1, 10),
            st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x1f"), max_size=5),
        ),
        min_size=1,
    )
)
def test_it_reads_as_a_plain_reader_with_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[int, int, int, str]]
) -> None:
    path = tmp_path_factory.mktemp("librarything") / "UI2.txt"
    content = "".join(f"{user} {work} {doubled} {tag}\n" for user, work, doubled, tag in lines)
    path.write_bytes(content.encode())
    expected = {}
    for user, work, doubled, _ in lines:
        expected[str(user), str(work)] = doubled / 2
    found = {(user, work): value for user, work, value in rows_of(parse([path]))}
    assert found == expected


@pytest.mark.each(
    ("content", "line", "reason"),
    [
        (
            "1 20 10 a\n1 20\n",
            2,
            "expected 'user work rating tag' with single spaces, found '1 20'",
        ),
        ("1 20 10 a\n1 20 10\n2 2 2 b c d\n", 2, "found '1 20 10'"),
        ("1 20 10 a\n\n", 2, "found ''"),
        (
            "1 20 10 a\n1 20 11 b\n",
            2,
            "the doubled rating is '11', not a whole number from 1 to 10",
        ),
        ("1 20 0 a\n", 1, "the doubled rating is '0'"),
        ("1 x 10 a\n", 1, "the work is 'x'"),
        ("1  20 10 a\n", 1, "the work is ''"),
        ("1 20 10 a\n1 20 10 \x1f\n", 2, "control character"),
        ("", None, "empty"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, content: str, line: int | None, reason: str
) -> None:
    refused(parse, ui2(tmp_path, content), line=line, reason=reason)


@needs(SAMPLE)
def test_the_real_sample_has_two_pairs_with_two_ratings() -> None:
    report = ParseReport()
    ratings = parse([MIRROR / SAMPLE], report=report)
    assert report.rows == 1_000
    assert len(ratings) == 625
    assert report.notes["distinct (user, work, rating) triples"] == 627
    expected = {}
    for line in (MIRROR / SAMPLE).read_text().splitlines():
        user, work, doubled, _ = line.split(" ", 3)
        expected[user, work] = int(doubled) / 2
    assert {(user, work): value for user, work, value in rows_of(ratings)} == expected
