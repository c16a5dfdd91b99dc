# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from figures.text_problems import text_problems
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from receval.figures.finish import legend_below
from receval.figures.mosaic import LINE, Area, MosaicColumn, Part, mosaic, spread_out
from receval.figures.style import figure_style, new_figure
from reproduction.studies.menamaldonado2021.fig06 import RESOLUTION, dots

RED, BLUE = "#D55E00", "#0072B2"


def column(label: str, *areas: tuple[str, float, float]) -> MosaicColumn:
    """A column whose areas have a share that is red and one that is blue and hatched."""
    return MosaicColumn(
        label,
        tuple(
            Area(name, (Part(red, RED, "red"), Part(blue, BLUE, "blue", hatched=True)))
            for name, red, blue in areas
        ),
    )


def drawn(*columns: MosaicColumn, hatch_label: str | None = None) -> Figure:
    with figure_style():
        figure = new_figure(5, 3)
        mosaic(figure.subplots(), columns, hatch_label)
        legend_below(figure)
    return figure


def parts_of(figure: Figure) -> list[tuple[tuple[float, ...], bool]]:
    """Corners (left, bottom, right, top) of the parts in the order drawn, and which are hatched."""
    found = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    return [
        (tuple(float(x) for x in patch.get_bbox().extents), bool(patch.get_hatch()))
        for patch in found
        if patch.get_fill() and patch.get_width() > 0
    ]


def test_areas_are_as_large_as_their_shares() -> None:
    figure = drawn(
        column("left", ("upper", 0.3, 0.15), ("lower", 0.15, 0)), column("right", ("all", 0.2, 0.2))
    )
    expected = [
        ((0, 0.5, 0.6, 1), False),
        ((0, 0.25, 0.6, 0.5), True),
        ((0, 0, 0.6, 0.25), False),
        ((0.6, 0.5, 1, 1), False),
        ((0.6, 0, 1, 0.5), True),
    ]
    for (corners, hatched), (wanted, stripes) in zip(parts_of(figure), expected, strict=True):
        assert corners == pytest.approx(wanted)
        assert hatched is stripes


def test_thin_parts_are_not_hidden_by_the_white_edges_of_others() -> None:
    figure = drawn(column("left", ("upper", 0.5, 0.002), ("lower", 0.498, 0)))
    patches = [patch for patch in figure.axes[0].patches if patch.get_width() > 0]
    filled = [p for p in patches if p.get_fill() and not p.get_hatch()]
    filled += [p for p in patches if p.get_hatch() and p.get_linewidth()]
    thin, *others = sorted(filled, key=lambda p: p.get_height())
    assert thin.get_edgecolor() == thin.get_facecolor()
    assert {patch.get_edgecolor()[:3] for patch in others} == {(1.0, 1.0, 1.0)}
    borders = [patch.get_zorder() for patch in patches if not patch.get_fill()]
    assert max(p.get_zorder() for p in others) < thin.get_zorder() < min(borders)


@pytest.mark.parametrize(("share", "striped"), [(0.05, True), (0.004, True), (0.00005, False)])
def test_a_hatched_part_is_striped_over_its_edge_however_thin_it_is(
    share: float, striped: bool
) -> None:
    figure = drawn(column("left", ("upper", 0.5, share), ("lower", 0.5 - share, 0)))
    patches = [patch for patch in figure.axes[0].patches if patch.get_width() > 0]
    stripes = [patch for patch in patches if patch.get_hatch()]
    (part,) = (patch for patch in patches if patch.get_facecolor() == to_rgba(BLUE))
    assert bool(stripes) is striped
    for patch in stripes:
        bottom, top = patch.get_y(), patch.get_y() + patch.get_height()
        # Not into the next area, and at least as high as the part.
        assert bottom == pytest.approx(0.5 - share)
        assert top >= 0.5
        if patch is not part:
            assert patch.get_linewidth() == 0
            assert patches.index(patch) > patches.index(part)
            assert patch.get_zorder() == part.get_zorder()
            assert (top - bottom) * 150 > 0.8


def test_names_shares_and_colours_are_printed_without_overlaps() -> None:
    figure = drawn(
        column("left", ("upper", 0.3, 0.15), ("lower", 0.15, 0)),
        replace(column("right", ("all", 0.2, 0.199)), remark="(paper 40 %)"),
        MosaicColumn("", (Area("sliver", (Part(0.001, RED, "red"),)),)),
        hatch_label="striped",
    )
    assert text_problems(figure) == []
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert texts == {
        "left: 60.0 %",
        "right: 39.9 % (paper 40 %)",
        "upper\n45.0 %",
        "lower",
        "all\n39.9 %",
        *("30.0 %", "15.0 %", "20.0 %", "19.9 %"),
    }
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts] == ["red", "blue", "striped"]
    assert [bool(patch.get_hatch()) for patch in legend.get_patches()] == [False, False, True]


def test_parts_without_room_are_listed_behind_the_share_of_their_area() -> None:
    figure = drawn(
        column("left", ("thin", 0.3, 0.02), ("one part", 0.019, 0.0), ("tiny", 0.26, 0.001)),
        column("right", ("all", 0.2, 0.2)),
    )
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"thin\n32.0 %: 30.0, 2.0", "one part\n1.9 %", "tiny\n26.1 %", "all\n40.0 %"} <= texts


def test_a_name_is_led_to_a_dot_within_its_area_past_what_is_between() -> None:
    figure = drawn(
        column("left", ("a", 0.3, 0.3)),
        column("right", ("b", 0.2, 0.1)),
        MosaicColumn("", (Area("sliver", (Part(0.1, RED, "red"),)),)),
    )
    left, right = figure.axes[0].lines
    assert 0 < left.get_xdata()[0] < 0.6
    assert 0.6 < right.get_xdata()[0] < 0.9
    assert (left.get_xdata()[1:] < 0).all()
    assert (right.get_xdata()[1:] > 1).all()
    assert left.get_ydata()[0] == right.get_ydata()[0] == 0.5


@pytest.mark.parametrize(
    "columns",
    [
        # Many thin areas; a column alone; columns too narrow for their names; nothing at all.
        [column("left", *((f"area {i}", 0.01, 0.01) for i in range(6)), ("rest", 0.88, 0))],
        [column("left", ("a", 0, 0)), column("right", ("b", 0.4, 0.6))],
        [column("left", ("a", 0.01, 0)), column("right", ("b", 0.4, 0.59))],
        [column("left", ("a", 0.4, 0.59)), column("right", ("b", 0.01, 0))],
        [column("left", ("a", 0, 0)), column("right", ("b", 0, 0))],
    ],
)
def test_extreme_shares_can_be_drawn_without_overlaps(columns: list[MosaicColumn]) -> None:
    assert text_problems(drawn(*columns)) == []


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([column("left", ("a", 0.7, 0.4))], "at most 1"),
        ([column("left", ("a", -0.1, 0.4))], "at least 0"),
        ([column("left", ("a", np.nan, 0.4))], "at least 0"),
        ([column(name, ("a", 0.1, 0.1)) for name in ("a", "b", "c")], "Only two columns"),
    ],
)
def test_what_is_no_mosaic_is_refused(columns: list[MosaicColumn], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(*columns)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 2)), max_size=7).map(
        lambda labels: sorted(labels, reverse=True)
    )
)
@pytest.mark.costly
def test_labels_keep_their_order_and_do_not_overlap(labels: list[tuple[float, int]]) -> None:
    places, lines = [place for place, _ in labels], [count for _, count in labels]
    moved = spread_out(places, lines)
    for (above, one), (below, other) in pairwise(zip(moved, lines, strict=True)):
        assert above - below >= LINE * (one + other) / 2 - 1e-12
    assert all(place >= 0 for place in moved)


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread_out([0.9, 0.5, 0.1], [1, 2, 1]) == [0.9, 0.5, 0.1]


def test_dots_are_one_picture_in_the_resolution_of_print() -> None:
    with figure_style():
        figure = new_figure(3, 2)
        axes = figure.subplots()
        dots(axes, [0, 1, 2], [3, 4, 5], BLUE)
    (points,) = axes.lines
    assert points.get_rasterized()
    assert points.get_xydata().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert figure.dpi == RESOLUTION
