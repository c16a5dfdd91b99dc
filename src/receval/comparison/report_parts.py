# SPDX-License-Identifier: MIT
"""What reports are made of: tables, figures and texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from receval.figures.finish import rendered_svg
from receval.figures.style import figure_style
from receval.figures.tables import Table


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
    def drawn(cls, name: str, draw: Callable[[], Figure], caption: str) -> ReportFigure:
        """Return what a function draws, in the style of all figures.

        Parameters
        ----------
        name : str
        draw : callable
            It is called inside :func:`receval.figures.style.figure_style`.
        caption : str
        """
        with figure_style():
            figure = draw()
        return cls(name, rendered_svg(figure, title=caption).decode(), caption)


@dataclass(frozen=True)
class ReportText:
    """Paragraphs of a report under a heading.

    Attributes
    ----------
    heading : str
    paragraphs : tuple of str
        Plain text.
    """

    heading: str
    paragraphs: tuple[str, ...]


ReportPart = ReportTable | ReportFigure | ReportText
