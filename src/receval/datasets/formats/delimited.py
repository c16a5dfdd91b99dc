"""Delimited text: a fast columnar reader, and a slow one that finds the line that is wrong."""

from __future__ import annotations

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from receval.datasets.reports import RawDataError

_BLOCK = 1 << 23
_FIRST_DAY = np.datetime64("1970-01-01")
_DAY_AFTER_LAST = np.datetime64("2038-01-01")


@dataclass(frozen=True)
class ColumnFormat(ABC):
    """One column of a delimited file: its name, its type, and what its fields may be."""

    name: str
    used: ClassVar[bool] = True

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column."""
        return pa.binary()

    @abstractmethod
    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field, None if nothing is."""


@dataclass(frozen=True)
class Integer(ColumnFormat):
    """Whole numbers from ``minimum`` to ``maximum``, of the smallest type that holds them."""

    minimum: int
    maximum: int

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column: int8, int32 or int64."""
        for kind, largest in ((pa.int8(), 2**7), (pa.int32(), 2**31)):
            if -largest <= self.minimum and self.maximum < largest:
                return kind
        return pa.int64()

    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field, None if nothing is."""
        stripped = field.strip()
        if re.fullmatch(rb"-?\d+", stripped) and self.minimum <= int(stripped) <= self.maximum:
            return None
        return (
            f"the {self.name} is {_shown(field)}, not a whole number "
            f"from {self.minimum} to {self.maximum}"
        )


@dataclass(frozen=True)
class Date(ColumnFormat):
    """Days as YYYY-MM-DD whose seconds since 1970 fit into 31 bits."""

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column."""
        return pa.date32()

    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field, None if nothing is."""
        try:
            if 1970 <= datetime.date.fromisoformat(field.decode("ascii")).year < 2038:
                return None
        except ValueError:
            pass
        return f"the {self.name} is {_shown(field)}, not a date YYYY-MM-DD from 1970 to 2037"


@dataclass(frozen=True)
class Instant(ColumnFormat):
    """Instants as YYYY-MM-DDThh:mm:ssZ."""

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column."""
        return pa.timestamp("s", tz="UTC")

    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field, None if nothing is."""
        try:
            datetime.datetime.strptime(field.decode("ascii"), "%Y-%m-%dT%H:%M:%SZ")
        except ValueError:
            return f"the {self.name} is {_shown(field)}, not an instant YYYY-MM-DDThh:mm:ssZ"
        return None


@dataclass(frozen=True)
class Text(ColumnFormat):
    """Text in UTF-8, possibly empty unless ``required``."""

    required: bool = False

    @property
    def type(self) -> pa.DataType:
        """Arrow type of the column."""
        return pa.string()

    def complaint(self, field: bytes) -> str | None:
        """Return what is wrong with a field, None if nothing is."""
        if self.required and not field:
            return f"the {self.name} is empty"
        try:
            field.decode("utf-8")
        except UnicodeDecodeError:
            return f"the {self.name} is {_shown(field)}, which is not UTF-8"
        return None


@dataclass(frozen=True)
class Ignored(ColumnFormat):
    """A column that must be there and is not read."""

    used: ClassVar[bool] = False

    def complaint(self, field: bytes) -> str | None:
        """Return None: any field will do."""
        return None


@dataclass(frozen=True)
class LineFormat:
    """Lines of fields between delimiters, without header, quoting or blank lines.

    Attributes
    ----------
    delimiter : bytes
        One or more characters.
    columns : tuple of ColumnFormat
        All columns in their order.

    Examples
    --------
    >>> lines = LineFormat(b"::", (Integer("user", 1, 99), Integer("stars", 1, 5)))
    >>> lines.read(b"7::5", "ratings.dat")["stars"].tolist(), lines.complaint(b"7::6")
    ([5], "the stars is '6', not a whole number from 1 to 5")
    """

    delimiter: bytes
    columns: tuple[ColumnFormat, ...]

    def read(self, data: bytes, path: Path | str, first_line: int = 1) -> dict[str, NDArray]:
        """Read lines into one array per used column.

        Parameters
        ----------
        data : bytes
            Whole lines; the last one may lack its line end.
        path : Path or str
            Where they come from, for error messages.
        first_line : int
            Line number of the first of them.

        Returns
        -------
        dict of str to ndarray, shape (n_lines,)
            Integers as int8, int32 or int64, dates as datetime64[D], instants as datetime64[s],
            text as objects.

        Raises
        ------
        RawDataError
            With the first line that does not fit the format.
        """
        if not data:
            empty = {column.name: pa.array([], column.type) for column in self._used}
            return {name: array.to_numpy(zero_copy_only=False) for name, array in empty.items()}
        single, delimiter = data, self.delimiter
        if len(delimiter) > 1:
            # The fast reader wants one character; a tab within a field would become a delimiter.
            single, delimiter = data.replace(delimiter, b"\t"), b"\t"
            if b"\t" in data:
                raise self.error(data.split(b"\n"), path, first_line, "there is a tab")
        try:
            options = self._options(delimiter)
            table = pa.csv.read_csv(pa.BufferReader(single), **options)
        except pa.ArrowInvalid as error:
            raise self.error(data.split(b"\n"), path, first_line, str(error)) from error
        arrays = {column.name: table.column(column.name).to_numpy() for column in self._used}
        self.check_values(arrays, path, first_line)
        return arrays

    def read_stream(self, stream: BinaryIO) -> Iterator[pa.RecordBatch]:
        """Read a stream in pieces of bounded size.

        Raises
        ------
        pyarrow.ArrowInvalid
            If a line does not fit; :meth:`error` on the same lines tells which.
        """
        yield from pa.csv.open_csv(stream, **self._options(self.delimiter))

    def check_values(
        self, arrays: dict[str, NDArray], path: Path | str, first_line: int = 1
    ) -> None:
        """Raise an error with the first line whose value is of the right type but not allowed."""
        bad_rows: dict[int, str] = {}
        for column in self._used:
            values = arrays[column.name]
            if isinstance(column, Integer):
                bad = (values < column.minimum) | (values > column.maximum)
            elif isinstance(column, Date):
                bad = (values < _FIRST_DAY) | (values >= _DAY_AFTER_LAST)
            elif isinstance(column, Text) and column.required:
                bad = values == ""
            else:
                continue
            if bad.any():
                row = int(np.argmax(bad))
                reason = column.complaint(str(values[row]).encode())
                bad_rows.setdefault(row, reason or f"the {column.name} is not allowed")
        if bad_rows:
            row = min(bad_rows)
            raise RawDataError(path, first_line + row, bad_rows[row])

    def complaint(self, line: bytes) -> str | None:
        """Return what is wrong with a line, None if nothing is."""
        fields = line.rstrip(b"\r\n").split(self.delimiter)
        if len(fields) != len(self.columns):
            names = ", ".join(column.name for column in self.columns)
            between = _shown(self.delimiter)
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
        """Return the error for the first line that does not fit.

        Parameters
        ----------
        lines : iterable of bytes
            With or without line ends; an empty piece after the last line end is no line.
        path, first_line
            See :meth:`read`.
        otherwise : str
            The reason to give if every single line fits.
        """
        pending: tuple[int, bytes] | None = None
        for numbered in enumerate(lines, start=first_line):
            # One line behind, so as to know whether an empty piece is the last one.
            if pending is not None and (complaint := self.complaint(pending[1])):
                return RawDataError(path, pending[0], complaint)
            pending = numbered
        if pending is not None and pending[1] and (complaint := self.complaint(pending[1])):
            return RawDataError(path, pending[0], complaint)
        return RawDataError(path, None, otherwise)

    @property
    def _used(self) -> list[ColumnFormat]:
        return [column for column in self.columns if column.used]

    def _options(self, delimiter: bytes) -> dict[str, object]:
        # One thread, and nothing that silently skips or reinterprets: no quotes, no null
        # spellings, no blank lines.
        return {
            "read_options": pa.csv.ReadOptions(
                use_threads=False,
                block_size=_BLOCK,
                column_names=[column.name for column in self.columns],
            ),
            "parse_options": pa.csv.ParseOptions(
                delimiter=delimiter.decode("ascii"), quote_char=False, ignore_empty_lines=False
            ),
            "convert_options": pa.csv.ConvertOptions(
                column_types={column.name: column.type for column in self.columns},
                include_columns=[column.name for column in self._used],
                null_values=[],
                strings_can_be_null=False,
            ),
        }


def _shown(field: bytes) -> str:
    text = field.decode("utf-8", errors="backslashreplace")
    return repr(text if len(text) <= 60 else text[:57] + "...")
