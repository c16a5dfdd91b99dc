# SPDX-License-Identifier: MIT
"""Read raw files of delimited text: formats of columns and lines, and repeated pairs.

Arrow accepts more than a format allows: ``0x1F`` and ``-0`` as numbers, ``4.00000001`` as 4, any
year. So each type of column has two methods that must agree: ``values`` reads all rows at once, and
``complaint`` tells what is wrong with a refused field.
"""

from __future__ import annotations

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.repeats import REPEAT_RULES, identifier_codes, merge_repeats, refuse_repeats
from reproduction.datasets.reports import RawDataError, shown

if TYPE_CHECKING:
    from receval.spec_types import Duplicates
    from reproduction.datasets.reports import ParseReport


LAST_SECOND = 2**31 - 1
"""The last second that fits into 31 bits, in 2038; no rating is later."""

LONGEST_IDENTIFIER = 1_000
"""Maximum bytes of an identifier; a table reserves this much for each of them."""

_FIRST_DAY = datetime.date(1970, 1, 1)
_LAST_DAY = datetime.date(2037, 12, 31)
_LAST_INSTANT = 2_145_916_799
_INSTANT_LENGTH = len("YYYY-MM-DDThh:mm:ssZ")
_PADDING = " \t"
# The byte order mark, an invisible blank.
_MARK = "\ufeff"


@dataclass(frozen=True)
class ColumnFormat(ABC):
    """One column of a raw file: its name, its type, and the valid fields."""

    name: str
    used: ClassVar[bool] = True

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column's values."""
        return pa.binary()

    @abstractmethod
    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field; None if it is valid."""

    def values(self, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Turn fields into values."""
        return self.checked(texts)

    def checked(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """Return values of the right type."""
        return values

    def _refuse(self) -> pa.ArrowInvalid:
        return pa.ArrowInvalid(f"a value of the column {self.name} is not allowed")

    def _within(
        self,
        values: pa.Array | pa.ChunkedArray,
        smallest: int | np.datetime64,
        largest: int | np.datetime64,
    ) -> pa.Array | pa.ChunkedArray:
        # Arrow's minimum and maximum take longer than reading a short file.
        numbers = values.to_numpy()
        if len(numbers) and not smallest <= numbers.min() <= numbers.max() <= largest:
            raise self._refuse()
        return values


@dataclass(frozen=True)
class Integer(ColumnFormat):
    """Whole numbers from ``minimum`` to ``maximum``, of the smallest type that holds them.

    Examples
    --------
    >>> stars = Integer("stars", 1, 5)
    >>> stars.values(pa.array(["5", "4"])).to_pylist(), stars.complaint(b"0x4")
    ([5, 4], "the stars is '0x4', not a whole number from 1 to 5")
    """

    minimum: int
    maximum: int

    @property
    def type(self) -> pa.DataType:
        for kind, largest in ((pa.int8(), 2**7), (pa.int32(), 2**31)):
            if -largest <= self.minimum and self.maximum < largest:
                return kind
        return pa.int64()

    def complaint(self, field: bytes) -> str | None:
        # Python refuses to convert thousands of digits; no limit has more than 19.
        if (
            (match := re.fullmatch(rb"(-?)0*(\d{1,19})", field.strip(_PADDING.encode())))
            and self.minimum <= int(match[1] + match[2]) <= self.maximum
            and match.groups() != (b"-", b"0")
        ):
            return None
        return (
            f"the {self.name} is {shown(field)}, not a whole number "
            f"from {self.minimum} to {self.maximum}"
        )

    def values(self, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        if not pc.all(pc.ascii_is_decimal(texts)).as_py() and len(texts):
            texts = pc.ascii_trim(texts, _PADDING)
            spelled = pc.match_substring_regex(texts, r"^(\d+|-0*[1-9]\d*)$")
            if not pc.all(spelled).as_py():
                raise self._refuse()
        return self.checked(texts.cast(self.type))

    def checked(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        return self._within(values, self.minimum, self.maximum)


@dataclass(frozen=True)
class HalfStars(ColumnFormat):
    """Multiples of a half from ``minimum`` to ``maximum``, as decimal fractions."""

    minimum: float
    maximum: float

    @property
    def type(self) -> pa.DataType:
        return pa.float32()

    def complaint(self, field: bytes) -> str | None:
        spelled = re.fullmatch(rb"\d(\.[05]0{0,9})?", field)
        if spelled and self.minimum <= float(field) <= self.maximum:
            return None
        return (
            f"the {self.name} is {shown(field)}, not a half star "
            f"from {self.minimum:g} to {self.maximum:g}"
        )

    def values(self, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        # A number near a half star becomes one as float32, so the text is checked.
        if any(self.complaint(text.encode()) for text in pc.unique(texts).to_pylist()):
            raise self._refuse()
        return texts.cast(self.type)


@dataclass(frozen=True)
class Date(ColumnFormat):
    """Days as YYYY-MM-DD whose seconds since 1970 fit into 31 bits."""

    @property
    def type(self) -> pa.DataType:
        return pa.date32()

    def complaint(self, field: bytes) -> str | None:
        text = field.strip(_PADDING.encode())
        try:
            if re.fullmatch(rb"\d{4}-\d\d-\d\d", text):
                day = datetime.date.fromisoformat(text.decode("ascii"))
                if _FIRST_DAY <= day <= _LAST_DAY:
                    return None
        except ValueError:
            pass
        return f"the {self.name} is {shown(field)}, not a date YYYY-MM-DD from 1970 to 2037"

    def checked(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        return self._within(values, np.datetime64(_FIRST_DAY), np.datetime64(_LAST_DAY))


@dataclass(frozen=True)
class Instant(ColumnFormat):
    """Instants as YYYY-MM-DDThh:mm:ssZ, in int64 seconds since 1970 that fit into 31 bits."""

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def complaint(self, field: bytes) -> str | None:
        try:
            if re.fullmatch(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\dZ", field):
                text = field[:-1].decode("ascii")
                if 1970 <= datetime.datetime.fromisoformat(text).year <= 2037:
                    return None
        except ValueError:
            pass
        return (
            f"the {self.name} is {shown(field)}, not an instant YYYY-MM-DDThh:mm:ssZ "
            "from 1970 to 2037"
        )

    def values(self, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        # Arrow also reads instants without seconds and in other time zones, but only this form has
        # this length.
        if not pc.all(pc.equal(pc.binary_length(texts), _INSTANT_LENGTH)).as_py() and len(texts):
            raise self._refuse()
        return self.checked(texts.cast(pa.timestamp("s", tz="UTC")).cast(self.type))

    def checked(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        return self._within(values, 0, _LAST_INSTANT)


@dataclass(frozen=True)
class Text(ColumnFormat):
    """Text in UTF-8, no longer than an identifier; not empty or indented if ``required``."""

    required: bool = False

    @property
    def type(self) -> pa.DataType:
        return pa.string()

    def complaint(self, field: bytes) -> str | None:
        if self.required and not field:
            return f"the {self.name} is empty"
        if self.required and field.startswith((b" ", _MARK.encode())):
            return (
                f"the {self.name} is {shown(field)}, which begins with a space or a byte order mark"
            )
        if len(field) > LONGEST_IDENTIFIER:
            return (
                f"the {self.name} {shown(field)} has {len(field):,} bytes; at most "
                f"{LONGEST_IDENTIFIER:,} are allowed"
            )
        if b"\0" in field:
            return f"the {self.name} is {shown(field)}, which contains a NUL character"
        try:
            field.decode("utf-8")
        except UnicodeDecodeError:
            return f"the {self.name} is {shown(field)}, which is not valid UTF-8"
        return None

    def checked(self, values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        # Tables drop a NUL at the end of a name, which would merge two users.
        lengths = pc.binary_length(values)
        self._within(lengths, int(self.required), LONGEST_IDENTIFIER)
        if pc.any(pc.match_substring(values, "\0")).as_py():
            raise self._refuse()
        # For example if lines end with line feed and carriage return, or files were joined.
        if self.required and any(
            pc.any(pc.starts_with(values, blank)).as_py() for blank in (" ", _MARK)
        ):
            raise self._refuse()
        return values


@dataclass(frozen=True)
class Ignored(ColumnFormat):
    """A column that must be there and is not read."""

    used: ClassVar[bool] = False

    def complaint(self, field: bytes) -> str | None:
        return None


# Lines of such columns: a fast reader, and a slow one that finds the first bad line.

LONGEST_LINE = 1 << 23
"""Bytes read at a time, more than any line may have; small beside a large file's columns."""


@dataclass(frozen=True)
class LineFormat:
    """Lines of fields between delimiters, without header, quoting or blank lines.

    - ``delimiter``: One or more characters.
    - ``columns``: All columns in their order.

    Examples
    --------
    >>> lines = LineFormat(b"::", (Integer("user", 1, 99), Integer("stars", 1, 5)))
    >>> lines.read(b"7::5", "ratings.dat")["stars"].tolist(), lines.complaint(b"7::6")
    ([5], "the stars is '6', not a whole number from 1 to 5")
    """

    delimiter: bytes
    columns: tuple[ColumnFormat, ...]

    def read(self, data: bytes, path: Path | str, first_line: int = 1) -> dict[str, NDArray]:
        """Read lines into one array per used column, of shape (n_lines,).

        Integers are int8, int32 or int64, dates datetime64[D], instants seconds, and text objects.
        """
        if not data:
            empty = {column.name: pa.array([], column.type) for column in self._used}
            return {name: array.to_numpy(zero_copy_only=False) for name, array in empty.items()}
        lines, delimiter = data, self.delimiter
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
        try:
            if misread := next((byte for byte in self._misread if byte in lines), None):
                raise pa.ArrowInvalid(f"the data contain {shown(misread)}")
            if len(delimiter) > 1:
                lines, delimiter = lines.replace(delimiter, b"\t"), b"\t"
            columns = self._values(
                pa.csv.read_csv(pa.BufferReader(lines), **self._options(delimiter))
            )
        except pa.ArrowInvalid as error:
            raise self.error(data.split(b"\n"), path, first_line, str(error)) from error
        return {name: column.to_numpy() for name, column in columns.items()}

    def read_stream(self, stream: BinaryIO) -> Iterator[dict[str, pa.Array]]:
        """Yield the values of each used column, in pieces of bounded size."""
        for batch in pa.csv.open_csv(stream, **self._options(self.delimiter)):
            yield self._values(batch)

    def _values(self, table: pa.Table | pa.RecordBatch) -> dict[str, pa.Array | pa.ChunkedArray]:
        return {
            column.name: (column.checked if self._numbers_alone else column.values)(
                table.column(column.name)
            )
            for column in self._used
        }

    def complaint(self, line: bytes) -> str | None:
        """Return what is wrong with a line; None if it is valid."""
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(line) >= LONGEST_LINE:
            return f"the line has {LONGEST_LINE:,} bytes or more"
        if b"\r" in line:
            return "the line contains a carriage return, which does not end a line here"
        if len(self.delimiter) > 1 and b"\t" in line:
            return "the line contains a tab, which no field of this format may contain"
        fields = line.split(self.delimiter)
        if len(fields) != len(self.columns):
            names = ", ".join(column.name for column in self.columns)
            between = shown(self.delimiter)
            return (
                f"expected {len(self.columns)} fields ({names}) separated by {between}, "
                f"found {len(fields)}"
            )
        complaints = (
            column.complaint(field) for column, field in zip(self.columns, fields, strict=True)
        )
        return next((complaint for complaint in complaints if complaint), None)

    def error(
        self, lines: Iterable[bytes], path: Path | str, first_line: int, otherwise: str
    ) -> RawDataError:
        """Return the error for the first invalid line; an empty piece at the end is no line."""
        pending: tuple[int, bytes] | None = None
        for numbered in enumerate(lines, start=first_line):
            # Check one line later, to know whether an empty piece is the last one.
            if pending is not None and (complaint := self.complaint(pending[1])):
                return RawDataError(path, pending[0], complaint)
            pending = numbered
        if pending is not None and pending[1] and (complaint := self.complaint(pending[1])):
            return RawDataError(path, pending[0], complaint)
        return RawDataError(path, None, otherwise)

    @cached_property
    def _used(self) -> list[ColumnFormat]:
        return [column for column in self.columns if column.used]

    @cached_property
    def _misread(self) -> list[bytes]:
        """Bytes that no valid line has and that the fast reader would misread."""
        misread = [b"\r"]
        if len(self.delimiter) > 1:
            # It needs one character, so a tab replaces the delimiter.
            misread.append(b"\t")
        if self._numbers_alone:
            # It reads 0x1F and -0 as numbers.
            misread += [b"x", b"X"]
            if all(isinstance(column, Integer) and column.minimum >= 0 for column in self._used):
                misread.append(b"-")
        return misread

    @cached_property
    def _numbers_alone(self) -> bool:
        """Whether the fast reader may convert fields to numbers itself, which is faster."""
        return all(isinstance(column, (Integer, Date)) for column in self.columns)

    def _options(self, delimiter: bytes) -> dict[str, object]:
        # One thread, and no options that silently skip or change text: no quotes, nulls or blank
        # lines.
        return {
            "read_options": pa.csv.ReadOptions(
                use_threads=False,
                block_size=LONGEST_LINE,
                column_names=[column.name for column in self.columns],
            ),
            "parse_options": pa.csv.ParseOptions(
                delimiter=delimiter.decode("ascii"), quote_char=False, ignore_empty_lines=False
            ),
            "convert_options": pa.csv.ConvertOptions(
                column_types={
                    column.name: column.type if self._numbers_alone else pa.string()
                    for column in self._used
                },
                include_columns=[column.name for column in self._used],
                null_values=[],
                strings_can_be_null=False,
            ),
        }


# Pairs of user and item that occur more than once.


def kept_rows(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    values: NDArray,
    report: ParseReport,
    complain: Callable[[int, str], Exception],
    by_default: Duplicates = "error",
    lines: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray]:
    """Return the kept rows and their values, after merging or refusing repeated pairs.

    Examples
    --------
    >>> from reproduction.datasets.reports import ParseReport, RawDataError
    >>> report = ParseReport(duplicates="last")
    >>> users, items, values = np.array([7, 7, 7]), np.array([1, 2, 1]), np.array([5.0, 3.0, 2.0])
    >>> rows, kept = kept_rows(
    ...     users, items, values, report, lambda row, reason: RawDataError("a.csv", row + 1, reason)
    ... )
    >>> rows.tolist(), kept.tolist(), report.repeats_collapsed
    ([1, 2], [3.0, 2.0], 1)
    """
    duplicates = report.duplicates or by_default
    if duplicates == "error":
        refuse_repeats(users, items, complain, lines)
        return np.arange(len(users)), values
    rows, merged = merge_repeats(users, items, values, duplicates)
    report.repeats_collapsed = len(users) - len(rows)
    report.repeat_rule = REPEAT_RULES[duplicates]
    return rows, merged


def rated_pairs(
    users: NDArray,
    items: NDArray,
    values: NDArray[np.floating],
    report: ParseReport,
    complain: Callable[[int, str], Exception],
    by_default: Duplicates = "error",
    timestamps: NDArray[np.int64] | None = None,
    known: NDArray[np.bool_] | None = None,
) -> Ratings:
    """Return rows as ratings, with codes by first appearance and repeated pairs merged or refused.

    ``timestamps`` and ``known`` are cut to the kept rows.
    """
    report.rows = len(users)
    (user_codes, user_ids), (item_codes, item_ids) = map(identifier_codes, (users, items))
    rows, merged = kept_rows(user_codes, item_codes, values, report, complain, by_default)
    return Ratings(
        users=user_codes[rows],
        items=item_codes[rows],
        values=merged,
        user_ids=user_ids,
        item_ids=item_ids,
        timestamps=None if timestamps is None else timestamps[rows],
        known=None if known is None else known[rows],
    )
