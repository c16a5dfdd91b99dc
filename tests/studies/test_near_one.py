# SPDX-License-Identifier: MIT
"""An axis of coefficients near 1 keeps their order, and gives every step towards 1 its room."""

from __future__ import annotations

import numpy as np
import pytest

from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure
from reproduction.studies.metric_studies.rank_stability import scale_near_one


def test_each_factor_of_what_is_missing_has_the_same_room() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, SINGLE_COLUMN)
        axes = figure.subplots()
        scale_near_one(axes, 0.35)
        figure.draw_without_rendering()
    heights = axes.transData.transform([(0, tau) for tau in (0.4, 0.8, 0.9, 0.95, 1)])[:, 1]
    assert (np.diff(heights) > 0).all()
    assert heights[2] - heights[1] == pytest.approx(heights[3] - heights[2], rel=0.01)
    marks = [label.get_text() for label in axes.get_yticklabels()]
    assert marks == ["1", ".99", ".97", ".9", ".7"]


def test_an_axis_without_length_is_refused() -> None:
    with figure_style(), pytest.raises(ValueError, match="would end at 1"):
        scale_near_one(new_figure(2, 2).subplots(), 1.0)
