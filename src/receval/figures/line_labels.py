# SPDX-License-Identifier: MIT
"""Label lines at their ends, in place of a legend, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import NDArray

from receval.figures.finish import settle_layout
from receval.figures.label_boxes import (
    Boxes,
    are_one,
    draw_leader,
    figure_of,
    inside,
    lines_cross,
    lines_meet_boxes,
    nearest_points,
    overlaps,
    points_per_pixel,
)
from receval.figures.style import luminance, shaded

LABEL_SIZE = 6.5
"""Font size of a name, in points."""

_LEADER = 9.0  # points between the panel and the names, crossed by leaders
_GAP = 1.5  # points between the end of a leader and its name
_SPACING = 1.12  # distance of two names in heights of a name
_NAMED_TOGETHER = 3
_TOGETHER = 2.5  # points between line ends that leaders cannot distinguish
_AMONG = 6.0  # the same if leaders cross what is drawn beyond the panel
_CROWD = 3  # number of lines that end so close together from which names are placed elsewhere
_CONTRAST = 4.5  # minimum contrast of a name with white paper (WCAG 2.1)
_SHADES = np.linspace(0, -0.8, 17)


@dataclass(frozen=True)
class _End:
    """The common end and name of lines that look like one."""

    lines: tuple[Line2D, ...]
    x: float
    y: float
    name: Annotation


def label_lines(
    panels: Iterable[Axes], *, beyond: float | Mapping[Axes, float] = 0.0, near: float = 0.0
) -> None:
    """Print the label of every labelled line beside its last point, to the right of its panel.

    Lines that coincide from end to end share one name, such as "P, F1". Names are in the order of
    the lines' ends, at a distance from each other, and a leader connects each to its end. This
    settles the layout (:func:`receval.figures.finish.settle_layout`): nothing that needs space may
    be added afterwards.

    Parameters
    ----------
    panels : iterable of Axes
        Panels of one figure, with their final limits and scales.
    beyond : float or mapping of Axes to float
        Points to leave free between panel and names for what is drawn there, for all panels or
        each.
    near : float
        Maximum distance in points, on average and at the ends, of two lines that share one name. If
        it is above 0, lines that end close to several others have their names within the panel
        where possible, beside a point where they are apart.

    Raises
    ------
    ValueError
        A panel has no labelled line, or is too low for its names.

    Notes
    -----
    The positions are the least-squares fit to the lines' ends that keeps order and distances:
    isotonic regression (pool adjacent violators).
    """
    panels = list(panels)
    room = beyond if isinstance(beyond, Mapping) else dict.fromkeys(panels, beyond)
    found = {axes: _ends(axes, room[axes], near) for axes in panels}
    for figure in dict.fromkeys(map(figure_of, found)):
        settle_layout(figure)
    for axes, ends in found.items():
        named = _name_inside(axes, ends, _AMONG if room[axes] else _TOGETHER) if near else []
        left = [end for index, end in enumerate(ends) if index not in named]
        if left:
            _spread(axes, left, room[axes])


def _ends(axes: Axes, beyond: float, near: float) -> list[_End]:
    lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    if not lines:
        raise ValueError("The panel has no labelled lines, so there is nothing to name.")
    low, high = sorted(axes.get_ylim())
    for line in lines:
        # Half of a marker at the edge of the panel would be cut off.
        line.set_clip_on(not all(low <= value <= high for value in _points(line)[1]))
    ends = []
    for group in _coincident(axes, lines, near):
        across, up = _points(group[0])
        shown = axes.transData.transform(np.column_stack([across, up]))
        last = int(np.argmax(np.round(shown[:, 0], 3)))
        name = axes.annotate(
            joint_name([str(line.get_label()) for line in group]),
            xy=(1, up[last]),
            xycoords=axes.get_yaxis_transform(),
            xytext=(beyond + _LEADER + _GAP, 0),
            textcoords="offset points",
            fontsize=LABEL_SIZE,
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


# Places for names within a panel, beside lines where these are apart from all others.

Points = NDArray[np.float64]
"""Shape (n, 2), in points of the page."""

APART = 2.0
"""Minimum distance in points from the next line for a line to be recognisable."""

_ANCHORS = 16
_DISTANCES = (6.0, 10.0, 15.0, 21.0, 28.0, 36.0)
_ANGLES = np.deg2rad(np.arange(0, 360, 15.0))
_CROSSING = 25.0  # points of distance that one crossing costs
_NEARNESS = 1.5  # the same for each point of distance between the line and the next
_MOST_CROSSED = 3
_TRIED = 400  # number of best places per name among which other names decide
_MUCH = 10.0  # gain in points of distance for which a name may choose first
_NOWHERE = 150.0  # and the gain of having a place at all
_SLACK = 1.5  # free points around a name
_AROUND = np.array([-_SLACK, -_SLACK, _SLACK, _SLACK])


@dataclass(frozen=True)
class InsideLabel:
    """The position of a name: the point of the line that it names, and the box of the name."""

    anchor: NDArray[np.float64]
    box: NDArray[np.float64]

    @property
    def nearest(self) -> NDArray[np.float64]:
        """The point of the box that is nearest to the anchor."""
        found: NDArray[np.float64] = nearest_points(self.box[None], self.anchor)[0]
        return found


@dataclass(frozen=True)
class _NearBoxes:
    """Possible places of a name: points of its line, boxes, and the cost of each."""

    anchors: Points
    boxes: Boxes
    costs: NDArray[np.float64]


def positions_inside(
    lines: Sequence[Points],
    sizes: Mapping[int, tuple[float, float]],
    frame: NDArray[np.float64],
    taken: Boxes,
    beside: Sequence[Points] = (),
) -> dict[int, InsideLabel]:
    """Return places for the names of some lines, where these can be distinguished from others.

    A name meets no line and no leader. A leader meets no name, no other leader and few lines. Lines
    that are apart from the others at fewer places choose first. Lines that are nowhere apart from
    others, or have no free place, are missing in the result.

    ``lines`` are all lines of a panel that look different, ``beside`` those that look like one of
    them. ``sizes`` has the width and height of each name that needs a place, by the index of its
    line. Names and leaders overlap no ``taken`` box.
    """
    apart = {index: _apart(lines, index) for index in sizes}
    places = {
        index: _places(lines, beside, index, size, apart[index], frame, taken)
        for index, size in sizes.items()
    }
    order = sorted(sizes, key=lambda index: (int((apart[index] >= APART).sum()), index))
    order = [index for index in order if len(places[index].costs)]
    best = _chosen(places, order)
    # Names without a place, or with one much worse than their best, choose first in turn.
    for index in order:
        if _loss(places, best, [index]) > _MUCH:
            found = _chosen(places, [index, *(other for other in order if other != index)])
            if _loss(places, found, order) < _loss(places, best, order):
                best = found
    return {
        index: InsideLabel(places[index].anchors[place], places[index].boxes[place])
        for index, place in best.items()
    }


def _segments(lines: Sequence[Points]) -> tuple[Points, Points]:
    starts = np.concatenate([line[:-1] for line in lines])
    ends = np.concatenate([line[1:] for line in lines])
    return starts, ends


def _places(
    lines: Sequence[Points],
    beside: Sequence[Points],
    index: int,
    size: tuple[float, float],
    apart: NDArray[np.float64],
    frame: NDArray[np.float64],
    taken: Boxes,
) -> _NearBoxes:
    """Return the places of a name that overlap no line and no taken box, best first."""
    anchors = np.argsort(-np.round(apart, 3), kind="stable")[:_ANCHORS]
    anchors = anchors[apart[anchors] >= APART]
    points, boxes = _tried(lines[index][anchors], size)
    costs = -_NEARNESS * np.repeat(apart[anchors], len(_DISTANCES) * len(_ANGLES))
    margins = boxes + _AROUND
    free = inside(margins, frame) & ~overlaps(margins, taken).any(axis=1)
    free[free] = ~lines_meet_boxes(*_segments([*lines, *beside]), margins[free]).any(axis=0)
    points, boxes, costs = points[free], boxes[free], costs[free]
    targets = np.clip(points, boxes[:, :2], boxes[:, 2:])
    # A leader begins beside its own line.
    begins = points + 0.05 * (targets - points)
    crossed = lines_cross(begins, targets, *_segments(lines)).sum(axis=1)
    costs += np.hypot(*(targets - points).T) + _CROSSING * crossed
    clear = ~lines_meet_boxes(points, targets, taken + _AROUND).any(axis=1)
    allowed = np.flatnonzero(clear & (crossed <= _MOST_CROSSED))
    best = allowed[np.argsort(np.round(costs[allowed], 3), kind="stable")[:_TRIED]]
    return _NearBoxes(points[best], boxes[best], np.round(costs[best], 3))


def _chosen(places: Mapping[int, _NearBoxes], order: Sequence[int]) -> dict[int, int]:
    """Return the best remaining place for each name; the names choose in the given order."""
    found: dict[int, int] = {}
    for index in order:
        own = places[index]
        left = np.ones(len(own.costs), dtype=bool)
        for other, place in found.items():
            left[left] = _go_together(
                own.anchors[left],
                own.boxes[left],
                places[other].anchors[place],
                places[other].boxes[place],
            )
        if left.any():
            found[index] = int(left.argmax())
    return found


def _go_together(
    anchors: Points, boxes: Boxes, anchor: NDArray[np.float64], box: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which places meet neither another name nor its leader or the leader's start."""
    ends = np.clip(anchors, boxes[:, :2], boxes[:, 2:])
    one, other_end = anchor[None], nearest_points(box[None], anchor)
    together = ~overlaps(boxes + _AROUND, box[None])[:, 0]
    for other in (box, np.tile(anchor, 2)):
        together &= ~lines_meet_boxes(anchors, ends, other[None] + _AROUND)[:, 0]
    for own in (boxes, np.tile(anchors, 2)):
        together &= ~lines_meet_boxes(one, other_end, own + _AROUND)[0]
    return together & ~lines_cross(anchors, ends, one, other_end)[:, 0]


def _loss(
    places: Mapping[int, _NearBoxes], found: Mapping[int, int], indices: Sequence[int]
) -> float:
    """Return how much worse the places of names are than the best place of each name alone."""
    losses = [
        places[index].costs[found[index]] - places[index].costs[0] if index in found else _NOWHERE
        for index in indices
    ]
    return round(float(sum(losses)), 3)


def _apart(lines: Sequence[Points], index: int) -> NDArray[np.float64]:
    """Return the distance to the next line at each point of a line, up to a relevant maximum."""
    across, up = lines[index].T
    order = np.arange(len(lines)) != index
    others = [_height_at(lines[other], across) for other in np.flatnonzero(order).tolist()]
    alone = np.full((1, len(across)), np.inf)
    distances: NDArray[np.float64] = np.abs(np.vstack([alone, *others]) - up).min(axis=0)
    # Steep lines are nearer to each other than their vertical distance.
    distances /= np.hypot(1.0, np.gradient(up, across))
    # There is no room for a name beside the ends of a line.
    distances[[0, -1]] = 0
    return np.minimum(distances, 8.0)


def _height_at(line: Points, across: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(line[:, 0], kind="stable")
    return np.interp(across, line[order, 0], line[order, 1], left=np.inf, right=np.inf)


def _tried(anchors: Points, size: tuple[float, float]) -> tuple[Points, Boxes]:
    """Return the boxes to try around some points, and the point of each."""
    distances = np.repeat(_DISTANCES, len(_ANGLES))
    angles = np.tile(_ANGLES, len(_DISTANCES))
    steps = distances[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    half = np.array(size) / 2
    # The step is the distance of the nearest corner or side of a box.
    centres = steps + half * np.sign(np.round(steps, 6))
    points = np.repeat(anchors, len(steps), axis=0)
    middles = points + np.tile(centres, (len(anchors), 1))
    return points, np.hstack([middles - half, middles + half])


def _name_inside(axes: Axes, ends: list[_End], together: float) -> list[int]:
    """Move names of lines that end close to several others into the panel; return which moved."""
    scale = points_per_pixel(axes)
    heights = axes.transData.transform([(end.x, end.y) for end in ends])[:, 1] * scale
    crowd = (np.abs(heights[:, None] - heights) <= together).sum(axis=1)
    texts = [text for text in axes.texts if text not in [end.name for end in ends]]
    taken = [text.get_window_extent().extents for text in texts]
    extents = [end.name.get_window_extent() for end in ends]
    frame = np.array(axes.get_window_extent().extents) * scale
    named = [line for end in ends for line in end.lines]
    # A mark is a line of one point.
    unnamed = [
        line for line in axes.get_lines() if line not in named and np.size(line.get_xdata()) > 1
    ]
    found = positions_inside(
        [_shown(axes, line) for line in (*(end.lines[0] for end in ends), *unnamed)],
        {
            index: (extents[index].width * scale, extents[index].height * scale)
            for index in np.flatnonzero(crowd >= _CROWD).tolist()
        },
        frame,
        np.reshape(np.array(taken) * scale, (-1, 4)),
        beside=[_shown(axes, line) for end in ends for line in end.lines[1:]],
    )
    for index, label in found.items():
        middle = float(label.box[[1, 3]].mean())
        shift = (float(label.box[0]) - frame[2], middle - heights[index])
        ends[index].name.set_position((round(shift[0], 2), round(shift[1], 2)))
        draw_leader(
            figure_of(axes),
            np.array([label.anchor, label.nearest]),
            str(ends[index].lines[0].get_color()),
        )
    return list(found)


def _spread(axes: Axes, ends: list[_End], beyond: float) -> None:
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
        end.name.set_position((beyond + _LEADER + _GAP, shift))
        start = (float(point[0]) + 1.5, float(point[1]))
        # The leader goes straight through what is drawn beyond the panel.
        way = [(right + beyond + 1.5, float(point[1]))] if beyond else []
        name = (right + beyond + _LEADER, float(place))
        draw_leader(figure_of(axes), [start, *way, name], str(end.lines[0].get_color()))


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
