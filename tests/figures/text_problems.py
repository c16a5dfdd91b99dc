# SPDX-License-Identifier: MIT
"""Find layout problems of a figure: overlapping texts, texts outside it, and misleading leaders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from matplotlib.axis import Tick
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ArrowStyle
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from receval.figures.point_labels import LEADER, Boxes, distances_to, lines_cross, lines_meet_boxes
from receval.figures.style import figure_style

TOLERANCE = 0.5
"""Overlap in points that is not visible."""

BETWEEN_NUMBERS = 0.2
"""Fewest points between two numbers of a heat map: nearer, they read as one."""


def text_problems(figure: Figure) -> list[str]:
    """Return a sentence for each pair of overlapping texts, text outside, and misleading leader.

    Titles, axis and tick labels, legend entries, annotations and notes are compared by their boxes
    after the layout. A legend also counts as one box, which is compared with the frames of panels.
    A leader is a problem if it runs through a text other than the one nearest to its end, or
    crosses another leader.
    """
    with figure_style():
        figure.draw_without_rendering()
        margin = TOLERANCE * figure.dpi / 72
        boxes = [(repr(text.get_text()), text.get_window_extent()) for text in _shown_texts(figure)]
        frames = [("a panel", axes.get_window_extent()) for axes in figure.axes]
        legends = [("the legend", legend.get_window_extent()) for legend in figure.legends]
        leaders = leaders_of(figure)
    overlapping = np.triu(_overlaps(boxes, boxes, margin), k=1)
    problems = [f"{boxes[i][0]} overlaps {boxes[j][0]}." for i, j in np.argwhere(overlapping)]
    problems += [
        f"{legends[i][0]} overlaps {frames[j][0]}."
        for i, j in np.argwhere(_overlaps(legends, frames, margin))
    ]
    problems += _touching_numbers(figure)
    problems += _leader_problems(leaders, boxes, margin)
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


def _touching_numbers(figure: Figure) -> list[str]:
    """Return a sentence for each two numbers of coloured cells that read as one."""
    problems = []
    for axes in figure.axes:
        if not (axes.get_images() and axes.texts):
            continue
        boxes = [(text.get_text(), text.get_window_extent()) for text in axes.texts]
        near = _overlaps(boxes, boxes, -BETWEEN_NUMBERS * figure.dpi / 72)
        problems += [
            f"Nothing is between {boxes[i][0]} and {boxes[j][0]}."
            for i, j in np.argwhere(np.triu(near, k=1))
        ]
    return problems


def leaders_of(figure: Figure) -> list[NDArray[np.float64]]:
    """Return the ends and bends of all leaders, also of annotations, in pixels; names are last."""
    lines = [
        line.get_transform().transform(line.get_xydata())
        for line in figure.findobj(Line2D)
        if line.get_label() == LEADER
    ]
    # An arrow without a head that begins at its text.
    arrows = [
        text.arrow_patch.get_transform().transform(text.arrow_patch.get_path().vertices)[::-1]
        for text in figure.findobj(Annotation)
        if text.arrow_patch is not None
        and isinstance(text.arrow_patch.get_arrowstyle(), ArrowStyle.Curve)
    ]
    return [np.asarray(places, dtype=np.float64) for places in (*lines, *arrows)]


def _leader_problems(
    leaders: Sequence[NDArray[np.float64]], texts: Sequence[tuple[str, Bbox]], margin: float
) -> list[str]:
    """Return a sentence for each leader through another's text, and for each crossing."""
    if not leaders or not texts:
        return []
    boxes = np.array([box.extents for _, box in texts])
    nearest = distances_to(boxes, np.array([places[-1] for places in leaders])).argmin(axis=0)
    owners = [texts[own][0] for own in nearest.tolist()]
    seen = boxes + margin * np.array([1, 1, -1, -1])
    problems = [
        f"The leader of {owner} runs through {texts[other][0]}."
        for places, owner, own in zip(leaders, owners, nearest, strict=True)
        for other in _met(places, seen)
        if other != own
    ]
    problems += [
        f"The leaders of {owner} and {other_owner} cross."
        for (owner, one), (other_owner, other) in combinations(zip(owners, leaders, strict=True), 2)
        if lines_cross(one[:-1], one[1:], other[:-1], other[1:]).any()
    ]
    return problems


def _met(places: NDArray[np.float64], boxes: Boxes) -> list[int]:
    """Return which boxes a leader runs through."""
    met = lines_meet_boxes(places[:-1], places[1:], boxes).any(axis=0)
    return [int(index) for index in np.flatnonzero(met)]


def _shown_texts(figure: Figure) -> list[Text]:
    ticks = figure.findobj(Tick)
    # Ticks outside the limits, and those of an earlier layout, exist but are not drawn.
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


def _overlaps(
    named: Sequence[tuple[str, Bbox]], others: Sequence[tuple[str, Bbox]], margin: float
) -> NDArray[np.bool_]:
    """Tell which boxes of two lists overlap by more than a margin."""
    one, two = (
        np.array([box.extents for _, box in boxes]).reshape(-1, 1, 2, 2)
        for boxes in (named, others)
    )
    two = two.swapaxes(0, 1)
    shared = np.minimum(one[:, :, 1], two[:, :, 1]) - np.maximum(one[:, :, 0], two[:, :, 0])
    return np.asarray((shared > margin).all(axis=-1))
