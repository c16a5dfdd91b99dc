# SPDX-License-Identifier: MIT
"""Finish a figure: add its legend and notes, settle its layout, and save it as SVG and PDF."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from xml.sax.saxutils import escape

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.ticker import ScalarFormatter

from receval.figures.style import PADDING, figure_style, short_number
from receval.storage.files import write_atomically
from receval.storage.messages import printable

NOTE_SIZE = 6.5
"""Font size of notes and of names in panels, in points."""

NOTE_COLOUR = "#595959"


def legend_below(
    figure: Figure, columns: int | None = None, panels: Iterable[Axes] | None = None
) -> Legend:
    """Put one legend for all panels, or for some, below them, above any note or earlier legend.

    The figure is from :func:`receval.figures.style.new_figure`. The legend has the labels of the
    panels, each once, in the order of their first use, in as many columns as fit by default. A
    ValueError is raised if no series has a label, or the labels are wider than the figure.
    """
    layout = _layout(figure)
    entries: dict[str, Artist] = {}
    for axes in figure.axes if panels is None else panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if not entries:
        raise ValueError("The figure has no labelled series, so there is nothing for a legend.")
    bottom = layout.get()["rect"][1]
    width, height = figure.get_size_inches()
    for count in (columns,) if columns else range(len(entries), 0, -1):
        legend = figure.legend(
            entries.values(),
            entries.keys(),
            ncols=_even_columns(len(entries), count),
            loc="lower center",
            bbox_to_anchor=(0.5, bottom + PADDING / height),
        )
        # The layout does not arrange the legend, so its space is reserved here.
        legend.set_in_layout(False)
        box = legend.get_window_extent()
        if box.width / figure.dpi <= width - 2 * PADDING:
            _reserve(figure, layout, box.height / figure.dpi + 2 * PADDING)
            return legend
        legend.remove()
    raise ValueError(
        f"The legend with the labels {', '.join(entries)} is wider than the figure "
        f"({width:g} in). Shorten the labels, use fewer columns or widen the figure."
    )


def note(figure: Figure, text: str) -> Text:
    """Print a small note at the bottom of a figure, such as "Absent: Netflix (see README)".

    The text is broken into lines that fit the width. Panels, legend and earlier notes move up. This
    function and :func:`legend_below` may be called in any order. The caption names absent datasets
    (:attr:`.DisplayStyle.described`).
    """
    layout = _layout(figure)
    width, height = figure.get_size_inches()
    printed = figure.text(
        PADDING / width,
        PADDING / height,
        "",
        fontsize=NOTE_SIZE,
        color=NOTE_COLOUR,
        ha="left",
        va="bottom",
    )
    printed.set_in_layout(False)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        printed.set_text(longer)
        if lines and printed.get_window_extent().width / figure.dpi <= width - 2 * PADDING:
            lines[-1] = longer
        else:
            lines.append(word)
    printed.set_text("\n".join(lines))
    needed = printed.get_window_extent().height / figure.dpi + PADDING
    for earlier in _notes(figure):
        earlier.set_y(earlier.get_position()[1] + needed / height)
    # The label is not printed: it keeps the unbroken text and identifies the note.
    printed.set_label(text)
    for legend in figure.legends:
        anchor = legend.get_bbox_to_anchor().transformed(figure.transFigure.inverted())
        legend.set_bbox_to_anchor((0.5, anchor.y0 + needed / height), figure.transFigure)
    _reserve(figure, layout, needed)
    return printed


def beside(
    axes: Axes, text: str, place: tuple[float, float], points: tuple[float, float], **style: Any
) -> Annotation:
    """Print a small text some points to the right of a place in a panel and above it.

    The style is that of :meth:`matplotlib.axes.Axes.annotate`.
    """
    style = {"fontsize": NOTE_SIZE, **style}
    return axes.annotate(text, place, xytext=points, textcoords="offset points", **style)


def _notes(figure: Figure) -> list[Text]:
    """Return the texts that :func:`note` has printed; only these have labels."""
    return [text for text in figure.texts if text.get_label()]


def _layout(figure: Figure) -> ConstrainedLayoutEngine:
    layout = figure.get_layout_engine()
    if not isinstance(layout, ConstrainedLayoutEngine):
        raise ValueError(
            "The figure has no constrained layout, so nothing can be put below its panels. Make "
            "it with receval.figures.style.new_figure, and give settle_layout the texts to print."
        )
    return layout


def _reserve(figure: Figure, layout: ConstrainedLayoutEngine, inches: float) -> None:
    """Reserve more space without panels at the bottom of the figure."""
    left, bottom, width, height = layout.get()["rect"]
    share = inches / figure.get_size_inches()[1]
    layout.set(rect=(left, bottom + share, width, height - share))


def _even_columns(entries: int, columns: int) -> int:
    """Return the fewest columns with as few rows: 9 entries in 7 columns become 5 + 4."""
    rows = -(-entries // columns)
    return -(-entries // rows)


class AxisNumbers(ScalarFormatter):
    """Formatter of axis numbers without a zero before the point: 0, .05, .10; -.5, 0, .5, 1.0."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Format a number; see :meth:`matplotlib.ticker.Formatter.__call__`."""
        return short_number(super().__call__(x, pos))


def number_axes(panels: Iterable[Axes]) -> None:
    """Use the common number format on all axes with matplotlib's default formatter."""
    for axes in panels:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(AxisNumbers())


# The layout solver handles its equations in an order that differs between processes, and so do the
# last digits of its solution. A millionth of a figure is far below what is visible.
_DIGITS_OF_POSITIONS = 6


def settle_layout(figure: Figure) -> None:
    """Fix the final layout at rounded positions, with the common number format.

    Nothing that needs space may be added later. Settling a second time changes nothing.
    :func:`save_figure` settles, too; do it earlier if final positions are needed.
    """
    number_axes(figure.axes)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        # Not "none", which leaves an idle engine: with it, saving draws the whole figure twice in
        # each format.
        figure.set_layout_engine(None)
    for axes in figure.axes:
        bounds = axes.get_position(original=True).bounds
        left, bottom, width, height = (round(part, _DIGITS_OF_POSITIONS) for part in bounds)
        axes.set_position((left, bottom, width, height))


def letter_panels(panels: Iterable[Axes]) -> None:
    """Put (a), (b) ... before the titles of panels, unless there is only one."""
    lettered = list(panels)
    if len(lettered) > len(ascii_lowercase):
        raise ValueError(
            f"There are {len(lettered)} panels, more than there are letters to name them."
        )
    if len(lettered) > 1:
        for letter, axes in zip(ascii_lowercase, lettered, strict=False):
            axes.set_title(f"({letter}) {axes.get_title(loc='left')}".rstrip())


def figure_of(axes: Axes) -> Figure:
    """Return the figure of a panel."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def with_legend(panels: Iterable[Axes]) -> Figure:
    """Letter the panels of a figure, put one legend below them, and return the figure."""
    lettered = list(panels)
    letter_panels(lettered)
    figure = figure_of(lettered[0])
    legend_below(figure)
    return figure


def print_heading(figure: Figure, text: str) -> Text:
    """Print a common heading above all panels, in the style of their titles; it needs space.

    It is at the left of the figure. Once the layout is settled, it may be moved to where the panels
    begin.
    """
    return figure.suptitle(
        text,
        x=0,
        ha="left",
        fontsize=rcParams["axes.titlesize"],
        fontweight=rcParams["axes.titleweight"],
    )


# None removes an entry: dates would change with every run, versions with every upgrade.
_SVG_METADATA = {"Date": None, "Creator": None}
_NOT_IN_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_PDF_METADATA = {"CreationDate": None, "Creator": None, "Producer": None}
_LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "MATH", "kern")


def save_figure(figure: Figure, *paths: Path, title: str = "", description: str = "") -> None:
    """Write a figure as SVG or PDF, by the suffix of each path, and each file in one step.

    All are rendered before the first is written, so if a figure cannot be drawn, no file changes.
    Nothing is cropped. Title and description are for screen readers; the files contain but do not
    show them.
    """
    render = {".svg": rendered_svg, ".pdf": rendered_pdf}
    contents = {path: render[path.suffix](figure, title, description) for path in paths}
    for path, content in contents.items():
        write_atomically(path, content)


def rendered_svg(figure: Figure, title: str = "", description: str = "") -> bytes:
    """Return the SVG of a figure, as :func:`save_figure` writes it."""
    with figure_style():
        settle_layout(figure)
        svg = _render(figure, "svg", _SVG_METADATA)
        # Texts are also in XML comments, and XML forbids control characters even there.
        svg = _NOT_IN_XML.sub(lambda found: ascii(found[0].decode())[1:-1].encode(), svg)
        return _described(svg, printable(title, "\n"), printable(description, "\n"))


def rendered_pdf(figure: Figure, title: str = "", description: str = "") -> bytes:
    """Return the PDF of a figure, as :func:`save_figure` writes it."""
    named = {"Title": title or None, "Subject": description or None}
    with figure_style(), _fonts_without_layout():
        settle_layout(figure)
        return _render(figure, "pdf", {**_PDF_METADATA, **named})


@contextmanager
def _fonts_without_layout() -> Iterator[None]:
    """Embed fonts without the tables that say how to set text, which no reader of a PDF uses.

    Decoding these tables would take half of the time of rendering, and matplotlib has no option to
    leave them out.
    """
    from fontTools import subset

    class Options(subset.Options):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.drop_tables += _LAYOUT_TABLES

    usual, subset.Options = subset.Options, Options
    try:
        yield
    finally:
        subset.Options = usual


def _described(svg: bytes, title: str, description: str) -> bytes:
    """Return an SVG with its title and description added."""
    texts = {tag: text for tag, text in (("title", title), ("desc", description)) if text}
    if not texts:
        return svg
    start = re.search(rb"<svg\b[^>]*", svg)
    if start is None:
        raise ValueError("The figure was not rendered as an SVG: it has no <svg> element.")
    elements = "".join(
        f'\n <{tag} id="{tag}">{escape(text)}</{tag}>' for tag, text in texts.items()
    )
    attributes = f' role="img" aria-labelledby="{" ".join(texts)}"'
    end = start.end()
    return svg[:end] + attributes.encode() + svg[end : end + 1] + elements.encode() + svg[end + 1 :]


def borrow_letters(figure: Figure) -> str:
    """Use other fonts of this machine for letters that the style's font lacks.

    The letters that no font has are returned in Unicode order. They are drawn as boxes.
    """
    for axes in figure.axes:
        # Tick labels use these fonts.
        axes.get_xticklabels(), axes.get_yticklabels()
    family, usual = rcParams["font.family"][0], _letters_of(findfont(rcParams["font.family"][0]))
    lacking = {
        text: letters
        for text in figure.findobj(Text)
        if (letters := {letter for letter in text.get_text() if letter.isprintable()} - usual)
    }
    missing, lenders = set().union(*lacking.values()), []
    for font in fontManager.ttflist if missing else ():
        if "Last Resort" not in font.name and missing & (own := _letters_of(font.fname)):
            lenders.append(font.name)
            missing -= own
    for text in lacking:
        text.set_fontfamily([family, *lenders])
    return "".join(sorted(missing))


@cache
def _letters_of(path: str) -> frozenset[str]:
    """Return the letters that a font can draw."""
    return frozenset(map(chr, FT2Font(path).get_charmap()))


def _render(figure: Figure, format_name: str, metadata: Mapping[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=format_name, metadata=metadata)
    return buffer.getvalue()
