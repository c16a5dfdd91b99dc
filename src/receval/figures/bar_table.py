# SPDX-License-Identifier: MIT
"""Draw a table with bars: rows of shares of one whole, in groups, each with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from receval.figures.finish import NOTE_SIZE, beside
from receval.figures.printed_numbers import fixed
from receval.figures.style import short_number

ROW_HEIGHT = 0.16
"""Inches that a row needs; gives the height of a figure."""

COLUMN = 40.0
"""Width in points of a column of numbers."""


@dataclass(frozen=True)
class BarRow:
    """A row: its name, and the share of the whole of each series."""

    label: str
    shares: tuple[float, ...]


@dataclass(frozen=True)
class BarGroup:
    """Rows with a common name, which is followed by their share of the whole and the remark."""

    label: str
    rows: tuple[BarRow, ...]
    remark: str = ""


def bar_table(
    axes: Axes, groups: Sequence[BarGroup], colours: Mapping[str, str], heads: Sequence[str]
) -> None:
    """Draw one stacked bar per row, and the shares in per cent in columns beside it.

    Series have colours by their labels, and short heads above their columns of numbers; the last
    column has the sums. A group begins with a line that names it. Shares of 0 are left blank.

    A ValueError is raised if shares are negative or missing, or sum to more than 1, or if a row has
    not one share per series.
    """
    rows = [row for group in groups for row in group.rows]
    shares = [share for row in rows for share in row.shares]
    if any(len(row.shares) != len(colours) for row in rows) or len(heads) != len(colours):
        raise ValueError(
            f"There are {len(colours)} series: give each row and the heads as many entries."
        )
    if any(not share >= 0 for share in shares) or sum(shares) > 1 + 1e-9:
        raise ValueError(
            f"The shares {', '.join(f'{share:g}' for share in shares)} are not parts of a whole. "
            "Each must be at least 0, and their sum at most 1."
        )
    places: list[int] = []
    line = 0
    for group in groups:
        total = percent(sum(sum(row.shares) for row in group.rows))
        heading = " ".join(filter(None, (f"{group.label}: {total}", group.remark)))
        _print(axes, 0, 2, line, heading, ha="left", weight="bold")
        places += range(line + 1, line + 1 + len(group.rows))
        line += 1 + len(group.rows)
    left = [0.0] * len(rows)
    for series, (label, colour) in enumerate(colours.items()):
        widths = [100 * row.shares[series] for row in rows]
        axes.barh(places, widths, left=left, height=0.7, color=colour, label=label)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    numbers = [[*row.shares, sum(row.shares)] for row in rows]
    for column, head in enumerate((*heads, "all")):
        right = COLUMN * (column + 1)
        style = {"ha": "right", "va": "bottom", "annotation_clip": False}
        beside(axes, head, (1, 1), (right, 2), xycoords="axes fraction", **style)
        for place, own in zip(places, numbers, strict=True):
            _print(axes, 1, right, place, _printed(own[column]), ha="right")
    axes.set_yticks(places, [row.label for row in rows], fontsize=NOTE_SIZE)
    axes.set_ylim(max(line, 1) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("Share of all pairs of items (%)")


def _printed(share: float) -> str:
    """Return a share in per cent, such as 61.2; blank for 0."""
    if share == 0:
        return ""
    return "< .05" if share < 0.0005 else short_number(fixed(100 * share, 1))


def _print(axes: Axes, side: int, points: float, row: float, text: str, **style: Any) -> None:
    """Print a text some points to the right of the left (0) or right (1) end of a panel."""
    beside(
        axes,
        text,
        (side, row),
        (points, 0),
        xycoords=axes.get_yaxis_transform(),
        va="center",
        annotation_clip=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        **style,
    )


def percent(share: float) -> str:
    """Format a share as a percentage, such as 61.2 %."""
    return f"{short_number(f'{100 * share:.1f}')} %"
