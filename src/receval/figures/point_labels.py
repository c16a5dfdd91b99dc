"""Names beside the points of a scatter plot, placed so that nothing overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.label_boxes import (
    Boxes,
    distances_to,
    inside,
    lines_cross,
    lines_meet_boxes,
    nearest_points,
    overlaps,
)
from receval.figures.style import INK

LABEL_SIZE = 5.5
"""Font size of a name, in points."""

LEADER_COLOUR = "#8C8C8C"
LEADER_FROM = 3.5
"""Points between a marker and its name from which a line connects them."""

CLUSTER_LEADER_FROM = 1.8
"""The same where another marker is near the name, too."""

CLEAR = 7.0
"""Points around a name within which no marker but its own is, or it needs a leader."""

_GAP = 1.2  # free points around markers and names
_DISTANCES = (1.0, 3.0, 6.0, 9.0, 13.0, 18.0, 24.0, 31.0, 39.0)
_DIRECTIONS = 24
_GRID = 4.0  # points between the positions that are tried all over the panel
_TRIED = 160  # nearest free positions among which crossings decide
_CROSSING = 60.0  # points of distance that are worth one crossing less
_TOUCHING = 12.0  # the same for a name in a cluster that leaves no room for a leader
_AMBIGUITY = 15.0  # the same for a marker that is nearer to the name than its own
_CROWD = 8.0  # and for another marker right beside the name,
_REACH = 4.0  # which is felt so many points away
_REVISIONS = 4


@dataclass(frozen=True)
class PointLabel:
    """The name of a point.

    Attributes
    ----------
    x, y : float
        The point in data coordinates.
    text : str
    colour : str
        Of the text.
    marker_size : float, optional
        Diameter of its marker in points; that of all markers by default.
    clearance : float
        Free points around the marker for a line to its name, which it has then wherever that is.
    """

    x: float
    y: float
    text: str
    colour: str = INK
    marker_size: float | None = None
    clearance: float = 0.0


def label_points(axes: Axes, labels: Sequence[PointLabel], marker_size: float) -> list[Annotation]:
    """Put the names beside their points.

    A name overlaps no marker and no other name. Among the free positions near its point it takes
    one that is not nearer to another marker, and whose leader crosses as little as possible: the
    thin line to a point that is not next to it, or that is not alone next to it. The most crowded
    points choose first; then all choose again, knowing where the others are.

    Parameters
    ----------
    axes : Axes
        Of a figure whose layout is settled (:func:`receval.figures.finish.settle_layout`), with its
        final limits.
    labels : sequence of PointLabel
        Of all points of the panel.
    marker_size : float
        Diameter in points of the markers that have no size of their own.

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
    diameters = np.array([label.marker_size or marker_size for label in labels])
    clearances = np.array([label.clearance for label in labels])
    reserved = diameters / 2 + clearances + _GAP / 2
    radii = diameters / 2 + _GAP / 2
    order = _by_crowding(points)
    boxes = np.full((len(labels), 4), np.nan)
    # Markers and the frame stay where they are, whatever the names do.
    places = [_places(index, points, sizes[index], reserved, frame) for index in order]
    for _ in range(1 + _REVISIONS):
        for index, own_places in zip(order, places, strict=True):
            others = np.delete(boxes, index, axis=0)
            # Names without a position yet are NaN, with which nothing overlaps.
            free = own_places[~overlaps(own_places, others).any(axis=1)][:_TRIED]
            if not len(free):
                raise ValueError(
                    f"There is no free place for the name {labels[index].text} in the panel: "
                    "enlarge the figure or show fewer points."
                )
            costs = _costs(index, free, points, boxes, radii, reserved)
            # Rounded, for equal costs to stay equal whatever the last digits are.
            boxes[index] = free[int(np.argmin(np.round(costs, 3)))]
    gaps = distances_to(boxes, points) - reserved
    own = gaps.diagonal()
    in_cluster = (gaps + np.diag(np.full(len(labels), np.inf)) < CLEAR).any(axis=1)
    far = (own > LEADER_FROM) | (in_cluster & (own > CLUSTER_LEADER_FROM)) | (clearances > 0)
    return [
        _write(axes, label, box, point, needs_leader, diameter)
        for label, box, point, needs_leader, diameter in zip(
            labels, boxes, points, far, diameters, strict=True
        )
    ]


def _places(
    index: int,
    points: NDArray[np.float64],
    size: NDArray[np.float64],
    radii: NDArray[np.float64],
    frame: NDArray[np.float64],
) -> Boxes:
    """Return the positions for a name that overlap no marker, the nearest first."""
    markers = np.hstack([points - radii[:, None], points + radii[:, None]])
    free = _candidates(points[index], size, float(radii[index]), frame)
    free = free[inside(free, frame) & ~overlaps(free, markers).any(axis=1)]
    distances = distances_to(free, points[index][None])[:, 0]
    return free[np.argsort(np.round(distances, 3), kind="stable")]


def _costs(
    index: int,
    free: Boxes,
    points: NDArray[np.float64],
    boxes: Boxes,
    radii: NDArray[np.float64],
    reserved: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what speaks against each of some positions for a name, in points of distance."""
    ends = nearest_points(free, points[index])
    lengths = distances_to(free, points[index][None])[:, 0]
    # A line begins at the edge of its marker: what lies in a ring is not in its way.
    inner = np.minimum(radii[index] / lengths, 1.0)[:, None]
    own = points[index] + inner * (ends - points[index])
    distances = lengths - reserved[index]
    other_points = np.delete(points, index, axis=0)
    other_radii, other_reserved = (np.delete(sizes, index) for sizes in (radii, reserved))
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
        end = np.round(nearest_points(box[None], point)[0] - point, 2)
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
        color=label.colour,
        ha="center",
        va="center",
        zorder=4,
    )
    written.set_in_layout(False)
    return written
