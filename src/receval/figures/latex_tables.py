# SPDX-License-Identifier: MIT
"""Render tables in LaTeX, with booktabs rules, multi-line headings and page breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import wrap

from receval.figures.escaping import escape_latex, is_set_by_pdflatex
from receval.figures.tables import Column, Table, aligned_rows, to_markdown
from receval.storage.files import write_atomically

PAGE_ROWS = 42
"""Lines of text that fit on a page; a longer table continues on the next page."""

LINE_CHARACTERS = 85
"""Characters of a row that fit on a line in small type; wider tables are set more tightly."""

_OTHER_LETTERS = (
    "% Has letters beyond Latin: compile with lualatex or xelatex, and a font that has them.\n"
)
_LONG_NAME = re.compile(r"\S{20,}")
_PART = re.compile(r"(?<=[A-Za-z])(\.|\\_)(?=[A-Za-z])")

_ALIGNMENT = {"left": "l", "right": "r", "center": "c"}
_RAGGED = {"left": r"\raggedright", "right": r"\raggedleft", "center": r"\centering"}


def to_latex(table: Table) -> str:
    """Render a table in LaTeX; it needs the packages array and booktabs, or longtable if long.

    Formulas may also need amsmath and amssymb. A table with letters that pdflatex cannot print,
    such as a system's Greek name, begins with a comment that says so.
    """
    rows = aligned_rows(table)
    body = [_row([_cell(cell) for cell in row]) for row in rows]
    columns = "".join(_column(column) for column in table.columns)
    head = [r"\toprule", _row(_heads(table, rows)), r"\midrule"]
    caption = [rf"\caption{{{text}}}"] if (text := _caption(table)) else []
    # Standard classes space captions as for figures, where the caption is below.
    space = [r"\par\smallskip"] if caption else []
    label = [rf"\label{{{table.label}}}"] if table.label else []
    notes = [rf"\par\smallskip{{\footnotesize {escape_latex(note)}\par}}" for note in table.notes]
    if _lines(table) > PAGE_ROWS:
        named = ["".join([*caption, *label]) + r" \\"] if caption or label else []
        return _text(
            [r"\begingroup", *_type(table), r"\setlength{\LTcapwidth}{\linewidth}"],
            [rf"\begin{{longtable}}{{{columns}}}", *named, *head, r"\endfirsthead"],
            [*head, r"\endhead", r"\bottomrule", r"\endfoot"],
            [*body, r"\end{longtable}", *notes, r"\endgroup"],
        )
    return _text(
        [r"\begin{table}", r"\centering", *_type(table), *caption, *label, *space],
        [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"],
        [*notes, r"\end{table}"],
    )


def save_table(table: Table, markdown: Path, latex: Path) -> None:
    """Write a table as Markdown and LaTeX, each file in one step, after rendering both."""
    contents = {markdown: to_markdown(table), latex: to_latex(table)}
    for path, content in contents.items():
        write_atomically(path, content)


def _text(*parts: list[str]) -> str:
    text = "\n".join(line for part in parts for line in part) + "\n"
    return text if is_set_by_pdflatex(text) else _OTHER_LETTERS + text


def _caption(table: Table) -> str:
    title, caption = escape_latex(table.title), escape_latex(table.caption)
    stop = "" if not title or title.endswith((".", "?", "!")) else "."
    return " ".join(
        part for part in (rf"\textbf{{{title}{stop}}}" if title else "", caption) if part
    )


def _type(table: Table) -> list[str]:
    """Return the commands for type size and column spacing, smaller for wide tables."""
    if _characters(table, _longest_word, of_texts=0) <= LINE_CHARACTERS:
        return [r"\small"]
    return [r"\footnotesize\setlength{\tabcolsep}{3pt}"]


def _characters(table: Table, head: Callable[[Column], int], of_texts: float) -> float:
    """Return the width of a table in characters, given a function for the width of its headings.

    Columns of text, which have a fixed width, count with a share of it.
    """
    return 2 * len(table.columns) + sum(
        max(head(column), *(_printed_length(row[i]) for row in table.rows), 0)
        if column.width is None
        else of_texts * column.width * LINE_CHARACTERS
        for i, column in enumerate(table.columns)
    )


def _lines(table: Table) -> int:
    """Return the approximate number of lines of text that the rows need."""
    return sum(
        max(
            -(-_printed_length(cell) // max(1, round(LINE_CHARACTERS * (column.width or 1))))
            for column, cell in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    )


def _printed_length(text: str) -> int:
    """Return the number of visible characters: each command of a formula counts as one."""
    return len(re.sub(r"[{}$`^_\\]", "", re.sub(r"\\[a-zA-Z]+", "x", text)))


def _longest_word(column: Column) -> int:
    return max(map(_printed_length, column.header.split()), default=0)


def _heads(table: Table, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the headings, on several lines if one line would make the table too wide."""
    whole = _characters(table, lambda column: _printed_length(column.header), of_texts=1)
    if whole <= LINE_CHARACTERS:
        return [escape_latex(column.header) for column in table.columns]
    return [_broken(column, [row[i] for row in rows]) for i, column in enumerate(table.columns)]


def _broken(column: Column, cells: Sequence[str]) -> str:
    if column.width is not None or "$`" in column.header:
        return escape_latex(column.header)
    longest = max(map(_printed_length, cells), default=0)
    lines = wrap(column.header, max(longest, _longest_word(column)), break_on_hyphens=False)
    if len(lines) < 2:
        return escape_latex(column.header)
    stacked = r" \\ ".join(map(escape_latex, lines))
    return rf"\shortstack[{_ALIGNMENT[column.alignment]}]{{{stacked}}}"


def _cell(text: str) -> str:
    """Return a cell in which long names of the library may be broken at points and underscores."""
    printed = escape_latex(text)
    if "$" in printed:
        return printed
    return _LONG_NAME.sub(lambda name: _PART.sub(r"\1\\allowbreak{}", name[0]), printed)


def _column(column: Column) -> str:
    if column.width is None:
        return _ALIGNMENT[column.alignment]
    # Widths of columns are shares of the text width without the space between columns.
    share = rf"\dimexpr{column.width:g}\linewidth-2\tabcolsep\relax"
    return rf">{{{_RAGGED[column.alignment]}\arraybackslash}}p{{{share}}}"


def _row(cells: list[str]) -> str:
    row = " & ".join(cells)
    # A bracket or an asterisk would be read as an argument of the \\ of the row above.
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\"
