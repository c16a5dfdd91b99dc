# SPDX-License-Identifier: MIT
"""Convert timestamps, whether numbers of some unit or ISO 8601 dates, to seconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from receval.data.layouts import is_number
from receval.data.reading import TableError, TimeUnit

if TYPE_CHECKING:
    import pandas as pd

KINDS_OF_MOMENTS = (
    pa.float64(),
    pa.timestamp("us"),
    pa.timestamp("us", tz="UTC"),
    pa.dictionary(pa.int32(), pa.string()),
)
"""The types as which timestamps are read: numbers, dates without an offset, with one, texts."""

UNITS: dict[TimeUnit, tuple[str, float]] = {
    "s": ("seconds", 1.0),
    "ms": ("milliseconds", 1e3),
    "us": ("microseconds", 1e6),
    "ns": ("nanoseconds", 1e9),
    "date": ("dates written as numbers such as 20210503", 1.0),
}
"""The units of timestamps in words, and how many of each there are in a second."""

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""How many of Arrow's and numpy's units there are in a second."""

_UNITS_FROM: tuple[tuple[float, TimeUnit], ...] = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"))
"""Timestamps from 1973 on are at least this large; as seconds they would be after the year 5000."""

_DATES = tuple(
    (19_000_101 * 100**more, 21_001_231 * 100**more + last, form)
    for more, last, form in (
        (0, 0, "%Y%m%d"),
        (1, 23, "%Y%m%d%H"),
        (2, 2359, "%Y%m%d%H%M"),
        (3, 235_959, "%Y%m%d%H%M%S"),
    )
)
"""Dates that are written as numbers: the first, the last, and their format."""

_MOST_DAYS = 0.5
"""If a larger share of the numbers in such a range are dates, all of them should be."""


ROUNDED = " (rounded to a quarter of a microsecond)"
"""What doubles of seconds since 1970 do to nanoseconds."""


def seconds_of_moments(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str]:
    """Return a column of timestamps as seconds since 1970-01-01 UTC, and what they were in words.

    Numbers are returned unchanged, with an empty text.

    Moments are numbers; Arrow dates and times, which are UTC unless they have a time zone; or texts
    such as ``2003-02-28``, ``20030228T235959``, ``2003-02-28 23:59:59.123456789``,
    ``2003-02-28T23:59:59+01:00``, either all with an offset or all without, or texts of numbers.
    Other values, or values of several kinds, raise a ValueError.

    Examples
    --------
    >>> dates = pa.chunked_array([["1970-01-02", "1970-01-01 00:00:01.5"]])
    >>> seconds, are_dates = seconds_of_moments(dates)
    >>> seconds.to_pylist(), are_dates
    ([86400.0, 1.5], 'dates')
    """
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_texts(column)
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("us"))
        kind = column.type
    if pa.types.is_timestamp(kind):
        # Part by part, since what is computed on the way takes several times a column's memory.
        parts = [
            _of_moments(chunk.to_numpy(zero_copy_only=False), _PER_SECOND[kind.unit])
            for chunk in column.chunks
        ]
        told = max((words for _, words in parts), key=len, default="dates")
        arrays = [pa.array(seconds, from_pandas=True) for seconds, _ in parts]
        return pa.chunked_array(arrays, pa.float64()), told
    return column.cast(pa.float64(), safe=False), ""


MIDNIGHT = r"[ T]00:00:00(?:\.0+)?"
"""What dates have behind them where each is a moment, as those of pandas are."""

_SHORT_HOUR = r"^(\d):"


def is_time_of_day(text: str) -> bool:
    """Tell whether a date and this text after it, such as 23:59:59 or 9:00, are a moment."""
    hour = re.sub(_SHORT_HOUR, r"0\1:", text)
    return kind_of_moment(f"2000-01-01T{hour}") is not None


def joined_moments(days: pa.ChunkedArray, clock: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return dates and times of the day as one text each, such as ``2003-02-28T23:59:59``."""
    if pa.types.is_duration(clock.type):  # As databases have them; as texts, these are numbers.
        clock = clock.cast(pa.duration("us")).cast(pa.int64()).cast(pa.time64("us"))
    texts = [own.cast(pa.string()) for own in (days, clock)]
    texts[0] = pc.replace_substring_regex(texts[0], f"{MIDNIGHT}$", "")
    texts[1] = pc.replace_substring_regex(texts[1], _SHORT_HOUR, r"0\1:")
    are_empty = [pc.equal(own, "") for own in texts]
    joined = pc.binary_join_element_wise(*texts, "T")
    return pc.if_else(pc.or_(*are_empty), pa.scalar(None, pa.string()), joined)


def _of_moments(moments: NDArray[np.datetime64], per_second: int) -> tuple[NDArray[Any], str]:
    """Return moments in seconds, NaN for none, and what such dates are in words."""
    is_missing = np.isnat(moments)
    parts = moments.astype(np.int64)
    seconds = parts // per_second + parts % per_second / per_second
    seconds[is_missing] = np.nan
    is_rounded = per_second > _PER_SECOND["us"] and (parts[~is_missing] % 1000).any()
    return seconds, f"dates{ROUNDED}" if is_rounded else "dates"


def kind_of_moment(text: str) -> str | None:
    """Return in words how a cell states a timestamp, or None if it is not one."""
    if is_number(text):
        return "a number"
    text = _in_iso(text)
    try:
        # Python takes more than pandas, such as week dates and any sign before the hour.
        moment = datetime.fromisoformat(text if _ISO.fullmatch(text) else "")
    except ValueError:
        return None
    return f"a date with{'out' if moment.tzinfo is None else ''} an offset"


_ISO = re.compile(
    r"\d{4}(-?)\d\d\1\d\d(?:[T ]\d\d(?:(:?)\d\d(?:\2\d\d(?:\.\d+)?)?)?"
    r"(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?)?"
)

_IN_UTC = re.compile(r"(?<=\d) ?(?:UTC|GMT)$")


def _in_iso(text: str) -> str:
    """Return a time with an offset for the words UTC and GMT, and a point for a comma."""
    return text if is_number(text) else _IN_UTC.sub("+00:00", text.strip()).replace(",", ".")


def in_seconds(
    times: NDArray[np.float64], unit: TimeUnit | None, where: Callable[[int], str]
) -> tuple[NDArray[np.int64] | NDArray[np.float64], str]:
    """Return timestamps as seconds since 1970-01-01 UTC, and their unit in words.

    Without a unit, it is found by the range: numbers that would be dates after the year 5000 are in
    units smaller than seconds, and if all are dates, such as 20210503 or 20210503120000, they are
    read as dates. Numbers in several units or forms are refused, and others where dates should be.

    Examples
    --------
    >>> in_seconds(np.array([1_620_000_000_500.0, 1_620_000_001_000]), None, str)
    (array([1.62e+09, 1.62e+09]), 'milliseconds')
    >>> in_seconds(np.array([20210503.0, 20210504]), None, str)[0].tolist()
    [1620000000, 1620086400]
    """
    chosen = unit or _unit_of(times, where)
    if chosen == "date":
        times = _of_days(times, where)
    words, per_second = UNITS[chosen]
    seconds = times / per_second if per_second > 1 else times
    if max(seconds.max(initial=0), -seconds.min(initial=0)) < 2**62:
        whole = seconds.astype(np.int64)
        if (whole == seconds).all():
            return whole, words
    return seconds, words


def span_in_words(seconds: NDArray[np.integer] | NDArray[np.float64]) -> str:
    """Return the first and last day of some timestamps; empty beyond the calendar."""
    try:
        days = [
            datetime.fromtimestamp(float(moment), UTC).date().isoformat()
            for moment in (seconds.min(), seconds.max())
        ]
    except (ValueError, OverflowError, OSError):
        return f"{seconds.min():g} to {seconds.max():g}"
    return " to ".join(days)


def _unit_of(times: NDArray[np.float64], where: Callable[[int], str]) -> TimeUnit:
    sizes = times if times.min(initial=0) >= 0 else np.abs(times)
    # Some tables have 0 or -1 for an unknown timestamp.
    given = sizes if sizes.min(initial=2) > 1 else sizes[sizes > 1]
    if not len(given):
        return "s"
    of_each: dict[str, tuple[TimeUnit, float]] = {}
    low, high = float(given.min()), float(given.max())
    left = given
    for first, last, form in _DATES:
        if low > last or high < first:
            continue
        is_in_range = (given >= first) & (given <= last)
        if not is_in_range.any():
            continue
        own = np.unique(given[is_in_range])
        if _dates(own, form).notna().mean() > _MOST_DAYS:
            words = f"a date such as {own[0]:.15g}"
            of_each[words] = ("date", float(own[0]))
            left = left[(left < first) | (left > last)]
    for size in (left.min(), left.max()) if len(left) else ():
        unit: TimeUnit = next((unit for least, unit in _UNITS_FROM if size >= least), "s")
        of_each.setdefault(UNITS[unit][0], (unit, float(size)))
    if len(of_each) > 1:
        # The error names the first row of each.
        (words, (_, one)), (other_words, (_, other)) = list(of_each.items())[:2]
        rows = [int(np.argmax(sizes == size)) for size in (one, other)]
        raise TableError(
            f"{where(rows[0])} has the time {times[rows[0]]:.15g}, which looks like {words}, but "
            f"{where(rows[1])} has {times[rows[1]]:.15g}, which looks like {other_words}. Write "
            "all times in one way, or set time_unit='s', 'ms', 'us', 'ns' or 'date' (in a command: "
            "--time-unit)."
        )
    unit = next(own for own, _ in of_each.values())
    if unit == "s" and high <= _LARGEST_DAY:
        _refuse_other_days(given, lambda size: where(int(np.argmax(sizes == size))))
    return unit


_SMALLEST_DAY = 10_101
_LARGEST_DAY = 31_129_999
_OTHER_DAYS = {
    "%d%m%Y": "day, month and year",
    "%m%d%Y": "month, day and year",
    "%y%m%d": "year, month and day",
    "%Y%m": "year and month",
}
"""Forms of days, except those that are read, as numbers; and what they have in words."""

_FEWEST_DAYS = 5
_NEARLY_ALL = 0.95


def _refuse_other_days(times: NDArray[np.float64], where: Callable[[float], str]) -> None:
    """Refuse numbers nearly all of which are days of a form that is not read, not seconds."""
    different = np.unique(times)
    if not _FEWEST_DAYS <= len(different) <= _MOST_OTHER or different[0] < _SMALLEST_DAY:
        return
    for form, words in _OTHER_DAYS.items():
        days = _dates(different, form, len(datetime(2000, 1, 1).strftime(form)))
        are_days = (days.year >= _FIRST_YEAR) & (days.year <= _LAST_YEAR)
        if are_days.mean() > _NEARLY_ALL:
            first = int(np.argmax(are_days))
            told = days[first].strftime("%Y%m%d" if "%d" in form else "%Y-%m-%d")
            raise TableError(
                f"{where(float(different[first]))} has the time {different[first]:.15g}, which "
                f"looks like {words}. Write {told}. If times are in seconds, set time_unit='s' "
                "(in a command: --time-unit s)."
            )


_FIRST_YEAR, _LAST_YEAR = 1990, 2099
_MOST_OTHER = 366 * (_LAST_YEAR - _FIRST_YEAR + 1)


def _of_days(times: NDArray[np.float64], where: Callable[[int], str]) -> NDArray[np.float64]:
    """Return numbers such as 20210503 or 20210503120000 as seconds."""
    different, codes = np.unique(times, return_inverse=True)
    forms = [form for _, last, form in _DATES if different[-1] <= last]
    days = _dates(different, forms[0] if forms else _DATES[-1][2])
    wrong = days.isna()
    if wrong.any():
        row = int(np.argmax(wrong[codes]))
        like = different[~wrong][-1] if not wrong.all() else 20210503
        raise TableError(
            f"{where(row)} has the time {times[row]:.15g}, which is not a date such as "
            f"{like:.15g}, unlike other times. If none of them are dates, set their unit: "
            "time_unit='s' (in a command: --time-unit s)."
        )
    seconds: NDArray[np.float64] = (days.as_unit("s").asi8.astype(np.float64))[codes]
    return seconds


def _dates(numbers: NDArray[np.float64], form: str, width: int = 0) -> pd.DatetimeIndex:
    """Return the dates that numbers of so many digits write in a form, and NaT for others."""
    # Imported late: this takes half as long as reading a million ratings.
    import pandas as pd

    # numpy.char.zfill cuts longer texts before numpy 2.
    texts = pd.Index(numbers.astype(np.int64).astype(str)).str.zfill(width)
    dates = pd.to_datetime(texts, format=form, errors="coerce")
    return dates.where(np.floor(numbers) == numbers)


def _of_texts(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    texts = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    kinds = {text: kind_of_moment(text) for text in texts if text}
    texts = [text and _in_iso(text) for text in texts]
    if not all(kinds.values()):
        wrong = next(text for text, kind in kinds.items() if kind is None)
        raise ValueError(f"{wrong!r} is not a time")
    if len(set(kinds.values())) > 1:
        of_each = {kind: text for text, kind in kinds.items()}
        told = " and ".join(f"{text!r} is {kind}" for kind, text in of_each.items())
        raise ValueError(f"they are written in several ways: {told}")
    are_dates = ""
    if "a number" in kinds.values():
        seconds = np.array([float(text) if text else np.nan for text in texts])
    else:
        import pandas as pd

        moments = pd.to_datetime(
            pd.Series([text or None for text in texts], dtype="object"), format="ISO8601", utc=True
        )
        epoch = moments.to_numpy(dtype=f"datetime64[{moments.dt.unit}]")
        seconds, are_dates = _of_moments(epoch, _PER_SECOND[moments.dt.unit])
    values = pa.array(seconds, pa.float64(), from_pandas=True)
    chunks = [values.take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.float64()), are_dates
