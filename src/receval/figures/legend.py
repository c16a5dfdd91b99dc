"""What stands below the panels of a figure: one legend for all of them, and a note."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

from receval.figures.style import PADDING

NOTE_SIZE = 6.5
"""Font size of a note, in points."""

NOTE_COLOUR = "#595959"


def legend_below(figure: Figure, columns: int | None = None) -> Legend:
    """Put one legend for all panels below them, above the note if there is one.

    Parameters
    ----------
    figure : Figure
        From :func:`receval.figures.style.new_figure`. Its series are collected from all panels,
        each label once, in the order of their first use.
    columns : int, optional
        Columns of the legend; by default as many as the width of the figure holds.

    Raises
    ------
    ValueError
        Where no series has a label, or the labels are wider than the figure.
    """
    layout = _layout(figure)
    entries: dict[str, Artist] = {}
    for axes in figure.axes:
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
        # Not part of what the layout arranges: its room is reserved here.
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
    """Print a small remark at the foot of a figure, such as "Absent: Netflix (see README)".

    The text is broken into lines that fit the width. Panels and legend move up; the order of
    the calls of this function and :func:`legend_below` does not matter. One note per figure.
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
    for legend in figure.legends:
        anchor = legend.get_bbox_to_anchor().transformed(figure.transFigure.inverted())
        legend.set_bbox_to_anchor((0.5, anchor.y0 + needed / height), figure.transFigure)
    _reserve(figure, layout, needed)
    return printed


def _layout(figure: Figure) -> ConstrainedLayoutEngine:
    layout = figure.get_layout_engine()
    if not isinstance(layout, ConstrainedLayoutEngine):
        raise ValueError(
            "The figure has no constrained layout, so nothing can be put below its panels. Make "
            "it with receval.figures.style.new_figure."
        )
    return layout


def _reserve(figure: Figure, layout: ConstrainedLayoutEngine, inches: float) -> None:
    """Keep some more of the bottom of the figure free of panels."""
    left, bottom, width, height = layout.get()["rect"]
    share = inches / figure.get_size_inches()[1]
    layout.set(rect=(left, bottom + share, width, height - share))


def _even_columns(entries: int, columns: int) -> int:
    """Return the fewest columns that need no more rows: nine entries in 7 columns make 5 + 4."""
    rows = -(-entries // columns)
    return -(-entries // rows)
