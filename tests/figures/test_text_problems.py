# SPDX-License-Identifier: MIT
"""Layout problems are found: texts that overlap or are cut, and leaders that mislead."""

from __future__ import annotations

import numpy as np
import pytest
from figures.text_problems import leaders_of, text_problems
from matplotlib.figure import Figure

from receval.figures.finish import settle_layout
from receval.figures.point_labels import draw_leader
from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure
from reproduction.studies._shared.heat_map import heat_map

Place = tuple[float, float]

NAMES = {"kNN": (120.0, 60.0), "MF": (120.0, 90.0)}
WITH_POP = {**NAMES, "Pop": (90.0, 60.0)}


def drawn(names: dict[str, Place], leaders: list[list[Place]]) -> Figure:
    """Return a panel with names and leaders at places in points of the page."""
    with figure_style():
        figure = new_figure(3.0, 2.0)
        figure.subplots()
        settle_layout(figure)
        width, height = figure.get_size_inches() * 72
        for name, (x, y) in names.items():
            figure.text(x / width, y / height, name, fontsize=6, ha="left", va="center")
        for leader in leaders:
            draw_leader(figure, leader, "black")
    return figure


@pytest.mark.costly
@pytest.mark.parametrize(
    ("names", "leaders", "problems"),
    [
        # To their own names; from one point; with bends around another name.
        (NAMES, [[(80, 60), (119, 60)], [(80, 90), (119, 90)]], []),
        (NAMES, [[(80, 75), (119, 60)], [(80, 75), (119, 90)]], []),
        (WITH_POP, [[(70, 60), (70, 45), (117, 45), (119, 58)]], []),
        (WITH_POP, [[(70, 60), (119, 60)]], ["The leader of 'kNN' runs through 'Pop'."]),
        (
            WITH_POP,
            [[(70, 90), (70, 60), (117, 60), (119, 88)]],
            ["The leader of 'MF' runs through 'Pop'."],
        ),
        (
            NAMES,
            [[(80, 90), (119, 60)], [(80, 60), (119, 90)]],
            ["The leaders of 'kNN' and 'MF' cross."],
        ),
    ],
)
def test_leaders_through_other_names_and_across_other_leaders_are_found(
    names: dict[str, Place], leaders: list[list[Place]], problems: list[str]
) -> None:
    assert text_problems(drawn(names, leaders)) == problems


def test_leaders_of_annotations_end_at_their_names_and_arrows_are_none() -> None:
    with figure_style():
        figure = new_figure(3.0, 2.0)
        axes = figure.subplots()
        for style in ("-", "->"):
            arrow = {"arrowstyle": style, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", xy=(0.2, 0.2), xytext=(0.7, 0.6), arrowprops=arrow)
        figure.draw_without_rendering()
        (leader,) = leaders_of(figure)
        ends = axes.transData.transform([(0.2, 0.2), (0.7, 0.6)])
    np.testing.assert_allclose(leader[[0, -1]], ends, atol=1e-6)


def test_numbers_of_cells_that_read_as_one_are_found() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        heat_map(axes, [[1, -1], [0, -1]], ["P", "MAP"], lowest=-1)
        assert text_problems(figure) == []
        for text in axes.texts[:2]:
            text.set_fontsize(40)
        (problem,) = [one for one in text_problems(figure) if one.startswith("Nothing")]
    assert problem == "Nothing is between 1.00 and \N{MINUS SIGN}1.00."


def test_overlapping_and_cut_texts_are_found() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        axes.set_xticks([0, 0.02, 1], ["first label", "second label", "third"])
        axes.set_xlim(0, 1)
        figure.text(0.98, 0.5, "too far right")
        problems = text_problems(figure)
    assert "'first label' overlaps 'second label'." in problems
    assert "'too far right' is cut off at the edge of the figure." in problems
    assert not any("third" in problem for problem in problems)
