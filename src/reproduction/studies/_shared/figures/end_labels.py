# SPDX-License-Identifier: MIT
"""Names of curves that end on the floor of a panel: upright below it, where each arrives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.finish import settle_layout
from receval.figures.leaders import draw_leader
from receval.figures.line_labels import LABEL_SIZE, readable, spaced_positions

_LEADER = 8.0  # points between the floor and the names
_SPACING = 8.5  # points between two names


def label_floor(axes: Axes, ends: Mapping[str, tuple[float, str]], floor: float) -> None:
    """Print names below the points of a floor where curves arrive.

    Parameters
    ----------
    ends : mapping of str to tuple of float and str
        By name, where on the x axis a curve arrives, and its colour. Names in the order of their
        ends keep a distance; a leader connects each to its end.
    """
    if not ends:
        return
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    settle_layout(figure)
    scale = 72 / figure.dpi
    frame = axes.get_window_extent()
    wide, tall = figure.get_size_inches() * 72
    points = axes.transData.transform([(x, floor) for x, _ in ends.values()]) * scale
    # Curves that arrive together keep the order in which they are named.
    ordered = points[:, 0] + 0.01 * np.arange(len(points))
    places = spaced_positions(ordered, _SPACING, frame.x0 * scale + 3, frame.x1 * scale)
    for (name, (_, colour)), point, place in zip(ends.items(), points, places, strict=True):
        ground = point[1] - _LEADER
        draw_leader(figure, [(point[0], point[1] - 1), (float(place), ground)], colour)
        figure.text(
            round(float(place) / wide, 6),
            round(float(ground - 1) / tall, 6),
            name,
            rotation=90,
            fontsize=LABEL_SIZE,
            color=readable(colour),
            ha="center",
            va="top",
        )
