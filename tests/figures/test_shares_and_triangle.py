# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from figures.text_problems import text_problems
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from receval.figures.finish import legend_below
from receval.figures.style import (
    FIRST_WINS,
    NO_WINNER,
    SECOND_WINS,
    SINGLE_COLUMN,
    figure_style,
    ink_on,
    new_figure,
)
from receval.statistics.anova import explained_variance
from reproduction.studies._shared.bars import stacked_shares
from reproduction.studies.multiverse.explained import SHARES_UP_TO, share_rows, triangle

LABELS = ("first wins", "neither wins", "second wins")


@pytest.fixture
def axes() -> Axes:
    """One panel in the style."""
    with figure_style():
        return new_figure(SINGLE_COLUMN, 2.5).subplots()


def texts_at(axes: Axes) -> dict[tuple[float, float], str]:
    """Return the texts by their places, (x, y)."""
    return {
        (round(float(text.get_position()[0]), 6), float(text.get_position()[1])): text.get_text()
        for text in axes.texts
    }


# Stacked shares


def test_parts_of_a_bar_follow_each_other_from_the_first_system_to_the_second(axes: Axes) -> None:
    stacked_shares(axes, [[0.5, 0.2, 0.3], [0, 0, 1]], ["a", "b"], ["c", "d"], LABELS)
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    found = [
        (bar.get_x(), bar.get_x() + bar.get_width(), round(bar.get_y() + bar.get_height() / 2, 9))
        for bar in bars
    ]
    expected = [(0, 0.5, 0), (0, 0, 1), (0.5, 0.7, 0), (0, 0, 1), (0.7, 1, 0), (0, 1, 1)]
    assert np.array(found) == pytest.approx(np.array(expected))
    colours = [bar.get_facecolor()[:3] for bar in bars]
    wanted = [to_rgb(c) for c in (FIRST_WINS, NO_WINNER, SECOND_WINS) for _ in range(2)]
    assert colours == wanted
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    (right,) = axes.child_axes
    assert [label.get_text() for label in right.get_yticklabels()] == ["c", "d"]
    # The first pair is on top.
    low, high = axes.get_ylim()
    assert low > high


@pytest.mark.costly
def test_only_parts_with_room_carry_their_number_and_a_pair_without_verdict_a_dash(
    axes: Axes,
) -> None:
    shares = [[0.904, 0.05, 0.046], [np.nan, np.nan, np.nan], [0.1, 0.3, 0.6]]
    stacked_shares(axes, shares, ["a", "b", "c"], ["d", "e", "f"], LABELS)
    assert texts_at(axes) == {
        (0.01, 0): "90",
        (0.01, 1): "\N{EN DASH}",
        (0.01, 2): "10",
        (0.25, 2): "30",
        (0.99, 2): "60",
    }
    legend_below(axes.figure)
    assert text_problems(axes.figure) == []
    (legend,) = axes.figure.legends
    assert [text.get_text() for text in legend.texts] == list(LABELS)


@pytest.mark.each(
    ("shares", "message"),
    [
        ([[0.5, 0.5]], r"shape \(1, 2\), but there are 1 first and 1 second"),
        ([[1, 0, 0], [1, 0, 0]], r"shape \(2, 3\)"),
        ([[0.5, 0.6, -0.1]], "shares of a and b are 0.5, 0.6, -0.1"),
        ([[0.5, 0.2, 0.2]], "must sum to 1"),
        ([[0.5, np.nan, 0.5]], "shares of a and b are 0.5, nan, 0.5"),
    ],
)
def test_what_is_no_distribution_of_verdicts_is_refused(
    axes: Axes, shares: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        stacked_shares(axes, shares, ["a"], ["b"], LABELS)
    with pytest.raises(ValueError, match="at least one pair"):
        stacked_shares(axes, np.zeros((0, 3)), [], [], LABELS)


# Triangles


def cells_of(axes: Axes) -> NDArray[np.float64]:
    """Return the middles of the coloured squares and their values, (x, y, value)."""
    (squares,) = axes.collections
    middles = [path.vertices[:4].mean(axis=0) for path in squares.get_paths()]
    return np.column_stack((middles, squares.get_array()))


def test_decisions_stand_on_the_diagonal_and_pairs_below_it(axes: Axes) -> None:
    triangle(axes, ["a", "b", "c"], [0.5, 0.04, 0], [0.12, 0.0004, 0.3])
    expected = {(0, 0): 50, (1, 1): 4, (2, 2): 0, (0, 1): 12, (0, 2): 0.04, (1, 2): 30}
    found = {(x, y): value for x, y, value in cells_of(axes).tolist()}
    assert found == pytest.approx(expected)
    assert texts_at(axes) == {
        **{(0, 0): "50", (1, 1): "4.0", (2, 2): ""},
        **{(0, 1): "12", (0, 2): "", (1, 2): "30"},
    }
    framed = [patch.get_xy() for patch in axes.patches if not patch.get_fill()]
    assert framed == [pytest.approx((place - 0.46, place - 0.46)) for place in range(3)]


def test_pairs_are_in_the_order_of_the_explained_variance(axes: Axes) -> None:
    one, two, three = (np.array(levels) for levels in zip(*np.ndindex(2, 3, 2), strict=True))
    found = explained_variance({"one": one, "two": two, "three": three}, [two * three + 3.0 * one])
    triangle(axes, found.names, found.alone[0], found.together[0])
    drawn = {(x, y): value for x, y, value in cells_of(axes).tolist()}
    place = found.pairs.index(("two", "three"))
    assert drawn[1, 2] == pytest.approx(100 * found.together[0, place])
    assert drawn[1, 2] > 1
    assert max(drawn[0, 1], drawn[0, 2]) == pytest.approx(0, abs=1e-9)


def test_panels_can_have_one_scale_and_further_shares_in_the_corner(axes: Axes) -> None:
    squares = triangle(axes, ["a", "b"], [0.2, 0.7], [0.1], {"overlap": -0.041, "rest": 0.64})
    assert squares.get_clim() == (0, 100 * SHARES_UP_TO)
    assert texts_at(axes)[1, 1] == "overlap: \N{MINUS SIGN}4.1 %\nrest: 64 %"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_rows_of_shares_have_the_scale_of_triangles_and_blank_zeros(axes: Axes) -> None:
    share_rows(axes, [[0.37, 0.0004, np.nan], [0.004, 0.9, 0.052]], ["a", "b", "c"])
    (image,) = axes.images
    assert image.get_clim() == (0, SHARES_UP_TO)
    assert texts_at(axes) == {
        **{(0, 0): "37", (1, 0): "", (2, 0): "\N{EN DASH}"},
        **{(0, 1): ".4", (1, 1): "90", (2, 1): "5.2"},
    }
    assert text_problems(axes.figure) == []


def test_a_pair_can_have_the_colours_of_its_systems(axes: Axes) -> None:
    colours = [("#111111", "#222222"), ("#333333", "#444444")]
    stacked_shares(
        axes, [[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], ["a", "b"], ["c", "d"], colours=colours
    )
    found = [to_rgb(bar.get_facecolor()[:3]) for bar in axes.patches]
    firsts, seconds = zip(*colours, strict=True)
    assert found == [to_rgb(c) for c in (*firsts, NO_WINNER, NO_WINNER, *seconds)]


def test_shares_of_no_variance_are_dashes(axes: Axes) -> None:
    triangle(axes, ["a", "b"], [np.nan, np.nan], [np.nan])
    assert set(texts_at(axes).values()) == {"\N{EN DASH}"}
    assert text_problems(axes.figure) == []


@pytest.mark.costly
def test_eight_decisions_in_a_column_have_no_overlapping_text(axes: Axes) -> None:
    shares = np.linspace(0, 0.2, 36)
    triangle(axes, [f"A{place} Decision" for place in range(8)], shares[:8], shares[8:])
    assert text_problems(axes.figure) == []
    for text in axes.texts:
        column, row = text.get_position()
        (cell,) = np.flatnonzero((cells_of(axes)[:, :2] == (column, row)).all(axis=1))
        ground = axes.collections[0].to_rgba(cells_of(axes)[cell, 2])
        assert text.get_color() == ink_on(ground)


@pytest.mark.parametrize(
    ("names", "alone", "together", "message"),
    [
        ([], [], [], "There are 0 decisions"),
        (["a", "b"], [0.1], [0.1], r"2 decisions, but shares of the shapes \(1,\) and \(1,\)"),
        (["a", "b"], [0.1, 0.1], [], r"shapes \(2,\) and \(0,\)"),
        (["a"], [-0.1], [], "down to -0.1: none can be negative"),
    ],
)
def test_shares_that_fit_no_triangle_are_refused(
    axes: Axes, names: list[str], alone: object, together: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        triangle(axes, names, alone, together)
