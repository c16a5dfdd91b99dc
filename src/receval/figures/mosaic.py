# SPDX-License-Identifier: MIT
"""Draw mosaic plots: a square divided into columns, and these into areas by their shares."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from receval.figures.style import INK, short_number

LABEL_SIZE = 6.5
"""Font size in points of the labels beside and in the areas."""

LINE = 0.062
"""Line height of the labels beside a square, as a share of its height."""

LEAST_WIDTH, LEAST_HEIGHT = 0.2, 0.06
"""Minimum size of a part in which its share is printed, as shares of the square."""

THIN, THIN_EDGE, EDGE_SHARE = 0.03, 1.6, 0.0105
"""Parts lower than the first value, a share of the square, have an edge of their own colour,
because white edges would cover them. The others are the width of that edge, in points and as a
share of about 150 points.
"""

LEAST_NAMED = 0.0095
"""Minimum share of a small part that is listed beside the square."""

LEAST_STRIPED = 0.0001
"""Minimum share of a thin part that is striped; of a smaller one, only its edge is visible."""

INSET = 0.02
"""Distance from the edge of an area at which the line to its name begins, as a share of the
square."""

HATCH = "/////"


@dataclass(frozen=True)
class Part:
    """A part of an area: its share of the whole square, its colour, and that colour's label."""

    share: float
    colour: str
    label: str
    hatched: bool = False


@dataclass(frozen=True)
class Area:
    """An area of a column, named beside the square, and the parts that it consists of."""

    label: str
    parts: tuple[Part, ...]

    @property
    def share(self) -> float:
        """Share of the whole square."""
        return sum(part.share for part in self.parts)


@dataclass(frozen=True)
class MosaicColumn:
    """A column of areas, named above the square; a column without a name is not labelled.

    The remark is printed after the share of the column.
    """

    label: str
    areas: tuple[Area, ...]
    remark: str = ""

    @property
    def share(self) -> float:
        """Share of the whole square: the width."""
        return sum(area.share for area in self.areas)


def mosaic(axes: Axes, columns: Sequence[MosaicColumn], hatch_label: str | None = None) -> None:
    """Draw a mosaic plot: a square whose areas are as large as their shares.

    Columns are side by side from the left. Areas are stacked from the top, and so are their parts.
    The areas of the first column are labelled on the left, those of the second on the right, each
    with a line from a dot in the area. Shares are printed in parts that have room for them. The
    name of an area is followed by its share, unless the area is a single part with a printed share,
    and, if a part of 1 % or more has no room, by the shares of all such parts from the top. Thin
    parts have an edge of their own colour, so they look slightly larger than their shares.

    The shares sum to 1, or to less if the rest is not shown. At most two columns have names.
    """
    parts = [part for column in columns for area in column.areas for part in area.parts]
    shares = [part.share for part in parts]
    if any(not share >= 0 for share in shares) or sum(shares) > 1 + 1e-9:
        raise ValueError(
            f"The shares {', '.join(f'{share:g}' for share in shares)} are not parts of a unit "
            "square. Each must be at least 0, and their sum at most 1."
        )
    if sum(bool(column.label) for column in columns) > 2:
        raise ValueError(
            "Only two columns have room for labels beside them. Name at most two columns."
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    left = 0.0
    sides = iter((-1, 1))
    for column in columns:
        side = next(sides) if column.label else 0
        if column.share > 0:
            _draw_column(axes, column, left, side)
        left += column.share
    # Legend entries are separate patches, so that none of them is hatched by accident.
    for label, colour in {part.label: part.colour for part in parts}.items():
        axes.add_patch(Rectangle((0, 0), 0, 0, facecolor=colour, label=label, **_EDGES))
    if hatch_label is not None:
        axes.add_patch(
            Rectangle((0, 0), 0, 0, facecolor="white", hatch=HATCH, label=hatch_label, **_EDGES)
        )


# Drawn above the white edges of neighbouring parts, and below the lines around areas.
_THIN_PARTS, _BORDERS = 1.2, 1.4
_EDGES: dict[str, Any] = {"edgecolor": "white", "hatchcolor": INK, "linewidth": 0.8}


def _draw_column(axes: Axes, column: MosaicColumn, left: float, side: int) -> None:
    top = 1.0
    positions, texts = [], []
    for area in column.areas:
        if not area.share > 0:
            continue
        bottom, printed = top, set[Part]()
        floor = top - area.share / column.share
        for part in area.parts:
            height = part.share / column.share
            bottom -= height
            if _draw_part(axes, part, (left, bottom, column.share, height), floor):
                printed.add(part)
        # A line around the area separates it from the next.
        axes.add_patch(
            Rectangle(
                (left, bottom),
                column.share,
                top - bottom,
                fill=False,
                edgecolor=INK,
                linewidth=0.8,
                zorder=_BORDERS,
            )
        )
        positions.append((top + bottom) / 2)
        texts.append(_named_area(area, printed))
        top = bottom
    if side:
        _label_beside(axes, positions, texts, left if side < 0 else left + column.share, side)
        share = " ".join(filter(None, (percent(column.share), column.remark)))
        # Names extend outwards from the line between the columns, so they also fit narrow columns.
        axes.text(
            left + column.share - 0.02 if side < 0 else left + 0.02,
            1.02,
            f"{column.label}: {share}",
            ha="right" if side < 0 else "left",
            va="bottom",
            fontsize=LABEL_SIZE + 0.5,
        )


def _named_area(area: Area, printed: Set[Part]) -> str:
    """Return the name of an area, with its share and those of parts without a printed share."""
    whole = percent(area.share)
    if any(percent(part.share) == whole for part in printed):
        return area.label
    parts = [part for part in area.parts if part.share >= LEAST_NAMED]
    listed = len(parts) > 1 and not set(parts) <= printed
    shares = ", ".join(percent(part.share).removesuffix(" %") for part in parts)
    return f"{area.label}\n{whole}: {shares}" if listed else f"{area.label}\n{whole}"


def _draw_part(
    axes: Axes, part: Part, bounds: tuple[float, float, float, float], floor: float
) -> bool:
    """Draw a part of the area above a lower edge; return whether its share is printed in it."""
    left, bottom, width, height = bounds
    if not part.share > 0:
        return False
    is_thin = height < THIN
    thin = {"edgecolor": part.colour, "linewidth": THIN_EDGE, "zorder": _THIN_PARTS}
    style = _EDGES | {"facecolor": part.colour} | (thin if is_thin else {})
    hatch = HATCH if part.hatched and not is_thin else None
    axes.add_patch(Rectangle((left, bottom), width, height, hatch=hatch, **style))
    if part.hatched and is_thin and part.share >= LEAST_STRIPED:
        # Stripes cover the part's own edge, which would hide most of them, but not the next area.
        low, high = max(bottom - EDGE_SHARE / 2, floor), bottom + height + EDGE_SHARE / 2
        style = _EDGES | {"facecolor": "none", "linewidth": 0, "zorder": _THIN_PARTS}
        axes.add_patch(Rectangle((left, low), width, high - low, hatch=HATCH, **style))
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return False
    axes.text(
        left + width / 2,
        bottom + height / 2,
        percent(part.share),
        ha="center",
        va="center",
        fontsize=LABEL_SIZE,
        # A number on stripes would be illegible.
        bbox={"boxstyle": "square,pad=0.15", "facecolor": part.colour, "edgecolor": "none"}
        if part.hatched
        else None,
    )
    return True


def _label_beside(
    axes: Axes, positions: Sequence[float], texts: Sequence[str], edge: float, side: int
) -> None:
    lines = [1 + text.count("\n") for text in texts]
    # A dot shows which area the line belongs to, since the line may cross others.
    inside, outside = edge - INSET * side, 0.0 if side < 0 else 1.0
    for position, printed, text in zip(positions, spread_out(positions, lines), texts, strict=True):
        axes.plot(
            [inside, outside + 0.015 * side, outside + 0.04 * side],
            [position, position, printed],
            color=INK,
            linewidth=0.5,
            marker="o",
            markersize=1.8,
            markevery=[0],
            clip_on=False,
        )
        axes.text(
            outside + 0.05 * side,
            printed,
            text,
            ha="right" if side < 0 else "left",
            va="center",
            fontsize=LABEL_SIZE,
        )


def spread_out(positions: Sequence[float], lines: Sequence[int]) -> list[float]:
    """Move the positions of labels, from 1 down to 0, so that no two of them overlap.

    The positions are of the middles of labels, from the highest to the lowest. Each line of a label
    is ``LINE`` high.
    """
    distances = [LINE * (one + other) / 2 for one, other in pairwise(lines)]
    moved = list(positions)
    for index, distance in enumerate(distances):
        moved[index + 1] = min(moved[index + 1], moved[index] - distance)
    # Labels that were pushed below the square move up again, and push the others up.
    if moved:
        moved[-1] = max(moved[-1], 0.0)
    for index, distance in reversed(list(enumerate(distances))):
        moved[index] = max(moved[index], moved[index + 1] + distance)
    return moved


def percent(share: float) -> str:
    """Format a share as a percentage, such as 61.2 %."""
    return f"{short_number(f'{100 * share:.1f}')} %"
