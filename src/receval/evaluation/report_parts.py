# SPDX-License-Identifier: MIT
"""The parts of reports: tables, figures and texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from matplotlib import rc_context
from matplotlib.figure import Figure

from receval.figures.finish import borrow_letters, rendered_svg
from receval.figures.latex_tables import to_latex
from receval.figures.style import figure_style
from receval.figures.tables import Table, to_markdown, without_marks_in_names
from receval.notes import Note
from receval.storage.messages import shortened

LONGEST_SHOWN = 200
"""The most characters of a cell in a report."""


@dataclass(frozen=True)
class ReportTable:
    """A table of a report.

    Attributes
    ----------
    name : str
        The name of its files, without extension.
    table : Table
        The printed form. Cells of more than :data:`LONGEST_SHOWN` characters are shortened in the
        middle; the data files are complete.
    """

    name: str
    table: Table

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(_short, row)) for row in self.table.rows)
        columns = tuple(replace(own, header=_short(own.header)) for own in self.table.columns)
        object.__setattr__(self, "table", replace(self.table, rows=rows, columns=columns))

    @property
    def files(self) -> dict[str, str]:
        """The contents of its files by name, without formats that cannot be rendered."""
        return {name: text for name, text in self._rendered.items() if not isinstance(text, Note)}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on files that were left out, with the reason."""
        return tuple(text for text in self._rendered.values() if isinstance(text, Note))

    @cached_property
    def _rendered(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for end, render in ((".md", to_markdown), (".tex", to_latex)):
            name = f"{self.name}{end}"
            try:
                found[name] = render(without_marks_in_names(self.table))
            except Exception as error:
                # If one format fails, the other formats and the data are still right.
                found[name] = Note("no-table", _left_out(f"The table {name}", "written", error))
        return found


@dataclass(frozen=True)
class ReportFigure:
    """A figure of a report.

    Attributes
    ----------
    name : str
        The name of its file, without extension.
    svg : str
    caption : str
        A sentence on what it shows.
    """

    name: str
    svg: str
    caption: str

    @property
    def files(self) -> dict[str, str]:
        """The content of its file by name."""
        return {f"{self.name}.svg": self.svg}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Always empty: a figure that cannot be drawn becomes a text."""
        return ()

    @classmethod
    def drawn(cls, name: str, draw: Callable[[], Figure], caption: str) -> ReportPart:
        """Draw a figure in the common style, or return a text on why it cannot be drawn.

        Returns
        -------
        ReportFigure or ReportText
            A text with a note if drawing fails, since tables and data do not need the figure.
        """
        try:
            # A dollar sign in a name is not a formula.
            with figure_style(), rc_context({"text.parse_math": False}):
                figure = draw()
                if lacking := borrow_letters(figure):
                    caption += f" Boxes stand for letters that no font here has: {lacking[:20]}."
            with warnings.catch_warnings():
                # The caption mentions this.
                warnings.filterwarnings("ignore", message="Glyph .* missing from font")
                svg = rendered_svg(figure, title=caption).decode()
            return cls(name, svg, caption)
        except Exception as error:
            # Even if a figure cannot be drawn, the other results are right.
            text = _left_out(f"The figure {name}", "drawn", error)
            return ReportText("A figure left out", (caption, text), (Note("no-figure", text),))


@dataclass(frozen=True)
class ReportText:
    """Paragraphs of a report under a heading.

    Attributes
    ----------
    heading : str
    paragraphs : tuple of str
        Plain text.
    notes : tuple of Note
        Additional notes for the report.
    """

    heading: str
    paragraphs: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @property
    def files(self) -> dict[str, str]:
        """Always empty: a text has no file."""
        return {}


def _left_out(part: str, made: str, error: Exception) -> str:
    reason = shortened(str(error).strip() or type(error).__name__, 200)
    return f"{part} could not be {made}, and is left out: {reason}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else shortened(text, LONGEST_SHOWN, middle=True)


ReportPart = ReportTable | ReportFigure | ReportText
