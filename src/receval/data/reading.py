# SPDX-License-Identifier: MIT
"""Options for reading a table, and the report of how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, get_args

from receval.checked_arguments import check_fields
from receval.notes import Note
from receval.storage.messages import enumerated, how_many, quoted, shortened

TimeUnit = Literal["s", "ms", "us", "ns", "date"]

FORMATS = {
    "table": "text with one row per line",
    "qrels": "TREC's judgments",
    "trec": "TREC's run",
    "json": "JSON",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "netflix": "Netflix's lines",
    "npz": "a sparse matrix of scipy",
}
"""The values of ``format``, with a description of each."""

UNREAD = "-"
"""Marks a column to ignore, in a list of columns or as the name of one."""


NO_NUMBER = ("", "NA", "NaN", "nan", "null", "None", "NULL", "\\N")
"""Texts that stand for a missing number."""


# Errors for tables that cannot be used.


class TableError(ValueError):
    """A table cannot be read as asked for; the message says where, and what to do."""


class UnknownColumnError(TableError):
    """A table has no column with a known name for what is wanted."""


class MissingRowsError(TableError):
    """A table has a header, but no rows."""


class ForeignOptionsError(TableError):
    """Options are of another kind of table than the given one; ``names`` has theirs."""

    def __init__(self, told: str, names: Sequence[str]) -> None:
        super().__init__(told)
        self.names = tuple(names)


def refuse_foreign_options(source: object, why: str, names: Sequence[str]) -> None:
    """Refuse options that cannot apply, if there are any, so that none is ignored."""
    if not names:
        return
    in_command = enumerated([f"--{name.replace('_', '-')}" for name in names])
    raise ForeignOptionsError(
        f"{source} {why}, so it cannot be read with {enumerated(names)}. Leave out what does not "
        f"apply (in a command: {in_command}).",
        names,
    )


def half_of_a_character(where: str, error: UnicodeError) -> TableError:
    """Return the error for a text that no encoding can write."""
    text = f" {shortened(ascii(error.object))}" if isinstance(error, UnicodeEncodeError) else ""
    return TableError(
        f"{where}: the text{text} has half of a character (a surrogate, such as \\ud800), so it "
        "was cut or damaged. Correct it."
    )


@dataclass(frozen=True)
class ReadingOptions:
    """The form of a table as the caller states it; None means that it is detected.

    Attributes
    ----------
    format : str, optional
        The format of the file, one of :data:`FORMATS`.
    delimiter : str, optional
        The separator of cells in a text; a single space stands for any white space.
    header : bool, optional
        Whether a text's first line has names.
    columns : tuple of str, optional
        What each column is, in their order, whatever their names: ``user``, ``item`` and so on, or
        :data:`UNREAD` for a column to ignore. In a text, the first line is then only a header if it
        has known names for all of them.
    encoding : str, optional
        Python's name of the encoding, such as ``latin-1``. By default UTF-8, unless a byte order
        mark says otherwise.
    decimal : {".", ","}, optional
        The decimal mark.
    time_unit : {"s", "ms", "us", "ns", "date"}, optional
        The unit of numeric timestamps: seconds or smaller units since 1970-01-01 UTC, or dates such
        as 20210503.
    quotes : bool, optional
        Whether quote marks around a cell are not part of it. By default they are not, but a text in
        quotes that looks like rows is refused; with True it is one cell.
    identifiers : {"whole", "as-written"}
        Whether identifiers that are whole numbers written as floats become whole numbers.

    Raises
    ------
    TableError
        The format, decimal mark or unit is unknown, or the delimiter is empty.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    time_unit: TimeUnit | None = None
    quotes: bool | None = None
    identifiers: Literal["whole", "as-written"] = "whole"

    def __post_init__(self) -> None:
        if isinstance(self.columns, list):
            object.__setattr__(self, "columns", tuple(self.columns))
        check_fields(self, "delimiter", "header", "encoding", "quotes")
        for name, known in (
            ("format", tuple(FORMATS)),
            ("decimal", (".", ",")),
            ("time_unit", get_args(TimeUnit)),
            ("identifiers", ("whole", "as-written")),
        ):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise TableError(
                    f"There is no {name.replace('_', ' ')} {quoted(str(value))}. Choose one of "
                    f"{enumerated(known)}."
                )
        if isinstance(self.columns, str):
            names = tuple(name.strip() for name in self.columns.split(","))
            object.__setattr__(self, "columns", names)
        if self.delimiter == "":
            raise TableError("The delimiter is empty. Set the characters between cells.")

    def given(self, *names: str) -> list[str]:
        """Return which of some options were given."""
        return [name for name in names if getattr(self, name) is not None]


OF_TEXTS = ("delimiter", "header", "quotes")
"""The options that only apply to a text with cells."""

MOST_UNREAD = 100
"""The most unread columns that JSON output names; the others are counted."""

AS_FOUND = ReadingOptions()
"""The default: everything is detected."""


@dataclass(frozen=True)
class ReadingReport:
    """How a table was read: its source and form, its columns and rows, and what may be a mistake.

    ``columns`` has the name in the table of each column that was read, and ``unread`` the others.
    All ``rows`` were read, of which ``merged`` were merged into others of the same pair, by a
    ``rule``; ``users`` and ``items`` count different ones. The scale of ratings (``values``), the
    unit and span of timestamps (``times``) and the rule are in words. ``are_counts`` says that
    ratings are counts, such as plays, and ``meeting`` how many identifiers others have, too.
    ``entries`` says in words what rows are of, if they are not of users and items. ``first_cells``
    has the cells of the first row, by column, if values decided which column is what. ``types`` has
    the type of each column in a table that has types: ``text``, ``integer`` or ``float``; ``given``
    are the arguments by which a caller said how to read the table. Both are for programs and not
    part of JSON. ``shape`` is that of a matrix. ``are_grades`` says that ratings are relevance
    judgments, of which 0 means not relevant; ``taken_for`` says in words what they were taken for
    if they may be either.

    Examples
    --------
    >>> columns = {"user": "customer", "item": "item"}
    >>> report = ReadingReport("a.csv", "text with commas", columns, ("when",), 30, 0, 5, 8)
    >>> print(*report.lines(), sep=chr(10))
    a.csv: text with commas. 30 rows of 5 users and 8 items; user is customer; not read: when.
    """

    source: str
    form: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    rows: int = 0
    merged: int = 0
    users: int = 0
    items: int = 0
    values: str = ""
    times: str = ""
    notes: tuple[Note, ...] = ()
    rule: str = ""
    are_counts: bool = False
    are_grades: bool = False
    taken_for: str = ""
    meeting: str = ""
    entries: str = ""
    first_cells: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    shape: tuple[int, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the report for a terminal: one line, and another if there are ratings or times."""
        return _lines_of([self])

    def _told(self) -> tuple[str, str]:
        """Return both lines without the file name; the second may be empty."""
        renamed = [
            f"{role} is {shortened(own)}{_in_brackets(self.first_cells.get(role, ''))}"
            for role, own in self.columns.items()
            if role != own
        ]
        counted = [how_many(*own) for own in ((self.rows, "row"), (self.users, "user"))]
        entries = self.entries or f"{counted[1]} and {how_many(self.items, 'item')}"
        told = [f"{counted[0]} of {entries}"]
        if self.merged:
            told[0] += f", {self.merged:,} of them with the pair of another row: {self.rule}"
        if renamed:
            by_values = "taken by their values: " if self.first_cells else ""
            told.append(f"{by_values}{', '.join(renamed)}")
        if self.unread:
            unread = [name or "a column without a name" for name in self.unread]
            told.append(f"not read: {enumerated(unread)}")
        if self.meeting:
            told.append(self.meeting)
        second = "; ".join(part for part in (self.values, self.times) if part)
        told_then = f"{second[0].upper()}{second[1:]}." if second else ""
        return f"{self.form}. {'; '.join(told)}.", told_then

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON, without fields that do not apply."""
        found = asdict(self) | {"notes": [note.as_dict() for note in self.notes]}
        # What they were taken for is a note where a threshold depends on it.
        del found["types"], found["given"], found["taken_for"]
        if (more := len(self.unread) - MOST_UNREAD) > 0:
            found["unread"] = (*self.unread[:MOST_UNREAD], f"and {more:,} more")
        return {name: own for name, own in found.items() if own not in ("", (), [], 0, {})}


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def readings_of(*sources: object) -> tuple[ReadingReport, ...]:
    """Return how ratings, runs, splits and other data were read, for those that were read."""
    found = []
    for source in sources:
        found += [getattr(source, "reading", None), *getattr(source, "other_reading", ())]
    return tuple(own for own in found if own is not None)


def are_as_written(*sources: object) -> bool:
    """Tell whether a caller said of some source that its identifiers are right as written."""
    return any(own.given.get("identifiers") == "as-written" for own in readings_of(*sources))


def told_together(reports: Iterable[ReadingReport]) -> list[list[str]]:
    """Return the lines of reports; successive files that were read alike share their lines."""
    return [_lines_of(list(alike)) for _, alike in groupby(reports, ReadingReport._told)]


def _lines_of(alike: Sequence[ReadingReport]) -> list[str]:
    """Return the lines of reports that differ only in their names."""
    names = [Path(report.source).name or report.source for report in alike]
    first, second = alike[0]._told()
    return [f"{enumerated(names, most=60)}: {first}", *([f"  {second}"] if second else [])]


def saved_report(report: ReadingReport) -> dict[str, Any]:
    """Return a report with all its fields as JSON, for :func:`loaded_report`."""
    return asdict(report) | {"notes": [(note.code, str(note)) for note in report.notes]}


def loaded_report(saved: Mapping[str, Any]) -> ReadingReport:
    """Return the report that :func:`saved_report` returned."""
    notes = tuple(Note(*own) for own in saved["notes"])
    lists = {name: tuple(saved.get(name, ())) for name in ("unread", "shape")}
    return ReadingReport(**{**saved, "notes": notes, **lists})
