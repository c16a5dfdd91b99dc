# SPDX-License-Identifier: MIT
"""What reports are made of: tables, figures and texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.figure import Figure

from receval.figures.finish import borrow_letters, rendered_svg
from receval.figures.style import figure_style
from receval.figures.tables import Table, without_marks_in_names
from receval.notes import Note
from receval.storage.messages import shortened


@dataclass(frozen=True)
class ReportTable:
    """A table of a report.

    Attributes
    ----------
    name : str
        Of its files, without an end.
    table : Table
        As it is printed.
    """

    name: str
    table: Table

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", without_marks_in_names(self.table))


@dataclass(frozen=True)
class ReportFigure:
    """A figure of a report.

    Attributes
    ----------
    name : str
        Of its file, without an end.
    svg : str
    caption : str
        A sentence on what it shows.
    """

    name: str
    svg: str
    caption: str

    @classmethod
    def drawn(cls, name: str, draw: Callable[[], Figure], caption: str) -> ReportPart:
        """Return what a function draws, in the style of all figures, or why it could not.

        Parameters
        ----------
        name : str
        draw : callable
            It is called inside :func:`receval.figures.style.figure_style`.
        caption : str

        Returns
        -------
        ReportFigure or ReportText
            What cannot be drawn is a text with a note: tables and data do without the figure.
        """
        try:
            # A dollar in a name is text.
            with figure_style(), rc_context({"text.parse_math": False}):
                figure = draw()
                if lacking := borrow_letters(figure):
                    caption += f" Boxes stand for letters that no font here has: {lacking[:20]}."
            with warnings.catch_warnings():
                # The caption says it.
                warnings.filterwarnings("ignore", message="Glyph .* missing from font")
                svg = rendered_svg(figure, title=caption).decode()
            return cls(name, svg, caption)
        except Exception as error:
            # Whatever data makes a figure impossible, the results beside it are right.
            told = shortened(str(error), 200)
            text = f"The figure {name} could not be drawn, and is left out: {told}"
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
        Those of the report besides.
    """

    heading: str
    paragraphs: tuple[str, ...]
    notes: tuple[Note, ...] = ()


ReportPart = ReportTable | ReportFigure | ReportText
