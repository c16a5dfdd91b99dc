# SPDX-License-Identifier: MIT
"""Draw published values beside ours: hollow grey marks, thin grey lines, and their labels."""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes

PUBLISHED_GREY = "#6b6b6b"
"""Colour of everything that comes from a paper."""

LABEL_SIZE = 6.0
"""Font size of its label, in points."""

_MARK = 4.5
_DISTANCE = 4.5
_SIDES = {
    "right": (1, 0, "left", "center"),
    "above": (0, 1, "center", "bottom"),
    "above right": (1, 1.8, "left", "bottom"),
}


def published_mark(
    axes: Axes,
    x: float,
    y: float,
    label: str = "paper",
    *,
    side: Literal["right", "above", "above right"] = "right",
) -> None:
    """Mark a published value with a labelled hollow grey diamond.

    The panel's limits do not change, so the value must lie within them.
    """
    axes.plot(
        [x],
        [y],
        marker="D",
        markersize=_MARK,
        markerfacecolor="white",
        markeredgecolor=PUBLISHED_GREY,
        markeredgewidth=0.8,
        linestyle="none",
        clip_on=False,
        zorder=5,
        scalex=False,
        scaley=False,
    )
    across, up, ha, va = _SIDES[side]
    axes.annotate(
        label,
        (x, y),
        xytext=(across * _DISTANCE, up * _DISTANCE),
        textcoords="offset points",
        ha=ha,
        va=va,
        fontsize=LABEL_SIZE,
        color=PUBLISHED_GREY,
    )


def published_line(
    axes: Axes, x: tuple[float, float], y: tuple[float, float], label: str = "paper"
) -> None:
    """Draw a published straight line in thin grey, with its label above its right end."""
    axes.plot(x, y, color=PUBLISHED_GREY, linewidth=0.7, linestyle=(0, (1, 1.5)))
    axes.annotate(
        label,
        (x[1], y[1]),
        xytext=(0, 1.5),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=LABEL_SIZE,
        color=PUBLISHED_GREY,
    )
