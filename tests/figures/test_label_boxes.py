# SPDX-License-Identifier: MIT
"""Lines meet the boxes that exact fractions say, whatever is left out to be quick."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from receval.figures.point_labels import lines_meet_boxes

# Few values, for lines to lie along sides, to end on them and to go through corners.
values = st.integers(0, 6)
points = st.tuples(values, values)
Line = tuple[tuple[int, int], tuple[int, int]]


def goes_through(line: Line, box: Line) -> bool:
    """Return whether any part of a line, however short, lies strictly within a box."""
    enters, leaves = Fraction(0), Fraction(1)
    for start, end, side, other in zip(*line, *box, strict=True):
        low, high = sorted((side, other))
        if start == end:
            if not low < start < high:
                return False
            continue
        cuts = sorted(Fraction(at - start, end - start) for at in (low, high))
        enters, leaves = max(enters, cuts[0]), min(leaves, cuts[1])
    return enters < leaves


@given(
    st.lists(st.tuples(points, points), min_size=1, max_size=6),
    st.lists(st.tuples(points, points), min_size=1, max_size=6),
)
def test_lines_meet_the_boxes_that_they_go_through(lines: list[Line], corners: list[Line]) -> None:
    starts, ends = (np.array(lines, dtype=np.float64)[:, end] for end in (0, 1))
    boxes = np.sort(np.array(corners, dtype=np.float64), axis=1).reshape(-1, 4)
    expected = [[goes_through(line, box) for box in corners] for line in lines]
    np.testing.assert_array_equal(lines_meet_boxes(starts, ends, boxes), expected)


def test_points_that_are_not_known_meet_nothing() -> None:
    lines = np.array([[np.nan, 0.5], [0.5, 0.5]])
    boxes = np.array([[0.0, 0.0, 1.0, 1.0], [np.nan, 0.0, 1.0, 1.0]])
    assert not lines_meet_boxes(lines, lines[::-1], boxes).any()
