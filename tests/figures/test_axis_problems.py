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


def problems(axes: Axes, caption: str = "") -> list[str]:
    figure = axes.figure
    assert isinstance(figure, Figure)
    return axis_problems(figure, caption)


@pytest.mark.parametrize("kind", ["line", "marks", "bars"])
def test_what_is_drawn_beyond_the_limits_is_found(axes: Axes, kind: str) -> None:
    draw = {"line": axes.plot, "marks": axes.scatter, "bars": axes.bar}[kind]
    draw([1.0, 2.0, float("nan")], [0.3, 0.61, 9.0])
    axes.set_ylim(0, 0.61)
    assert problems(axes) == []
    axes.set_ylim(0, 0.4)
    assert problems(axes) == ["1 marks of '(a) Precision' are beyond its limits."]


def test_lines_across_a_panel_have_no_limits(axes: Axes) -> None:
    axes.axvline(3)
    axes.set_xlim(0, 1)
    assert problems(axes) == []


def test_a_scale_is_named_by_a_label_or_the_caption(axes: Axes) -> None:
    axes.set_xscale("log")
    assert problems(axes) == ["Nothing says that a scale is log."]
    assert problems(axes, "Errors on a logarithmic scale.") == []
    axes.set_xlabel("Users (log scale)")
    assert problems(axes) == []
