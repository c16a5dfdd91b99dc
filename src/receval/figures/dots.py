"""Scatter plots of thousands of dots."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

RESOLUTION = 300
"""Dots an inch of what is not drawn as vectors."""


def dots(
    axes: Axes, x: ArrayLike, y: ArrayLike, colour: str, label: str | None = None, size: float = 1.6
) -> None:
    """Draw one dot a point, overlaps darker than single dots.

    They are drawn as one picture within the vector figure: thousands of vector dots make a file
    that is slow to open, and as large as all others of a study together.

    Parameters
    ----------
    axes : Axes
        The panel. Its figure gets the resolution of print.
    x, y : array_like of float, shape (n,)
    colour : str
    label : str, optional
        Name in the legend.
    size : float
        Diameter of a dot in points.
    """
    axes.figure.set_dpi(RESOLUTION)
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="o",
        markersize=size,
        markeredgewidth=0,
        color=colour,
        alpha=0.5,
        label=label,
        rasterized=True,
    )
