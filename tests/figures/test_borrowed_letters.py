# SPDX-License-Identifier: MIT
"""Letters that the font of figures lacks: from another font of the machine, or told."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib import get_data_path
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from receval.evaluation.report import ReportFigure
from receval.figures.finish import borrow_letters
from receval.figures.style import figure_style, new_figure

SCRIPT_G = "\u210a"
"""A letter of STIX, which comes with matplotlib, and not of DejaVu Sans."""

HAN = "\u63a8"
"""A letter that none of the fonts has that come with matplotlib."""


def named(name: str) -> Figure:
    figure = new_figure(3.0, 2.0)
    figure.add_subplot().set_yticks([0.0, 1.0], ["Pop", name])
    return figure


def test_a_letter_that_the_font_lacks_comes_from_another_one() -> None:
    with figure_style():
        figure = named(f"mine {SCRIPT_G}")
        assert borrow_letters(figure) == ""
        pop, mine = figure.axes[0].get_yticklabels()
    assert pop.get_fontfamily() == ["DejaVu Sans"]
    first, *lenders = mine.get_fontfamily()
    assert (first, bool(lenders)) == ("DejaVu Sans", True)


def test_letters_that_no_font_has_are_told_in_the_caption(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(get_data_path())]
    monkeypatch.setattr(fontManager, "ttflist", own)
    part = ReportFigure.drawn("averages", lambda: named(f"mine {HAN}"), "Averages.")
    assert isinstance(part, ReportFigure)
    assert part.caption == f"Averages. Boxes stand for letters that no font here has: {HAN}."
