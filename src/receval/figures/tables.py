# SPDX-License-Identifier: MIT
"""Tables of text, and their rendering to Markdown; :mod:`.latex_tables` renders them to LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from receval.figures.escaping import APART, escape_markdown
from receval.figures.printed_numbers import in_text, on_points
from receval.storage.messages import printable

if TYPE_CHECKING:
    import pandas as pd

    from receval.figures.display import DisplayStyle

Alignment = Literal["left", "right", "center"]

LONGEST_CELL = 100
"""Maximum number of characters of a cell; longer lists of numbers are in the CSV."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    header : str
        Its heading.
    alignment : {"left", "right", "center"}
        Left for text, right for numbers.
    width : float or None
        Share of the text width, in 0..1, for long text that LaTeX breaks into lines; None for the
        width of the longest cell.
    """

    header: str
    alignment: Alignment = "left"
    width: float | None = None


@dataclass(frozen=True)
class Table:
    r"""A table to print, in which every cell is text.

    Text is plain, and all its characters are printed; control characters and line breaks become
    escapes. A formula is LaTeX between a dollar with a backquote and a backquote with a dollar, as
    in ``$`E[P_s@n] = \sigma\delta` ``.

    Attributes
    ----------
    title : str
        Short title, such as "Table 2".
    columns : tuple of Column
        At least one.
    rows : tuple of tuple of str
        One cell per column each.
    caption : str
        A sentence that describes the table.
    notes : tuple of str
        Remarks below the table.
    label : str
        LaTeX label for references; none if empty.

    Raises
    ------
    ValueError
        A row has another length, a cell is not text, or a width or label is invalid.

    Examples
    --------
    >>> columns = (Column("System"), Column("P@10", alignment="right"))
    >>> table = Table("Table 1", columns, rows=(("Popularity", ".25"),))
    >>> print(to_markdown(table), end="")
    **Table 1**
    <BLANKLINE>
    | System     | P@10 |
    | ---------- | ---: |
    | Popularity |  .25 |
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    label: str = ""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f'The table "{self.title}" has no columns. Give at least one.')
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f'Row {number} of the table "{self.title}" has {len(row)} cells for '
                    f"{len(self.columns)} columns. Give one for each column, empty if need be."
                )
        headers = (column.header for column in self.columns)
        cells = (cell for row in self.rows for cell in row)
        for text in (self.title, self.caption, *self.notes, *headers, *cells):
            if not isinstance(text, str):
                raise ValueError(
                    f'The table "{self.title}" holds {text!r}, which is no text. Format it first: '
                    "a table prints what it is given."
                )
        for column in self.columns:
            if column.width is not None and not 0 < column.width <= 1:
                raise ValueError(
                    f'The column "{column.header}" of the table "{self.title}" has the width '
                    f"{column.width}: give a share of the text width, above 0 and up to 1."
                )
        if not re.fullmatch(r"[\w:.-]*", self.label):
            raise ValueError(
                f'The label "{self.label}" of the table "{self.title}" may hold letters, digits '
                "and : . - _ alone."
            )
        shown = {
            "title": printable(self.title),
            "columns": tuple(replace(own, header=printable(own.header)) for own in self.columns),
            "rows": tuple(tuple(map(printable, row)) for row in self.rows),
            "caption": printable(self.caption),
            "notes": tuple(map(printable, self.notes)),
        }
        for name, value in shown.items():
            object.__setattr__(self, name, value)


# What :func:`receval.figures.printed_numbers.in_text` returns for 1e-6.
_POWER = r"\$`(?:-?[\d.]+ \\times )?10\^\{-?\d+\}`\$"


def without_marks_in_names(table: Table) -> Table:
    r"""Return a table in which marks of formulas are plain text, except around powers of ten.

    Use it for tables with names that users chose, because LaTeX and Markdown would interpret them
    in a formula.

    Examples
    --------
    >>> table = Table("Names", (Column("System"),), (("$`x`$",),))
    >>> "$`" in without_marks_in_names(table).rows[0][0]
    False
    """

    def plain(text: str) -> str:
        if "$`" not in text:
            return text
        parts = re.split(f"({_POWER})", text)
        return "".join(
            own if number % 2 else own.replace("$`", f"${APART}`")
            for number, own in enumerate(parts)
        )

    found = copy(table)
    shown = {
        "title": plain(table.title),
        "columns": tuple(replace(own, header=plain(own.header)) for own in table.columns),
        "rows": tuple(tuple(map(plain, row)) for row in table.rows),
        "caption": plain(table.caption),
        "notes": tuple(map(plain, table.notes)),
    }
    # Not a new table, which would show the character between the marks as an escape.
    for name, value in shown.items():
        object.__setattr__(found, name, value)
    return found


def printed(
    display: DisplayStyle,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
) -> Table:
    """Return a table with the title and caption of an artifact, and a note on absent datasets.

    Parameters
    ----------
    notes : sequence of str
        Further notes below the table.

    Examples
    --------
    >>> from receval.figures.display import DisplayStyle
    >>> display = DisplayStyle("Table 1", "All systems.", {}, (), {}, {}, "Absent: Netflix.", {})
    >>> table = printed(display, [Column("System")], [["Popularity"], ["WRMF"]])
    >>> table.caption, table.rows, table.notes
    ('All systems.', (('Popularity',), ('WRMF',)), ('Absent: Netflix.',))
    """
    return Table(
        title=display.title,
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        caption=in_text(display.caption),
        notes=(*map(in_text, notes), *([display.absence] if display.absence else [])),
    )


def printed_text(
    display: DisplayStyle, text: pd.DataFrame, widths: Sequence[float | None]
) -> Table:
    """Return a table of text whose headings are the names of the columns.

    Cells of more than :data:`LONGEST_CELL` characters continue in further rows.
    """
    columns = [Column(str(name), width=width) for name, width in zip(text, widths, strict=True)]
    rows = [
        part for row in text.fillna("").astype(str).to_numpy().tolist() for part in continued(row)
    ]
    return printed(display, columns, rows)


def continued(cells: Sequence[str]) -> list[list[str]]:
    """Split a row with long cells into several rows, breaking after commas and semicolons.

    Examples
    --------
    >>> continued(["a", "some words, " * 9 + "the end"])
    [['a', 'some words, some words, ..., some words,'], ['', 'some words, the end']]
    """
    parts = [_broken(cell) for cell in cells]
    return [list(row) for row in zip_longest(*parts, fillvalue="")]


def _broken(cell: str) -> list[str]:
    lines = [""]
    for part in re.split(r"(?<=[,;]) ", cell):
        longer = f"{lines[-1]} {part}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= LONGEST_CELL else [*lines, part]
    return [line for line in lines if line] or [""]


def to_markdown(table: Table) -> str:
    """Render a table in GitHub's Markdown: title, caption, aligned columns, notes.

    tabulate is not used, because it makes each column two characters wider than its heading, and
    accepted tables are compared as text.
    """
    header = [escape_markdown(column.header) for column in table.columns]
    rows = [[escape_markdown(cell) for cell in row] for row in aligned_rows(table)]
    widths = [max(3, *(len(row[i]) for row in (header, *rows))) for i in range(len(header))]
    padded: dict[Alignment, Callable[[str, int], str]] = {
        "left": str.ljust,
        "right": str.rjust,
        "center": str.center,
    }
    rules: dict[Alignment, Callable[[int], str]] = {
        "left": lambda width: "-" * width,
        "right": lambda width: "-" * (width - 1) + ":",
        "center": lambda width: ":" + "-" * (width - 2) + ":",
    }
    aligned = list(zip(table.columns, widths, strict=True))

    def line(cells: list[str]) -> str:
        parts = [
            padded[column.alignment](cell, width)
            for cell, (column, width) in zip(cells, aligned, strict=True)
        ]
        return f"| {' | '.join(parts)} |"

    grid = [line(header), line([rules[column.alignment](width) for column, width in aligned])]
    grid += map(line, rows)
    blocks = [f"**{escape_markdown(table.title)}**" if table.title else ""]
    blocks += [_paragraph(table.caption), "\n".join(grid), *map(_paragraph, table.notes)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def aligned_rows(table: Table) -> list[tuple[str, ...]]:
    """Return the rows with the numbers of each column aligned at the decimal point."""
    cells = list(zip(*table.rows, strict=True))
    columns = zip(table.columns, cells or [()] * len(table.columns), strict=True)
    return list(
        zip(
            *(on_points(own) if column.alignment == "right" else own for column, own in columns),
            strict=True,
        )
    )


def _paragraph(text: str) -> str:
    # At the start of a line, these would begin a numbered list, a heading, a list or a quotation.
    numbered = re.sub(r"^(\d+)([.)])", r"\1\\\2", escape_markdown(text))
    return re.sub(r"^([#+=>-])", r"\\\1", numbered)
