# SPDX-License-Identifier: MIT
"""Read columns of a text file: a fast reader, and a slow one that finds the line with an error."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from receval.data.column_roles import Roles, refuse_late_values, refuse_parts, roles_of
from receval.data.columns import FoundColumns, WantedColumn
from receval.data.layouts import (
    Layout,
    advice_on_commas,
    advice_on_number,
    cells_of_any_length,
    doubts_on_thousands,
    has_decimal_commas,
    has_thousands,
    is_number,
    layout_of,
    may_have_thousands,
    plain_name,
    split_line,
)
from receval.data.moments import (
    KINDS_OF_MOMENTS,
    is_time_of_day,
    joined_moments,
    kind_of_moment,
    seconds_of_moments,
)
from receval.data.reading import AS_FOUND, NO_NUMBER, MissingRowsError, ReadingOptions, TableError
from receval.data.roles_by_values import CLOCK, refuse_lists_of_items
from receval.data.text_lines import (
    BLOCK,
    Lines,
    bytes_that_are_no_text,
    line_of_row,
    opened_text,
    other_encoding,
)
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted, shortened

_TEXT = pa.dictionary(pa.int32(), pa.string())
_NUMBER = pa.float64()


def read_text(
    path: Path, wanted: Collection[WantedColumn], options: ReadingOptions = AS_FOUND
) -> FoundColumns:
    """Read some columns of a text file; see :func:`receval.data.tables.read_wanted`."""
    asked = [str(column.asked) for column in wanted if isinstance(column.asked, str)]
    known = {column.name: column.known for column in wanted}
    layout = layout_of(path, known, asked, options)
    if not layout.records and layout.header is not None:
        raise MissingRowsError(
            f"{path} has no rows below its header, so there is nothing to evaluate."
        )
    try:
        names, roles = _roles(path, layout, wanted, options)
    except TableError:
        # A name may be unknown because it was not decoded.
        no_text = bytes_that_are_no_text(path, options.encoding)
        if no_text is not None and "\ufffd" in "".join(layout.header or ()):
            raise no_text from None
        raise
    found = {role: names[place] for role, place in roles.places.items()}
    parts = {f"part {own}": own for own in roles.parts}
    empty = {f"empty {place}": names[place] for place in roles.empty}
    more = [WantedColumn(role, (), True) for role in [*parts, *empty, CLOCK]]
    reader = _Reader(path, layout, names, found | parts | empty, [*wanted, *more], options)
    table, unit = reader.read()
    for place in roles.empty:
        for chunk in table.pop(f"empty {place}").chunks:
            refuse_late_values(path.name, place, chunk.dictionary.to_pylist())
    for role, own in parts.items():
        # The first rows may all be of one part.
        of_each = table.pop(role).unify_dictionaries()
        if of_each.num_chunks:
            refuse_parts(path.name, own, of_each.chunk(0).dictionary.to_pylist())
    if layout.header is not None and not layout.are_numbers and table.keys() == {"user", "item"}:
        _refuse_repeated_header(
            path, table, {own: layout.header[p] for own, p in roles.places.items()}
        )
    notes: list[Note] = []
    for column in wanted:
        if column.name in found and not (column.is_text or column.is_time or options.decimal):
            cells = reader.first_cells(column)
            # Only the first lines are at hand as texts.
            filled = (pc.fill_null(own, float("nan")) for own in table[column.name].chunks)
            # Ranks with fractions are refused elsewhere.
            is_searched = reader.has_thousands and column.name != "rank"
            if is_searched and may_have_thousands(cells, map(np.from_dlpack, filled)):
                cells = reader.texts_of(column.name)
            notes += doubts_on_thousands(str(path), roles.words[column.name], cells)
    form = layout.form
    form += other_encoding(path, options.encoding)
    if reader.decimal == ",":
        form += ", decimal commas"
    return FoundColumns(
        source=str(path),
        first_row=layout.first_row if unit == "line" else 1,
        unit=unit,
        arrays=table,
        names=roles.words,
        unread=roles.unread,
        form=form,
        dates=reader.dates,
        notes=tuple(notes),
        are_guessed=roles.are_guessed,
        line_of=reader.line_of,
    )


def _refuse_repeated_header(
    path: Path, table: Mapping[str, pa.ChunkedArray], header: Mapping[str, str]
) -> None:
    """Refuse the header as a row, as of files that were joined; beside numbers, it fails."""
    is_header = np.ones(len(table["user"]), dtype=np.bool_)
    for role, column in table.items():
        whole = column.unify_dictionaries()
        place = pc.index(whole.chunk(0).dictionary, header[role]).as_py() if len(whole) else -1
        if place < 0:
            return
        is_header &= np.concatenate([own.indices.to_numpy() == place for own in whole.chunks])
    if is_header.any():
        raise TableError(
            f"{path} has its header again as row {int(np.argmax(is_header)) + 1}, as where files "
            "were joined. Remove it."
        )


def _roles(
    path: Path,
    layout: Layout,
    wanted: Collection[WantedColumn],
    options: ReadingOptions,
) -> tuple[list[str], Roles]:
    """Return the names under which columns are read, and which column is what."""
    by_number = [str(number) for number in range(layout.n_columns)]
    records = [own for own in layout.records if len(own) == layout.n_columns]
    cells = list(zip(*records, strict=True)) or [()] * layout.n_columns
    if layout.header is None and options.columns is None:
        refuse_lists_of_items(path.name, layout.records, wanted)
    if layout.header is None or layout.are_numbers or options.columns is not None:
        roles = roles_of(
            path.name,
            None,
            cells,
            wanted,
            options,
            has_index=layout.has_index,
            # pandas would have written a header and quotes.
            may_have_fractions=layout.delimiter == "," and layout.header is None,
        )
        return by_number, roles
    names = list(layout.header)
    if repeated := sorted(name for name, times in Counter(names).items() if times > 1):
        for column in wanted:
            known = column.known if column.asked is None else (column.asked,)
            own = next((name for name in repeated if {name, plain_name(name)} & {*known}), None)
            if own is not None:
                asked = f"{column.name}={names.index(own)}"
                is_run = "score" in {other.name for other in wanted}
                option = f"--{'run-' if is_run else ''}{asked.replace('=', ' ')}"
                raise TableError(
                    f"{path.name} has several columns with the name {enumerated(repeated)}. Name "
                    f"the right one by its position, such as {asked} (in a command: {option})."
                )
        names = [
            f"{name} ({place})" if name in repeated else name for place, name in enumerate(names)
        ]
    hint = " If these are not names but the first row, set header=False (--no-header)."
    return names, roles_of(
        path.name, names, cells, wanted, options, has_index=layout.has_index, hint=hint
    )


# Texts whose quotes do more than enclose cells within a line are checked record by record. Arrow
# reads everything from a quote at the start of a cell to the next quote as one cell, over any
# number of lines. A missing quote would thus hide rows; this check finds its line.


def checked_records(
    path: Path,
    layout: Layout,
    texts: Collection[tuple[str, int]],
    numbers: Collection[int],
    options: ReadingOptions = AS_FOUND,
) -> int:
    """Return the number of records of a text without its header, and refuse quotes that hide rows.

    ``texts`` has the name and position, from 0, of each column of identifiers. Refused with their
    line are a quoted cell that is not closed, or text after its closing quote; an identifier that
    spans several lines; a record of another number of cells than the first line; and lines within
    quotes that look like rows, unless the options say that cells have quotes.
    """
    records = 0
    with opened_text(path, options.encoding) as file, cells_of_any_length():
        for first, last, cells in _records(path, file, layout.delimiter):
            if layout.header is not None and first == 1:
                continue
            records += 1
            if len(cells) != layout.n_columns:
                raise TableError(
                    f"{path}, line {first} has {how_many(len(cells), 'cell')} between "
                    f"{layout.delimiter_in_words}, but the first line has {layout.n_columns}. "
                    f"{_ADVICE}"
                )
            if first == last:
                continue
            for what, place in texts:
                if _LINE_END.search(cells[place]):
                    raise TableError(
                        f"{path}, line {first}: the {what} begins with a quote and ends in line "
                        f"{last}. {_ADVICE}"
                    )
            if options.quotes is None and _hides_rows(cells, layout, numbers):
                raise TableError(
                    f"{path}: the quote in line {first} is closed in line {last}, but the text "
                    f"between looks like rows. {_ADVICE} If it is the text of one cell, set "
                    "quotes=True (in a command: --quotes)."
                )
    return records


_LINE_END = re.compile("\r\n|\r|\n")

_ADVICE = (
    "Check whether a quote mark is missing or superfluous. Within a quoted cell, write each quote "
    "twice. Put quotes around a cell that begins with a quote."
)


def _records(path: Path, file: BinaryIO, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the cells of each record, after its first and last line number, from 1."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    first = 1
    try:
        for cells in reader:
            if cells:
                yield first, reader.line_num, cells
            first = reader.line_num + 1
    except csv.Error as error:
        raise TableError(
            f"{path}, line {first}: a cell is only partly in quotes, or its quote is not closed "
            f"({shortened(str(error))}). {_ADVICE}"
        ) from None
    finally:
        # Detached, because otherwise closing the text would close the file.
        if not file.closed:
            text.detach()


def _hides_rows(cells: list[str], layout: Layout, numbers: Collection[int]) -> bool:
    """Tell whether a cell over several lines looks like rows between two stray quotes.

    The cell then begins with the rest of one row and ends with the start of another, up to the same
    column, as the record would otherwise not have the right number of cells; or a line between is a
    whole row.
    """
    for place, cell in enumerate(cells):
        lines = _LINE_END.split(cell)
        if len(lines) == 1:
            continue
        columns = range(layout.n_columns)
        first = [column for column in numbers if column > place]
        last = [column for column in numbers if column < place]
        if any(_is_like(line, columns, numbers, layout) for line in lines[1:-1]) or (
            _is_like(lines[0], columns[place:], first, layout)
            and _is_like(lines[-1], columns[: place + 1], last, layout)
        ):
            return True
    return False


def _is_like(line: str, columns: range, numbers: Collection[int], layout: Layout) -> bool:
    """Tell whether a line has as many cells as these columns, and numbers where they should be."""
    cells = split_line(line.replace('"', ""), layout.delimiter)
    return len(cells) == len(columns) and all(
        is_number(cells[place - columns.start]) for place in numbers
    )


class _Reader:
    """Reads the columns that were found, and finds the error if that fails."""

    def __init__(
        self,
        path: Path,
        layout: Layout,
        names: list[str],
        found: Mapping[str, str],
        wanted: Collection[WantedColumn],
        options: ReadingOptions,
    ) -> None:
        self.path, self.layout, self.names, self.found = path, layout, names, found
        self.options = options
        self.encoding = options.encoding
        self.wanted = [column for column in wanted if column.name in found]
        self.places = {c.name: names.index(found[c.name]) for c in self.wanted}
        self.decimal = options.decimal or self._decimal()
        self.dates = ""
        self.has_thousands = False
        self.line_of: Callable[[int], int] | None = None

    def read(self) -> tuple[dict[str, pa.ChunkedArray], str]:
        """Return the columns, and whether rows correspond to lines (``line``) or not (``row``)."""
        kinds = {self.found[c.name]: _TEXT if c.is_text else _NUMBER for c in self.wanted}
        has_clock = CLOCK in self.found
        times = [column.name for column in self.wanted if column.is_time]
        wrong = ""
        for kind in (
            KINDS_OF_MOMENTS[-1:] if has_clock else KINDS_OF_MOMENTS[: None if times else 1]
        ):
            kinds |= {self.found[name]: kind for name in times}
            try:
                table, unit = self._table(kinds)
                arrays = {name: table.column(own) for name, own in self.found.items()}
                if has_clock:
                    (name,) = times
                    arrays[name] = joined_moments(arrays[name], arrays.pop(CLOCK))
                for name in times:
                    arrays[name], self.dates = seconds_of_moments(arrays[name])
            except ValueError as error:
                if isinstance(error, TableError):
                    raise
                wrong = wrong or str(error)
                continue
            return arrays, unit
        raise self._first_wrong_line(wrong)

    def _decimal(self) -> str:
        for column in self.wanted:
            if column.is_text:
                continue
            where = f"{self.path}: the {column.name}"
            if has_decimal_commas(self.first_cells(column), where):
                return ","
        return "."

    def first_cells(self, column: WantedColumn) -> list[str]:
        """Return the cells of a column in the first lines."""
        place = self.places[column.name]
        return [record[place] for record in self.layout.records if place < len(record)]

    def texts_of(self, name: str) -> list[str]:
        """Return the different cells of a column in all lines, which are read again."""
        own = self.found[name]
        table, _ = self._table({own: _TEXT})
        column = table.column(own).unify_dictionaries()
        return column.chunk(0).dictionary.to_pylist()

    def _table(self, kinds: Mapping[str, pa.DataType]) -> tuple[pa.Table, str]:
        table = None
        with opened_text(self.path, self.encoding) as file:
            lines = Lines(file, self.layout.delimiter, has_quotes=self.layout.is_quoted)
            try:
                table = self._parsed(lines, lines.delimiter, kinds, with_line_ends=False)
            except pa.ArrowInvalid:
                # A block may end within a quoted cell.
                if lines.are_plain or not self.layout.is_quoted:
                    raise
            while table is not None and lines.read(BLOCK):  # What a short read has left.
                pass
        self.has_thousands |= lines.has_thousands or table is None
        if table is not None and lines.are_plain:
            rows = lines.rows - (self.layout.header is not None)
            unit = "row" if lines.blanks else "line"
            if lines.blanks:
                self.line_of = partial(self._line_of_row, rows_are_lines=True)
        elif not self.layout.is_quoted:
            raise self._first_wrong_line("it has carriage returns within lines")
        else:
            rows = self._n_records
            unit = "row"
            self.line_of = partial(self._line_of_row, rows_are_lines=False)
            with opened_text(self.path, self.encoding) as file:
                table = self._parsed(file, self.layout.delimiter, kinds, with_line_ends=True)
        if table.num_rows != rows:
            raise TableError(
                f"{self.path} has {how_many(rows, 'row')}, but only {table.num_rows:,} "
                "could be read. Check whether a quote mark or the end of a line is missing."
            )
        return table, unit

    @cached_property
    def _n_records(self) -> int:
        """The number of records; quotes that hide rows are refused."""
        texts = [(c.name, self.places[c.name]) for c in self.wanted if c.is_text]
        numbers = [self.places[c.name] for c in self.wanted if not (c.is_text or c.is_time)]
        return checked_records(self.path, self.layout, texts, numbers, self.options)

    def _parsed(
        self, file: Any, delimiter: str, kinds: Mapping[str, pa.DataType], *, with_line_ends: bool
    ) -> pa.Table:
        return pa.csv.read_csv(
            file,
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                block_size=BLOCK,
                column_names=self.names,
                skip_rows=0 if self.layout.header is None else 1,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if self.layout.is_quoted else False,
                newlines_in_values=with_line_ends,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(kinds),
                null_values=list(NO_NUMBER),
                strings_can_be_null=False,
                decimal_point=self.decimal,
            ),
        )

    def _first_wrong_line(self, otherwise: str) -> TableError:
        """Return the error for the first line that does not fit, found line by line."""
        if (no_text := bytes_that_are_no_text(self.path, self.encoding)) is not None:
            return no_text
        path, layout = self.path, self.layout
        has_quotes = layout.is_quoted and _has_quotes(path, self.encoding)
        if has_quotes:
            _ = self._n_records
        kinds: dict[str, tuple[int, str]] = {}
        blank = None
        with opened_text(path, self.encoding) as file, cells_of_any_length():
            for number, cells in self._cells(file, has_quotes=has_quotes):
                if number < layout.first_row:
                    continue
                if len(cells) != layout.n_columns:
                    return TableError(
                        f"{path}, line {number} has {how_many(len(cells), 'cell')} between "
                        f"{layout.delimiter_in_words}, but the first line has {layout.n_columns}."
                        f"{advice_on_commas(cells, layout.n_columns, layout.delimiter)}"
                    )
                for column in self.wanted:
                    cell = cells[self.places[column.name]]
                    if not cell and blank is None:
                        blank = f"{path}, line {number}: the {column.name} has only white space."
                    is_clock = column.name == CLOCK and not is_time_of_day(cell)
                    if (column.is_text and not is_clock) or cell in NO_NUMBER:
                        continue
                    if (error := self._wrong_cell(number, column, cell, kinds)) is not None:
                        return error
        if blank is not None:
            return TableError(f"{blank} Leave the cell empty, or complete it.")
        told = " ".join(otherwise.split()).removesuffix(".")
        return TableError(f"{path} cannot be read: {told[:300]}.")

    def _cells(self, file: BinaryIO, *, has_quotes: bool) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the cells of each row, also over several lines."""
        if has_quotes:
            for first, _, cells in _records(self.path, file, self.layout.delimiter):
                yield first, cells
            return
        several = len(self.layout.delimiter) > 1
        for number, line in enumerate(file, 1):
            text = line.decode().removesuffix("\n").removesuffix("\r")
            if "\r" in text or (several and "\t" in text):
                what = "carriage return" if "\r" in text else "tab"
                raise TableError(
                    f"{self.path}, line {number} has a {what} within, which is neither the end of "
                    "a line nor between cells. Remove it."
                )
            if text:
                yield number, split_line(text, self.layout.delimiter)

    def _line_of_row(self, row: int, *, rows_are_lines: bool) -> int:
        """Return the line of a row, counted from 0, by reading the file again."""
        place = row + (self.layout.header is not None)
        if rows_are_lines:
            blank = None if self.layout.delimiter == " " else b"\r\n"
            return line_of_row(self.path, self.encoding, lambda line: line.strip(blank), place)
        with opened_text(self.path, self.encoding) as file, cells_of_any_length():
            records = _records(self.path, file, self.layout.delimiter)
            return next(islice(records, place, None))[0]

    def _wrong_cell(
        self, number: int, column: WantedColumn, cell: str, kinds: dict[str, tuple[int, str]]
    ) -> TableError | None:
        if column.name == CLOCK:
            return TableError(
                f"{self.path}, line {number}: the {CLOCK} is {quoted(cell)}. It must be one such "
                "as 23:59:59."
            )
        plain = cell
        if self.decimal == ",":
            plain = (cell if column.is_time else cell.replace(".", "?")).replace(",", ".")
        kind = kind_of_moment(plain) if column.is_time else "" if is_number(plain) else None
        if kind is None:
            wished = (
                "a number, or a date such as 2003-02-28 or 2003-02-28 23:59:59"
                if column.is_time
                else "a number"
            )
            hint = _ADVICE_ON_TIMES if column.is_time else advice_on_number(cell)
            if number == 1 and self.layout.header is None and not has_thousands(cell):
                hint = (
                    " If the columns are in another order, name them (columns=..., in a command: "
                    "--columns user,item,rating). If this is a header, set header=True "
                    "(--header). If this is another kind of file, set format=... (--format ...)."
                )
            return TableError(
                f"{self.path}, line {number}: the {column.name} is {quoted(cell)}. It must be "
                f"{wished}.{hint}"
            )
        first, before = kinds.setdefault(column.name, (number, kind))
        if kind == before:
            return None
        return TableError(
            f"{self.path}, line {number}: the {column.name} is {kind}, but in line {first} it is "
            f"{before}. Write all of them in the same way."
        )


_ADVICE_ON_TIMES = (
    " A time of the day needs its date in the same cell; otherwise, name the column of dates "
    "(timestamp=..., in a command: --timestamp ...)."
)


def _has_quotes(path: Path, encoding: str | None) -> bool:
    with opened_text(path, encoding) as file:
        return any(b'"' in block for block in iter(lambda: file.read(BLOCK), b""))
