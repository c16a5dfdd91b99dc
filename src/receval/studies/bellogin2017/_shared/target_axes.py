"""The x axes of curves over removed test ratings and over sizes of target sets."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from receval.figures.curves import plain_numbers

MARGIN = 0.04
"""Free share of an axis at each end, for the markers there to be whole."""


def removed_axis(axes: Axes) -> None:
    """Make the x axis, on which curves are drawn already, one of shares of test ratings removed."""
    axes.margins(x=MARGIN)
    axes.xaxis.set_major_locator(MultipleLocator(20))
    axes.set_xlabel("Test ratings removed (%)")


def size_axis(axes: Axes) -> None:
    """Make the x axis, on which curves are drawn already, one of target set sizes."""
    axes.margins(x=MARGIN)
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(MultipleLocator(200 if high - low > 500 else 100))
    plain_numbers(axes.xaxis)
    axes.set_xlabel("Target items per list, $|T_u|$")
