# SPDX-License-Identifier: MIT
"""Sizes of text in the PDFs of accepted figures and of the paper."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from receval.figures.style import DOUBLE_COLUMN

ROOT = Path(__file__).resolve().parents[2]
FULL = ROOT / "results" / "full"
FIGURES = sorted(path for path in FULL.rglob("*.pdf") if path.name != "receval.pdf")

SCRIPT = 0.7
"""Size of sub- and superscripts, as a share of their line's; they may be smaller than text."""

pytestmark = pytest.mark.repository


def sizes_of(path: Path) -> set[float]:
    """Return the sizes of all fonts that the text of a PDF is set in, in points."""
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", path.read_bytes(), re.DOTALL):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        found |= {float(size) for size in re.findall(rb"/\S+ ([\d.]+) Tf", content)}
    return found


def too_small(sizes: set[float], least: float) -> set[float]:
    """Return the sizes below a limit that are not those of scripts, or scripts of scripts."""
    lines = {size for size in sizes if size >= least}
    scripts = {round(size * SCRIPT**depth, 3) for size in lines for depth in (1, 2)}
    return {size for size in sizes - lines if round(size, 3) not in scripts}


def test_no_text_of_a_figure_is_smaller_than_six_and_a_half_points() -> None:
    assert {path.stem: found for path in FIGURES if (found := too_small(sizes_of(path), 6.5))} == {}


def test_no_text_of_the_paper_is_smaller_than_six_points_as_printed() -> None:
    assert too_small(sizes_of(FULL / "receval.pdf"), 6) == set()
    # Figures keep their size: the columns are as wide as they are.
    text = (ROOT / "paper" / "receval.typ").read_text(encoding="utf-8")
    widths = re.findall(r'drawing\("[^"]+", width: (\d+%)\)', text)
    assert widths
    assert set(widths) == {"100%"}
    (margin,) = re.findall(
        r"margins = \(x: ([\d.]+)pt", (ROOT / "paper" / "style.typ").read_text(encoding="utf-8")
    )
    assert 595.27 - 2 * float(margin) == pytest.approx(72 * DOUBLE_COLUMN, abs=0.5)


def test_scripts_are_no_small_text_but_small_text_is_found() -> None:
    assert too_small({7.0, 4.9, 3.43}, 6.5) == set()
    assert too_small({7.0, 4.9, 6.0}, 6.5) == {6.0}
