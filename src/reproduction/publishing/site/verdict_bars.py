# SPDX-License-Identifier: MIT
"""The verdicts on papers as one picture: a bar a paper, a part a verdict."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reproduction.publishing.verdict_rows import UNDECIDABLE, VERDICTS

ROW, TOP, HEIGHT = 52, 18, 26
"""Pixels from bar to bar, of the name above a bar, and of a bar."""

SMALLEST = 0.055
"""A part that is a smaller share of its bar has no room for its number."""


@dataclass(frozen=True)
class VerdictBar:
    """One bar: what it is of, the numbers of verdicts, and the page that its parts lead to.

    Attributes
    ----------
    name : str
        In print.
    counts : mapping of str to int
        By verdict.
    links : mapping of str to str
        Where the part of a verdict leads to; none where a verdict is not named.
    words : mapping of str to str
        Verdicts as a person reads them; as they are called where one is not named.
    """

    name: str
    counts: Mapping[str, int]
    links: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many verdicts there are."""
        return sum(self.counts.values())


def verdict_bars(bars: Sequence[VerdictBar], key: str, *, named: bool = True) -> str:
    """Return the bars as SVG, in which text keeps its size on every width.

    The picture is for the eye: whoever uses it shows the numbers as a table, too, with the links.
    """
    row, top = (ROW, TOP) if named else (HEIGHT, 0)
    height = row * (len(bars) - 1) + top + HEIGHT
    parts = [
        f'<svg class="bars" width="100%" height="{height}" aria-hidden="true" focusable="false">',
        _hatch(key),
    ]
    for place, bar in enumerate(bars):
        parts += _bar(bar, place * row, top, key, named=named)
    return "".join([*parts, "</svg>"])


def _bar(bar: VerdictBar, y: int, top: int, key: str, *, named: bool) -> list[str]:
    parts = []
    if named:
        parts.append(f'<text class="name" x="0" y="{y + 12}">{html.escape(bar.name)}</text>')
        parts.append(f'<text class="total" x="100%" y="{y + 12}">{bar.total}</text>')
    before = 0
    for verdict, style in VERDICTS.items():
        count = bar.counts.get(verdict, 0)
        if not count:
            continue
        left, width = before / bar.total, count / bar.total
        before += count
        said = f"{bar.name}: {count} of {bar.total}, {bar.words.get(verdict, verdict)}"
        fill = f' fill="url(#hatch-{key})"' if verdict == UNDECIDABLE else ""
        part = (
            f'<g class="{style}"><title>{html.escape(said)}</title><rect x="{_percent(left)}" '
            f'y="{y + top}" width="{_percent(width)}" height="{HEIGHT}"{fill}/>'
        )
        if width >= SMALLEST:
            middle = _percent(left + width / 2)
            part += f'<text x="{middle}" y="{y + top + 18}">{count}</text>'
        part += "</g>"
        if link := bar.links.get(verdict):
            part = f'<a href="{html.escape(link)}" tabindex="-1">{part}</a>'
        parts.append(part)
    return parts


def _hatch(key: str) -> str:
    return (
        f'<defs><pattern id="hatch-{key}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>'
        '<rect class="stripe" width="2" height="6"/></pattern></defs>'
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"
