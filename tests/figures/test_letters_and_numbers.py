# SPDX-License-Identifier: MIT
"""Letters of panels and numbers of axes."""

from __future__ import annotations

import numpy as np
import pytest

from receval.figures.finish import letter_panels, settle_layout
from receval.figures.style import (
    DOUBLE_COLUMN,
    SINGLE_COLUMN,
    figure_style,
    new_figure,
    short_number,
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0.05", ".05"),
        ("\N{MINUS SIGN}0.50", "\N{MINUS SIGN}.50"),
        ("1.0", "1.0"),
        ("0.00", "0"),
        ("0", "0"),
        ("10", "10"),
        ("100.5", "100.5"),
        ("", ""),
    ],
)
def test_numbers_below_one_have_no_zero_before_the_point(text: str, printed: str) -> None:
    assert short_number(text) == printed


@pytest.mark.costly
def test_all_plain_axes_print_numbers_so_and_others_as_they_are() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2.0)
        axes = figure.subplots()
        axes.plot([0.1, 1], [-0.5, 0.5])
        axes.set_xscale("log")
        settle_layout(figure)
        figure.draw_without_rendering()
        labels = [label.get_text() for label in axes.get_yticklabels()]
    assert "\N{MINUS SIGN}.4" in labels
    assert "0" in labels
    assert not any(label.startswith("0.") for label in labels)


def test_panels_are_lettered_in_their_order_and_a_single_one_is_not() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2.0)
        panels = np.ravel(figure.subplots(1, 3))
        for axes, title in zip(panels, ("AR", "", "1R"), strict=True):
            axes.set_title(title)
        letter_panels(panels)
        assert [axes.get_title(loc="left") for axes in panels] == ["(a) AR", "(b)", "(c) 1R"]
        single = new_figure(SINGLE_COLUMN, 2.0).subplots()
        single.set_title("AR")
        letter_panels([single])
        assert single.get_title(loc="left") == "AR"
