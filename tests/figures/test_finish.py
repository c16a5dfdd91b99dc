# SPDX-License-Identifier: MIT
"""A finished figure has its legend, letters and notes, stays as it is, and is saved whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from figures.sample_figures import SAMPLES, bars, popularity
from figures.text_problems import text_problems
from fontTools.ttLib import TTFont
from matplotlib import get_data_path
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Annotation

from receval.evaluation.report import ReportFigure
from receval.figures.finish import (
    borrow_letters,
    legend_below,
    letter_panels,
    note,
    number_axes,
    save_figure,
    settle_layout,
)
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, figure_style, new_figure

SOURCE = Path(__file__).resolve().parents[2] / "src"

SCRIPT_G = "\u210a"
"""A letter of STIX, which comes with matplotlib, and not of DejaVu Sans."""

HAN = "\u63a8"
"""A letter that none of the fonts has that come with matplotlib."""


@pytest.fixture
def axes() -> Iterator[Axes]:
    """One panel in the style."""
    with figure_style():
        yield new_figure(SINGLE_COLUMN, 3.2).subplots()


def positions(figure: Figure) -> list[tuple[float, ...]]:
    return [axes.get_position(original=True).bounds for axes in figure.axes]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# Legends, letters and numbers


# The multiverse is drawn in test_specification_curve.py.
@pytest.mark.costly
@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "multiverse"])
def test_no_text_overlaps_or_is_cut_off(name: str) -> None:
    with figure_style():
        assert text_problems(SAMPLES[name]()) == []


@pytest.mark.costly
@pytest.mark.parametrize("note_first", [True, False])
def test_legend_of_sixteen_systems_fits_a_single_column_above_the_note(
    axes: Axes, note_first: bool
) -> None:
    names = [f"System {i}" for i in range(16)]
    for name in names:
        axes.plot([0, 1], [0, 1], label=name)
    axes.set_xlabel("Cut-off")
    remark = (
        note(axes.figure, "Absent: Netflix and Last.fm 1K (see README)") if note_first else None
    )
    legend = legend_below(axes.figure)
    remark = remark or note(axes.figure, "Absent: Netflix and Last.fm 1K (see README)")
    assert text_problems(axes.figure) == []
    assert [text.get_text() for text in legend.get_texts()] == names
    assert remark.get_window_extent().y1 < legend.get_window_extent().y0
    assert legend.get_window_extent().y1 < axes.get_tightbbox().y0


def test_legend_names_each_series_of_several_panels_once() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        for axes, labels in zip(figure.subplots(1, 2), (["a", "b"], ["b", "c"]), strict=True):
            for label in labels:
                axes.plot([0, 1], label=label)
        assert [text.get_text() for text in legend_below(figure).get_texts()] == ["a", "b", "c"]


def test_a_legend_of_some_panels_is_above_the_earlier_one() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        panels = figure.subplots(1, 2)
        for axes, label in zip(panels, "ab", strict=True):
            axes.plot([0, 1], label=label)
        below, above = (legend_below(figure, panels=[axes]) for axes in reversed(panels))
    assert [text.get_text() for legend in (above, below) for text in legend.get_texts()] == [*"ab"]
    assert below.get_window_extent().y1 < above.get_window_extent().y0


def test_legend_that_cannot_fit_or_has_no_series_is_refused(axes: Axes) -> None:
    with pytest.raises(ValueError, match="no labelled series"):
        legend_below(axes.figure)
    axes.plot([0, 1], label="a name " * 20)
    with pytest.raises(ValueError, match="wider than the figure"):
        legend_below(axes.figure)
    assert axes.figure.legends == []
    with pytest.raises(ValueError, match="no constrained layout"):
        note(Figure(), "text")


@pytest.mark.costly
def test_all_plain_axes_print_numbers_so_and_others_as_they_are(axes: Axes) -> None:
    axes.plot([0.1, 1], [-0.5, 0.5])
    axes.set_xscale("log")
    settle_layout(axes.figure)
    axes.figure.draw_without_rendering()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert {"\N{MINUS SIGN}.4", "0"} <= set(labels)
    assert not any(label.startswith("0.") for label in labels)
    assert all("10" in label.get_text() for label in axes.get_xticklabels())


def test_panels_are_lettered_in_their_order_and_a_single_one_is_not(axes: Axes) -> None:
    panels = np.ravel(new_figure(DOUBLE_COLUMN, 2.0).subplots(1, 3))
    for panel, title in zip([*panels, axes], ("AR", "", "1R", "AR"), strict=True):
        panel.set_title(title)
    letter_panels(panels)
    letter_panels([axes])
    assert [panel.get_title(loc="left") for panel in panels] == ["(a) AR", "(b)", "(c) 1R"]
    assert axes.get_title(loc="left") == "AR"


def test_a_letter_that_the_font_lacks_comes_from_another_one(axes: Axes) -> None:
    axes.set_yticks([0.0, 1.0], ["Pop", f"mine {SCRIPT_G}"])
    assert borrow_letters(axes.figure) == ""
    pop, mine = axes.get_yticklabels()
    assert pop.get_fontfamily() == ["DejaVu Sans"]
    first, *lenders = mine.get_fontfamily()
    assert (first, bool(lenders)) == ("DejaVu Sans", True)


def test_letters_that_no_font_has_are_told_in_the_caption(
    axes: Axes, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(get_data_path())]
    monkeypatch.setattr(fontManager, "ttflist", own)
    axes.set_yticks([0.0, 1.0], ["Pop", f"mine {HAN}"])
    part = ReportFigure.drawn("averages", lambda: axes.figure, "Averages.")
    assert isinstance(part, ReportFigure)
    assert part.caption == f"Averages. Boxes stand for letters that no font here has: {HAN}."


# Layout


@pytest.mark.costly
def test_settling_gives_the_places_of_the_layout_rounded_once_and_for_all() -> None:
    with figure_style():
        loose, settled = bars(), bars()
        number_axes(loose.axes)
        loose.draw_without_rendering()
        settle_layout(settled)
        first = positions(settled)
        settled.draw_without_rendering()
        settle_layout(settled)
    assert positions(settled) == first
    for own, solved in zip(first, positions(loose), strict=True):
        # The last digits of the layout's solution differ from process to process. A width is the
        # difference of two rounded sides.
        np.testing.assert_allclose(own, [round(part, 6) for part in own], rtol=0, atol=1e-12)
        np.testing.assert_allclose(own, solved, atol=1e-6)
        assert any(abs(part - round(part, 4)) > 1e-6 for part in own)


def centres(figure: Figure) -> list[tuple[float, float]]:
    """Return the middles of names in pixels; the sizes depend on what was last drawn for."""
    names = [text for text in figure.findobj(Annotation) if text.get_text()]
    boxes = [name.get_window_extent() for name in names]
    return [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes]


# Saving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a figure is saved as a.svg and a.pdf."""
    saved = tmp_path_factory.mktemp("saved")
    with figure_style():
        save_figure(popularity(), saved / "a.svg", saved / "a.pdf")
    return saved


@pytest.mark.costly
@pytest.mark.processes
def test_two_processes_write_the_same_bytes_and_names_stay_where_they_were_put(
    tmp_path: Path,
) -> None:
    program = Path(__file__).with_name("sample_figures.py")
    # Hatches, intervals and a legend, and names whose places were searched for.
    names = ("bars", "named_points")
    changed = {"PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "0"}
    other = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "there"), *names],
        env={**os.environ, **changed},
    )
    for name in names:
        with figure_style():
            figure = SAMPLES[name]()
            before = centres(figure)
        save_figure(figure, tmp_path / "here" / f"{name}.svg", tmp_path / "here" / f"{name}.pdf")
    with figure_style():
        np.testing.assert_allclose(centres(figure), before, atol=0.01)
    assert len(before) == 24
    assert other.wait() == 0
    files = files_of(tmp_path / "here")
    assert sorted(files) == sorted(f"{name}.{kind}" for name in names for kind in ("pdf", "svg"))
    assert files_of(tmp_path / "there") == files


@pytest.mark.costly
def test_files_hold_no_date_no_version_and_no_name_of_a_program(folder: Path) -> None:
    svg, pdf = (folder / "a.svg").read_bytes(), (folder / "a.pdf").read_bytes()
    names = rb"matplotlib v|matplotlib\.org|creator|producer|date"
    for content in (svg, pdf):
        assert not re.search(names, content, re.IGNORECASE)
    assert svg.startswith(b"<?xml")
    assert b"<text" not in svg
    assert pdf.startswith(b"%PDF")


def test_fonts_in_a_pdf_have_outlines_and_no_tables_for_setting_text(folder: Path) -> None:
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (folder / "a.pdf").read_bytes(), re.S)
    contents = [zlib.decompress(stream) for stream in streams if stream.startswith(b"x")]
    fonts = [TTFont(BytesIO(one)) for one in contents if one.startswith(b"\0\1\0\0")]
    assert fonts
    for font in fonts:
        assert any(font["glyf"][name].numberOfContours for name in font.getGlyphOrder())
        assert not {"GDEF", "GPOS", "GSUB", "MATH", "kern"} & set(font.keys())


@pytest.mark.costly
def test_saving_draws_once_for_each_format_and_does_not_depend_on_settings_outside(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = Figure.draw

    def noted(figure: Figure, renderer: RendererBase) -> None:
        drawn.append(type(renderer).__name__)
        draw(figure, renderer)

    with mpl.rc_context({"font.size": 20, "svg.fonttype": "none", "axes.grid": False}):
        with figure_style():
            figure = popularity()
        monkeypatch.setattr(Figure, "draw", noted)
        save_figure(figure, tmp_path / "a.svg", tmp_path / "a.pdf")
        assert mpl.rcParams["font.size"] == 20
    assert len(drawn) == 2
    assert files_of(tmp_path) == files_of(folder)


def test_figure_that_cannot_be_drawn_leaves_both_files_as_they_were(tmp_path: Path) -> None:
    svg, pdf = tmp_path / "a.svg", tmp_path / "a.pdf"
    for path in (svg, pdf):
        path.write_text("before")
    with figure_style():
        figure = Figure()
        figure.text(0.5, 0.5, r"$\nocommand$")
        with pytest.raises(ValueError, match="nocommand"):
            save_figure(figure, svg, pdf)
    assert files_of(tmp_path) == {"a.svg": b"before", "a.pdf": b"before"}
