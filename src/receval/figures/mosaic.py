# SPDX-License-Identifier: MIT
"""Mosaics: a unit square cut into columns, and these into areas as large as their shares."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from receval.figures.style import INK, short_number

LABEL_SIZE = 6.5
"""Font size in points of what stands beside and in the areas."""

LINE = 0.062
"""Height of a line of the labels beside a square, as a share of its height."""

LEAST_WIDTH, LEAST_HEIGHT = 0.2, 0.06
"""Size of a part from which on its share is printed in it, as shares of the square."""

THIN, THIN_EDGE, EDGE_SHARE = 0.03, 1.6, 0.0105
"""Height of a part, as a share of the square, below which its edge has its colour, points of that
edge, and their share of about 150: between white edges hardly anything of the part would be left.
"""

LEAST_NAMED = 0.0095
"""Share from which on a smaller part is listed beside the square."""

LEAST_STRIPED = 0.0001
"""Share from which on a thin part is striped: of a smaller one, only its edge is to be seen."""

INSET = 0.02
"""How far within an area the line to its name begins, as a share of the square."""

HATCH = "/////"


@dataclass(frozen=True)
class Part:
    """A part of an area.

    Attributes
    ----------
    share : float
        Of the whole square.
    colour : str
    label : str
        Name of the colour in the legend.
    hatched : bool
        Whether it is striped.
    """

    share: float
    colour: str
    label: str
    hatched: bool = False


@dataclass(frozen=True)
class Area:
    """An area of a column, named beside the square, and the parts that lie in it side by side."""

    label: str
    parts: tuple[Part, ...]

    @property
    def share(self) -> float:
        """Of the whole square."""
        return sum(part.share for part in self.parts)


@dataclass(frozen=True)
class MosaicColumn:
    """A column of areas, named above the square; a column without a name is not labelled.

    Attributes
    ----------
    label : str
    areas : tuple of Area
    remark : str
        What stands behind the share of the column.
    """

    label: str
    areas: tuple[Area, ...]
    remark: str = ""

    @property
    def share(self) -> float:
        """Of the whole square: the width."""
        return sum(area.share for area in self.areas)


def mosaic(axes: Axes, columns: Sequence[MosaicColumn], hatch_label: str | None = None) -> None:
    """Draw a square whose areas have the size of their shares, the first area of a column on top.

    Columns lie side by side from the left; areas and the parts of them are stacked. The areas of
    the first column are labelled on the left, those of the second on the right, each with a line
    that begins at a dot in the area. Shares are printed in parts that have room for them, and
    beside the names of areas that are not such a part alone, followed, where a part of 1 % or more
    has no room, by those of all these parts from above. Thin parts have an edge of their own
    colour, by which they are a little larger than their shares.

    Parameters
    ----------
    columns : sequence of MosaicColumn
        With shares that sum to 1, or to less where the rest is not shown. At most two have a name.

    Raises
    ------
    ValueError
        A share is negative or NaN, the shares sum to more than 1, or more than two columns have a
        name.
    """
    parts = [part for column in columns for area in column.areas for part in area.parts]
    shares = [part.share for part in parts]
    if any(not share >= 0 for share in shares) or sum(shares) > 1 + 1e-9:
        raise ValueError(
            f"The shares {', '.join(f'{share:g}' for share in shares)} are no parts of a unit "
            "square: each must be at least 0, and all together at most 1."
        )
    if sum(bool(column.label) for column in columns) > 2:
        raise ValueError("Only two columns have room for labels beside them: name two at most.")
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
    # The legend's entries are patches of their own, so that none of them is hatched by chance.
    for label, colour in {part.label: part.colour for part in parts}.items():
        axes.add_patch(Rectangle((0, 0), 0, 0, facecolor=colour, label=label, **_EDGES))
    if hatch_label is not None:
        axes.add_patch(
            Rectangle((0, 0), 0, 0, facecolor="white", hatch=HATCH, label=hatch_label, **_EDGES)
        )


# Above the white edges of their neighbours, and below the lines around areas.
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
        # A line around the area parts it from the next.
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
        # From the line between the columns outwards, so that no column is too narrow for its name.
        axes.text(
            left + column.share - 0.02 if side < 0 else left + 0.02,
            1.02,
            f"{column.label}: {share}",
            ha="right" if side < 0 else "left",
            va="bottom",
            fontsize=LABEL_SIZE + 0.5,
        )


def _named_area(area: Area, printed: Set[Part]) -> str:
    """Return the name of an area, with its share and those of its parts that are not to be seen."""
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
    """Draw a part of the area that ends at a floor; return whether its share is printed in it."""
    left, bottom, width, height = bounds
    if not part.share > 0:
        return False
    is_thin = height < THIN
    thin = {"edgecolor": part.colour, "linewidth": THIN_EDGE, "zorder": _THIN_PARTS}
    style = _EDGES | {"facecolor": part.colour} | (thin if is_thin else {})
    hatch = HATCH if part.hatched and not is_thin else None
    axes.add_patch(Rectangle((left, bottom), width, height, hatch=hatch, **style))
    if part.hatched and is_thin and part.share >= LEAST_STRIPED:
        # Over its edge, which would hide most of the stripes, but not into the next area.
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
        # Stripes would make the number illegible.
        bbox={"boxstyle": "square,pad=0.15", "facecolor": part.colour, "edgecolor": "none"}
        if part.hatched
        else None,
    )
    return True


def _label_beside(
    axes: Axes, positions: Sequence[float], texts: Sequence[str], edge: float, side: int
) -> None:
    lines = [1 + text.count("\n") for text in texts]
    # A dot within the area: what lies between it and its name is not meant.
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
    """Move the positions of labels, falling within 1..0, so far that no two of them overlap.

    Parameters
    ----------
    positions : sequence of float
        Where the middle of each label would be best, from the highest to the lowest.
    lines : sequence of int
        Number of lines of each label; one is ``LINE`` high.
    """
    distances = [LINE * (one + other) / 2 for one, other in pairwise(lines)]
    moved = list(positions)
    for index, distance in enumerate(distances):
        moved[index + 1] = min(moved[index + 1], moved[index] - distance)
    # What was pushed below the square pushes the others up again.
    if moved:
        moved[-1] = max(moved[-1], 0.0)
    for index, distance in reversed(list(enumerate(distances))):
        moved[index] = max(moved[index], moved[index + 1] + distance)
    return moved


def percent(share: float) -> str:
    """Print a share, such as 61.2 %."""
    return f"{short_number(f'{100 * share:.1f}')} %"
