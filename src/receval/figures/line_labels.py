# SPDX-License-Identifier: MIT
"""Label lines at their ends, in place of a legend, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.finish import beside, figure_of, letter_panels, settle_layout
from receval.figures.point_labels import are_one, draw_leader, points_per_pixel
from receval.figures.style import luminance, shaded

_LEADER = 9.0  # points between the panel and the names, crossed by leaders
_GAP = 1.5  # points between the end of a leader and its name
_SPACING = 1.12  # distance of two names in heights of a name
_NAMED_TOGETHER = 3
_CONTRAST = 4.5  # minimum contrast of a name with white paper (WCAG 2.1)
_SHADES = np.linspace(0, -0.8, 17)


@dataclass(frozen=True)
class _End:
    """The common end and name of lines that look like one."""

    lines: tuple[Line2D, ...]
    x: float
    y: float
    name: Annotation


def label_lines(panels: Iterable[Axes], *, near: float = 0.0) -> None:
    """Print the label of every labelled line beside its last point, to the right of its panel.

    Lines that coincide from end to end share one name, such as "P, F1"; they may be `near` points
    apart, on average and at the ends. Names are in the order of the lines' ends, at a distance from
    each other, and a leader connects each to its end. Limits and scales of the panels, of one
    figure, must be final, and nothing that needs space may be added afterwards: this settles the
    layout (:func:`receval.figures.finish.settle_layout`). A panel without labelled lines, or too
    low for its names, is refused.

    The positions are the least-squares fit to the lines' ends that keeps order and distances:
    isotonic regression (pool adjacent violators).
    """
    found = {axes: _ends(axes, near) for axes in panels}
    for figure in dict.fromkeys(map(figure_of, found)):
        settle_layout(figure)
    for axes, ends in found.items():
        _spread(axes, ends)


def _ends(axes: Axes, near: float) -> list[_End]:
    lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    if not lines:
        raise ValueError("The panel has no labelled lines, so there is nothing to name.")
    low, high = sorted(axes.get_ylim())
    for line in lines:
        # Half of a marker at the edge of the panel would be cut off.
        line.set_clip_on(not all(low <= value <= high for value in _points(line)[1]))
    ends = []
    for group in _coincident(axes, lines, near):
        # The line whose colour the name has is the one that is seen.
        group[0].set_zorder(group[0].get_zorder() + 0.1 * (len(group) > 1))
        across, up = _points(group[0])
        shown = axes.transData.transform(np.column_stack([across, up]))
        last = int(np.argmax(np.round(shown[:, 0], 3)))
        name = beside(
            axes,
            joint_name([str(line.get_label()) for line in group]),
            (1, up[last]),
            (_LEADER + _GAP, 0),
            xycoords=axes.get_yaxis_transform(),
            color=readable(str(group[0].get_color())),
            ha="left",
            va="center",
            annotation_clip=False,
        )
        ends.append(_End(tuple(group), float(across[last]), float(up[last]), name))
    return ends


def _points(line: Line2D) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    across = np.asarray(line.get_xdata(), dtype=np.float64)
    up = np.asarray(line.get_ydata(), dtype=np.float64)
    known = ~np.isnan(up)
    if not known.any():
        raise ValueError(f"The line {line.get_label()} has no value at all: leave it out.")
    return across[known], up[known]


def _shown(axes: Axes, line: Line2D) -> NDArray[np.float64]:
    """Return the positions of a line's points on the page, in points."""
    places: NDArray[np.float64] = line.get_transform().transform(np.column_stack(_points(line)))
    return places * 72 / figure_of(axes).dpi


def _coincident(axes: Axes, lines: list[Line2D], near: float) -> list[list[Line2D]]:
    """Group the lines that coincide at all their points."""
    shown = {line: _shown(axes, line) for line in lines}
    groups: list[list[Line2D]] = []
    for line in lines:
        for group in groups:
            if all(are_one(shown[line], shown[other], near) for other in group):
                group.append(line)
                break
        else:
            groups.append([line])
    return groups


def _spread(axes: Axes, ends: list[_End]) -> None:
    scale = points_per_pixel(axes)
    frame = axes.get_window_extent()
    points = axes.transData.transform([(end.x, end.y) for end in ends]) * scale
    height = max(end.name.get_window_extent().height for end in ends) * scale * _SPACING
    low, high = frame.y0 * scale, frame.y1 * scale
    if height * len(ends) > high - low + height:
        raise ValueError(
            f"The panel is {high - low:.0f} points high, which is too low for {len(ends)} names of "
            f"{height:.0f} points: enlarge the figure or draw fewer lines."
        )
    places = spaced_positions(points[:, 1], height, low, high)
    right = frame.x1 * scale
    for end, point, place in zip(ends, points, places, strict=True):
        shift = float(np.round(place - point[1], 2))
        end.name.set_position((_LEADER + _GAP, shift))
        path = [(float(point[0]) + 1.5, float(point[1])), (right + _LEADER, float(place))]
        draw_leader(figure_of(axes), path, str(end.lines[0].get_color()))


def spaced_positions(
    wanted: NDArray[np.float64], distance: float, low: float, high: float
) -> NDArray[np.float64]:
    """Return the positions nearest to the wanted ones that keep a minimum distance and the order.

    They are within the limits if there is room for all.

    Examples
    --------
    >>> spaced_positions(np.array([5.0, 5.0, 9.0]), 2.0, 0.0, 10.0)
    array([4., 6., 9.])
    """
    order = np.argsort(np.round(wanted, 3), kind="stable")
    steps = distance * np.arange(len(wanted))
    blocks: list[tuple[float, int]] = []
    for value in (wanted[order] - steps).tolist():
        mean, size = value, 1
        while blocks and blocks[-1][0] > mean:
            before, number = blocks.pop()
            mean = (before * number + mean * size) / (number + size)
            size += number
        blocks.append((mean, size))
    fitted = np.concatenate([np.full(size, mean) for mean, size in blocks])
    places = np.empty(len(wanted))
    places[order] = np.clip(fitted, low, max(low, high - steps[-1])) + steps
    return places


def with_named_lines(panels: Iterable[Axes]) -> Figure:
    """Letter the panels of a figure, label their lines, and return the figure."""
    lettered = list(panels)
    letter_panels(lettered)
    label_lines(lettered)
    return figure_of(lettered[0])


def joint_name(names: Sequence[str]) -> str:
    """Return the joint name of lines that coincide.

    If there are more than three, only two are named, to leave room for the panel. Cut-offs of one
    metric name it once.

    Examples
    --------
    >>> joint_name(["P", "F1"]), joint_name(["nDCG@5", "nDCG@10"])
    ('P, F1', 'nDCG@5, @10')
    >>> joint_name(["P", "F1", "MAP", "ERR"])
    'P, F1 and 2 more'
    """
    metric = names[0].partition("@")[0]
    if all(name.startswith(f"{metric}@") for name in names):
        names = [names[0], *(name.removeprefix(metric) for name in names[1:])]
    if len(names) <= _NAMED_TOGETHER:
        return ", ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def readable(colour: str) -> str:
    """Return a colour, darkened if necessary to be readable as text on white."""
    plain = to_hex(to_rgb(colour))
    for shade in _SHADES:
        darker = shaded(plain, round(float(shade), 3))
        if 1.05 / (luminance(darker) + 0.05) >= _CONTRAST:
            return darker
    return darker
