"""Fixing the layout of a figure, for what is placed by where the panels are."""

from __future__ import annotations

from matplotlib.figure import Figure

# The solver of the layout meets its equations in an order that differs from process to process, and
# so do the last digits of its solution; a millionth of a figure is far below what can be seen.
_DIGITS_OF_POSITIONS = 6


def settle_layout(figure: Figure) -> None:
    """Lay the panels out for good, at rounded positions.

    Nothing that takes room may be added later. Settling a second time changes nothing.
    """
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        # Not "none", which leaves an engine that does nothing: saving would draw all of the figure
        # twice for its sake, in each format.
        figure.set_layout_engine(None)
    for axes in figure.axes:
        bounds = axes.get_position(original=True).bounds
        left, bottom, width, height = (round(part, _DIGITS_OF_POSITIONS) for part in bounds)
        axes.set_position((left, bottom, width, height))
