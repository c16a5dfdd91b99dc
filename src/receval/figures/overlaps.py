"""A check that no two texts of a figure overlap and none is cut off."""

from __future__ import annotations

from itertools import combinations

from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from receval.figures.style import figure_style

TOLERANCE = 0.5
"""Overlap in points that the eye does not see."""


def text_problems(figure: Figure) -> list[str]:
    """Return one sentence for each pair of overlapping texts and each text out of the figure.

    Titles, axis and tick labels, legend entries, annotations and notes are compared by their
    boxes after the layout. A legend counts as one box as well, against the panels' frames.

    Parameters
    ----------
    figure : Figure
        A finished figure. Its layout is run.
    """
    with figure_style():
        figure.draw_without_rendering()
        margin = TOLERANCE * figure.dpi / 72
        boxes = [(repr(text.get_text()), text.get_window_extent()) for text in _shown_texts(figure)]
        frames = [("a panel", axes.get_window_extent()) for axes in figure.axes]
        legends = [("the legend", legend.get_window_extent()) for legend in figure.legends]
    problems = [
        f"{first} overlaps {second}."
        for (first, box), (second, other) in [
            *combinations(boxes, 2),
            *((legend, frame) for legend in legends for frame in frames),
        ]
        if _overlap(box, other, margin)
    ]
    page = figure.bbox
    problems += [
        f"{name} is cut off at the edge of the figure."
        for name, box in [*boxes, *legends]
        if box.x0 < page.x0 - margin
        or box.y0 < page.y0 - margin
        or box.x1 > page.x1 + margin
        or box.y1 > page.y1 + margin
    ]
    return problems


def _shown_texts(figure: Figure) -> list[Text]:
    ticks = figure.findobj(Tick)
    # Ticks out of the limits, and those kept from an earlier layout, exist but are not drawn.
    hidden = {label for tick in ticks for label in (tick.label1, tick.label2)}
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if low - slack <= tick.get_loc() <= high + slack:
                    hidden -= {tick.label1, tick.label2}
    return [
        text
        for text in figure.findobj(Text)
        if text not in hidden and text.get_visible() and text.get_text().strip()
    ]


def _overlap(box: Bbox, other: Bbox, margin: float) -> bool:
    return bool(
        min(box.x1, other.x1) - max(box.x0, other.x0) > margin
        and min(box.y1, other.y1) - max(box.y0, other.y0) > margin
    )
