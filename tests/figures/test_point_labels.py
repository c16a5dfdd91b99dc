# SPDX-License-Identifier: MIT
"""Names beside points overlap nothing, stay in their panel, and are told to whom they belong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from each_case import tries
from figures.text_problems import leaders_of
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.finish import settle_layout
from receval.figures.point_labels import (
    CLEAR,
    CLUSTER_LEADER_FROM,
    LEADER_FROM,
    SIDE_BY_SIDE,
    PointLabel,
    label_points,
    lines_cross,
)
from receval.figures.style import figure_style, new_figure

MARKER_SIZE = 4.5
# Names with descenders, capitals and digits, as long as those of the systems.
NAMES = (
    *("User kNN", "Item kNN", "BPoissMF", "eALS", "GBPR", "ListRankMF", "PNMF", "PLSA", "RankSGD"),
    *("SLIM", "SVD++", "WBPR", "WRMF", "Pop", "Avg", "Random"),
    *("Optimal P", "Optimal antiP", "Optimal"),
)
Point = tuple[float, float]

shares = st.floats(0, 1, allow_subnormal=False)
anywhere = st.tuples(shares, shares)
edges = st.tuples(st.sampled_from([0.0, 1.0]), shares) | st.tuples(
    shares, st.sampled_from([0.0, 1.0])
)
inside = st.tuples(st.floats(0.1, 0.9), st.floats(0.1, 0.9))
# A knot of systems that hardly differ, which is what the figures of the paper have.
near = st.tuples(st.floats(0.58, 0.62), st.floats(0.3, 0.34))
points_of_a_panel = st.lists(
    anywhere | edges | near | st.just((0.25, 0.75)), min_size=2, max_size=len(NAMES)
)


@cache
def panel() -> Axes:
    """Return a panel about as large as those of figure 12, with limits from 0 to 1."""
    with figure_style():
        figure = new_figure(2.65, 2.35)
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="antiP@10", ylabel="P@10", title="ML-1M")
        settle_layout(figure)
    return axes


def named(points: Sequence[Point], axes: Axes) -> list[Annotation]:
    """Name points in a panel from which earlier names are removed."""
    for text in list(axes.texts):
        text.remove()
    labels = [PointLabel(x, y, name) for (x, y), name in zip(points, NAMES, strict=False)]
    with figure_style():
        return label_points(axes, labels, MARKER_SIZE)


def leaders(axes: Axes) -> list[Annotation]:
    return [t for t in axes.texts if isinstance(t, Annotation) and t.arrow_patch is not None]


def in_points(axes: Axes, pixels: object) -> NDArray[np.float64]:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return np.asarray(pixels, dtype=np.float64) * 72 / figure.dpi


def boxes_of(names: Sequence[Annotation], axes: Axes) -> NDArray[np.float64]:
    """Return left, bottom, right and top of each drawn name, in points."""
    return in_points(axes, [name.get_window_extent().extents for name in names])


def gaps(boxes: NDArray[np.float64], points: Sequence[Point], axes: Axes) -> NDArray[np.float64]:
    """Return the free points between each name and each marker: negative where they overlap."""
    centres = in_points(axes, axes.transData.transform(points))
    nearest = np.clip(centres[None], boxes[:, None, :2], boxes[:, None, 2:])
    return np.linalg.norm(nearest - centres[None], axis=2) - MARKER_SIZE / 2


@pytest.mark.costly
@given(points=points_of_a_panel)
@tries(25)
def test_names_are_apart_from_names_and_markers_and_stay_in_the_panel(points: list[Point]) -> None:
    axes = panel()
    names = named(points, axes)
    assert [name.get_text() for name in names] == list(NAMES[: len(points)])
    boxes = boxes_of(names, axes)
    for place, box in enumerate(boxes):
        others = np.delete(boxes, place, axis=0)
        apart = (
            (others[:, 0] >= box[2] + SIDE_BY_SIDE)
            | (others[:, 2] <= box[0] - SIDE_BY_SIDE)
            | (others[:, 1] >= box[3])
            | (others[:, 3] <= box[1])
        )
        assert apart.all()
    assert gaps(boxes, points, axes).min() > 0
    frame = in_points(axes, axes.get_window_extent().extents)
    assert (boxes[:, :2] >= frame[:2]).all()
    assert (boxes[:, 2:] <= frame[2:]).all()


@pytest.mark.costly
@given(points=points_of_a_panel)
@tries(10)
def test_a_far_name_and_one_in_a_cluster_have_a_leader_that_ends_at_the_name(
    points: list[Point],
) -> None:
    axes = panel()
    names = named(points, axes)
    boxes = boxes_of(names, axes)
    between = gaps(boxes, points, axes)
    own = between.diagonal()
    # Half a point, by which the boxes of texts and those that were reserved may differ.
    near_others = (between + np.diag(np.full(len(points), np.inf)) < CLEAR + 2.0).any(axis=1)
    may_have = (own > LEADER_FROM) | (near_others & (own > CLUSTER_LEADER_FROM))
    lines = leaders(axes)
    # Coinciding points: as many leaders start there as names of them are far.
    for point in set(points):
        of_point = np.array([other == point for other in points])
        lead = [line for line in lines if line.xy == point]
        assert np.sum(own[of_point] > LEADER_FROM + 2.0) <= len(lead)
        assert len(lead) <= np.sum(may_have[of_point])
        centre = in_points(axes, axes.transData.transform(point))
        for line in lead:
            end = centre + np.asarray(line.xyann)
            box = boxes[of_point]
            beyond = np.maximum(np.maximum(box[:, :2] - end, end - box[:, 2:]), 0)
            assert np.linalg.norm(beyond, axis=1).min() < 1.5
    assert len(lines) == sum(line.xy in points for line in lines)


@pytest.mark.costly
@given(points=points_of_a_panel)
@tries(4)
def test_the_same_points_get_the_same_places(points: list[Point]) -> None:
    axes = panel()
    first = [(name.xy, name.xyann) for name in named(points, axes)]
    lines = [(line.xy, line.xyann) for line in leaders(axes)]
    assert [(name.xy, name.xyann) for name in named(points, axes)] == first
    assert [(line.xy, line.xyann) for line in leaders(axes)] == lines


@pytest.mark.costly
@given(point=inside | edges)
@example((0.0, 0.0))
@example((1.0, 1.0))
@example((0.01, 0.99))
@tries(20)
def test_the_name_of_a_lonely_point_stands_right_beside_it(point: Point) -> None:
    axes = panel()
    names = named([point], axes)
    # At an edge it stands on the side of the panel.
    is_inside = 0.1 <= min(point) <= max(point) <= 0.9
    assert 0 < gaps(boxes_of(names, axes), [point], axes)[0, 0] < (2 if is_inside else 3)
    assert leaders(axes) == []


def test_points_with_room_between_them_all_have_their_names_beside_them() -> None:
    axes = panel()
    points = [(0.15 + 0.35 * (place % 3), 0.1 + 0.2 * (place // 3)) for place in range(12)]
    names = named(points, axes)
    between = gaps(boxes_of(names, axes), points, axes)
    assert between.diagonal().max() < 3
    assert (between.argmin(axis=1) == np.arange(12)).all()
    assert leaders(axes) == []


@pytest.mark.costly
def test_a_knot_of_points_has_its_names_around_it_on_leaders() -> None:
    axes = panel()
    points = [(0.5 + 0.004 * (place % 4), 0.5 + 0.004 * (place // 4)) for place in range(16)]
    names = named(points, axes)
    own = gaps(boxes_of(names, axes), points, axes).diagonal()
    assert (own > LEADER_FROM + 2.0).sum() >= 8
    assert sorted(line.xy for line in leaders(axes)) >= sorted(
        point for point, gap in zip(points, own, strict=True) if gap > LEADER_FROM + 2.0
    )


@pytest.mark.costly
@pytest.mark.parametrize(
    "points",
    [
        [(0.11, 0.09), (0.09, 0.16), (0.1, 0.08), (0.13, 0.11), (0.06, 0.09)],
        [(0.11, 0.09), (0.04, 0.09), (0.17, 0.15), (0.13, 0.13), (0.0, 0.13)],
        [(0.12, 0.12), (0.17, 0.16), (0.1, 0.1), (0.11, 0.05), (0.11, 0.08), (0.15, 0.05)],
        [(0.1, 0.07), (0.16, 0.1), (0.1, 0.02), (0.1, 0.08), (0.03, 0.02), (0.14, 0.13),
         (0.11, 0.04)],
    ],
)  # fmt: skip
def test_two_names_in_each_others_way_change_places_so_that_no_leaders_cross(
    points: list[Point],
) -> None:
    axes = panel()
    named(points, axes)
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    with figure_style():
        figure.draw_without_rendering()
        drawn = leaders_of(figure)
    assert len(drawn) >= 2
    starts, ends = (np.array([leader[end] for leader in drawn]) for end in (0, -1))
    assert not lines_cross(starts, ends, starts, ends).any()


def test_names_between_two_points_are_led_to_their_own() -> None:
    axes = panel()
    points = [(0.5, 0.5), (0.54, 0.5), (0.5, 0.56)]
    names = named(points, axes)
    between = gaps(boxes_of(names, axes), points, axes)
    led = [line.xy for line in leaders(axes)]
    for place, point in enumerate(points):
        others = np.delete(between[place], place)
        assert point in led or others.min() > between[place, place]


def test_a_larger_marker_keeps_its_name_farther_and_a_name_has_its_colour() -> None:
    axes = panel()
    for text in list(axes.texts):
        text.remove()
    with figure_style():
        (name,) = label_points(
            axes, [PointLabel(0.5, 0.5, "Pop", colour="#e69f00", marker_size=20.0)], MARKER_SIZE
        )
    assert name.get_color() == "#e69f00"
    assert gaps(boxes_of([name], axes), [(0.5, 0.5)], axes)[0, 0] > (20.0 - MARKER_SIZE) / 2


def test_a_panel_without_points_has_no_names() -> None:
    assert named([], panel()) == []


def test_a_panel_narrower_than_a_name_is_refused() -> None:
    name = "A name that no panel of three in a row is wide enough for"
    message = f"no free place for the name {name} in the panel: enlarge"
    with figure_style(), pytest.raises(ValueError, match=message):
        label_points(panel(), [PointLabel(0.5, 0.5, name)], MARKER_SIZE)


def test_a_panel_without_room_for_all_names_is_refused() -> None:
    with figure_style():
        figure = new_figure(1.4, 1.2)
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        settle_layout(figure)
    with pytest.raises(ValueError, match=r"no free place for the name .* show fewer points"):
        named([(0.05 * place, 0.5) for place in range(19)], axes)
