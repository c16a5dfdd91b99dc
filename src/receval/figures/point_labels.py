# SPDX-License-Identifier: MIT
"""Label the points of a scatter plot, without overlaps, by the geometry of boxes and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import ArrayLike, NDArray

from receval.figures.finish import NOTE_SIZE, beside, figure_of
from receval.figures.style import INK

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


LEADER_COLOUR = "#8C8C8C"
LEADER_FROM = 3.5
"""Minimum distance in points of a marker and its name for a line that connects them."""


@dataclass(frozen=True)
class PointLabel:
    """The name of a point in data coordinates, and the colour of its text.

    ``marker_size`` is the diameter of the marker in points, by default that of all markers.
    ``clearance`` are free points around the marker for a line to its name; if above 0, there always
    is a line.
    """

    x: float
    y: float
    text: str
    colour: str = INK
    marker_size: float | None = None
    clearance: float = 0.0


# Places for the names of points: without overlaps, near their points, with clear leaders.

CLUSTER_LEADER_FROM = 1.8
"""The same minimum distance for a line in a cluster."""

CLEAR = 7.0
"""A name with another marker within this many points needs a leader."""

GAP = 1.2
"""Free points around markers and names."""

SIDE_BY_SIDE = 6.0
"""Further free points between names on one line, which would else be read as one."""

_DISTANCES = (1.0, 3.0, 6.0, 9.0, 13.0, 18.0, 24.0, 31.0, 39.0)
_DIRECTIONS = 24
_GRID = 4.0  # points between the positions tried all over the panel
_TRIED = 160  # number of nearest free positions among which crossings decide
_CROSSING = 60.0  # points of distance that one crossing costs
_TOUCHING = 12.0  # the same for a name in a cluster that leaves no room for a leader
_AMBIGUITY = 15.0  # the same for a marker that is nearer to the name than its own
_CROWD = 8.0  # and the same for another marker right beside the name,
_REACH = 4.0  # the points of distance over which that cost decays
_REVISIONS = 4


@dataclass(frozen=True)
class NamedPoints:
    """The points of a panel and their names, in points of the page.

    ``sizes`` are the widths and heights of the names, ``reserved`` the distances that names keep
    from the centres of markers, and ``frame`` the left, bottom, right and top of the panel.
    """

    points: NDArray[np.float64]
    sizes: NDArray[np.float64]
    radii: NDArray[np.float64]
    reserved: NDArray[np.float64]
    frame: NDArray[np.float64]
    texts: Sequence[str]

    def boxes(self) -> Boxes:
        """Return the box of each name, as :func:`.label_points` describes it."""
        order = self._by_crowding()
        boxes = np.full((len(self.points), 4), np.nan)
        for _ in range(1 + _REVISIONS):
            for index in order:
                best = self._ranked(index, boxes)[:1]
                if not len(best):
                    raise ValueError(
                        f"There is no free place for the name {self.texts[index]} in the panel: "
                        "enlarge the figure or show fewer points."
                    )
                boxes[index] = best[0]
        # Two names that block each other cannot improve by moving one at a time.
        for one, other in np.argwhere(np.triu(self._crossings(boxes), k=1)).tolist():
            boxes = self._moved_together(one, other, boxes)
        return boxes

    def _ranked(self, index: int, boxes: Boxes) -> Boxes:
        """Return the free positions of a name, given the other names, best first."""
        free = self._free(index, boxes)
        # Costs are rounded, so that equal costs stay equal in spite of rounding errors.
        costs = np.round(self._costs(index, free, boxes), 3)
        return free[np.argsort(costs, kind="stable")]

    def _crossings(self, boxes: Boxes) -> NDArray[np.bool_]:
        """Return which leaders, if long enough to be drawn, cross each other, shape (n, n)."""
        ends = np.clip(self.points, boxes[:, :2], boxes[:, 2:])
        starts = _edges(self.points, self.radii, ends)
        drawn = np.hypot(*(ends - starts).T) > CLUSTER_LEADER_FROM
        crossings: NDArray[np.bool_] = lines_cross(starts, ends, starts, ends)
        return crossings & drawn[:, None] & drawn

    def _moved_together(self, one: int, other: int, boxes: Boxes) -> Boxes:
        """Return the boxes after placing two names jointly."""
        best, least = boxes, self._cost_of_both(one, other, boxes)
        for first, second in ((one, other), (other, one)):
            moved = boxes.copy()
            moved[[one, other]] = np.nan
            for place in self._ranked(first, moved):
                moved[first], moved[second] = place, np.nan
                for last in self._ranked(second, moved)[:1]:
                    moved[second] = last
                    cost = self._cost_of_both(one, other, moved)
                    if cost < least:
                        best, least = moved.copy(), cost
        return best

    def _cost_of_both(self, one: int, other: int, boxes: Boxes) -> float:
        costs = [self._costs(index, boxes[[index]], boxes)[0] for index in (one, other)]
        return round(float(sum(costs)), 3)

    def _free(self, index: int, boxes: Boxes) -> Boxes:
        """Return the nearest positions for a name that overlap no marker and no other name."""
        off_markers = self._off_markers[index]
        # Names without a position are NaN, and NaN overlaps with nothing.
        others = np.delete(boxes, index, axis=0)
        others += np.array([-SIDE_BY_SIDE, 0, SIDE_BY_SIDE, 0])
        met = overlaps(off_markers, others).any(axis=1)
        return off_markers[~met][:_TRIED]

    @cached_property
    def _off_markers(self) -> list[Boxes]:
        """The positions of each name that overlap no marker, nearest first; markers do not move."""
        reach = self.reserved[:, None]
        markers = np.hstack([self.points - reach, self.points + reach])
        found = []
        for index, point in enumerate(self.points):
            tried = self._candidates(index)
            tried = tried[inside(tried, self.frame) & ~overlaps(tried, markers).any(axis=1)]
            distances = distances_to(tried, point[None])[:, 0]
            found.append(tried[np.argsort(np.round(distances, 3), kind="stable")])
        return found

    def _costs(self, index: int, free: Boxes, boxes: Boxes) -> NDArray[np.float64]:
        """Return the cost of each position for a name, in points of distance."""
        point = self.points[index]
        ends = nearest_points(free, point)
        own = _edges(point, self.radii[index], ends)
        distances = distances_to(free, point[None])[:, 0] - self.reserved[index]
        other_points = np.delete(self.points, index, axis=0)
        other_radii, other_reserved = (
            np.delete(sizes, index) for sizes in (self.radii, self.reserved)
        )
        others = np.delete(boxes, index, axis=0)
        placed = ~np.isnan(others[:, 0])
        other_points_of_placed, others = other_points[placed], others[placed]
        reach = other_radii[:, None]
        markers = np.hstack([other_points - reach, other_points + reach])
        crossings = (
            lines_meet_boxes(own, ends, np.vstack([markers, others])).sum(axis=1).astype(np.float64)
        )
        stops = np.clip(other_points_of_placed, others[:, :2], others[:, 2:])
        crossings += lines_meet_boxes(other_points_of_placed, stops, free).sum(axis=0)
        crossings += lines_cross(own, ends, other_points_of_placed, stops).sum(axis=1)
        to_others = distances_to(free, other_points) - other_reserved
        ambiguous = (to_others < distances[:, None]).sum(axis=1)
        crowd = np.exp(-np.maximum(to_others, 0) / _REACH).sum(axis=1)
        touching = (to_others < CLEAR).any(axis=1) & (distances <= CLUSTER_LEADER_FROM)
        costs = distances + _CROSSING * crossings + _AMBIGUITY * ambiguous + _CROWD * crowd
        return np.asarray(costs + _TOUCHING * touching)

    def _by_crowding(self) -> list[int]:
        """Return the points in order of crowding, the most crowded first."""
        distances = np.hypot(*(self.points[:, None] - self.points[None]).transpose(2, 0, 1))
        crowd = np.round(np.exp(-distances / 15.0).sum(axis=1), 6)
        return [int(index) for index in np.argsort(-crowd, kind="stable")]

    def _candidates(self, index: int) -> Boxes:
        """Return boxes in circles around a point, then all over the panel."""
        angles = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
        directions = np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 9)
        outwards = np.tile(directions, (len(_DISTANCES), 1))
        reach = self.reserved[index] + np.repeat(_DISTANCES, _DIRECTIONS)[:, None]
        half = self.sizes[index] / 2 + GAP / 2
        # A name moves out by a share of its size: all of it straight beside, above and below.
        shares = np.sign(outwards) * np.sqrt(np.abs(outwards))
        around = self.points[index] + outwards * reach + shares * half
        low, high = self.frame[:2] + half, self.frame[2:]
        sides = [np.arange(low[axis], high[axis], _GRID) for axis in (0, 1)]
        everywhere = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        centres = np.vstack([around, everywhere])
        return np.hstack([centres - half, centres + half])


def _edges(
    points: NDArray[np.float64], radii: NDArray[np.float64] | float, ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where lines begin: at the edge of their markers, so that rings stay empty."""
    lengths = np.hypot(*(ends - points).T)
    inner: NDArray[np.float64] = np.minimum(radii / lengths, 1.0)[:, None]
    return points + inner * (ends - points)


def label_points(axes: Axes, labels: Sequence[PointLabel], marker_size: float) -> list[Annotation]:
    """Put names beside their points without overlaps.

    A name overlaps no marker and no other name. A leader is a thin line to a point that is not next
    to the name, or not the only point next to it. Among the free positions near its point, a name
    takes one that is not nearer to another marker and whose leader crosses as little as possible.
    The most crowded points choose first. Then all choose again, given the places of the others. At
    last, pairs with crossing leaders choose together.

    The layout of the figure is settled (:func:`receval.figures.finish.settle_layout`). The marker
    size is the diameter in points of the markers without their own size.
    """
    if not labels:
        return []
    scale = points_per_pixel(axes)
    points = axes.transData.transform([(label.x, label.y) for label in labels]) * scale
    sizes = _sizes(axes, labels) * scale
    frame = np.array(axes.get_window_extent().extents) * scale
    diameters = np.array([label.marker_size or marker_size for label in labels])
    clearances = np.array([label.clearance for label in labels])
    reserved = diameters / 2 + clearances + GAP / 2
    radii = diameters / 2 + GAP / 2
    texts = [label.text for label in labels]
    boxes = NamedPoints(points, sizes, radii, reserved, frame, texts).boxes()
    gaps = distances_to(boxes, points) - reserved
    own = gaps.diagonal()
    in_cluster = (gaps + np.diag(np.full(len(labels), np.inf)) < CLEAR).any(axis=1)
    far = (own > LEADER_FROM) | (in_cluster & (own > CLUSTER_LEADER_FROM)) | (clearances > 0)
    return [_write(axes, *own) for own in zip(labels, boxes, points, far, diameters, strict=True)]


def _sizes(axes: Axes, labels: Sequence[PointLabel]) -> NDArray[np.float64]:
    """Return the width and height of each name in pixels, shape (n, 2)."""
    sizes = []
    for label in labels:
        probe = axes.text(0, 0, label.text, fontsize=NOTE_SIZE, transform=None)
        extent = probe.get_window_extent()
        sizes.append((np.ceil(extent.width), np.ceil(extent.height)))
        probe.remove()
    return np.array(sizes)


def _write(
    axes: Axes,
    label: PointLabel,
    box: NDArray[np.float64],
    point: NDArray[np.float64],
    far: bool,
    marker_size: float,
) -> Annotation:
    place = (label.x, label.y)
    centre = np.round((box[:2] + box[2:]) / 2 - point, 2)
    if far:
        # A separate annotation, so that the box of the name does not include the leader.
        end = np.round(nearest_points(box[None], point)[0] - point, 2)
        arrow = {
            "arrowstyle": "-",
            "color": LEADER_COLOUR,
            "linewidth": 0.4,
            "shrinkA": 0,
            "shrinkB": marker_size / 2,
        }
        leader = beside(axes, "", place, (end[0], end[1]), arrowprops=arrow, zorder=2.5)
        leader.set_in_layout(False)
    style = {"color": label.colour, "ha": "center", "va": "center", "zorder": 4}
    written = beside(axes, label.text, place, (centre[0], centre[1]), **style)
    written.set_in_layout(False)
    return written
