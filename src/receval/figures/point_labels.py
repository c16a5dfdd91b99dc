"""Names beside the points of a scatter plot, placed so that nothing overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.style import INK

LABEL_SIZE = 5.5
"""Font size of a name, in points."""

LEADER_COLOUR = "#8C8C8C"
LEADER_FROM = 5.0
"""Points between a marker and its name from which a line connects them."""

_GAP = 1.2  # free points around markers and names
_DISTANCES = (1.0, 3.0, 6.0, 9.0, 13.0, 18.0, 24.0, 31.0, 39.0)
_DIRECTIONS = 24
_GRID = 4.0  # points between the positions that are tried all over the panel
_TRIED = 96  # nearest free positions among which crossings decide
_CROSSING = 30.0  # points of distance that are worth one crossing less
_AMBIGUITY = 15.0  # the same for a marker that is nearer to the name than its own
_CROWD = 8.0  # and for another marker right beside the name,
_REACH = 4.0  # which is felt so many points away
_REVISIONS = 2

Boxes = NDArray[np.float64]
"""Shape (n, 4): left, bottom, right and top, in points."""


@dataclass(frozen=True)
class PointLabel:
    """The name of a point.

    Attributes
    ----------
    x, y : float
        The point in data coordinates.
    text : str
    """

    x: float
    y: float
    text: str


def label_points(axes: Axes, labels: Sequence[PointLabel], marker_size: float) -> list[Annotation]:
    """Put the names beside their points.

    A name overlaps no marker and no other name. Among the free positions near its point it takes
    one that is not nearer to another marker, and whose leader, the thin line to a point that is not
    next to it, crosses as little as possible. The most crowded points choose first; then all
    choose again, knowing where the others are.

    Parameters
    ----------
    axes : Axes
        Of a figure whose layout is settled (:func:`receval.figures.finish.settle_layout`), with its
        final limits.
    labels : sequence of PointLabel
        Of all points of the panel.
    marker_size : float
        Diameter of the markers in points.

    Raises
    ------
    ValueError
        There is no free place for a name.
    """
    if not labels:
        return []
    figure = axes.get_figure(root=True)
    assert figure is not None
    scale = 72.0 / figure.dpi
    points = axes.transData.transform([(label.x, label.y) for label in labels]) * scale
    sizes = _sizes(axes, labels) * scale
    frame = np.array(axes.get_window_extent().extents) * scale
    radius = marker_size / 2 + _GAP / 2
    order = _by_crowding(points)
    boxes = np.full((len(labels), 4), np.nan)
    for _ in range(1 + _REVISIONS):
        for index in order:
            free = _free_boxes(index, points, sizes[index], boxes, radius, frame)
            if not len(free):
                raise ValueError(
                    f"There is no free place for the name {labels[index].text} in the panel: "
                    "enlarge the figure or show fewer points."
                )
            costs = _costs(index, free, points, boxes, radius)
            # Rounded, for equal costs to stay equal whatever the last digits are.
            boxes[index] = free[int(np.argmin(np.round(costs, 3)))]
    far = _distances(boxes, points).diagonal() - radius > LEADER_FROM
    return [
        _write(axes, label, box, point, needs_leader, marker_size)
        for label, box, point, needs_leader in zip(labels, boxes, points, far, strict=True)
    ]


def _free_boxes(
    index: int,
    points: NDArray[np.float64],
    size: NDArray[np.float64],
    boxes: Boxes,
    radius: float,
    frame: NDArray[np.float64],
) -> Boxes:
    """Return the nearest positions for a name that overlap no marker and no other name."""
    others = np.delete(boxes, index, axis=0)
    taken = np.vstack([np.hstack([points - radius, points + radius]), others])
    free = _candidates(points[index], size, radius, frame)
    # Names without a position yet are NaN, with which nothing overlaps.
    free = free[_inside(free, frame) & ~_overlaps(free, taken).any(axis=1)]
    distances = _distances(free, points[index][None])[:, 0]
    return free[np.argsort(np.round(distances, 3), kind="stable")[:_TRIED]]


def _costs(
    index: int, free: Boxes, points: NDArray[np.float64], boxes: Boxes, radius: float
) -> NDArray[np.float64]:
    """Return what speaks against each of some positions for a name, in points of distance."""
    own = np.broadcast_to(points[index], (len(free), 2))
    ends = _nearest(free, points[index])
    distances = _distances(free, points[index][None])[:, 0] - radius
    other_points = np.delete(points, index, axis=0)
    others = np.delete(boxes, index, axis=0)
    placed = ~np.isnan(others[:, 0])
    other_points_of_placed, others = other_points[placed], others[placed]
    markers = np.hstack([other_points - radius, other_points + radius])
    crossings = _meet(own, ends, np.vstack([markers, others])).sum(axis=1).astype(np.float64)
    stops = np.clip(other_points_of_placed, others[:, :2], others[:, 2:])
    crossings += _meet(other_points_of_placed, stops, free).sum(axis=0)
    crossings += _cross(own, ends, other_points_of_placed, stops).sum(axis=1)
    to_others = _distances(free, other_points) - radius
    ambiguous = (to_others < distances[:, None]).sum(axis=1)
    crowd = np.exp(-np.maximum(to_others, 0) / _REACH).sum(axis=1)
    return distances + _CROSSING * crossings + _AMBIGUITY * ambiguous + _CROWD * crowd


def _sizes(axes: Axes, labels: Sequence[PointLabel]) -> NDArray[np.float64]:
    """Return width and height of each name in pixels, shape (n, 2)."""
    sizes = []
    for label in labels:
        probe = axes.text(0, 0, label.text, fontsize=LABEL_SIZE, transform=None)
        extent = probe.get_window_extent()
        sizes.append((np.ceil(extent.width), np.ceil(extent.height)))
        probe.remove()
    return np.array(sizes)


def _by_crowding(points: NDArray[np.float64]) -> list[int]:
    """Return the points, first those with many others near."""
    distances = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    crowd = np.round(np.exp(-distances / 15.0).sum(axis=1), 6)
    return [int(index) for index in np.argsort(-crowd, kind="stable")]


def _candidates(
    point: NDArray[np.float64],
    size: NDArray[np.float64],
    radius: float,
    frame: NDArray[np.float64],
) -> Boxes:
    """Return boxes in circles around a point, then all over the panel."""
    angles = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    directions = np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 9)
    outwards = np.tile(directions, (len(_DISTANCES), 1))
    reach = radius + np.repeat(_DISTANCES, _DIRECTIONS)[:, None]
    half = size / 2 + _GAP / 2
    # A name moves out by a share of its own extent: all of it straight beside, above and below.
    around = point + outwards * reach + np.sign(outwards) * np.sqrt(np.abs(outwards)) * half
    sides = [np.arange(frame[axis] + half[axis], frame[axis + 2], _GRID) for axis in (0, 1)]
    everywhere = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    centres = np.vstack([around, everywhere])
    return np.hstack([centres - half, centres + half])


def _inside(boxes: Boxes, frame: NDArray[np.float64]) -> NDArray[np.bool_]:
    left, bottom, right, top = boxes.T
    return (left >= frame[0]) & (bottom >= frame[1]) & (right <= frame[2]) & (top <= frame[3])


def _overlaps(boxes: Boxes, taken: Boxes) -> NDArray[np.bool_]:
    """Return which boxes overlap which taken ones, shape (n_boxes, n_taken)."""
    left, bottom, right, top = boxes.T[:, :, None]
    return (
        (left < taken[:, 2]) & (right > taken[:, 0]) & (bottom < taken[:, 3]) & (top > taken[:, 1])
    )


def _nearest(boxes: Boxes, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point of each box that is nearest to a point, shape (n, 2)."""
    return np.clip(point, boxes[:, :2], boxes[:, 2:])


def _distances(boxes: Boxes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far boxes are from points, shape (n_boxes, n_points)."""
    nearest = np.clip(points, boxes[:, None, :2], boxes[:, None, 2:])
    distances: NDArray[np.float64] = np.hypot(*np.moveaxis(nearest - points, -1, 0))
    return distances


def _meet(
    starts: NDArray[np.float64], ends: NDArray[np.float64], boxes: Boxes
) -> NDArray[np.bool_]:
    """Return which lines meet which boxes, by cutting them at their sides (Liang and Barsky).

    Shape (n_lines, n_boxes).
    """
    start = starts[:, None, :]
    direction = (ends - starts)[:, None, :]
    low, high = boxes[None, :, :2], boxes[None, :, 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - start) / direction, (high - start) / direction
    # A line along a side of the boxes is within their bounds from end to end, or nowhere.
    within = np.where((start > low) & (start < high), np.inf, -np.inf)
    enters = np.where(direction == 0, -within, np.minimum(first, second))
    leaves = np.where(direction == 0, within, np.maximum(first, second))
    # One direction against the other: reductions over an axis of two take several times as long.
    last_enters = np.maximum(enters[:, :, 0], enters[:, :, 1])
    first_leaves = np.minimum(leaves[:, :, 0], leaves[:, :, 1])
    return np.maximum(last_enters, 0.0) < np.minimum(first_leaves, 1.0)


def _cross(
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    other_starts: NDArray[np.float64],
    other_ends: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return which lines cross which others, shape (n_lines, n_others)."""

    def side(
        base: NDArray[np.float64], end: NDArray[np.float64], point: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        along, across = end - base, point - base
        return along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]

    one, one_end = starts[:, None], ends[:, None]
    other, other_end = other_starts[None], other_ends[None]
    apart = side(one, one_end, other) * side(one, one_end, other_end) < 0
    return apart & (side(other, other_end, one) * side(other, other_end, one_end) < 0)


def _write(
    axes: Axes,
    label: PointLabel,
    box: NDArray[np.float64],
    point: NDArray[np.float64],
    far: bool,
    marker_size: float,
) -> Annotation:
    centre = np.round((box[:2] + box[2:]) / 2 - point, 2)
    if far:
        # An annotation of its own, for the box of the name to be that of the name alone.
        end = np.round(_nearest(box[None], point)[0] - point, 2)
        axes.annotate(
            "",
            xy=(label.x, label.y),
            xytext=(end[0], end[1]),
            textcoords="offset points",
            arrowprops={
                "arrowstyle": "-",
                "color": LEADER_COLOUR,
                "linewidth": 0.4,
                "shrinkA": 0,
                "shrinkB": marker_size / 2,
            },
            zorder=2.5,
        ).set_in_layout(False)
    written = axes.annotate(
        label.text,
        xy=(label.x, label.y),
        xytext=(centre[0], centre[1]),
        textcoords="offset points",
        fontsize=LABEL_SIZE,
        color=INK,
        ha="center",
        va="center",
        zorder=4,
    )
    written.set_in_layout(False)
    return written
