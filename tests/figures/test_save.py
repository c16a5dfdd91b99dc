# SPDX-License-Identifier: MIT
"""A saved figure has the same bytes every time, and appears whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from figures.sample_figures import SAMPLES, popularity
from matplotlib.figure import Figure

from receval.figures.finish import save_figure
from receval.figures.style import DOUBLE_COLUMN, figure_style, new_figure

SOURCE = Path(__file__).resolve().parents[2] / "src"


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    program = Path(__file__).with_name("sample_figures.py")
    # Bars with intervals and a legend, placed labels, tiles, a bar of colours.
    names = ("bars", "named_points", "multiverse", "explained")
    other = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "there"), *names],
        env={
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "PYTHONHASHSEED": "1",
            "SOURCE_DATE_EPOCH": "0",
        },
    )
    for name in names:
        with figure_style():
            figure = SAMPLES[name]()
        save_figure(figure, tmp_path / "here" / f"{name}.svg", tmp_path / "here" / f"{name}.pdf")
    assert other.wait() == 0
    files = files_of(tmp_path / "here")
    assert sorted(files) == sorted(f"{name}.{kind}" for name in names for kind in ("pdf", "svg"))
    assert files_of(tmp_path / "there") == files


def test_files_hold_no_date_no_version_and_no_name_of_a_program(tmp_path: Path) -> None:
    with figure_style():
        save_figure(popularity(), tmp_path / "a.svg", tmp_path / "a.pdf")
    svg, pdf = (tmp_path / "a.svg").read_bytes(), (tmp_path / "a.pdf").read_bytes()
    for content in (svg, pdf):
        assert not re.search(
            rb"matplotlib v|matplotlib\.org|creator|producer|date", content, re.IGNORECASE
        )
    assert svg.startswith(b"<?xml")
    assert b"<text" not in svg
    assert pdf.startswith(b"%PDF")


def test_saving_does_not_depend_on_settings_outside(tmp_path: Path) -> None:
    import matplotlib as mpl

    with figure_style():
        save_figure(popularity(), tmp_path / "a.svg", tmp_path / "a.pdf")
    with mpl.rc_context({"font.size": 20, "svg.fonttype": "none", "axes.grid": False}):
        with figure_style():
            figure = popularity()
        save_figure(figure, tmp_path / "b.svg", tmp_path / "b.pdf")
        assert mpl.rcParams["font.size"] == 20
    files = files_of(tmp_path)
    assert files["a.svg"] == files["b.svg"]
    assert files["a.pdf"] == files["b.pdf"]


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


def test_panels_stand_at_rounded_positions(tmp_path: Path) -> None:
    # The last digits of the layout's solution differ from process to process.
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2.7)
        grid = figure.subplots(2, 3, width_ratios=[4, 2, 3])
        for axes in grid.flat:
            axes.plot([0.1, 0.2, 0.7])
            axes.set_ylabel("a label")
        save_figure(figure, tmp_path / "a.svg", tmp_path / "a.pdf")
    bounds = [part for axes in figure.axes for part in axes.get_position(original=True).bounds]
    assert max(abs(part - round(part, 6)) for part in bounds) < 1e-12
    assert len({round(part, 6) for part in bounds}) > 6
