"""Saving a figure as SVG and PDF whose bytes depend on what it shows alone."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.figure import Figure

from receval.figures.layout import settle_layout
from receval.figures.style import figure_style
from receval.storage.atomic import write_atomically

# None removes an entry: dates change every run, program versions every upgrade.
_SVG_METADATA = {"Date": None, "Creator": None}
_PDF_METADATA = {"CreationDate": None, "Creator": None, "Producer": None}


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
        settle_layout(figure)
        contents = {
            svg: _render(figure, "svg", _SVG_METADATA),
            pdf: _render(figure, "pdf", _PDF_METADATA),
        }
    for path, content in contents.items():
        write_atomically(path, content)


def _render(figure: Figure, format_name: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=format_name, metadata=metadata)
    return buffer.getvalue()
