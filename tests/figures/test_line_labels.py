# SPDX-License-Identifier: MIT
"""Names at the ends of lines."""

from __future__ import annotations

import numpy as np
import pytest
from figures.colours import SMALL_TEXT, contrast
from figures.text_problems import text_problems
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from scipy.optimize import minimize

from receval.figures.line_labels import label_lines, readable, spaced_positions
from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure

NAMES = ("kNN", "MF", "Pop", "Random")


def drawn(ends: dict[str, list[float]], height: float = 2.0, *, reverse: bool = False) -> Figure:
    """Return a panel with a line for each name, through its values."""
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, height)
        axes = figure.subplots()
        for name, values in ends.items():
            axes.plot(range(len(values)), values, label=name)
        if reverse:
            axes.invert_xaxis()
        label_lines([axes])
    return figure


def names_of(axes: Axes) -> dict[str, Annotation]:
    return {
        text.get_text(): text
        for text in axes.texts
        if isinstance(text, Annotation) and text.get_text()
    }


def test_every_line_is_named_beside_its_end_in_the_order_of_the_ends() -> None:
    figure = drawn({"kNN": [0, 1], "MF": [0, 3], "Pop": [0, 2], "Random": [0, 1.1]})
    with figure_style():
        found = names_of(figure.axes[0])
        heights = {name: text.get_window_extent().y0 for name, text in found.items()}
        right = figure.axes[0].get_window_extent().x1
        beside = {name: text.get_window_extent().x0 for name, text in found.items()}
    assert sorted(heights, key=heights.__getitem__) == ["kNN", "Random", "Pop", "MF"]
    assert text_problems(figure) == []
    assert min(beside.values()) > right


def test_the_end_is_the_right_one_where_the_axis_runs_backwards() -> None:
    figure = drawn({"kNN": [2, 0], "MF": [1, 5]}, reverse=True)
    found = names_of(figure.axes[0])
    assert found["kNN"].xy[1] == 2
    assert found["MF"].xy[1] == 1


def test_lines_on_each_other_carry_one_name() -> None:
    figure = drawn({"P": [0, 1], "F1": [0, 1.0001], "MAP": [0, 0.5]})
    assert set(names_of(figure.axes[0])) == {"P, F1", "MAP"}


def test_lines_that_only_end_together_keep_their_names() -> None:
    figure = drawn({"P": [0, 1], "F1": [0.5, 1]})
    assert set(names_of(figure.axes[0])) == {"P", "F1"}


def test_a_line_without_its_last_values_is_named_where_it_ends() -> None:
    figure = drawn({"kNN": [1, 2, np.nan], "MF": [0, 1, 3]})
    assert names_of(figure.axes[0])["kNN"].xy[1] == 2


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ({"kNN": [np.nan, np.nan], "MF": [0, 1]}, "The line kNN has no value at all"),
        ({}, "no labelled lines"),
        ({f"system {number}": [0, number] for number in range(12)}, "too low for 12 names"),
    ],
)
def test_what_has_no_end_or_no_room_is_refused(ends: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(ends, height=0.8)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6), st.floats(0.5, 10))
def test_names_keep_their_distance_and_order_within_the_panel(
    wanted: list[float], distance: float
) -> None:
    places = spaced_positions(np.array(wanted), distance, 0, 100)
    order = np.argsort(np.round(wanted, 3), kind="stable")
    assert (np.diff(places[order]) >= distance - 1e-9).all()
    assert places.min() >= -1e-9
    assert places.max() <= 100 + 1e-9


def test_places_are_the_least_squares_fit_by_a_general_solver() -> None:
    wanted = np.array([3.0, 3.5, 4.0, 9.0, 9.1])
    fitted = spaced_positions(wanted, 1.0, -100, 100)
    solved = minimize(
        lambda x: ((x - wanted) ** 2).sum(),
        np.arange(5.0) * 2,
        constraints=[
            {"type": "ineq", "fun": lambda x, i=i: x[i + 1] - x[i] - 1.0} for i in range(4)
        ],
    )
    assert fitted == pytest.approx(solved.x, abs=1e-4)


@pytest.mark.each("colour", ["#88c620", "#2ec3e9", "#e69f00", "#0b0d86"])
def test_every_name_can_be_read_on_white(colour: str) -> None:
    assert contrast(readable(colour), "white") >= SMALL_TEXT


def test_half_of_a_marker_at_the_edge_is_not_cut_off() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2.0)
        axes = figure.subplots()
        (inside,) = axes.plot([0, 1], [0, 1], label="inside")
        (outside,) = axes.plot([0, 1], [0, 3], label="outside")
        axes.set_ylim(0, 2)
        axes.set_xlim(0, 1)
        label_lines([axes])
    assert not inside.get_clip_on()
    assert outside.get_clip_on()
