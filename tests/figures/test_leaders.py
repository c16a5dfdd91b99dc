# SPDX-License-Identifier: MIT
"""Leaders that mislead are found: through another text, or across another leader."""

from __future__ import annotations

import numpy as np
import pytest
from figures.text_problems import leaders_of, text_problems
from matplotlib.figure import Figure

from receval.figures.finish import settle_layout
from receval.figures.label_boxes import draw_leader
from receval.figures.style import figure_style, new_figure

Place = tuple[float, float]


def drawn(names: dict[str, Place], leaders: list[tuple[Place, Place]]) -> Figure:
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


NAMES = {"kNN": (120.0, 60.0), "MF": (120.0, 90.0)}


@pytest.mark.costly
def test_leaders_to_their_own_names_are_no_problem() -> None:
    assert text_problems(drawn(NAMES, [((80, 60), (119, 60)), ((80, 90), (119, 90))])) == []


def test_a_leader_through_another_name_is_found() -> None:
    figure = drawn({**NAMES, "Pop": (90.0, 60.0)}, [((70, 60), (119, 60))])
    assert text_problems(figure) == ["The leader of 'kNN' runs through 'Pop'."]


def test_leaders_that_cross_are_found() -> None:
    figure = drawn(NAMES, [((80, 90), (119, 60)), ((80, 60), (119, 90))])
    assert text_problems(figure) == ["The leaders of 'kNN' and 'MF' cross."]


def test_leaders_from_one_point_do_not_cross() -> None:
    assert text_problems(drawn(NAMES, [((80, 75), (119, 60)), ((80, 75), (119, 90))])) == []


@pytest.mark.costly
def test_bends_are_followed() -> None:
    figure = drawn({**NAMES, "Pop": (90.0, 60.0)}, [])
    with figure_style():
        draw_leader(figure, [(70, 60), (70, 45), (117, 45), (119, 58)], "black")
    assert text_problems(figure) == []
    with figure_style():
        draw_leader(figure, [(70, 90), (70, 60), (117, 60), (119, 88)], "black")
    assert "The leader of 'MF' runs through 'Pop'." in text_problems(figure)


def test_leaders_of_annotations_end_at_their_names_and_arrows_are_none() -> None:
    with figure_style():
        figure = new_figure(3.0, 2.0)
        axes = figure.subplots()
        for style in ("-", "->"):
            axes.annotate(
                "",
                xy=(0.2, 0.2),
                xytext=(0.7, 0.6),
                arrowprops={"arrowstyle": style, "shrinkA": 0, "shrinkB": 0},
            )
        figure.draw_without_rendering()
        (leader,) = leaders_of(figure)
        ends = axes.transData.transform([(0.2, 0.2), (0.7, 0.6)])
    np.testing.assert_allclose(leader[[0, -1]], ends, atol=1e-6)
