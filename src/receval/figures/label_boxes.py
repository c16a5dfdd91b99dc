# SPDX-License-Identifier: MIT
"""Geometry of boxes, points and lines in a panel: overlaps, distances and crossings."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from receval.figures.finish import figure_of

COINCIDENT = 0.75
"""Two lines that are at most this many points apart look like one line, and share one name."""

Boxes = NDArray[np.float64]
"""Shape (n, 4): left, bottom, right and top, in points."""


def points_per_pixel(axes: Axes) -> float:
    """Return the factor from pixels, matplotlib's units of the page, to points."""
    return 72 / figure_of(axes).dpi


def inside(boxes: Boxes, frame: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which boxes are inside a frame."""
    left, bottom, right, top = boxes.T
    return (left >= frame[0]) & (bottom >= frame[1]) & (right <= frame[2]) & (top <= frame[3])


def overlaps(boxes: Boxes, taken: Boxes) -> NDArray[np.bool_]:
    """Return which boxes overlap which taken boxes, shape (n_boxes, n_taken)."""
    left, bottom, right, top = boxes.T[:, :, None]
    return (
        (left < taken[:, 2]) & (right > taken[:, 0]) & (bottom < taken[:, 3]) & (top > taken[:, 1])
    )


def nearest_points(boxes: Boxes, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point of each box that is nearest to a point, shape (n, 2)."""
    return np.clip(point, boxes[:, :2], boxes[:, 2:])


def distances_to(boxes: Boxes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances of boxes from points, shape (n_boxes, n_points)."""
    nearest = np.clip(points, boxes[:, None, :2], boxes[:, None, 2:])
    distances: NDArray[np.float64] = np.hypot(*np.moveaxis(nearest - points, -1, 0))
    return distances


def lines_meet_boxes(
    starts: NDArray[np.float64], ends: NDArray[np.float64], boxes: Boxes
) -> NDArray[np.bool_]:
    """Return which lines meet which boxes, by the Liang-Barsky algorithm.

    Shape (n_lines, n_boxes).
    """
    lows, highs = np.minimum(starts, ends).T[:, :, None], np.maximum(starts, ends).T[:, :, None]
    left, bottom, right, top = boxes.T
    # Only the few lines whose range overlaps a box are clipped, because clipping is slow.
    meets = (highs[0] > left) & (lows[0] < right)
    meets &= highs[1] > bottom
    meets &= lows[1] < top
    lines, met = np.nonzero(meets)
    enters, leaves = np.zeros(len(lines)), np.ones(len(lines))
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in (0, 1):
            start = starts[lines, axis]
            direction = ends[lines, axis] - start
            first = (boxes[met, axis] - start) / direction
            second = (boxes[met, axis + 2] - start) / direction
            # A line parallel to two sides is between them over its whole length, or was excluded.
            along = direction == 0
            enters = np.maximum(enters, np.where(along, 0, np.minimum(first, second)))
            leaves = np.minimum(leaves, np.where(along, 1, np.maximum(first, second)))
    meets[lines, met] = enters < leaves
    return meets


def lines_cross(
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    other_starts: NDArray[np.float64],
    other_ends: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return which lines cross which others, shape (n_lines, n_others).

    A line that ends on another does not cross it. A line through the end of another crosses it if
    the rest of the other is on the right, so of two lines that meet there on different sides, it
    crosses one.
    """

    def sides(
        base: NDArray[np.float64], end: NDArray[np.float64], point: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        along = end - base
        return along[0] * (point[1] - base[1]) - along[1] * (point[0] - base[0])

    one, one_end = starts.T[:, :, None], ends.T[:, :, None]
    other, other_end = other_starts.T[:, None], other_ends.T[:, None]
    cross = (sides(one, one_end, other) < 0) != (sides(one, one_end, other_end) < 0)
    # Few others have ends on both sides of a line; its ends must be on both sides of them, too.
    lines, met = np.nonzero(cross)
    one, one_end, other, other_end = (
        starts.T[:, lines],
        ends.T[:, lines],
        other_starts.T[:, met],
        other_ends.T[:, met],
    )
    cross[lines, met] = sides(other, other_end, one) * sides(other, other_end, one_end) < 0
    return cross


def are_one(one: NDArray[np.float64], other: NDArray[np.float64], near: float) -> bool:
    """Return whether two lines look like one, given their points on the page.

    Their mean distance is at most ``near``, and twice that at their ends. Lines that are nowhere
    farther apart than ``COINCIDENT`` always count as one.
    """
    if one.shape != other.shape:
        return False
    apart = np.abs(one - other)
    ends = max(apart[0].max(), apart[-1].max())
    return bool(apart.max() <= COINCIDENT or (apart[:, 1].mean() <= near and ends <= 2 * near))


# Leaders: thin lines from a drawn element to its name.

LEADER = "_leader"
"""Label that identifies leaders; it appears in no legend and no file."""


def draw_leader(figure: Figure, places: ArrayLike, colour: str) -> None:
    """Draw a leader, which the layout ignores; points are from the figure's lower left corner."""
    across, up = (np.asarray(places, dtype=np.float64) / (figure.get_size_inches() * 72)).T
    leader = Line2D(
        np.round(across, 6),
        np.round(up, 6),
        transform=figure.transFigure,
        color=colour,
        linewidth=0.5,
        alpha=0.7,
        label=LEADER,
    )
    leader.set_in_layout(False)
    figure.add_artist(leader)
