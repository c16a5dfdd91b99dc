# SPDX-License-Identifier: MIT
"""The points of a scatter plot of systems: none hides another, and few have a colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from receval.figures.display import DisplayStyle
from receval.figures.line_labels import readable
from receval.figures.point_labels import PointLabel
from receval.figures.style import INK

MARKER_SIZE = 4.5
STROKE = 0.9
"""Width in points of the strokes of markers without an area, such as a cross, and of rings."""

NEUTRAL = "#595959"
"""Colour of the systems that are known by their names alone."""

COLOURED = ("pop", "librec-avg", "librec-random", "random")
"""Systems that the paper speaks of by name, which with the optimal rankings have a colour."""

RING_GAP = 2.8
"""Points by which a ring is larger than what it surrounds."""

LEADER = 4.0
"""Free points around rings and what they surround, for the lines that lead to their names."""

HIDING = 0.8
"""Share of the mean diameter of two markers: centres nearer than that hide one of them."""


@dataclass(frozen=True)
class Mark:
    """A marker as it is drawn.

    Attributes
    ----------
    size : float
        Its diameter in points.
    in_knot : bool
        Whether it is a ring or lies in one.
    """

    size: float
    in_knot: bool


def draw_points(axes: Axes, rows: pd.DataFrame, display: DisplayStyle) -> None:
    """Draw a marker for each system: the optimal rankings above the others, neutral ones below."""
    styles = display.styles(rows["system"])
    for row in rows.to_dict("records"):
        style, named = styles[row["system"]], is_coloured(row)
        marker = style.marker if named else "o"
        colour = style.colour if named else NEUTRAL
        filled = marker in Line2D.filled_markers
        axes.plot(
            row["x"],
            row["y"],
            linestyle="none",
            marker=marker,
            markersize=_size(row),
            color=colour,
            # A thin white edge parts markers that touch; one that is all strokes has no other.
            markeredgecolor="white" if filled else colour,
            markeredgewidth=0.4 if filled else STROKE,
            label=display.short_titles[row["system"]],
            zorder=3 + _level(row) / 10,
        )


def is_coloured(row: Mapping[str, object]) -> bool:
    """Tell whether a system has a colour: an optimal ranking, or one that the paper names."""
    return row["role"] == "optimal" or row["system"] in COLOURED


def _level(row: Mapping[str, object]) -> int:
    return 2 if row["role"] == "optimal" else int(row["system"] in COLOURED)


def _size(row: Mapping[str, object]) -> float:
    return MARKER_SIZE + (2.0 if row["role"] == "optimal" else 0.5 if is_coloured(row) else 0.0)


def ring_hidden_points(axes: Axes, rows: pd.DataFrame) -> list[Mark]:
    """Turn each marker that another one covers into a round ring around it."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    centres = axes.transData.transform(rows[["x", "y"]].to_numpy(dtype=np.float64))
    centres = np.round(centres * 72 / figure.dpi, 3)
    records = rows.to_dict("records")
    plain = np.array([_size(row) for row in records])
    sizes = plain.tolist()
    in_knot = np.zeros(len(records), dtype=bool)
    # From the topmost down; of one level, those drawn last are above.
    order = sorted(range(len(records)), key=lambda index: (-_level(records[index]), -index))
    for place, index in enumerate(order):
        others = order[:place]
        apart = np.hypot(*(centres[others] - centres[index]).T)
        hidden = apart < HIDING * (plain[others] + plain[index]) / 2
        above = [others[i] for i in np.flatnonzero(hidden)]
        if above:
            sizes[index] = max(sizes[i] for i in above) + RING_GAP
            in_knot[[index, *above]] = True
            _make_ring(axes.lines[index], sizes[index])
    return [Mark(size, bool(knot)) for size, knot in zip(sizes, in_knot, strict=True)]


def _make_ring(marker: Line2D, size: float) -> None:
    marker.set_markersize(size)
    marker.set_marker("o")
    marker.set_markeredgecolor(marker.get_color())
    marker.set_markerfacecolor("none")
    marker.set_markeredgewidth(STROKE)


def labels_of(rows: pd.DataFrame, display: DisplayStyle, marks: Sequence[Mark]) -> list[PointLabel]:
    """Return the short title of each system, in its colour if it has one."""
    return [
        PointLabel(
            float(row["x"]),
            float(row["y"]),
            display.short_titles[row["system"]],
            colour=readable(display.systems[row["system"]].colour) if is_coloured(row) else INK,
            marker_size=mark.size,
            clearance=LEADER if mark.in_knot else 0.0,
        )
        for row, mark in zip(rows.to_dict("records"), marks, strict=True)
    ]
