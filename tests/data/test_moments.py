# SPDX-License-Identifier: MIT
"""Times are read in their unit and keep their fractions, and what mixes units is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from data.read_rows import read_text
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings_table import Repeats, read_ratings
from receval.data.reading import TableError

MOMENTS = [1_620_000_000.25, 1_620_000_000.75, 1_620_086_400.0]


def seconds_of(times: object, **options: Any) -> list[float]:
    table = {"user": ["a", "b", "c"], "item": ["x", "y", "z"], "time": times}
    read = read_ratings(table, **options).timestamps
    assert read is not None
    return read.tolist()


@pytest.mark.each(
    ("unit", "per_second", "words"),
    [
        ("s", 1, "seconds"),
        ("ms", 10**3, "milliseconds"),
        ("us", 10**6, "microseconds"),
        ("ns", 10**9, "nanoseconds (rounded to a quarter of a microsecond)"),
    ],
)
def test_a_unit_is_known_by_its_range_or_said_and_fractions_stay(
    unit: str, per_second: int, words: str, tmp_path: Path
) -> None:
    times = [moment * per_second for moment in MOMENTS]
    assert seconds_of(times) == pytest.approx(MOMENTS, abs=1e-6)
    assert seconds_of(times, time_unit=unit) == pytest.approx(MOMENTS, abs=1e-6)
    written = "".join(f"u{n},i{n},5,{time!r}\n" for n, time in enumerate(times))
    ratings = read_text(tmp_path / "a.csv", f"user,item,rating,ts\n{written}")
    assert ratings.timestamps.tolist() == pytest.approx(MOMENTS, abs=1e-6)
    assert ratings.reading.times == f"times are in {words}, 2021-05-03 to 2021-05-04"


def test_days_that_are_written_as_numbers_are_days() -> None:
    assert seconds_of([20210503, 20210504, 20210503]) == [1620000000.0, 1620086400.0, 1620000000.0]
    assert seconds_of([20210503120000, 20210504120001, 20210503120000])[:2] == [
        1620043200.0,
        1620129601.0,
    ]
    for unit, wrong in ((None, 20219999), ("date", 20219999), ("date", 20210505.5)):
        with pytest.raises(TableError, match=f"row 3 has the time {wrong}, which is not a date"):
            seconds_of([20210503, 20210504, wrong], time_unit=unit)
    times = [20210503, 20210504, 20219999]
    assert seconds_of(times, time_unit="s") == times


def test_small_numbers_are_an_order() -> None:
    assert seconds_of([0, 2, 1]) == [0, 2, 1]


def test_a_column_of_several_units_is_refused_with_both_rows() -> None:
    with pytest.raises(
        TableError,
        match=r"row 1 has the time 1620000000, which looks like seconds, but the table, row 2 has "
        r"1620000000000, which looks like milliseconds\. .*--time-unit",
    ):
        seconds_of([1_620_000_000, 1_620_000_000_000, 1_620_000_000])
    assert seconds_of([1_620_000_000, 1_620_000_000_000, 0], time_unit="s")[1] == 1.62e12


@pytest.mark.each(
    "text",
    [
        "2021-05-03T00:00:00.250000000",
        "2021-05-03 00:00:00.2500000",
        "20210503T000000.25",
        "2021-05-03T02:00:00.25+02:00",
        "2021-05-03T00:00:00.25Z",
        "20210502T190000.25-0500",
    ],
)
def test_iso_dates_of_every_form_are_read(text: str, tmp_path: Path) -> None:
    ratings = read_text(tmp_path / "a.csv", f"user,item,rating,date\n1,2,5,{text}\n1,3,5,{text}\n")
    assert ratings.timestamps.tolist() == [MOMENTS[0]] * 2
    assert ratings.reading.times.startswith(
        "times are dates, 2021-05-03 to 2021-05-03, with 1 row at"
    )


@pytest.mark.each(
    "text",
    [
        "2021-05-03\x1410:00",
        "2021-05-03T10:000Z",
        "2021-W18-1",
        "2021-05-03T10:0000",
        "2021-05-03+16",
    ],
)
def test_what_is_nearly_a_date_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    rows = "1,2,5,2021-05-03T00:00:00Z\n" * 2
    with pytest.raises(TableError, match=r"line 4: the timestamp is .*, or a date such as"):
        read_text(tmp_path / "a.csv", f"user,item,rating,date\n{rows}1,3,5,{text}\n")


@given(
    moment=st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)),
    form=st.sampled_from(["%Y-%m-%dT%H:%M:%S.%f", "%Y%m%dT%H%M%S.%f", "%Y-%m-%d %H:%M:%S.%fZ"]),
)
def test_a_date_is_the_moment_that_python_reads(moment: datetime, form: str) -> None:
    seconds = moment.replace(tzinfo=UTC).timestamp()
    text = moment.strftime(form)
    assert seconds_of([text] * 3) == pytest.approx([seconds] * 3, abs=1e-5)
    of_arrow = seconds_of(pd.Series([moment] * 3))
    assert of_arrow == pytest.approx([seconds] * 3, abs=1e-5)


def test_times_that_some_rows_lack_need_not_be_read(tmp_path: Path) -> None:
    text = "user,item,rating,time\n1,2,5,100\n1,3,4,\n"
    with pytest.raises(TableError, match=r"line 3 has no timestamp.*--timestamp -"):
        read_text(tmp_path / "a.csv", text)
    with pytest.raises(TableError, match="row 2 has no timestamp"):
        read_ratings({"user": [1, 2], "item": [3, 3], "time": ["2021-05-03", ""]})
    assert read_text(tmp_path / "a.csv", text, timestamp="-").timestamps is None


@pytest.mark.each(
    ("duplicates", "kept"),
    [("first", 2.0), ("last", 3.0), ("max", 9.0), ("sum", 14.0), ("mean", 14 / 3)],
)
@pytest.mark.each("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_a_pair_that_is_rated_again_is_merged_by_time_whatever_the_order_of_the_rows(
    duplicates: Repeats, kept: float, order: list[int]
) -> None:
    values, times = np.array([2.0, 9.0, 3.0])[order], np.array([10, 20, 30])[order]
    table = {"user": ["a"] * 3, "item": ["x"] * 3, "rating": values, "time": times}
    ratings = read_ratings(table, duplicates=duplicates)
    assert ratings.values.tolist() == pytest.approx([kept])
    assert ratings.reading.merged == 2
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [{"first": 10, "max": 20}.get(duplicates, 30)]


def test_rows_of_equal_times_are_merged_in_their_order() -> None:
    table = {"user": ["a", "b", "a"], "item": ["x"] * 3, "rating": [1, 2, 3], "time": [5, 1, 5]}
    assert read_ratings(table, duplicates="last").values.tolist() == [3.0, 2.0]
    assert read_ratings(table, duplicates="first").values.tolist() == [1.0, 2.0]


NOON = 1_620_043_200
"""2021-05-03 12:00:00 UTC."""


@pytest.mark.each(
    ("one", "other", "seconds"),
    [
        (20210503, 20210504, 86_400),
        (2021050312, 2021050313, 3_600),
        (202105031200, 202105031201, 60),
        (20210503120000, 20210503120001, 1),
    ],
)
@pytest.mark.each("options", [{}, {"time_unit": "date"}])
def test_dates_written_as_numbers_are_known_to_the_day_hour_minute_or_second(
    one: int, other: int, seconds: int, options: dict[str, Any]
) -> None:
    first, second, third = seconds_of([one, other, one], **options)
    assert (second - first, third) == (seconds, first)
    assert NOON - first == (43_200 if one < 10**9 else 0)


FORMS = {
    "seconds": NOON,
    "milliseconds": NOON * 10**3,
    "microseconds": NOON * 10**6,
    "nanoseconds": NOON * 10**9,
    "days": 20210503,
    "hours": 2021050312,
    "minutes": 202105031200,
    "date and time": 20210503120000,
}
"""One moment in each unit and form that a number may have."""


@pytest.mark.each(
    "one, other, store",
    [
        *((one, other, "mapping") for one in FORMS for other in FORMS),
        *((one, "hours", store) for one in FORMS for store in ("csv", "tuples")),
    ],
)
def test_times_in_several_units_or_forms_are_refused(
    one: str, other: str, store: str, tmp_path: Path
) -> None:
    rows = [("a", "x", 4, FORMS[one]), ("b", "y", 5, FORMS[other]), ("c", "z", 5, FORMS[one])]
    source: Any = rows
    if store == "mapping":
        source = dict(zip(["user", "item", "rating", "time"], zip(*rows, strict=True), strict=True))
    elif store == "csv":
        source = tmp_path / "t.csv"
        source.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    if one == other:
        read = read_ratings(source).timestamps
        assert read is not None
        assert set(read) == {NOON - 43_200 if one == "days" else NOON}
    else:
        with pytest.raises(TableError, match=r"which looks like .* but .* which looks like"):
            read_ratings(source)


def test_a_counter_that_passes_numbers_of_dates_is_no_date() -> None:
    times = [1_000_000, 20_210_503, 20_213_999, 19_999_999, 30_000_000]
    table = {"user": [*"abcde"], "item": [*"vwxyz"], "time": times}
    read = read_ratings(table)
    assert read.timestamps is not None
    assert sorted(read.timestamps) == sorted(times)
    assert [note.code for note in read.reading.notes] == ["early-times"]


def test_fractions_of_times_may_have_decimal_commas(tmp_path: Path) -> None:
    rows = "1;7;3,5;1620000000,5\n2;8;4,5;1620000000,25\n"
    ratings = read_text(tmp_path / "a.csv", f"user;item;rating;time\n{rows}")
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [1_620_000_000.5, 1_620_000_000.25]
    with pytest.raises(TableError, match="line 3: the rating is 'x'"):
        read_text(tmp_path / "a.csv", f"user;item;rating;time\n{rows.replace('4,5', 'x')}")


@pytest.mark.each(
    ("text", "seconds"),
    [
        ("2021-05-03 00:00:00 UTC", 1_620_000_000),
        ("2021-05-03T00:00:00.5 UTC", 1_620_000_000.5),
        ("2021-05-03 00:00:00 GMT", 1_620_000_000),
        ("2021-05-03 00:00:00 ", 1_620_000_000),
        ("2021-05-03 00:00:00,250", 1_620_000_000.25),
        ("20210503T000000,25Z", 1_620_000_000.25),
    ],
)
@pytest.mark.each("name", ["a.csv", "a.jsonl", "a.json", "frame"])
def test_times_in_utc_and_with_commas_are_read(
    tmp_path: Path, name: str, text: str, seconds: float
) -> None:
    texts = {
        "a.csv": f'user,item,timestamp\nu,i,"{text}"\n',
        "a.jsonl": f'{{"user": "u", "item": "i", "timestamp": "{text}"}}\n',
        "a.json": f'[{{"user": "u", "item": "i", "timestamp": "{text}"}}]',
    }
    ratings = (
        read_text(tmp_path / name, texts[name])
        if name in texts
        else read_ratings({"user": ["u"], "item": ["i"], "timestamp": [text]})
    )
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [seconds]


@pytest.mark.parametrize(
    ("time", "missing"),
    [
        ("1620000000", "0"),
        ("1620000000", "-1"),
        ("1620000000.5", "0.0"),
        ("1620000000000", "-1"),
        ("2021-05-03", "1970-01-01"),
        ("2021-05-03 10:00:00", "1969-12-31 23:59:59"),
        ("2021-05-03T10:00:00Z", "0001-01-01T00:00:00Z"),
        ("2021-05-03", "1900-01-01"),
        ("2021-05-03 10:00:00", "2099-12-31 00:00:00"),
        ("1620000000", "-2147483648"),
        ("1620000000", "2147483647"),
        ("1620000000", "4294967295"),
    ],
)
def test_times_that_stand_for_missing_ones_are_refused_unless_the_unit_is_said(
    tmp_path: Path, time: str, missing: str
) -> None:
    text = f"user,item,timestamp\nu,i,{time}\nu,j,{missing}\nu,k,{time}\n"
    with pytest.raises(TableError, match=r"line 3 has the time .* 33\.3% of .*--timestamp -"):
        read_text(tmp_path / "a.csv", text)
    assert read_text(tmp_path / "a.csv", text, timestamp="-").timestamps is None
    assert len(read_text(tmp_path / "a.csv", text, time_unit="s").timestamps) == 3


def test_nanoseconds_of_dates_are_rounded_and_said() -> None:
    for texts, told in (
        (["2021-05-03 10:00:00.000001", "2021-05-03 10:00:00.000002"], "dates,"),
        (["2021-05-03 10:00:00.0000001", "2021-05-03 10:00:00.0"], "dates (rounded to a quarter"),
    ):
        for moments in (texts, pd.to_datetime(texts, format="ISO8601").as_unit("ns")):
            table = {"user": ["u", "u"], "item": ["i", "j"], "timestamp": moments}
            assert f"times are {told}" in read_ratings(table).reading.times


@pytest.mark.each(
    ("times", "told"),
    [
        (
            [637_556_064_000_000_000, 637_556_064_010_000_000],
            "nanoseconds, all times are before 1995",
        ),
        ([641_700_000, 641_700_060], "seconds, all times are before 1995"),
        ([-1_620_000_000, -1_620_000_060], "seconds, all times are before 1973"),
        ([44_319.5, 44_320.5], "seconds, all times are before 1973"),
        ([*range(1990, 2020)] * 70, "seconds, all times are before 1973"),
        ([1_620_000_000, 1_620_000_060], ""),
        ([0, 1], ""),
        ([1, 1, 2, 3], ""),
        (["1990-05-03", "1990-05-04"], ""),
    ],
)
def test_numbers_that_may_not_count_from_1970_are_told(times: list[Any], told: str) -> None:
    rows = range(len(times))
    read = read_ratings({"user": rows, "item": rows, "timestamp": times}).reading
    assert [note.code for note in read.notes] == (["early-times"] if told else [])
    assert all(f"read as {told}" in note for note in read.notes)


@pytest.mark.each(
    ("form", "told"),
    [
        ("%d%m%Y", "the time 1022021, which looks like day, month and year. Write 20210201"),
        ("%m%d%Y", "the time 1032021, which looks like month, day and year. Write 20210103"),
        ("%y%m%d", "the time 210103, which looks like year, month and day. Write 20210103"),
        ("%Y%m", "the time 202101, which looks like year and month. Write 2021-01-01"),
    ],
)
def test_days_of_another_form_are_no_seconds(form: str, told: str) -> None:
    days = [datetime(2021, 1 + n % 5, 1 + (n + 2) % 28) for n in range(40)]
    table: dict[str, Any] = {
        "user": range(40),
        "item": range(40),
        "time": [int(day.strftime(form)) for day in days],
    }
    with pytest.raises(TableError, match=told):
        read_ratings(table)
    assert "1970" in read_ratings(table, time_unit="s").reading.times


def test_days_of_another_form_are_known_from_all_rows() -> None:
    days = [20_122_021] * 12_000 + [10**6 * day + 22_022 for day in range(1, 29)]
    rows = range(len(days) + 1)
    for last in (1_032_022, 30_022_022):  # No February has 30 days.
        table = {"user": rows, "item": rows, "time": [*days, last]}
        with pytest.raises(TableError, match=r"looks like day, month and year\. Write 20220201"):
            read_ratings(table)


@pytest.mark.each("first", [0, 101, 10_101, 190_101, 1_012_020])
def test_counters_are_no_days(first: int) -> None:
    table = {"user": range(400), "item": range(400), "time": range(first, first + 400)}
    assert "1970" in read_ratings(table).reading.times


@pytest.mark.each(
    ("times", "code", "told"),
    [
        (
            [5_680_000_000, 5_680_000_060],
            "late-times",
            "2 of 2 times are after 2099 (2149-12-28",
        ),
        (["2150-01-01", "2098-05-03"], "late-times", "1 of 2 times are after 2099 (2098-05-03 to"),
        (["1985-05-03", "1999-05-04"], "early-times", "1 of 2 times are before 1990 (1985-05-03"),
        ([500_000_000, 900_000_000], "early-times", "1 of 2 times are before 1990 (1985-11-05"),
        (["2099-12-31", "2098-01-01"], "", ""),
    ],
)
def test_times_when_nobody_can_have_rated_are_told(times: list[Any], code: str, told: str) -> None:
    read = read_ratings({"user": [1, 1], "item": [1, 2], "timestamp": times}).reading
    assert [note.code for note in read.notes] == ([code] if code else [])
    assert all(told in note for note in read.notes)


def test_early_times_among_early_ones_are_times() -> None:
    table = {"user": ["u", "u"], "item": ["i", "j"], "timestamp": [0, 1000]}
    ratings = read_ratings(table)
    assert ratings.timestamps is not None
    assert ratings.timestamps.tolist() == [0, 1000]


@pytest.mark.each(
    ("name", "text"),
    [
        ("a.csv", "user,item,timestamp\nu,i,\nu,j,\n"),
        ("a.tsv", "u\ti\t5\t\nu\tj\t5\t\n"),
        ("a.jsonl", '{"user": "u", "item": "i", "timestamp": null}\n' * 1),
    ],
)
def test_a_column_without_any_time_is_said_and_refused_only_if_named(
    tmp_path: Path, name: str, text: str
) -> None:
    ratings = read_text(tmp_path / name, text)
    assert ratings.timestamps is None
    assert ratings.reading.times == "the column of times is empty"
    with pytest.raises(TableError, match="has no timestamp in any row"):
        read_text(tmp_path / name, text, timestamp=3 if name == "a.tsv" else "timestamp")
