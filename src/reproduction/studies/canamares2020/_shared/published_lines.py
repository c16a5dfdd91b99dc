# SPDX-License-Identifier: MIT
"""What the paper's text says of a figure, from the parameters of its artifact."""

from __future__ import annotations

from matplotlib.axes import Axes

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.figures.published_marks import LABEL_SIZE, PUBLISHED_GREY


def paper_says(display: DisplayStyle) -> dict[str, list[list[str]]]:
    """Return what the parameter ``paper`` says of each dataset.

    Each of its entries is the name of a dataset and, after spaces, further words, such as
    ``ml-1m 0.5``; what they are is said by the artifact's ``draw``. There may be none: twins have
    no paper.
    """
    said: dict[str, list[list[str]]] = {}
    for entry in display.parameters.get("paper", ()):
        dataset, *words = str(entry).split()
        said.setdefault(dataset, []).append(words)
    return said


def draw_limit(axes: Axes, x: float, before: str, beyond: str) -> None:
    """Draw an upright grey line where the paper's finding changes, and words on both sides."""
    axes.axvline(x, color=PUBLISHED_GREY, linewidth=0.7, linestyle=(0, (1, 1.5)), zorder=1.5)
    for words, shift, align in ((before, -3, "right"), (beyond, 3, "left")):
        axes.annotate(
            words,
            (x, 0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(shift, 3),
            textcoords="offset points",
            ha=align,
            va="bottom",
            fontsize=LABEL_SIZE,
            color=PUBLISHED_GREY,
        )
