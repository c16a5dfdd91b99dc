# SPDX-License-Identifier: MIT
"""Places for names within a panel, beside lines where they are apart from all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
_MOST_CROSSED = 3
_TRIED = 400  # best places of a name among which the others decide
_MUCH = 10.0  # points of distance that a name would gain by choosing first
_NOWHERE = 150.0  # and by having a place at all
_SLACK = 1.5  # free points around a name
_AROUND = np.array([-_SLACK, -_SLACK, _SLACK, _SLACK])


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


@dataclass(frozen=True)
class _NearBoxes:
    """Where a name may stand: points of its line, boxes, and what speaks against each."""

    anchors: Points
    boxes: Boxes
    costs: NDArray[np.float64]


def positions_inside(
    lines: Sequence[Points],
    sizes: Mapping[int, tuple[float, float]],
    frame: NDArray[np.float64],
    taken: Boxes,
    beside: Sequence[Points] = (),
) -> dict[int, InsideLabel]:
    """Return places for the names of some lines, where these can be told from the others.

    A name meets no line and no leader, a leader no name and no other leader, and few lines. Lines
    that are apart from the others at fewer places choose first.

    Parameters
    ----------
    lines : sequence of ndarray of float64, shape (n_points, 2)
        All lines of a panel that are told from each other.
    sizes : mapping of int to tuple of float and float
        Width and height of each name that needs a place, by the index of its line.
    taken : ndarray of float64, shape (n, 4)
        Boxes that neither a name nor a leader may overlap.
    beside : sequence of ndarray of float64, shape (n_points, 2)
        Lines that are one to the eye with one of ``lines``, which no name may meet either.

    Returns
    -------
    dict of int to InsideLabel
        Without those lines that are nowhere apart or have no free place.
    """
    apart = {index: _apart(lines, index) for index in sizes}
    places = {
        index: _places(lines, beside, index, size, apart[index], frame, taken)
        for index, size in sizes.items()
    }
    order = sorted(sizes, key=lambda index: (int((apart[index] >= APART).sum()), index))
    order = [index for index in order if len(places[index].costs)]
    best = _chosen(places, order)
    # Whoever found no place, or one that is much worse than the best, chooses first in turn.
    for index in order:
        if _loss(places, best, [index]) > _MUCH:
            found = _chosen(places, [index, *(other for other in order if other != index)])
            if _loss(places, found, order) < _loss(places, best, order):
                best = found
    return {
        index: InsideLabel(places[index].anchors[place], places[index].boxes[place])
        for index, place in best.items()
    }


def _segments(lines: Sequence[Points]) -> tuple[Points, Points]:
    return np.concatenate([line[:-1] for line in lines]), np.concatenate(
        [line[1:] for line in lines]
    )


def _places(
    lines: Sequence[Points],
    beside: Sequence[Points],
    index: int,
    size: tuple[float, float],
    apart: NDArray[np.float64],
    frame: NDArray[np.float64],
    taken: Boxes,
) -> _NearBoxes:
    """Return the places of a name that are free of lines and of what is taken, best first."""
    anchors = np.argsort(-np.round(apart, 3), kind="stable")[:_ANCHORS]
    anchors = anchors[apart[anchors] >= APART]
    points, boxes = _tried(lines[index][anchors], size)
    costs = -_NEARNESS * np.repeat(apart[anchors], len(_DISTANCES) * len(_ANGLES))
    margins = boxes + _AROUND
    free = inside(margins, frame) & ~overlaps(margins, taken).any(axis=1)
    free[free] = ~lines_meet_boxes(*_segments([*lines, *beside]), margins[free]).any(axis=0)
    points, boxes, costs = points[free], boxes[free], costs[free]
    targets = np.clip(points, boxes[:, :2], boxes[:, 2:])
    # A leader begins beside its own line.
    begins = points + 0.05 * (targets - points)
    crossed = lines_cross(begins, targets, *_segments(lines)).sum(axis=1)
    costs += np.hypot(*(targets - points).T) + _CROSSING * crossed
    clear = ~lines_meet_boxes(points, targets, taken + _AROUND).any(axis=1)
    allowed = np.flatnonzero(clear & (crossed <= _MOST_CROSSED))
    best = allowed[np.argsort(np.round(costs[allowed], 3), kind="stable")[:_TRIED]]
    return _NearBoxes(points[best], boxes[best], np.round(costs[best], 3))


def _chosen(places: Mapping[int, _NearBoxes], order: Sequence[int]) -> dict[int, int]:
    """Return the best place that is left for each of some names, which choose in this order."""
    found: dict[int, int] = {}
    for index in order:
        own = places[index]
        left = np.ones(len(own.costs), dtype=bool)
        for other, place in found.items():
            left[left] = _go_together(
                own.anchors[left],
                own.boxes[left],
                places[other].anchors[place],
                places[other].boxes[place],
            )
        if left.any():
            found[index] = int(left.argmax())
    return found


def _go_together(
    anchors: Points, boxes: Boxes, anchor: NDArray[np.float64], box: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which places meet another name, its leader or where that begins nowhere."""
    ends = np.clip(anchors, boxes[:, :2], boxes[:, 2:])
    one, other_end = anchor[None], nearest_points(box[None], anchor)
    together = ~overlaps(boxes + _AROUND, box[None])[:, 0]
    for other in (box, np.tile(anchor, 2)):
        together &= ~lines_meet_boxes(anchors, ends, other[None] + _AROUND)[:, 0]
    for own in (boxes, np.tile(anchors, 2)):
        together &= ~lines_meet_boxes(one, other_end, own + _AROUND)[0]
    return together & ~lines_cross(anchors, ends, one, other_end)[:, 0]


def _loss(
    places: Mapping[int, _NearBoxes], found: Mapping[int, int], indices: Sequence[int]
) -> float:
    """Return how much worse the places of some names are than the best ones for each alone."""
    losses = [
        places[index].costs[found[index]] - places[index].costs[0] if index in found else _NOWHERE
        for index in indices
    ]
    return round(float(sum(losses)), 3)


def _apart(lines: Sequence[Points], index: int) -> NDArray[np.float64]:
    """Return how far the next line is at each point of a line, as far as it matters."""
    across, up = lines[index].T
    order = np.arange(len(lines)) != index
    others = [_height_at(lines[other], across) for other in np.flatnonzero(order).tolist()]
    alone = np.full((1, len(across)), np.inf)
    distances: NDArray[np.float64] = np.abs(np.vstack([alone, *others]) - up).min(axis=0)
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
