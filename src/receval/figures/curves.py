# SPDX-License-Identifier: MIT
"""Draw curves: lines with markers, and cumulative distributions on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    NullFormatter,
    NullLocator,
    PercentFormatter,
)
from numpy.typing import ArrayLike

from receval.figures.style import NO_WINNER, SeriesStyle, short_number

MARKERS_PER_LINE = 10
"""Approximate number of markers per line; more would hide the line."""


def line(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    style: SeriesStyle,
    label: str | None = None,
    *,
    error: ArrayLike | None = None,
    band: tuple[ArrayLike, ArrayLike] | None = None,
    markers: bool = True,
) -> None:
    """Draw one series as a line, with markers on about ``MARKERS_PER_LINE`` points.

    x must increase; a NaN in y leaves a gap. The error is half the width of the confidence
    interval, drawn as a band. A band has the ends of the spread, and is faint enough for many
    curves in a panel.
    """
    across, up = _points(x, y, label)
    # White edges separate markers from lines; a marker without a face keeps its own colour.
    rim = "white" if style.marker in Line2D.filled_markers else style.colour
    every = max(1, round(len(across) / MARKERS_PER_LINE))
    axes.plot(
        across,
        up,
        color=style.colour,
        linestyle=style.line,
        marker=style.marker if markers else None,
        markevery=every,
        markeredgecolor=rim,
        markeredgewidth=0.4 if rim == "white" else 1,
        label=label,
    )
    if error is not None:
        half = _end(error, across, label)
        axes.fill_between(across, up - half, up + half, color=style.colour, alpha=0.2, linewidth=0)
    if band is not None:
        low, high = (_end(end, across, label) for end in band)
        axes.fill_between(across, low, high, color=style.colour, alpha=0.08, linewidth=0)


def mute(curve: Line2D) -> None:
    """Make a line a thin grey one without a name, behind the lines that a text speaks of."""
    curve.set(label="_", linewidth=0.6, color=NO_WINNER, marker="", zorder=1.5)


def cumulative_curve(
    axes: Axes, values: ArrayLike, shares: ArrayLike, style: SeriesStyle, label: str | None = None
) -> None:
    """Draw a cumulative distribution as steps, over a logarithmic x axis and up to 100 percent.

    The values are distinct, positive and in increasing order; the shares of the observations that
    are at most each value are in 0..1. The y axis shows percent, and its label should say so.
    """
    across, up = _points(values, shares, label)
    if across[0] <= 0 or up[0] < 0 or up[-1] > 1 or np.any(np.diff(up) < 0):
        raise ValueError(
            f"The curve {label or ''} is not a cumulative distribution on a logarithmic axis. "
            "Values must be positive, and shares must grow within 0..1."
        )
    axes.plot(
        np.concatenate(([across[0]], across)),
        np.concatenate(([0.0], up)),
        drawstyle="steps-post",
        color=style.colour,
        linestyle=style.line,
        label=label,
    )
    logarithmic_x(axes)
    # Leave some space above, or half of the line at 100 % is clipped.
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=""))


def logarithmic_x(axes: Axes) -> None:
    """Make the x axis logarithmic, labelled 1, 10, 100, 1,000."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(base=10))
    plain_numbers(axes.xaxis)
    axes.xaxis.set_minor_formatter(NullFormatter())


def plain_numbers(axis: Axis) -> None:
    """Label an axis with plain numbers and thousands separators: .5, 100, 1,000."""

    def written_out(value: float, _: int | None) -> str:
        return short_number(f"{value:,.10g}".replace("-", "\N{MINUS SIGN}"))

    axis.set_major_formatter(FuncFormatter(written_out))


def plain_ticks(axis: Axis, ticks: Sequence[float]) -> None:
    """Put ticks at some numbers alone, labelled by :func:`plain_numbers`."""
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    plain_numbers(axis)


def _end(values: ArrayLike, across: np.ndarray, label: str | None) -> np.ndarray:
    end = np.asarray(values, dtype=np.float64)
    if end.shape != across.shape:
        raise ValueError(
            f"The band of the curve {label or ''} has the shape {end.shape}, but there are "
            f"{len(across)} points. Give one value per point."
        )
    return end


def _points(x: ArrayLike, y: ArrayLike, label: str | None) -> tuple[np.ndarray, np.ndarray]:
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if across.ndim != 1 or across.shape != up.shape or not len(across):
        raise ValueError(
            f"The curve {label or ''} has x of shape {across.shape} and y of shape {up.shape}. "
            "Give one y per x, and at least one point."
        )
    if not np.all(np.diff(across) > 0):
        raise ValueError(f"The x values of the curve {label or ''} do not increase. Sort them.")
    return across, up
