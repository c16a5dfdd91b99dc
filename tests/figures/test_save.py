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
from receval.figures.style import figure_style

SOURCE = Path(__file__).resolve().parents[2] / "src"


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("saved")


@pytest.fixture(scope="module")
def saved(folder: Path) -> Figure:
    """Return a figure that is saved as a.svg and a.pdf."""
    with figure_style():
        figure = popularity()
        save_figure(figure, folder / "a.svg", folder / "a.pdf")
    return figure


@pytest.mark.costly
@pytest.mark.processes
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    program = Path(__file__).with_name("sample_figures.py")
    # Hatches, intervals and a legend, and names whose places were searched for.
    names = ("bars", "named_points")
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


@pytest.mark.costly
@pytest.mark.usefixtures("saved")
def test_files_hold_no_date_no_version_and_no_name_of_a_program(folder: Path) -> None:
    svg, pdf = (folder / "a.svg").read_bytes(), (folder / "a.pdf").read_bytes()
    for content in (svg, pdf):
        assert not re.search(
            rb"matplotlib v|matplotlib\.org|creator|producer|date", content, re.IGNORECASE
        )
    assert svg.startswith(b"<?xml")
    assert b"<text" not in svg
    assert pdf.startswith(b"%PDF")


@pytest.mark.costly
def test_panels_stand_at_rounded_positions(saved: Figure) -> None:
    # The last digits of the layout's solution differ from process to process.
    (axes,) = saved.axes
    bounds = axes.get_position(original=True).bounds
    assert max(abs(part - round(part, 6)) for part in bounds) < 1e-12
    assert any(abs(part - round(part, 4)) > 1e-6 for part in bounds)


@pytest.mark.costly
@pytest.mark.usefixtures("saved")
def test_saving_does_not_depend_on_settings_outside(folder: Path, tmp_path: Path) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 20, "svg.fonttype": "none", "axes.grid": False}):
        with figure_style():
            figure = popularity()
        save_figure(figure, tmp_path / "b.svg", tmp_path / "b.pdf")
        assert mpl.rcParams["font.size"] == 20
    for kind in ("svg", "pdf"):
        assert (folder / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


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
