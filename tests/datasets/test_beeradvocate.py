# SPDX-License-Identifier: MIT
from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from datasets.parsed_rows import refused, rows_of
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings import Ratings
from reproduction.datasets.formats import beeradvocate
from reproduction.datasets.formats.beeradvocate import parse_blocks, parse_csv, parse_literals
from reproduction.datasets.reports import ParseReport, RawDataError

Review = Mapping[str, object]
Write = Callable[[Path, Sequence[Review]], Path]
Parse = Callable[..., Ratings]


def review(name: object, beer: object, overall: object, time: object = 1234817823) -> Review:
    return {
        "beer/name": 'Sausa "Weizen" d\'or',
        "beer/beerId": str(beer),
        "beer/brewerId": "10325",
        "beer/ABV": "5.00",
        "beer/style": "Hefeweizen",
        "review/appearance": "2.5",
        "review/overall": str(overall),
        "review/time": str(time),
        "review/profileName": name,
        "review/text": "Lots of foam, it's a \"5\". {'review/overall': '1'}",
    }


def without(key: str, **changes: object) -> Review:
    full = review("anna", 7, 4)
    return {name: value for name, value in full.items() if name != key} | changes


def literals(folder: Path, reviews: Sequence[Review]) -> Path:
    path = folder / "beeradvocate.json.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{dict(one)!r}\n" for one in reviews)
    return path


def blocks(folder: Path, reviews: Sequence[Review]) -> Path:
    path = folder / "beeradvocate.txt.gz"
    text = ["".join(f"{key}: {value}\n" for key, value in one.items()) + "\n" for one in reviews]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(text)
    return path


COLUMNS = {
    "beer/brewerId": "brewery_id",
    "beer/name": "beer_name",
    "review/time": "review_time",
    "review/overall": "review_overall",
    "review/profileName": "review_profilename",
    "beer/beerId": "beer_beerid",
}


def table(folder: Path, reviews: Sequence[Review]) -> Path:
    path = folder / "beer_reviews.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS.values())
        writer.writerows([one.get(key, "") for key in COLUMNS] for one in reviews)
    return path


Editions = pytest.mark.parametrize(
    ("write", "parse"), [(literals, parse_literals), (blocks, parse_blocks), (table, parse_csv)]
)


@Editions
def test_every_variant_gives_the_same_table(tmp_path: Path, write: Write, parse: Parse) -> None:
    reviews = [review("stcules", 47986, 1.5, 7), review("bob", 5, 5.0, 8), review("bob", 6, 0, 9)]
    report = ParseReport()
    ratings = parse([write(tmp_path, reviews)], report=report)
    assert rows_of(ratings) == [
        ("stcules", "47986", 1.5, 7),
        ("bob", "5", 5.0, 8),
        ("bob", "6", 0.0, 9),
    ]
    assert ratings.values.dtype == np.float32
    assert (report.rows, report.repeats_collapsed, report.dropped) == (3, 0, {})


@Editions
def test_the_last_of_repeated_reviews_stays(tmp_path: Path, write: Write, parse: Parse) -> None:
    reviews = [review("a", 1, 1, 50), review("a", 2, 2), review("a", 1, 3, 40), review("b", 1, 4)]
    report = ParseReport()
    ratings = parse([write(tmp_path, reviews)], report=report)
    assert [row[:3] for row in rows_of(ratings)] == [
        ("a", "2", 2.0),
        ("a", "1", 3.0),
        ("b", "1", 4.0),
    ]
    assert (report.rows, report.repeats_collapsed) == (4, 1)
    assert ratings.user_ids.tolist() == ["a", "b"]
    assert ratings.item_ids.tolist() == ["1", "2"]


@Editions
def test_reviews_without_a_profile_name_are_one_user(
    tmp_path: Path, write: Write, parse: Parse
) -> None:
    reviews = [review("", 1, 1), review("a", 1, 2), review("", 2, 3), review("", 1, 4)]
    report = ParseReport()
    ratings = parse([write(tmp_path, reviews)], report=report)
    assert sorted(row[:3] for row in rows_of(ratings)) == [
        ("", "1", 4.0),
        ("", "2", 3.0),
        ("a", "1", 2.0),
    ]
    assert report.notes["reviews without a profile name"] == 3
    assert report.notes["distinct (profile name, beer id) pairs"] == 3
    assert report.notes["distinct pairs without the empty profile name"] == 1


@Editions
def test_missing_keys_are_counted_never_silent(tmp_path: Path, write: Write, parse: Parse) -> None:
    reviews = [
        review("bob", 1, 5, 3),
        without("review/profileName"),
        without("beer/beerId"),
        without("review/overall"),
        without("review/time"),
        {"beer/name": "Nothing else"},
    ]
    report = ParseReport()
    ratings = parse([write(tmp_path, reviews)], report=report)
    assert rows_of(ratings) == [
        ("bob", "1", 5.0, 3),
        ("", "7", 4.0, 1234817823),
        ("anna", "7", 4.0, -1),
    ]
    assert report.rows == 6
    assert report.dropped == {
        "reviews without a beer id": 2,
        "reviews without an overall rating": 1,
    }
    assert report.notes["reviews without a profile name"] == 2
    assert report.notes["reviews without a time"] == 2


@Editions
@pytest.mark.each(
    ("bad", "reason"),
    [
        ({"overall": "6"}, "the overall rating is '6', not a half star from 0 to 5"),
        ({"overall": "3.25"}, "the overall rating is '3.25'"),
        ({"overall": "-1"}, "the overall rating is '-1'"),
        ({"overall": "nan"}, "the overall rating is 'nan'"),
        ({"overall": "good"}, "the overall rating is 'good', not a half star"),
        ({"time": "yesterday"}, "the time is 'yesterday', not a whole number"),
        ({"time": "1.5"}, "the time is '1.5', not a whole number"),
    ],
)
def test_a_bad_row_stops_with_file_line_and_reason(
    tmp_path: Path, write: Write, parse: Parse, bad: dict[str, object], reason: str
) -> None:
    reviews = [
        review("a", 1, 1),
        review("a", 2, 2),
        review(**{"name": "a", "beer": 3, "overall": 4, **bad}),
    ]
    line = {parse_literals: 3, parse_blocks: 23, parse_csv: 4}[parse]
    refused(parse, write(tmp_path, reviews), line=line, reason=reason)


@Editions
def test_a_file_without_reviews_is_told(tmp_path: Path, write: Write, parse: Parse) -> None:
    refused(parse, write(tmp_path, []), line=None, reason="the file holds no reviews")


def gz(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode() if isinstance(content, str) else content))
    return path


@pytest.mark.each(
    ("write", "parse", "line", "above"),
    [(literals, parse_literals, 3, 2), (blocks, parse_blocks, 23, 22), (table, parse_csv, 4, 2)],
)
def test_a_repeated_review_that_is_an_error_is_refused_with_its_line(
    tmp_path: Path, write: Write, parse: Parse, line: int, above: int
) -> None:
    # The second review is left out, but its line is there.
    reviews = [review("anna", 7, 4), review("bob", 7, ""), review("anna", 7, 3)]
    with pytest.raises(RawDataError, match=rf"line {line}: .* {above} line\(s\) above"):
        parse([write(tmp_path, reviews)], report=ParseReport(duplicates="error"))


class TestLiterals:
    def test_empty_dicts_are_not_evaluated(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = literals(tmp_path, [{}, without("review/text"), {}])
        monkeypatch.setattr(beeradvocate, "_evaluate", None)
        report = ParseReport()
        assert len(parse_literals([path], report=report)) == 1
        assert report.dropped == {"empty records": 2}

    def test_numbers_and_nested_values_are_read_like_strings(self, tmp_path: Path) -> None:
        other = {
            "review/timeStruct": {"mday": 16, "year": 2009},
            "review/overall": 1.5,
            "beer/beerId": 7,
            "review/time": 1234817823,
            "review/profileName": "stcules",
        }
        plain = {key: value for key, value in other.items() if not isinstance(value, dict)}
        path = literals(tmp_path, [other, plain | {"beer/beerId": 8}])
        assert rows_of(parse_literals([path])) == [
            ("stcules", "7", 1.5, 1234817823),
            ("stcules", "8", 1.5, 1234817823),
        ]

    @pytest.mark.parametrize("key", ["0x{0}", "(0x{0},)"])
    def test_a_repeated_key_that_python_cannot_spell_is_told(
        self, tmp_path: Path, key: str
    ) -> None:
        path = tmp_path / "beeradvocate.json.gz"
        number = key.format("f" * 5_000)
        path.write_bytes(gzip.compress(f"{{{number}: 1, {number}: 2}}\n".encode()))
        error = refused(parse_literals, path, line=1, reason="is repeated")
        assert len(str(error)) < 300

    def test_where_an_error_stands_is_told_of_the_file_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "beeradvocate.json.gz"
        path.write_bytes(gzip.compress(b"{}\n\n"))
        error = refused(parse_literals, path, line=2, reason="not a Python dict literal")
        assert str(error).count("line ") == 2

    def test_lines_that_are_not_utf8_are_latin1(self, tmp_path: Path) -> None:
        line = repr(review("Jos\u00e9", 1, 1)).encode("latin-1") + b"\n"
        utf8 = repr(review("Jos\u00e9", 2, 1)).encode() + b"\n"
        ratings = parse_literals([gz(tmp_path, "beeradvocate.json.gz", line + utf8)])
        assert ratings.user_ids.tolist() == ["Jos\u00e9"]

    @pytest.mark.each(
        ("line", "reason"),
        [
            ("{'beer/beerId': '1'", "not a Python dict literal"),
            ("__import__('os').system('true')", "not a Python dict literal"),
            ("['beer/beerId']", "the line is a list, not a dict"),
            ("", "not a Python dict literal"),
            ("{'beer/beerId': open('x')}", "not a Python dict literal"),
        ],
    )
    def test_a_line_that_is_no_dict_is_told(self, tmp_path: Path, line: str, reason: str) -> None:
        content = f"{dict(review('a', 1, 1))!r}\n{line}\n{dict(review('a', 2, 1))!r}\n"
        path = gz(tmp_path, "beeradvocate.json.gz", content)
        refused(parse_literals, path, line=2, reason=reason)

    @pytest.mark.parametrize("pieces", [1, 2, 1_000])
    def test_pieces_of_any_size_give_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int
    ) -> None:
        reviews = [review(f"u{n % 7}", n % 11, 1 + n % 4, n) for n in range(60)]
        expected = rows_of(parse_literals([literals(tmp_path, reviews)]))
        monkeypatch.setattr(beeradvocate, "_PIECE", pieces)
        assert rows_of(parse_literals([literals(tmp_path, reviews)])) == expected
        reviews[40] = review("a", 1, 9)
        refused(parse_literals, literals(tmp_path, reviews), line=41, reason="'9'")

    @pytest.mark.costly
    @given(
        st.lists(
            st.fixed_dictionaries(
                {
                    "review/profileName": st.text(
                        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
                        max_size=8,
                    ),
                    "beer/beerId": st.sampled_from(["1", "2"]),
                    "review/overall": st.sampled_from(["0", "2.5", 5]),
                    "review/time": st.integers(0, 9),
                },
                optional={"review/text": st.text(), "'": st.text(max_size=3)},
            ),
            min_size=1,
            max_size=6,
        )
    )
    def test_it_reads_what_python_writes(
        self, tmp_path_factory: pytest.TempPathFactory, reviews: list[dict[str, object]]
    ) -> None:
        lines = "".join(f"{one!r}\n" for one in reviews).encode(errors="backslashreplace")
        path = gz(tmp_path_factory.mktemp("beer"), "beeradvocate.json.gz", lines)
        last: dict[tuple[str, str], tuple[object, ...]] = {}
        for one in reviews:
            name, beer = str(one["review/profileName"]), str(one["beer/beerId"])
            value, time = float(str(one["review/overall"])), one["review/time"]
            last[name, beer] = (value, time)
        found = {row[:2]: row[2:] for row in rows_of(parse_literals([path]))}
        assert found == last


class TestBlocks:
    REVIEWS = tuple(review(f"u{n % 5}", n % 7, 1 + n % 4, n) for n in range(40))

    @pytest.mark.each("end", ["\n", "\r\n"])
    @pytest.mark.each("block", [1, 97, 4_096])
    def test_reads_of_any_size_give_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, block: int
    ) -> None:
        path = blocks(tmp_path, self.REVIEWS)
        expected = rows_of(parse_blocks([path]))
        text = gzip.decompress(path.read_bytes()).decode()
        again = gz(tmp_path, "again.txt.gz", text.replace("\n", end))
        monkeypatch.setattr(beeradvocate, "_BLOCK_BYTES", block)
        assert len(expected) == 35
        assert rows_of(parse_blocks([again])) == expected

    @pytest.mark.each("ending", ["", "\n", "\n\n", "\n\n\n\n"])
    def test_the_end_of_the_file_may_have_any_number_of_blank_lines(
        self, tmp_path: Path, ending: str
    ) -> None:
        text = "beer/beerId: 1\nreview/overall: 4\nreview/time: 3\nreview/profileName: x y"
        path = gz(tmp_path, "beeradvocate.txt.gz", text + "\n\n\n\n" + text + ending)
        assert rows_of(parse_blocks([path])) == [("x y", "1", 4.0, 3)]

    def test_a_line_that_is_no_key_and_value_is_told(self, tmp_path: Path) -> None:
        text = "beer/beerId: 1\nreview/overall: 4\n\n\nbeer/beerId: 2\njust words\n"
        path = gz(tmp_path, "beeradvocate.txt.gz", text)
        reason = "expected 'key: value', found 'just words'"
        refused(parse_blocks, path, line=6, reason=reason)


class TestCsv:
    def test_quoted_fields_and_other_columns_do_not_matter(self, tmp_path: Path) -> None:
        path = tmp_path / "beer_reviews.csv"
        path.write_bytes(
            b"brewery_name,review_time,review_overall,review_profilename,beer_abv,beer_beerid\n"
            b'"Ale, ""best""",9,4.5,"smith, j",,007\n'
            b"Caf\xe9,9,4,Jos\xe9,5.0,8\n"
        )
        assert rows_of(parse_csv([path])) == [
            ("smith, j", "7", 4.5, 9),
            ("Jos\u00e9", "8", 4.0, 9),
        ]

    def test_a_row_of_another_length_is_told(self, tmp_path: Path) -> None:
        path = table(tmp_path, [review("a", 1, 1), review("b", 1, 1)])
        path.write_text(path.read_text() + "1,2,3\n")
        refused(parse_csv, path, line=4, reason="expected 6 fields, found 3")

    def test_a_header_without_a_column_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "beer_reviews.csv"
        path.write_text("review_time,review_overall,beer_beerid\n1,2,3\n")
        refused(parse_csv, path, line=1, reason="the header has no column review_profilename")
        path.write_text("")
        refused(parse_csv, path, line=1, reason="the header has no column")
