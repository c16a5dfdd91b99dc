# SPDX-License-Identifier: MIT
"""What papers print is marked in one way, and moves no axis."""

from __future__ import annotations

import pytest
from figures.text_problems import text_problems
from matplotlib.colors import same_color
from studies.prepared import display_of

from receval.figures.finish import legend_below
from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure
from reproduction.studies._shared.published import PUBLISHED_GREY, published_line, published_mark


@pytest.mark.parametrize("side", ["right", "above", "above right"])
def test_a_mark_is_hollow_grey_and_named_and_moves_no_axis(side: str) -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1])
        before = (axes.get_xlim(), axes.get_ylim())
        published_mark(axes, 0.5, 0.25, side=side)
    mark = axes.lines[-1]
    assert mark.get_xydata().tolist() == [[0.5, 0.25]]
    assert same_color(mark.get_markerfacecolor(), "white")
    assert same_color(mark.get_markeredgecolor(), PUBLISHED_GREY)
    # Marks have no place in a legend, and no line's end to be named at.
    assert str(mark.get_label()).startswith("_")
    assert [text.get_text() for text in axes.texts] == ["paper"]
    assert text_problems(figure) == []
    assert (axes.get_xlim(), axes.get_ylim()) == before


def test_over_bars_a_mark_is_named_in_the_legend() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        axes.bar([0], [1], label="Pop")
        published_mark(axes, 0, 0.5, side="legend")
        legend = legend_below(figure)
    assert sorted(text.get_text() for text in legend.get_texts()) == ["Pop", "paper"]
    assert not axes.texts


def test_a_line_is_thin_grey_and_named() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        published_line(axes, (0, 1), (0.1, 0.1), "bound: .1")
    (drawn,) = axes.lines
    assert same_color(drawn.get_color(), PUBLISHED_GREY)
    assert drawn.get_xydata().tolist() == [[0, 0.1], [1, 0.1]]
    assert str(drawn.get_label()).startswith("_")
    assert [text.get_text() for text in axes.texts] == ["bound: .1"]


def test_twins_are_not_compared_with_what_papers_print() -> None:
    for edition, real in (("full", True), ("demo", False)):
        display = display_of("bellogin2017", "fig07", edition=edition)
        assert display.is_real("ml-1m") is real
