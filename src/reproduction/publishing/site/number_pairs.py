# SPDX-License-Identifier: MIT
"""The numbers of a paper and ours, as a picture of how many times as large ours are."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from receval.figures.printed_numbers import significant

WIDTH, HEIGHT = 600, 280
LEFT, BELOW, MARGIN = 64, 48, 14
"""Pixels: of the field of points, and of the room beside it for labels."""

RADIUS = 4.5

FARTHEST = 4.0
"""Numbers that are further apart than by this factor lie on the edge."""

NEAREST = 1.1
"""The picture reaches at least as far as this factor on both sides of equality."""

RATIOS = (0.25, 0.5, 0.67, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)
"""What the upright axis may be labelled with."""

LABEL_ROOM = 22
"""Pixels from label to label."""


@dataclass(frozen=True)
class NumberPair:
    """A published number and ours.

    Attributes
    ----------
    published, ours : float
    name : str
        What is said of the point, in plain text.
    style : str
        What the style sheet calls the verdict.
    """

    published: float
    ours: float
    name: str
    style: str


def pairs_picture(pairs: Sequence[NumberPair]) -> str:
    """Return the positive pairs as points: the published number, and ours over it; SVG.

    Both axes are logarithmic: twice as large is as far from equality as half as large. Empty if
    there are fewer than two pairs. The picture is for the eye: whoever uses it shows the numbers
    as a table, too.
    """
    shown = [pair for pair in pairs if pair.published > 0 and pair.ours > 0]
    if len(shown) < 2:
        return ""
    logs = [log10(pair.published) for pair in shown]
    room = max(0.04 * (max(logs) - min(logs)), 0.02)
    low, high = min(logs) - room, max(logs) + room
    reach = max(max(pair.ours / pair.published, pair.published / pair.ours) for pair in shown)
    span = log10(min(max(1.1 * reach, NEAREST), FARTHEST))

    def across(value: float) -> float:
        return WIDTH * (log10(value) - low) / (high - low)

    def down(ratio: float) -> float:
        return HEIGHT / 2 * (1 - max(-1.0, min(1.0, log10(ratio) / span)))

    width, height = LEFT + WIDTH + MARGIN, MARGIN + HEIGHT + BELOW
    parts = [
        f'<svg class="pairs" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'aria-hidden="true" focusable="false"><g transform="translate({LEFT} {MARGIN})">'
        f'<rect class="frame" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<line class="same" x1="0" y1="{HEIGHT / 2}" x2="{WIDTH}" y2="{HEIGHT / 2}"/>'
    ]
    for value in _round_numbers(low, high):
        x = across(value)
        parts.append(
            f'<line class="tick" x1="{x:.1f}" y1="{HEIGHT}" x2="{x:.1f}" y2="{HEIGHT + 5}"/>'
            f'<text class="below" x="{x:.1f}" y="{HEIGHT + 20}">{significant(value, 1)}</text>'
        )
    for ratio in _spaced((one for one in RATIOS if abs(log10(one)) <= span), down):
        y = down(ratio)
        parts.append(
            f'<line class="tick" x1="-5" y1="{y:.1f}" x2="0" y2="{y:.1f}"/>'
            f'<text class="before" x="-9" y="{y + 4:.1f}">{ratio:g}</text>'
        )
    for pair in shown:
        parts.append(_point(pair, across(pair.published), down(pair.ours / pair.published)))
    parts.append(
        f'<text class="below" x="{WIDTH / 2}" y="{HEIGHT + 42}">The paper\'s number</text>'
        f'<text class="below" transform="translate(-48 {HEIGHT / 2}) rotate(-90)">'
        "Ours over the paper's</text></g></svg>"
    )
    return "".join(parts)


def _point(pair: NumberPair, x: float, y: float) -> str:
    published, ours = significant(pair.published), significant(pair.ours)
    said = f"{pair.name}: {published} in the paper, {ours} ours"
    return (
        f'<circle class="{pair.style}" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}">'
        f"<title>{html.escape(said)}</title></circle>"
    )


def _round_numbers(low: float, high: float) -> list[float]:
    """Return at most eight round numbers between two logarithms."""
    inside: list[float] = []
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(range(1, 10))):
        exponents = range(floor(low) - 1, ceil(high) + 1)
        found = [step * 10.0**exponent for exponent in exponents for step in steps]
        inside = [value for value in found if low <= log10(value) <= high]
        if len(inside) >= 3:
            break
    return inside[:: max(1, ceil(len(inside) / 8))]


def _spaced(ratios: Iterable[float], down: Callable[[float], float]) -> list[float]:
    """Return ratios whose labels do not touch; equality and the outermost come first."""
    kept: list[float] = []
    for ratio in sorted(ratios, key=lambda one: (one != 1, -abs(log10(one)), one)):
        if all(abs(down(ratio) - down(other)) >= LABEL_ROOM for other in kept):
            kept.append(ratio)
    return kept
