# SPDX-License-Identifier: MIT
"""Find axes that do not hold what is drawn, and scales that nothing names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

_NAMED = re.compile(r"\blog|root(?! mean)")

_NO_MARK = ("None", "none", "", " ", None, "_", "|")
"""Markers that are nothing, or strokes at the end of an interval."""

_MARGIN = 1e-9
"""What rounding may put beyond a limit, as a share of the axis."""


def axis_problems(figure: Figure) -> list[str]:
    """Return a sentence for marks beyond the limits or cut by them, and for a scale without a name.

    A scale that is not linear is named where it is read: by the label of its axis, or of another
    one of its column or row, or by the title of the panel.
    """
    problems = []
    for axes in figure.axes:
        beyond = sum(
            int(((own < least - margin) | (own > most + margin)).any(axis=1).sum())
            for own in _drawn(axes)
            for least, most, margin in [_limits(axes)]
        )
        if beyond:
            problems.append(f"{beyond} marks of {_name(axes)!r} are beyond its limits.")
        if cut := sum(_cut(line, axes, figure.dpi) for line in axes.get_lines()):
            problems.append(f"{cut} marks of {_name(axes)!r} are cut by the edge of the panel.")
    problems += [
        f"Nothing at the {side} axis of {_name(axes)!r} says that its scale is {scale}."
        for axes in figure.axes
        for side in ("x", "y")
        for scale in [getattr(axes, f"get_{side}scale")()]
        if scale != "linear" and not any(map(_NAMED.search, _said(axes, side)))
    ]
    return problems


def _cut(line: Line2D, axes: Axes, dpi: float) -> int:
    """Return how many marks of a line are within the limits, but not wholly."""
    clips = line.get_clip_on() and line.get_transform() == axes.transData
    if not clips or line.get_marker() in _NO_MARK:
        return 0
    every = line.get_markevery()
    points = np.column_stack([line.get_xdata(), line.get_ydata()])
    points = _known(points[::every] if isinstance(every, int) else points)
    if not len(points):
        return 0
    at = axes.transData.transform(points)
    # More than half of a mark has to be seen, and the rim of a mark is white.
    radius = line.get_markersize() / 4 * dpi / 72
    least, most = axes.bbox.get_points()
    return int(((at < least + radius) | (at > most - radius)).any(axis=1).sum())


def _drawn(axes: Axes) -> Iterator[NDArray[np.float64]]:
    """Yield the points of lines, of scattered marks and of the corners of bars, where known."""
    for line in axes.get_lines():
        if line.get_transform() == axes.transData:
            yield _known(np.column_stack([line.get_xdata(), line.get_ydata()]))
    for marks in axes.collections:
        if marks.get_offset_transform() == axes.transData:
            yield _known(np.asarray(marks.get_offsets()))
    for bars in axes.containers:
        for patch in bars.patches if hasattr(bars, "patches") else ():
            yield _known(patch.get_bbox().get_points())


def _known(points: NDArray[np.float64]) -> NDArray[np.float64]:
    points = points.astype(np.float64)
    return points[np.isfinite(points).all(axis=1)]


def _said(axes: Axes, side: str) -> Iterator[str]:
    """Yield what names the scale of an axis: a row of panels may have one label, and a column."""
    yield _name(axes)
    along = "colspan" if side == "x" else "rowspan"
    for own in axes.get_figure(root=True).axes:
        places = [getattr(one.get_subplotspec(), along, None) for one in (axes, own)]
        if own is axes or (places[0] is not None and places[0] == places[1]):
            yield getattr(own, f"get_{side}label")()


def _limits(
    axes: Axes,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    both = np.sort([axes.get_xlim(), axes.get_ylim()], axis=1)
    return both[:, 0], both[:, 1], _MARGIN * (both[:, 1] - both[:, 0])


def _name(axes: Axes) -> str:
    return axes.get_title(loc="left") or axes.get_title()
