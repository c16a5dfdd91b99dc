# SPDX-License-Identifier: MIT
"""Moments of a table's rows: as seconds, or as dates that ISO 8601 writes."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from receval.interchange.layouts import is_number

KINDS_OF_MOMENTS = (pa.float64(), pa.timestamp("us"), pa.timestamp("us", tz="UTC"))
"""As which a column of moments may be read: seconds, dates without an offset, dates with one."""


def seconds_of_moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of moments as seconds since 1970-01-01 UTC.

    Parameters
    ----------
    column : ChunkedArray
        Numbers, which are seconds already; dates and times of Arrow, which are UTC unless they
        have a time zone; or texts such as ``2003-02-28``, ``2003-02-28 23:59:59``,
        ``2003-02-28T23:59:59+01:00``, all of them with an offset or none.

    Returns
    -------
    ChunkedArray of float64

    Raises
    ------
    ArrowInvalid, ArrowNotImplementedError
        A value is none of these.

    Examples
    --------
    >>> dates = pa.chunked_array([["1970-01-02", "1970-01-01 00:00:01.5"]])
    >>> seconds_of_moments(dates).to_pylist()
    [86400.0, 1.5]
    """
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column = _parsed(column)
        kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("us"))
        kind = column.type
    if pa.types.is_timestamp(kind):
        microseconds = column.cast(pa.timestamp("us", tz=kind.tz), safe=False).cast(pa.int64())
        return pc.divide(microseconds.cast(pa.float64()), 1e6)
    return column.cast(pa.float64(), safe=False)


def kind_of_moment(text: str) -> str | None:
    """Return in words how a cell writes a moment, or None if it is none.

    Examples
    --------
    >>> kind_of_moment("978300760"), kind_of_moment("2003-02-28"), kind_of_moment("28.2.2003")
    ('a number', 'a date without an offset', None)
    """
    if is_number(text):
        return "a number"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return f"a date with{'out' if moment.tzinfo is None else ''} an offset"


def _parsed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    *others, last = KINDS_OF_MOMENTS
    for kind in others:
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column.cast(last)
