# SPDX-License-Identifier: MIT
"""How a table is to be read, as a person may say it, and how it was read, as receval says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
"""Formats of files by the names that ``format`` has for them, in words."""

UNREAD = "-"
"""Stands for a column that is not to be read, in a list of columns or as the name of one."""


# What is said of a table that cannot be used.


class TableError(ValueError):
    """A table does not hold what was asked for: the message says where, and what to do."""


@dataclass(frozen=True)
class ReadingOptions:
    """What a person says of a table's form; None leaves it to be found.

    Attributes
    ----------
    format : str, optional
        Of the file: :data:`FORMATS`.
    delimiter : str, optional
        Between cells of a text; a single space stands for any white space.
    header : bool, optional
        Whether a text's first line has names.
    columns : tuple of str, optional
        What each column of a text is, from the first: ``user``, ``item`` and so on, and
        :data:`UNREAD` for one that is not to be read. It is for texts without a header.
    encoding : str, optional
        As Python names it, such as ``latin-1``; UTF-8 by default, or what a byte order mark says.
    decimal : {".", ","}, optional
        The mark before the fraction of a number.
    time_unit : {"s", "ms", "us", "ns", "date"}, optional
        Of timestamps that are numbers: seconds and their parts since 1970-01-01 UTC, or dates such
        as 20210503.
    quotes : bool
        Whether quote marks around a cell are not part of it.

    Raises
    ------
    TableError
        There is no such format, decimal mark or unit, or the delimiter is empty.
    """

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    time_unit: TimeUnit | None = None
    quotes: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.columns, list):
            object.__setattr__(self, "columns", tuple(self.columns))
        check_fields(self, "delimiter", "header", "encoding", "quotes")
        for name, known in (
            ("format", tuple(FORMATS)),
            ("decimal", (".", ",")),
            ("time_unit", get_args(TimeUnit)),
        ):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise TableError(
                    f"There is no {name.replace('_', ' ')} {quoted(value)}; there are "
                    f"{enumerated(known)}."
                )
        if isinstance(self.columns, str):
            names = tuple(name.strip() for name in self.columns.split(","))
            object.__setattr__(self, "columns", names)
        if self.delimiter == "":
            raise TableError("The delimiter is empty: say what stands between cells.")


MOST_UNREAD = 100
"""Columns that were not read that JSON names; the others are counted."""

AS_FOUND = ReadingOptions()
"""Nothing is said."""


@dataclass(frozen=True)
class ReadingReport:
    """How a table was read.

    Attributes
    ----------
    source : str
        Where it is from.
    form : str
        What it was read as, and why.
    columns : mapping of str to str
        What the table calls each column that was read.
    unread : tuple of str
        The other columns.
    rows : int
        How many there are, all of which were read.
    merged : int
        How many of them were merged into others of the same pair.
    users, items : int
        Different ones.
    values : str
        Of ratings: their scale, in words.
    times : str
        Of timestamps: their unit and span, in words.
    notes : tuple of Note
        What may be a mistake.
    rule : str
        What became of rows that were merged, in words.
    are_counts : bool
        Whether ratings are counts of plays or the like.

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

    def lines(self) -> list[str]:
        """Return it for a terminal: one line, and one more where there are ratings or times."""
        return _lines_of([self])

    def _told(self) -> tuple[str, str]:
        """Return both lines without the name of the file; the second may be empty."""
        renamed = [
            f"{role} is {shortened(own)}" for role, own in self.columns.items() if role != own
        ]
        counted = [how_many(*own) for own in ((self.rows, "row"), (self.users, "user"))]
        told = [f"{counted[0]} of {counted[1]} and {how_many(self.items, 'item')}"]
        if self.merged:
            told[0] += f", {self.merged:,} of them of pairs that other rows have, too: {self.rule}"
        if renamed:
            told.append(", ".join(renamed))
        if self.unread:
            unread = [name or "a column without a name" for name in self.unread]
            told.append(f"not read: {enumerated(unread)}")
        second = "; ".join(part for part in (self.values, self.times) if part)
        told_then = f"{second[0].upper()}{second[1:]}." if second else ""
        return f"{self.form}. {'; '.join(told)}.", told_then

    def with_note(self, *notes: Note) -> ReadingReport:
        """Return the report with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it, without what does not apply."""
        found = asdict(self) | {"notes": [note.as_dict() for note in self.notes]}
        if (more := len(self.unread) - MOST_UNREAD) > 0:
            found["unread"] = (*self.unread[:MOST_UNREAD], f"and {more:,} more")
        return {name: own for name, own in found.items() if own not in ("", (), [], 0, {})}


def told_together(reports: Iterable[ReadingReport]) -> list[list[str]]:
    """Return the lines of reports; files that follow each other and were read alike share theirs.

    Examples
    --------
    >>> read = [ReadingReport(f"{name}.csv", "text", rows=9, users=5, items=8) for name in "abc"]
    >>> told_together(read)
    [['a.csv, b.csv, c.csv: text. 9 rows of 5 users and 8 items.']]
    """
    return [_lines_of(list(alike)) for _, alike in groupby(reports, ReadingReport._told)]


def _lines_of(alike: Sequence[ReadingReport]) -> list[str]:
    """Return the lines of reports that differ in their names alone."""
    names = [Path(report.source).name or report.source for report in alike]
    first, second = alike[0]._told()
    return [f"{enumerated(names, most=60)}: {first}", *([f"  {second}"] if second else [])]
