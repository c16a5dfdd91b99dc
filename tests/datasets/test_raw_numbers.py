# SPDX-License-Identifier: MIT
"""Numbers, times and names that are nearly right are refused in every format, with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasets.parsed_rows import refused
from faults.raw_samples import SAMPLES

from receval.storage.messages import shortened
from reproduction.datasets.reports import ParseReport, RawDataError, shown

BY_NAME = {sample.name: sample for sample in SAMPLES}

LINE = {
    "movielens": "{user}::{item}::{value}::{time}\n",
    "netflix movie files": "7:\n{user},{value},{date}\n",
    "librarything": "{user} {item} {value} tag\n",
    "yahoo train": "{user}\t{item}\t{value}\n",
    "cm100k": "{user}\t{item}\t{value}\t1\n",
    "trec qrels": "{user} 0 {item} {value}\n",
    "lastfm": "{user}\t{instant}\t\t{item}\t\tsong\n",
    "beeradvocate literals": (
        "{{'beer/beerId': {item}, 'review/overall': {value}, 'review/time': {time}, "
        "'review/profileName': '{user}'}}\n"
    ),
    "beeradvocate blocks": (
        "beer/beerId: {item}\nreview/overall: {value}\nreview/time: {time}\n"
        "review/profileName: {user}\n\n"
    ),
    "beeradvocate csv": "Ale,{time},{value},{user},,{item}\n",
}
GOOD = {
    "user": "5",
    "item": "7",
    "value": "4",
    "time": "978300760",
    "date": "2005-09-06",
    "instant": "2005-09-06T10:11:12Z",
}

WHOLE = ("0x1F", "0X4", "1_000", "-0", "+4", "4e0", "1e3", "4.0", "\u0664", "4\0", "9" * 5_000)
WHOLE_USERS = ("movielens", "netflix movie files", "librarything", "yahoo train", "cm100k")
WHOLE_ITEMS = (*(set(WHOLE_USERS) - {"netflix movie files"}), "beeradvocate csv")
STARS = ("4.00000001", "4.50000000000000001", "-0.0", "4e0", "0x4", "+4", "nan", "inf", "\u0664")
BEER = ("beeradvocate literals", "beeradvocate blocks", "beeradvocate csv")
SECONDS = ("-1", "-62135596800", "253402300799", "4611686018427387904", "1_0", "0x1F")
DAYS = ("0001-01-01", "0000-01-01", "1969-12-31", "2038-01-01", "9999-12-31", "20050906")
INSTANTS = (
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
    *("2005-09-06T10:11Z", "2005-09-06T10:11:12+02:00", "2005-9-6T10:11:12Z", "2005-W36-2T1:1:12Z"),
)

CASES = [
    *((name, "user", bad) for name in WHOLE_USERS for bad in (*WHOLE, "18446744073709551621")),
    *((name, "item", bad) for name in sorted(WHOLE_ITEMS) for bad in WHOLE),
    *((name, "value", bad) for name in (*WHOLE_USERS, "trec qrels") for bad in WHOLE),
    *((name, "value", bad) for name in BEER for bad in STARS),
    *((name, "time", bad) for name in (*BEER, "movielens") for bad in SECONDS),
    *(("netflix movie files", "date", bad) for bad in DAYS),
    *(("lastfm", "instant", bad) for bad in INSTANTS),
    *((name, "user", "ann\0") for name in ("lastfm", *BEER, "trec qrels")),
    *((name, "item", "x\0") for name in ("lastfm", *BEER, "trec qrels")),
    *((name, "user", "n" * 100_000) for name in ("lastfm", *BEER, "trec qrels")),
]


HEADED = ("netflix movie files", "beeradvocate csv")


@pytest.mark.each(("name", "field"), dict.fromkeys((name, field) for name, field, _ in CASES))
def test_what_is_nearly_right_is_refused_with_its_line(
    tmp_path: Path, name: str, field: str
) -> None:
    sample = BY_NAME[name]
    for bad in (bad for *where, bad in CASES if where == [name, field]):
        line = LINE[name].format(**GOOD | {field: bad})
        paths = sample.write(sample.files([line.encode()]), tmp_path)
        with pytest.raises(RawDataError) as caught:
            sample.parse(paths)
        assert caught.value.line == (2 if name in HEADED else 1), (bad[:30], str(caught.value))
        assert len(str(caught.value)) <= 500


@pytest.mark.each("name", LINE)
def test_the_same_lines_are_read_where_nothing_is_wrong(tmp_path: Path, name: str) -> None:
    sample = BY_NAME[name]
    line = LINE[name].format(**GOOD).encode()
    files = sample.files([line])
    if name == "yahoo train":
        files[1] = (files[1][0], line.replace(b"7", b"8"))
    assert len(sample.parse(sample.write(files, tmp_path))) >= 1


def test_a_movie_number_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    sample = BY_NAME["netflix combined"]
    for number in ("9" * 25, "9" * 5_000, "0", "2147483648"):
        files = [("combined_data_1.txt", f"1:\n5,3,2005-09-06\n{number}:\n".encode())]
        paths = sample.write(files, tmp_path)
        refused(sample.parse, *paths, line=3, reason="not a whole number from 1 to 2147483647")


def test_a_movie_file_of_another_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mv_0000012.txt"
    path.write_bytes(b"13:\n5,3,2005-09-06\n")
    sample = BY_NAME["netflix movie files"]
    refused(
        sample.parse,
        path,
        line=1,
        reason="the movie is 13, but the name of the file has another number",
    )


@pytest.mark.each("name", ["movielens", "yahoo train", "cm100k", "trec qrels"])
def test_a_carriage_return_alone_ends_no_line(tmp_path: Path, name: str) -> None:
    sample = BY_NAME[name]
    records = [*sample.records[:2], sample.records[2].replace(b"\n", b"\r"), *sample.records[3:]]
    paths = sample.write(sample.files(records), tmp_path)
    refused(sample.parse, *paths, line=3, reason="the line contains a carriage return")


def test_a_carriage_return_hides_no_record_of_librarything(tmp_path: Path) -> None:
    path = tmp_path / "UI2.txt"
    path.write_bytes(b"1 20 10 a\n1 30 8 b\r1 40 6 c\n")
    refused(
        BY_NAME["librarything"].parse,
        path,
        line=2,
        reason="ends with a carriage return and no line feed",
    )


def test_values_are_shown_in_few_characters() -> None:
    assert shown(b"caf\xe9\n") == r"'caf\\xe9\n'"
    assert shown("4" * 60) == f"'{'4' * 60}'"
    assert len(shown("4" * 61)) == 62
    assert shown("4" * 61).endswith("44'")
    assert shortened("one\n  two", 20) == "one two"
    assert shortened("\x1b[2J \ud800 \u202e", 40) == r"\x1b[2J \ud800 \u202e"
    assert shortened("abcdefghij" * 10**6, 13, middle=True) == "abcdefg...hij"


def test_no_message_is_longer_than_500_characters() -> None:
    error = RawDataError("folder/" * 200 + "ratings.dat", 12, "bad " * 10_000)
    assert len(str(error)) <= 500
    assert "ratings.dat, line 12: bad bad" in str(error)


@pytest.mark.each("name", BEER)
def test_one_beer_is_one_item_however_its_number_is_spelled(tmp_path: Path, name: str) -> None:
    sample = BY_NAME[name]
    lines = [LINE[name].format(**GOOD | {"item": item, "time": 5}) for item in ("7", "07", "7 ")]
    files = sample.files(["".join(lines).encode()])
    report = ParseReport()
    ratings = sample.parse(sample.write(files, tmp_path), report=report)
    assert ratings.item_ids.tolist() == ["7"]
    assert report.repeats_collapsed == 2
