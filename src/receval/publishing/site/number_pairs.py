"""The numbers of a paper against ours, as a picture: the nearer to the diagonal, the closer."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from receval.figures.printed_numbers import significant

SIDE, LEFT, BELOW, ABOVE = 400, 58, 46, 12
"""Pixels: of the square, and of the room for labels beside it."""

RADIUS = 4.5


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
    """Return the positive pairs as points of a square with logarithmic axes; SVG.

    Empty if there are fewer than two. The picture is for the eye: whoever uses it shows the
    numbers as a table, too.
    """
    shown = [pair for pair in pairs if pair.published > 0 and pair.ours > 0]
    if len(shown) < 2:
        return ""
    logs = [log10(value) for pair in shown for value in (pair.published, pair.ours)]
    low, high = min(logs), max(logs)
    margin = max(0.06 * (high - low), 0.02)
    low, high = low - margin, high + margin

    def along(value: float) -> float:
        return SIDE * (log10(value) - low) / (high - low)

    width, height = LEFT + SIDE + ABOVE, ABOVE + SIDE + BELOW
    parts = [
        f'<svg class="pairs" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'aria-hidden="true" focusable="false">',
        f'<g transform="translate({LEFT} {ABOVE})">',
        f'<rect class="frame" width="{SIDE}" height="{SIDE}"/>',
        f'<line class="same" x1="0" y1="{SIDE}" x2="{SIDE}" y2="0"/>',
    ]
    for value in _ticks(low, high):
        at, label = along(value), significant(value, 2)
        parts.append(
            f'<line class="tick" x1="{at:.1f}" y1="{SIDE}" x2="{at:.1f}" y2="{SIDE + 5}"/>'
            f'<text class="below" x="{at:.1f}" y="{SIDE + 19}">{label}</text>'
            f'<line class="tick" x1="-5" y1="{SIDE - at:.1f}" x2="0" y2="{SIDE - at:.1f}"/>'
            f'<text class="beside-axis" x="-8" y="{SIDE - at + 4:.1f}">{label}</text>'
        )
    for pair in shown:
        x, y = along(pair.published), SIDE - along(pair.ours)
        published, ours = significant(pair.published), significant(pair.ours)
        said = f"{pair.name}: {published} in the paper, {ours} ours"
        parts.append(
            f'<circle class="{pair.style}" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}">'
            f"<title>{html.escape(said)}</title></circle>"
        )
    parts.append(f'<text class="below" x="{SIDE / 2}" y="{SIDE + 40}">The paper\'s number</text>')
    parts.append(
        f'<text class="below" transform="translate(-46 {SIDE / 2}) rotate(-90)">Ours</text>'
    )
    return "".join([*parts, "</g></svg>"])


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two logarithms: powers of ten, or closer ones where few fit."""
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(n / 2 for n in range(2, 20))):
        exponents = range(floor(low) - 1, ceil(high) + 1)
        found = [step * 10.0**exponent for exponent in exponents for step in steps]
        inside = [value for value in found if low <= log10(value) <= high]
        if len(inside) >= 3:
            return inside if len(inside) <= 8 else inside[:: ceil(len(inside) / 8)]
    return inside
