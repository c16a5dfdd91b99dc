"""Whether systems, metrics and datasets are drawn as the registry of display styles has it."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees

from matplotlib.artist import Artist
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.hues import oklch
from receval.figures.metric_styles import plain_metric

GREY = 0.02
"""Chroma below which a colour has no hue to the eye."""

SAME_HUE = 12.0
"""Degrees."""


def style_problems(figure: Figure, display: DisplayStyle) -> list[str]:
    """Return a sentence for each labelled artist whose colour is not that of what it is of.

    A label is that of a system, a metric or a dataset if it is its title, or begins with it and a
    comma or a bracket. Systems have their own colour, or no hue at all where names tell them
    apart; what is only a part of a system has its hue. Datasets have no hue.
    """
    systems: dict[str, set[str]] = {}
    for style in display.systems.values():
        for title in filter(None, (style.title, style.short_title)):
            systems.setdefault(title, set()).add(style.colour)
    problems = []
    labelled = list(_labelled(figure))
    for label, colour in labelled:
        whole = label in systems or label in display.datasets.values()
        start = label if whole else label.partition(",")[0].partition(" (")[0]
        if start in systems:
            allowed = systems[start]
            alike = colour in allowed or not _has_hue(colour)
            if not whole:
                alike |= any(_same_hue(colour, own) for own in allowed)
            if not alike:
                problems.append(f"{label} is drawn in {colour}, not in {', '.join(allowed)}.")
        elif plain_metric(label) in display.metrics:
            own = display.metrics[plain_metric(label)].colour
            # Cut-offs are shades.
            alike = _same_hue(colour, own) if "@" in label else colour == own
            if not alike:
                problems.append(f"{label} is drawn in {colour}, not in {own}.")
        elif start in display.datasets.values() and _has_hue(colour):
            problems.append(f"{label} is a dataset, and is drawn in {colour}, not in ink.")
    return problems


def _labelled(figure: Figure) -> Iterator[tuple[str, str]]:
    for axes in figure.axes:
        for line in axes.get_lines():
            if _label(line):
                yield _label(line), to_hex(line.get_color())
        for container in axes.containers:
            if isinstance(container, BarContainer) and _label(container) and container.patches:
                patch = container.patches[0]
                colour = patch.get_hatchcolor() if patch.get_hatch() else patch.get_facecolor()
                yield _label(container), to_hex(colour)


def _label(artist: Artist | BarContainer) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _has_hue(colour: str) -> bool:
    return oklch(colour)[1] > GREY


def _same_hue(one: str, other: str) -> bool:
    apart = abs(degrees(oklch(one)[2]) - degrees(oklch(other)[2])) % 360
    return min(apart, 360 - apart) <= SAME_HUE
