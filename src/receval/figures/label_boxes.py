"""Boxes, points and lines in a panel: what overlaps, how far it is, what crosses what."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COINCIDENT = 0.75
"""Points between two lines up to which they are one to the eye, and carry one name."""

Boxes = NDArray[np.float64]
"""Shape (n, 4): left, bottom, right and top, in points."""


def inside(boxes: Boxes, frame: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which boxes lie in a frame."""
    left, bottom, right, top = boxes.T
    return (left >= frame[0]) & (bottom >= frame[1]) & (right <= frame[2]) & (top <= frame[3])


def overlaps(boxes: Boxes, taken: Boxes) -> NDArray[np.bool_]:
    """Return which boxes overlap which taken ones, shape (n_boxes, n_taken)."""
    left, bottom, right, top = boxes.T[:, :, None]
    return (
        (left < taken[:, 2]) & (right > taken[:, 0]) & (bottom < taken[:, 3]) & (top > taken[:, 1])
    )


def nearest_points(boxes: Boxes, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point of each box that is nearest to a point, shape (n, 2)."""
    return np.clip(point, boxes[:, :2], boxes[:, 2:])


def distances_to(boxes: Boxes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far boxes are from points, shape (n_boxes, n_points)."""
    nearest = np.clip(points, boxes[:, None, :2], boxes[:, None, 2:])
    distances: NDArray[np.float64] = np.hypot(*np.moveaxis(nearest - points, -1, 0))
    return distances


def lines_meet_boxes(
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


def lines_cross(
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


def are_one(one: NDArray[np.float64], other: NDArray[np.float64], near: float) -> bool:
    """Return whether two lines are one to the eye, by the points of the page that they go through.

    Parameters
    ----------
    one, other : ndarray of float64, shape (n, 2)
    near : float
        How far apart they may be on average, at their ends twice as far; where they are no farther
        apart than ``COINCIDENT`` anywhere, they are one in any case.
    """
    if one.shape != other.shape:
        return False
    apart = np.abs(one - other)
    ends = max(apart[0].max(), apart[-1].max())
    return bool(apart.max() <= COINCIDENT or (apart[:, 1].mean() <= near and ends <= 2 * near))
