# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from figures.text_problems import text_problems
from matplotlib.figure import Figure

from receval.figures.finish import legend_below
from receval.figures.style import figure_style, new_figure
from reproduction.studies._shared.bars import BarGroup, BarRow, bar_table
from reproduction.studies.menamaldonado2021.item_curves import RESOLUTION, dots

COLOURS = {"ours win": "#D55E00", "theirs win": "#0072B2"}


def drawn(*rows: tuple[float, ...]) -> Figure:
    group = BarGroup("all", tuple(BarRow(f"row {n}", row) for n, row in enumerate(rows)), "(paper)")
    with figure_style():
        figure = new_figure(5, 2)
        bar_table(figure.subplots(), [group], COLOURS, ("ours", "theirs"))
        legend_below(figure)
    return figure


def test_bars_are_as_long_as_their_shares_and_numbers_are_beside_them() -> None:
    figure = drawn((0.3, 0.15), (0, 0.0002))
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_width()) for part in axes.containers for bar in part]
    assert np.allclose(bars, [(0, 30), (0, 0), (30, 15), (0, 0.02)])
    texts = [text.get_text() for text in axes.texts if text.get_text()]
    numbers = ["ours", "30.0", "theirs", "15.0", "< .05", "all", "45.0", "< .05"]
    assert texts == ["all: 45.0 % (paper)", *numbers]
    with figure_style():
        assert text_problems(figure) == []


@pytest.mark.each(
    ("row", "message"),
    [
        ((0.7, 0.4), "at most 1"),
        ((-0.1, 0.4), "at least 0"),
        ((np.nan, 0.4), "at least 0"),
        ((0.1,), "as many entries"),
    ],
)
def test_what_are_no_shares_of_a_whole_is_refused(row: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(row)


def test_dots_are_one_picture_in_the_resolution_of_print() -> None:
    with figure_style():
        figure = new_figure(3, 2)
        axes = figure.subplots()
        dots(axes, [0, 1, 2], [3, 4, 5], "#0072B2")
    (points,) = axes.lines
    assert points.get_rasterized()
    assert points.get_xydata().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert figure.dpi == RESOLUTION
