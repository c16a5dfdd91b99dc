# SPDX-License-Identifier: MIT
"""Names within a panel meet no line and no leader, and leaders no name and no other leader."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.figures.label_boxes import lines_cross, lines_meet_boxes, overlaps
from receval.figures.line_labels import InsideLabel, positions_inside

FRAME = np.array([0.0, 0.0, 180.0, 160.0])
SIZE = (24.0, 7.0)
NOTHING = np.empty((0, 4))
ACROSS = np.linspace(0, 180, 13)

heights = st.lists(st.floats(10, 150), min_size=len(ACROSS), max_size=len(ACROSS))


def through(*up: float) -> NDArray[np.float64]:
    """Return a line from the left to the right of the panel."""
    return np.column_stack([np.linspace(0, 180, len(up)), up])


def leader(label: InsideLabel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return label.anchor[None], label.nearest[None]


@pytest.mark.costly
@given(st.lists(heights, min_size=2, max_size=7), st.floats(20, 120))
@settings(max_examples=40, deadline=None)
def test_no_name_is_in_the_way_of_a_line_a_leader_or_another_name(
    lines: list[list[float]], left: float
) -> None:
    drawn = [through(*up) for up in lines]
    taken = np.array([[left, 60.0, left + 40.0, 70.0]])
    found = positions_inside(drawn, dict.fromkeys(range(len(drawn)), SIZE), FRAME, taken)
    for index, label in found.items():
        box = label.box[None]
        assert box[:, 2:] - box[:, :2] == pytest.approx(np.array([SIZE]))
        assert any((label.anchor == point).all() for point in drawn[index])
        assert not overlaps(box, taken).any()
        assert not lines_meet_boxes(*leader(label), taken).any()
        for line in drawn:
            assert not lines_meet_boxes(line[:-1], line[1:], box).any()
    for one, other in permutations(found.values(), 2):
        assert not lines_meet_boxes(*leader(one), other.box[None]).any()
    for one, other in combinations(found.values(), 2):
        assert not overlaps(one.box[None], other.box[None]).any()
        assert not lines_cross(*leader(one), *leader(other)).any()


def test_a_name_stays_off_a_line_that_is_one_with_its_own() -> None:
    line, near = through(80, 80, 80, 80, 80), through(80, 80, 92, 80, 80)
    alone = positions_inside([line], {0: SIZE}, FRAME, NOTHING)
    beside = positions_inside([line], {0: SIZE}, FRAME, NOTHING, beside=[near])
    assert lines_meet_boxes(near[:-1], near[1:], alone[0].box[None]).any()
    assert not lines_meet_boxes(near[:-1], near[1:], beside[0].box[None]).any()


def test_a_line_that_is_nowhere_apart_has_no_name_within_the_panel() -> None:
    lines = [through(80, 80, 80, 80), through(81, 81, 81, 81)]
    assert positions_inside(lines, {0: SIZE}, FRAME, NOTHING) == {}


def test_all_have_a_place_where_the_first_to_choose_would_leave_none() -> None:
    """In this low panel, the name that is sought first would take what the other one needs."""
    frame = np.array([0.0, 0.0, 90.0, 30.0])
    lines = [
        np.column_stack([np.linspace(0, 90, 5), up])
        for up in ([15.0, 25.0, 15.0, 20.0, 25.0], [5.0, 0.0, 0.0, 20.0, 5.0])
    ]
    alone = [positions_inside(lines, {index: SIZE}, frame, NOTHING)[index] for index in (0, 1)]
    found = positions_inside(lines, {0: SIZE, 1: SIZE}, frame, NOTHING)
    assert overlaps(alone[0].box[None], alone[1].box[None]).any()
    assert set(found) == {0, 1}


@given(st.integers(1, 11))
def test_lines_that_bend_on_the_way_of_a_leader_are_crossed_once(place: int) -> None:
    """All lines of a panel bend at the same places, straight above each other."""
    line = through(*np.linspace(40, 60, 13))
    start = np.array([[ACROSS[place], 10.0]])
    for end in (150.0, -150.0):
        stop = np.array([[ACROSS[place], end]])
        crossed = lines_cross(start, stop, line[:-1], line[1:]).sum()
        assert crossed == (end > 0)


def test_leaders_prefer_to_cross_nothing() -> None:
    lines = [through(80, 80, 80, 80, 80), through(90, 90, 90, 90, 90), through(95, 95, 95, 95, 95)]
    label = positions_inside(lines, {0: SIZE}, FRAME, NOTHING)[0]
    assert label.box[3] < 80
