"""Places for names within a panel, beside lines where they are apart from all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.figures.label_boxes import (
    Boxes,
    inside,
    lines_cross,
    lines_meet_boxes,
    nearest_points,
    overlaps,
)

Points = NDArray[np.float64]
"""Shape (n, 2), in points of the page."""

APART = 2.0
"""Points to the next line from which on a line can be followed alone."""

_ANCHORS = 16
_DISTANCES = (6.0, 10.0, 15.0, 21.0, 28.0, 36.0)
_ANGLES = np.deg2rad(np.arange(0, 360, 15.0))
_CROSSING = 25.0  # points of distance that are worth one crossing less
_NEARNESS = 1.5  # the same for each point that the line is farther from the next
_MOST_CROSSED = 1
_SLACK = 1.5  # free points around a name


@dataclass(frozen=True)
class InsideLabel:
    """Where a name stands.

    Attributes
    ----------
    anchor : ndarray of float64, shape (2,)
        The point of the line that it names.
    box : ndarray of float64, shape (4,)
        Left, bottom, right and top of the name.
    """

    anchor: NDArray[np.float64]
    box: NDArray[np.float64]

    @property
    def nearest(self) -> NDArray[np.float64]:
        """The point of the box that is nearest to that of the line."""
        found: NDArray[np.float64] = nearest_points(self.box[None], self.anchor)[0]
        return found


def positions_inside(
    lines: Sequence[Points],
    sizes: Sequence[tuple[float, float]],
    wanted: Sequence[int],
    frame: NDArray[np.float64],
    taken: Boxes,
) -> dict[int, InsideLabel]:
    """Return places for the names of some lines, where these can be told from the others.

    A name meets no line, and its leader few. Lines that are apart from the others at fewer places
    choose first.

    Parameters
    ----------
    lines : sequence of ndarray of float64, shape (n_points, 2)
        All lines of a panel.
    sizes : sequence of tuple of float and float
        Width and height of the name of each.
    wanted : sequence of int
        Indices of those that need a place.
    frame : ndarray of float64, shape (4,)
        Left, bottom, right and top of the panel.
    taken : ndarray of float64, shape (n, 4)
        Boxes that a name must not overlap.

    Returns
    -------
    dict of int to InsideLabel
        Without those lines that are nowhere apart or have no free place.
    """
    starts = np.concatenate([line[:-1] for line in lines])
    ends = np.concatenate([line[1:] for line in lines])
    apart = {index: _apart(lines, index) for index in wanted}
    found: dict[int, InsideLabel] = {}
    for index in sorted(wanted, key=lambda index: (int((apart[index] >= APART).sum()), index)):
        near = apart[index]
        anchors = np.argsort(-np.round(near, 3), kind="stable")[:_ANCHORS]
        anchors = anchors[near[anchors] >= APART]
        if not len(anchors):
            continue
        points, boxes = _tried(lines[index][anchors], sizes[index])
        apartness = np.repeat(near[anchors], len(_DISTANCES) * len(_ANGLES))
        margins = boxes + np.array([-_SLACK, -_SLACK, _SLACK, _SLACK])
        others = np.vstack([taken, *(label.box[None] for label in found.values())])
        free = inside(margins, frame) & ~overlaps(margins, others).any(axis=1)
        free[free] = ~lines_meet_boxes(starts, ends, margins[free]).any(axis=0)
        if not free.any():
            continue
        points, boxes, apartness = points[free], boxes[free], apartness[free]
        targets = np.clip(points, boxes[:, :2], boxes[:, 2:])
        # A leader begins beside its own line.
        begins = points + 0.05 * (targets - points)
        crossed = lines_cross(begins, targets, starts, ends).sum(axis=1)
        cost = np.hypot(*(targets - points).T) + _CROSSING * crossed - _NEARNESS * apartness
        best = int(np.argmin(np.round(np.where(crossed <= _MOST_CROSSED, cost, np.inf), 3)))
        if crossed[best] <= _MOST_CROSSED:
            found[index] = InsideLabel(points[best], boxes[best])
    return found


def _apart(lines: Sequence[Points], index: int) -> NDArray[np.float64]:
    """Return how far the next line is at each point of a line, as far as it matters."""
    across, up = lines[index].T
    order = np.arange(len(lines)) != index
    others = [_height_at(lines[other], across) for other in np.flatnonzero(order).tolist()]
    if not others:
        return np.full(len(across), np.inf)
    distances: NDArray[np.float64] = np.abs(np.array(others) - up).min(axis=0)
    # Steep lines are nearer to each other than straight up.
    distances /= np.hypot(1.0, np.gradient(up, across))
    # At its ends a line has no room for a name beside it.
    distances[[0, -1]] = 0
    return np.minimum(distances, 8.0)


def _height_at(line: Points, across: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(line[:, 0], kind="stable")
    return np.interp(across, line[order, 0], line[order, 1], left=np.inf, right=np.inf)


def _tried(anchors: Points, size: tuple[float, float]) -> tuple[Points, Boxes]:
    """Return the boxes that are tried around some points, and the point of each."""
    steps = np.array(
        [
            (distance * np.cos(angle), distance * np.sin(angle))
            for distance in _DISTANCES
            for angle in _ANGLES
        ]
    )
    half = np.array(size) / 2
    # The nearest corner or side of a box is as far away as the step says.
    centres = steps + half * np.sign(np.round(steps, 6))
    points = np.repeat(anchors, len(steps), axis=0)
    middles = points + np.tile(centres, (len(anchors), 1))
    return points, np.hstack([middles - half, middles + half])
