# SPDX-License-Identifier: MIT
"""Tables of text, and their rendering to Markdown and LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from receval.figures.printed_numbers import by_parts, in_text, on_points
from receval.storage.files import write_atomically
from receval.storage.messages import printable

if TYPE_CHECKING:
    import pandas as pd

    from receval.figures.display import DisplayStyle

# Plain text with marked formulas, escaped for Markdown and LaTeX.

APART = "\u200b"
"""Invisible character that breaks up what would be a formula mark or a dash; names have none."""

# Underscores within words, "<" before a space, and ampersands that begin no entity are harmless.
_MARKDOWN = re.compile(r"([\\`*\[\]|~$]|<(?! )|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;))")

_OPENING = re.compile(r'(?<![^\s(])"(?=\S)')
"""A straight quotation mark at the start of a word."""

_RAISED = [rf"\textsuperscript{{{digit}}}" for digit in "0456789"]
"""Raised digits beyond Latin; one, two and three are Latin characters."""

_LATEX = str.maketrans(
    {
        APART: "{}",
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "$": r"\$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        "`": r"\textasciigrave{}",
        "\u00a0": "~",
        "\u2013": "--",
        "\u2014": "---",
        "\u2018": "`",
        "\u2019": "'",
        "\u201c": "``",
        "\u201d": "''",
        "\u2026": r"\ldots{}",
        "\u2212": "$-$",
        "\u00d7": r"$\times$",
        "\u00f7": r"$\div$",
        "\u00b1": r"$\pm$",
        "\u00b7": r"$\cdot$",
        "\u2264": r"$\leq$",
        "\u2265": r"$\geq$",
        "\u2260": r"$\neq$",
        "\u2248": r"$\approx$",
        "\u221e": r"$\infty$",
        "\u2192": r"$\rightarrow$",
        "\u2190": r"$\leftarrow$",
        "\u2193": r"$\downarrow$",
        "\u2020": r"\dag{}",
        "\u2007": r"\phantom{0}",
        "\u2008": r"\phantom{.}",
        "\u03c4": r"$\tau$",
        "\u207b": r"\textsuperscript{$-$}",
        **dict(zip("\u2070\u2074\u2075\u2076\u2077\u2078\u2079", _RAISED, strict=True)),
    }
)


def escape_markdown(text: str, *, in_cell: bool = False) -> str:
    """Escape text so that GitHub's Markdown prints it unchanged, in a paragraph or in a cell.

    A formula keeps its marks (``$`` and a backquote), so that GitHub typesets it. Its bars are
    escaped in a cell alone: Markdown splits tables into cells first, and in a paragraph an escaped
    bar would be TeX's double bar.
    """
    return by_parts(
        text,
        plain=lambda part: _MARKDOWN.sub(r"\\\1", part).replace(APART, ""),
        formula=lambda part: part.replace("|", r"\|") if in_cell else part,
    )


def escape_latex(text: str) -> str:
    """Escape text so that LaTeX prints it unchanged; formulas become inline mathematics.

    Characters without a LaTeX command do not change; :func:`is_set_by_pdflatex` tells whether
    pdflatex can print them.
    """
    return by_parts(
        text,
        # LaTeX turns hyphens into dashes unless something empty separates them.
        plain=lambda part: _OPENING.sub("\u201c", re.sub("-(?=-)", f"-{APART}", part)).translate(
            _LATEX
        ),
        formula=lambda part: f"${part[2:-2]}$",
    )


def is_set_by_pdflatex(text: str) -> bool:
    """Tell whether pdflatex can print all letters of a LaTeX text: ASCII and other Latin letters.

    Others, such as Greek and Chinese letters, need lualatex or xelatex, and a suitable font.
    """
    return text.isascii() or all(
        character.isascii() or unicodedata.name(character, "").startswith("LATIN ")
        for character in text
    )


Alignment = Literal["left", "right", "center"]

LONGEST_CELL = 100
"""Maximum number of characters of a cell; longer lists of numbers are in the CSV."""


@dataclass(frozen=True)
class Column:
    """One column: heading, alignment (left for text, right for numbers), and width.

    The width is a share of the text width, in 0..1, for long text that LaTeX breaks into lines;
    None is the width of the longest cell.
    """

    header: str
    alignment: Alignment = "left"
    width: float | None = None


@dataclass(frozen=True)
class CellStyle:
    """How LaTeX prints a cell: in bold, and with its last characters raised as a superscript."""

    is_bold: bool = False
    raised: int = 0


@dataclass(frozen=True)
class Table:
    r"""A table to print, in which every cell is text, with one cell per column in each row.

    Text is plain, and all its characters are printed; control characters and line breaks become
    escapes. A formula is LaTeX between a dollar with a backquote and a backquote with a dollar, as
    in ``$`E[P_s@n] = \sigma\delta` ``. Notes are printed below the table. The label is for
    references in LaTeX; none if empty. Styles are of cells by row and column, for LaTeX alone.

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
    styles: Mapping[tuple[int, int], CellStyle] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f'The table "{self.title}" has no columns. Give at least one.')
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f'Row {number} of the table "{self.title}" has {len(row)} cells for '
                    f"{len(self.columns)} columns. Give one cell per column, empty if necessary."
                )
        headers = (column.header for column in self.columns)
        cells = (cell for row in self.rows for cell in row)
        for text in (self.title, self.caption, *self.notes, *headers, *cells):
            if not isinstance(text, str):
                raise ValueError(
                    f'The table "{self.title}" holds {text!r}, which is not a text. Format it '
                    "first: a table prints what it is given."
                )
        for column in self.columns:
            if column.width is not None and not 0 < column.width <= 1:
                raise ValueError(
                    f'The column "{column.header}" of the table "{self.title}" has the width '
                    f"{column.width}. Give a share of the text width, above 0 and at most 1."
                )
        if not re.fullmatch(r"[\w:.-]*", self.label):
            raise ValueError(
                f'The label "{self.label}" of the table "{self.title}" may contain only letters, '
                "digits, colons, dots, hyphens and underscores."
            )
        self._change_texts(printable)

    def _change_texts(self, change: Callable[[str], str]) -> None:
        changed = {
            "title": change(self.title),
            "columns": tuple(replace(own, header=change(own.header)) for own in self.columns),
            "rows": tuple(tuple(map(change, row)) for row in self.rows),
            "caption": change(self.caption),
            "notes": tuple(map(change, self.notes)),
        }
        for name, value in changed.items():
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

    # Not a new table, which would show the character between the marks as an escape.
    found = copy(table)
    found._change_texts(plain)
    return found


def table_of(
    frame: pd.DataFrame,
    columns: Mapping[str, tuple[str, Callable[[Any], str]]],
    title: str,
    caption: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """Return a table of a frame, given the column of the frame and its format for each heading.

    Columns whose format is ``str`` are text, and the others numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"system": ["Pop"], "p": [0.25]})
    >>> table = table_of(frame, {"System": ("system", str), "p": ("p", "{:.2f}".format)}, "Table")
    >>> table.rows, [column.alignment for column in table.columns]
    ((('Pop', '0.25'),), ['left', 'right'])
    """
    cells = [map(text_of, frame[name]) for name, text_of in columns.values()]
    heads = (
        Column(head, "left" if text_of is str else "right")
        for head, (_, text_of) in columns.items()
    )
    return Table(title, tuple(heads), tuple(zip(*cells, strict=True)), caption, tuple(notes))


def printed(
    display: DisplayStyle,
    texts: Sequence[str | Column],
    numbers: Sequence[str | Column],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
) -> Table:
    """Return a table with the title and caption of an artifact, and a note on absent datasets.

    Columns of texts come first. A heading alone is enough for a column without a width.

    Examples
    --------
    >>> from receval.figures.display import DisplayStyle
    >>> display = DisplayStyle("Table 1", "All systems.", {}, (), {}, {}, "Absent: Netflix.", {})
    >>> table = printed(display, ["System"], ["P@10"], [["Popularity", ".1"], ["WRMF", ".2"]])
    >>> table.caption, table.rows, table.notes
    ('All systems.', (('Popularity', '.1'), ('WRMF', '.2')), ('Absent: Netflix.',))
    >>> [column.alignment for column in table.columns]
    ['left', 'right']
    """
    columns = [head if isinstance(head, Column) else Column(head) for head in texts]
    columns += [head if isinstance(head, Column) else Column(head, "right") for head in numbers]
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
    return printed(display, columns, (), rows)


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
    header = [escape_markdown(column.header, in_cell=True) for column in table.columns]
    rows = [[escape_markdown(cell, in_cell=True) for cell in row] for row in aligned_rows(table)]
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


# LaTeX, with booktabs rules, multi-line headings and page breaks.

PAGE_ROWS = 42
"""Lines of text that fit on a page; a longer table continues on the next page."""

LINE_CHARACTERS = 85
"""Characters of a row that fit on a line in small type; wider tables are set more tightly."""

_TIGHT_CHARACTERS = 120
"""Characters of a row that fit in the type of footnotes; wider tables have that of subscripts."""

_OTHER_LETTERS = (
    "% Has letters beyond Latin: compile with lualatex or xelatex, and a font that has them.\n"
)
_LONG_NAME = re.compile(r"\S{20,}")
_PART = re.compile(r"(?<=[A-Za-z])(\.|\\_)(?=[A-Za-z])")

_ALIGNMENT = {"left": "l", "right": "r", "center": "c"}
_RAGGED = {"left": r"\raggedright", "right": r"\raggedleft", "center": r"\centering"}


_FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(table: Table, *, two_columns: bool = False, names_packages: bool = False) -> str:
    """Render a table in LaTeX; it needs the packages array and booktabs, or longtable if long.

    Formulas may also need amsmath and amssymb. A table with letters that pdflatex cannot print,
    such as a system's Greek name, begins with a comment that says so; and with one that names the
    packages, if asked for. With two columns, the table spans both columns of a page (``table*``);
    it is then never broken across pages, because longtable cannot be in two columns. A table that
    names its packages is scaled down where a column of text is narrower.
    """
    rows = aligned_rows(table)
    body = _body(table, rows)
    columns = "".join(_column(column) for column in table.columns)
    is_long = _lines(table) > PAGE_ROWS
    # Only LaTeX knows how wide a column is, and labels of metrics can be broken in few places.
    fits = names_packages and (two_columns or not is_long)
    line = LINE_CHARACTERS // (1 if two_columns or not fits else 2)
    heads = _heads(table, rows, line, are_labels_broken=fits)
    head = [r"\toprule", _row(heads), r"\midrule"]
    caption = [rf"\caption{{{text}}}"] if (text := _caption(table)) else []
    # Standard classes space captions as for figures, where the caption is below.
    space = [r"\par\smallskip"] if caption else []
    label = [rf"\label{{{table.label}}}"] if table.label else []
    notes = [rf"\par\smallskip{{\footnotesize {escape_latex(note)}\par}}" for note in table.notes]
    packages = ["booktabs"]
    packages += ["array"] * any(column.width is not None for column in table.columns)
    packages += ["longtable"] * (is_long and not two_columns)
    packages += ["graphicx"] * fits
    told = [rf"% Needs \usepackage{{{','.join(sorted(packages))}}}."] if names_packages else []
    if is_long and two_columns:
        told.append(f"% Its {len(rows)} rows may not fit on a page: then divide the table.")
    if fits and not two_columns and _characters(table, _longest_word, 0) > _TIGHT_CHARACTERS:
        told.append("% It is too wide for a narrow column: then set two_columns=True.")
    if is_long and not two_columns:
        named = ["".join([*caption, *label]) + r" \\"] if caption or label else []
        return _text(
            told,
            [r"\begingroup", *_type(table), r"\setlength{\LTcapwidth}{\linewidth}"],
            [rf"\begin{{longtable}}{{{columns}}}", *named, *head, r"\endfirsthead"],
            [*head, r"\endhead", r"\bottomrule", r"\endfoot"],
            [*body, r"\end{longtable}", *notes, r"\endgroup"],
        )
    environment = "table*" if two_columns else "table"
    tabular = [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    if fits:
        tabular = [_FITTING, *tabular[:-1], tabular[-1] + "}"]
    return _text(
        [
            *told,
            rf"\begin{{{environment}}}",
            r"\centering",
            *_type(table),
            *caption,
            *label,
            *space,
        ],
        tabular,
        [*notes, rf"\end{{{environment}}}"],
    )


def _body(table: Table, rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows, with superscripts of a column in boxes of the same width."""
    widest: dict[int, str] = {}
    for (row, column), style in sorted(table.styles.items()):
        raised = rows[row][column][len(rows[row][column]) - style.raised :]
        widest[column] = max(widest.get(column, ""), raised, key=len)
    nothing = CellStyle()
    return [
        _row(
            [
                _styled(cell, table.styles.get((number, column), nothing), widest.get(column, ""))
                for column, cell in enumerate(row)
            ]
        )
        for number, row in enumerate(rows)
    ]


def _styled(text: str, style: CellStyle, widest: str) -> str:
    """Return a cell in bold or with a superscript, which takes as much space as the widest."""
    end = len(text) - style.raised
    printed = _cell(text[:end])
    if style.is_bold:
        printed = rf"\textbf{{{printed}}}"
    if not widest:
        return printed
    own, space = (escape_latex(letters) for letters in (text[end:], widest))
    if len(text) - end == len(widest):
        return rf"{printed}\textsuperscript{{{own}}}"
    raised = rf"\rlap{{\textsuperscript{{{own}}}}}" if own else ""
    return rf"{printed}{raised}\phantom{{\textsuperscript{{{space}}}}}"


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
    characters = _characters(table, _longest_word, of_texts=0)
    if characters <= LINE_CHARACTERS:
        return [r"\small"]
    if characters <= _TIGHT_CHARACTERS:
        return [r"\footnotesize\setlength{\tabcolsep}{3pt}"]
    return [r"\scriptsize\setlength{\tabcolsep}{2pt}"]


def _characters(table: Table, head: Callable[[Column], int], of_texts: float) -> float:
    """Return the width of a table in characters, of which columns of text count with a share."""
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


_LABEL = 10
"""Characters of a label that stay on a line, at least."""


def _heads(
    table: Table, rows: Sequence[Sequence[str]], line: int, *, are_labels_broken: bool
) -> list[str]:
    """Return the headings, on several lines if the table would be wider than a line."""
    whole = _characters(table, lambda column: _printed_length(column.header), of_texts=1)
    if whole <= line:
        return [escape_latex(column.header) for column in table.columns]
    return [
        _broken_head(column, [row[i] for row in rows], is_label_broken=are_labels_broken)
        for i, column in enumerate(table.columns)
    ]


def _broken_head(column: Column, cells: Sequence[str], *, is_label_broken: bool) -> str:
    """Return a heading on several lines, broken at spaces, or a label before its parameters."""
    if column.width is not None or "$`" in column.header:
        return escape_latex(column.header)
    longest = max(map(_printed_length, cells), default=0)
    label, _, sign = column.header.partition(" ")
    lines = _lines_of_label(label, max(longest, _LABEL)) if is_label_broken else []
    if sign.startswith(("↓", "→")) and len(lines) > 1:
        lines.append(sign)
    elif sign or not lines:
        lines = wrap(column.header, max(longest, _longest_word(column)), break_on_hyphens=False)
    if len(lines) < 2:
        return escape_latex(column.header)
    stacked = r" \\ ".join(map(escape_latex, lines))
    return rf"\shortstack[{_ALIGNMENT[column.alignment]}]{{{stacked}}}"


def _lines_of_label(label: str, width: int) -> list[str]:
    """Divide a label before its brackets and signs and behind commas and hyphens.

    Examples
    --------
    >>> _lines_of_label("nDCG(gain=exp-steps,ideal=all)@10", 7)
    ['nDCG', '(gain=', 'exp-', 'steps,', 'ideal=', 'all)@10']
    """
    parts = [part for part in re.split(r"(?=[(@])|(?<=[,=-])", label) if part]
    width = max([width, *map(len, parts)])
    lines: list[str] = []
    for part in parts:
        is_next = not lines or part[0] == "(" or lines[-1][-1] == ","
        if is_next or len(lines[-1] + part) > width:
            lines.append(part)
        else:
            lines[-1] += part
    return lines


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
