"""Saving a figure as SVG and PDF whose bytes depend on what it shows alone."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.figure import Figure

from receval.figures.style import figure_style
from receval.provenance.atomic import write_atomically

# None removes an entry: dates change every run, program versions every upgrade.
_SVG_METADATA = {"Date": None, "Creator": None}
_PDF_METADATA = {"CreationDate": None, "Creator": None, "Producer": None}

# The solver of the layout meets its equations in an order that differs from process to process, and
# so do the last digits of its solution; a millionth of a figure is far below what can be seen.
_DIGITS_OF_POSITIONS = 6


def save_figure(figure: Figure, svg: Path, pdf: Path) -> None:
    """Write a figure in both formats, each in one step.

    Both are rendered before the first is written, so a figure that cannot be drawn leaves both
    files as they were. The size is that of the figure: nothing is cropped.

    Parameters
    ----------
    figure : Figure
        Made inside :func:`receval.figures.style.figure_style`.
    svg, pdf : Path
        Targets; folders are made when missing.
    """
    with figure_style():
        _settle(figure)
        contents = {
            svg: _render(figure, "svg", _SVG_METADATA),
            pdf: _render(figure, "pdf", _PDF_METADATA),
        }
    for path, content in contents.items():
        write_atomically(path, content)


def _settle(figure: Figure) -> None:
    """Lay the panels out for good, at rounded positions."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        bounds = axes.get_position(original=True).bounds
        left, bottom, width, height = (round(part, _DIGITS_OF_POSITIONS) for part in bounds)
        axes.set_position((left, bottom, width, height))


def _render(figure: Figure, format_name: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=format_name, metadata=metadata)
    return buffer.getvalue()
