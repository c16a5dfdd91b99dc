# SPDX-License-Identifier: MIT
"""A settled figure stays as it is, so that what is placed by its panels stays in place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from figures.sample_figures import bars, named_points, popularity
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from receval.figures.finish import number_axes, save_figure, settle_layout
from receval.figures.style import figure_style


def positions(figure: Figure) -> list[tuple[float, ...]]:
    return [axes.get_position(original=True).bounds for axes in figure.axes]


def centre(name: Annotation) -> tuple[float, float]:
    """Return the middle of a name in pixels; its size depends on what it was last drawn for."""
    box = name.get_window_extent()
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2


@pytest.mark.costly
def test_settling_gives_the_places_of_the_layout_rounded() -> None:
    with figure_style():
        loose, settled = bars(), bars()
        number_axes(loose.axes)
        loose.draw_without_rendering()
        settle_layout(settled)
    for own, solved in zip(positions(settled), positions(loose), strict=True):
        # A width is the difference of two rounded sides.
        np.testing.assert_allclose(own, [round(part, 6) for part in own], rtol=0, atol=1e-12)
        np.testing.assert_allclose(own, solved, atol=1e-6)


@pytest.mark.costly
def test_settling_twice_and_drawing_change_nothing() -> None:
    with figure_style():
        figure = bars()
        settle_layout(figure)
        first = positions(figure)
        figure.draw_without_rendering()
        settle_layout(figure)
    assert positions(figure) == first


@pytest.mark.costly
def test_saving_draws_once_for_each_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = Figure.draw

    def noted(figure: Figure, renderer: RendererBase) -> None:
        drawn.append(type(renderer).__name__)
        draw(figure, renderer)

    with figure_style():
        figure = popularity()
        settle_layout(figure)
        monkeypatch.setattr(Figure, "draw", noted)
        save_figure(figure, tmp_path / "a.svg", tmp_path / "a.pdf")
    assert len(drawn) == 2


@pytest.mark.costly
def test_names_are_where_they_were_put_after_saving(tmp_path: Path) -> None:
    with figure_style():
        figure = named_points()
        names = [text for text in figure.findobj(Annotation) if text.get_text()]
        before = [centre(name) for name in names]
        save_figure(figure, tmp_path / "a.svg", tmp_path / "a.pdf")
        after = [centre(name) for name in names]
    assert len(names) == 24
    np.testing.assert_allclose(after, before, atol=0.01)
