# SPDX-License-Identifier: MIT
"""Names beside the points of a scatter plot, placed so that nothing overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.label_boxes import distances_to, nearest_points
from receval.figures.names_near_points import CLEAR, CLUSTER_LEADER_FROM, GAP, NamedPoints
from receval.figures.style import INK

LABEL_SIZE = 5.5
"""Font size of a name, in points."""

LEADER_COLOUR = "#8C8C8C"
LEADER_FROM = 3.5
"""Points between a marker and its name from which a line connects them."""


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
    points choose first; then all choose again, knowing where the others are; at last two whose
    leaders cross choose together.

    Parameters
    ----------
    axes : Axes
        Of a figure whose layout is settled (:func:`receval.figures.finish.settle_layout`), with its
        final limits.
    marker_size : float
        Diameter in points of the markers that have no size of their own.
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
    reserved = diameters / 2 + clearances + GAP / 2
    radii = diameters / 2 + GAP / 2
    texts = [label.text for label in labels]
    boxes = NamedPoints(points, sizes, radii, reserved, frame, texts).boxes()
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


def _sizes(axes: Axes, labels: Sequence[PointLabel]) -> NDArray[np.float64]:
    """Return width and height of each name in pixels, shape (n, 2)."""
    sizes = []
    for label in labels:
        probe = axes.text(0, 0, label.text, fontsize=LABEL_SIZE, transform=None)
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
