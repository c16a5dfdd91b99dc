# SPDX-License-Identifier: MIT
"""Read delimited text: a fast columnar reader, and a slow one that finds the first bad line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from reproduction.datasets.formats.columns import ColumnFormat, Date, Integer
from reproduction.datasets.reports import RawDataError, shown

LONGEST_LINE = 1 << 23
"""Bytes read at a time, more than any line may have; small beside a large file's columns."""


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

        Returns
        -------
        dict of str to ndarray, shape (n_lines,)
            Integers as int8, int32 or int64, dates as datetime64[D], instants as int64 seconds,
            text as objects.
        """
        if not data:
            empty = {column.name: pa.array([], column.type) for column in self._used}
            return {name: array.to_numpy(zero_copy_only=False) for name, array in empty.items()}
        lines, delimiter = data, self.delimiter
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
        try:
            if misread := next((byte for byte in self._misread if byte in lines), None):
                raise pa.ArrowInvalid(f"there is {shown(misread)}")
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
            return "there is a carriage return within the line, which is no line end here"
        if len(self.delimiter) > 1 and b"\t" in line:
            return "there is a tab, which no field of this format has"
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
        """Return the error for the first line that is not valid.

        Parameters
        ----------
        lines : iterable of bytes
            With or without line ends; an empty piece after the last line end is not a line.
        """
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
