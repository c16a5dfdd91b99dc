# SPDX-License-Identifier: MIT
"""Whether systems, metrics and datasets are drawn as the registry of display styles has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from math import degrees, dist

from figures.colours import DEFICIENCIES, seen
from matplotlib.artist import Artist
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.style import oklch, plain_metric

GREY = 0.02
"""Chroma below which a colour has no hue to the eye."""

SAME_HUE = 12.0
"""Degrees."""

APART = 0.05
"""Least OKLab distance of two colours, also to people with deuteranopia or protanopia."""

_REST = re.compile(r",| \(| wins$| significantly ")
"""Where what a label says of a system, a metric or a dataset begins."""


def style_problems(figure: Figure, display: DisplayStyle) -> list[str]:
    """Return a sentence for each labelled artist whose colour is not that of what it is of.

    A label is that of a system, a metric or a dataset if it is its title, or begins with it and
    then says more of it. Systems have their own colour, or no hue at all where names tell them
    apart; what is only a part of a system has its hue. Datasets have no hue.
    """
    return [problem for _, problem in _checked(figure, display) if problem]


def held_labels(figure: Figure, display: DisplayStyle) -> set[str]:
    """Return the labels of the artists that :func:`style_problems` holds to the registry."""
    return {label for label, _ in _checked(figure, display)}


def alike_problems(figure: Figure, display: DisplayStyle) -> list[str]:
    """Return a sentence for every two systems or metrics of a figure that look alike.

    They do not if their colours are far enough apart, or their markers, dashes or hatches differ.
    Greys are left out, because what is grey has its name beside it.
    """
    held = held_labels(figure, display)
    looks = {look for look in _labelled(figure) if look[0] in held and _has_hue(look[1])}
    return [
        f"{one[0]} in {one[1]} and {other[0]} in {other[1]} look alike."
        for one, other in combinations(sorted(looks), 2)
        if one[0] != other[0] and one[2] == other[2] and _nearest(one[1], other[1]) < APART
    ]


def _nearest(one: str, other: str) -> float:
    return min(dist(seen(one, deficiency), seen(other, deficiency)) for deficiency in DEFICIENCIES)


def _checked(figure: Figure, display: DisplayStyle) -> Iterator[tuple[str, str]]:
    """Return the labels of systems, metrics and datasets, and what is wrong; empty if nothing."""
    whole, parts = _systems(display)
    for label, colour, _ in _labelled(figure):
        start = _REST.split(label)[0]
        if label in whole or start in parts:
            own = whole.get(label)
            allowed = own or whole.get(start, set()) | parts.get(start, set())
            alike = colour in allowed or not _has_hue(colour)
            if own is None:
                alike |= any(_same_hue(colour, each) for each in allowed)
            expected = ", ".join(sorted(allowed))
        elif plain_metric(label) in display.metrics:
            expected = display.metrics[plain_metric(label)].colour
            # Cut-offs are shades.
            alike = _same_hue(colour, expected) if "@" in label else colour == expected
        elif label in display.datasets.values() or start in display.datasets.values():
            alike, expected = not _has_hue(colour), "ink"
        else:
            continue
        yield label, "" if alike else f"{label} is drawn in {colour}, not in {expected}."


def _systems(display: DisplayStyle) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the colours by whole titles, and by what titles begin with: kNN of "kNN, k = 3"."""
    whole: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for style in display.systems.values():
        for title in filter(None, (style.title, style.short_title)):
            whole.setdefault(title, set()).add(style.colour)
            parts.setdefault(_REST.split(title)[0], set()).add(style.colour)
    return whole, parts


def _labelled(figure: Figure) -> Iterator[tuple[str, str, str]]:
    """Return the label and the colour of each artist, and its marker, dash or hatch."""
    for axes in figure.axes:
        for line in axes.get_lines():
            if _label(line):
                form = f"{line.get_marker()} {line.get_linestyle()}"
                yield _label(line), to_hex(line.get_color()), form
        for container in axes.containers:
            if isinstance(container, BarContainer) and _label(container) and container.patches:
                patch = container.patches[0]
                colour = patch.get_hatchcolor() if patch.get_hatch() else patch.get_facecolor()
                yield _label(container), to_hex(colour), str(patch.get_hatch())
        # What stands for a colour in the legend.
        for patch in axes.patches:
            if _label(patch):
                yield _label(patch), to_hex(patch.get_facecolor()), str(patch.get_hatch())


def _label(artist: Artist | BarContainer) -> str:
    # With a line before it is no label of a legend or at a line's end: its name stands elsewhere.
    return str(artist.get_label()).removeprefix("_")


def _has_hue(colour: str) -> bool:
    return oklch(colour)[1] > GREY


def _same_hue(one: str, other: str) -> bool:
    apart = abs(degrees(oklch(one)[2]) - degrees(oklch(other)[2])) % 360
    return min(apart, 360 - apart) <= SAME_HUE
