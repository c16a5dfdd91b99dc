# SPDX-License-Identifier: MIT
"""The pictures of the site show all verdicts and all pairs of numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from reproduction.publishing.site.claim_pages import VerdictBar, verdict_bars
from reproduction.publishing.site.study_pages import NumberPair, pairs_picture

BAR = VerdictBar("A & B", {"holds": 90, "does not hold": 8, "as defined": 2}, {"holds": "x?a&b"})


def percents(attribute: str, picture: str) -> list[float]:
    return [float(value) for value in re.findall(rf'<rect {attribute}="([\d.]+)%"', picture)]


def test_the_parts_of_a_bar_fill_it() -> None:
    picture = verdict_bars([BAR], "a")
    ElementTree.fromstring(picture)
    assert percents("x", picture) == [0, 90, 98]
    assert "url(#hatch-a)" not in picture
    widths = [float(value) for value in re.findall(r'<rect x.*?width="([\d.]+)%"', picture)]
    assert sum(widths) == pytest.approx(100)


def test_a_part_too_small_for_its_number_has_it_in_its_title_alone() -> None:
    picture = verdict_bars([BAR], "a")
    assert re.findall(r"<text x[^>]*>(\d+)</text></g>", picture) == ["90", "8"]
    assert "<title>A &amp; B: 2 of 100, as defined</title>" in picture
    assert '<a href="x?a&amp;b" tabindex="-1">' in picture


def test_equal_numbers_lie_on_the_line() -> None:
    pairs = [NumberPair(value, value, f"{value}", "holds") for value in (0.01, 0.5, 30)]
    picture = pairs_picture(pairs)
    ElementTree.fromstring(picture)
    (line,) = re.findall(r'<line class="same" x1="0" y1="([\d.]+)"', picture)
    heights = re.findall(r'<circle class="holds" cx="[\d.]+" cy="([\d.]+)"', picture)
    assert [float(y) for y in heights] == pytest.approx([float(line)] * 3)


def test_twice_and_half_are_as_far_from_the_line_and_the_farthest_on_the_edge() -> None:
    pairs = [NumberPair(1, ours, f"{ours}", "fails") for ours in (2, 0.5, 100)]
    heights = re.findall(r'<circle class="fails" cx="[\d.]+" cy="([\d.]+)"', pairs_picture(pairs))
    twice, half, farthest = map(float, heights)
    assert farthest == 0 < twice < 140 < half
    assert 140 - twice == pytest.approx(half - 140)


def test_numbers_that_have_no_logarithm_are_left_to_the_table() -> None:
    zero = NumberPair(0, 1, "zero", "holds")
    some = [NumberPair(0.9, 0.91, "a", "holds"), NumberPair(0.92, 0.9, "b", "fails")]
    assert pairs_picture([zero, some[0]]) == ""
    assert pairs_picture([zero, *some]).count("<circle") == 2


def test_an_axis_over_a_short_range_has_labels() -> None:
    some = [NumberPair(0.97, 0.98, "a", "holds"), NumberPair(0.98, 0.99, "b", "holds")]
    assert "<text" in pairs_picture(some).partition("<circle")[0]
