# SPDX-License-Identifier: MIT
"""Marks beyond the limits of axes are found, and scales that nothing names."""

from __future__ import annotations

import pytest
from figures.axis_problems import axis_problems
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.style import DOUBLE_COLUMN, new_figure


@pytest.fixture
def axes() -> Axes:
    found: Axes = new_figure(DOUBLE_COLUMN, 2).subplots()
    found.set_title("(a) Precision", loc="left")
    return found


def problems(axes: Axes) -> list[str]:
    figure = axes.figure
    assert isinstance(figure, Figure)
    return axis_problems(figure)


@pytest.mark.parametrize("kind", ["line", "marks", "bars"])
def test_what_is_drawn_beyond_the_limits_is_found(axes: Axes, kind: str) -> None:
    draw = {"line": axes.plot, "marks": axes.scatter, "bars": axes.bar}[kind]
    draw([1.0, 2.0, float("nan")], [0.3, 0.61, 9.0])
    axes.set_ylim(0, 0.61)
    assert problems(axes) == []
    axes.set_ylim(0, 0.4)
    assert problems(axes) == ["1 marks of '(a) Precision' are beyond its limits."]


def test_a_mark_that_the_edge_of_the_panel_cuts_is_found(axes: Axes) -> None:
    axes.plot([1.0, 2.0], [0.0, 1.0], "o-")
    axes.set_ylim(0, 2)
    assert problems(axes) == ["1 marks of '(a) Precision' are cut by the edge of the panel."]
    axes.set_ylim(-0.2, 2)
    assert problems(axes) == []


def test_lines_across_a_panel_have_no_limits(axes: Axes) -> None:
    axes.axvline(3)
    axes.set_xlim(0, 1)
    assert problems(axes) == []


@pytest.mark.parametrize(("side", "panels"), [("x", (2, 1)), ("y", (1, 2))])
def test_a_scale_is_named_where_it_is_read(side: str, panels: tuple[int, int]) -> None:
    first, second = new_figure(DOUBLE_COLUMN, 2).subplots(*panels)
    first.set(**{f"{side}scale": "log"})
    assert problems(first) == [f"Nothing at the {side} axis of '' says that its scale is log."]
    second.set(**{f"{side}label": "Users (log scale)"})
    assert problems(first) == []
