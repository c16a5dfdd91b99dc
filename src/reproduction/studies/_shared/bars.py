# SPDX-License-Identifier: MIT
"""Bar charts of systems in groups, shares of three verdicts, strips, and tables with bars."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from receval.figures.finish import NOTE_SIZE, beside
from receval.figures.printed_numbers import fixed
from receval.figures.style import (
    COLOURS,
    FIRST_WINS,
    INK,
    NO_WINNER,
    SECOND_WINS,
    SeriesStyle,
    ink_on,
    percent,
    short_number,
)

GROUP_WIDTH = 0.82
"""Share of a group's width that its bars fill."""

GAP = 0.5
"""Gap between the bars of a group, in widths of a bar."""


def grouped_bars(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    group: str,
    series: str,
    value: str,
    styles: Mapping[str, SeriesStyle],
    error: str | None = None,
    group_order: Sequence[str] | None = None,
    group_labels: Mapping[str, str] | None = None,
    series_labels: Mapping[str, str] | None = None,
    gaps: Collection[str] = (),
) -> None:
    """Draw one bar per row of a table, side by side within groups.

    The table has one row per pair of group and series; NaN means "does not apply" and is marked by
    a dash. The y axis starts at 0; axis labels and title are the caller's. ``error`` is the column
    with half the width of the confidence interval. ``group_labels`` and ``series_labels`` are
    printed instead of names; a line break in a group's label is kept.
    """
    groups = list(group_order if group_order is not None else frame[group].unique())
    names = list(styles)
    heights = _matrix(frame, group, series, value, groups, names)
    errors = None if error is None else _matrix(frame, group, series, error, groups, names)
    offsets, width = bar_offsets(names, gaps)
    positions = np.arange(len(groups))
    for i, name in enumerate(names):
        style = styles[name]
        x = positions + offsets[name]
        drawn = ~np.isnan(heights[:, i])
        axes.bar(
            x[drawn],
            heights[drawn, i],
            width=width,
            facecolor=_tint(style.colour) if style.hatch else style.colour,
            edgecolor="white",
            hatchcolor=style.colour,
            hatch=style.hatch,
            label=(series_labels or {}).get(name, name),
        )
        if errors is not None:
            axes.errorbar(
                x[drawn],
                heights[drawn, i],
                yerr=errors[drawn, i],
                fmt="none",
                ecolor=INK,
                elinewidth=0.6,
                capsize=min(1.5, 8 * width),
                capthick=0.6,
            )
        for position in x[~drawn]:
            dash = {"ha": "center", "va": "bottom", "color": style.colour, "fontsize": None}
            beside(axes, "\N{EN DASH}", (position, 0), (0, 1), **dash)
    axes.set_xticks(positions, [(group_labels or {}).get(name, name) for name in groups])
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_ylim(bottom=0)


def bar_offsets(names: Sequence[str], gaps: Collection[str] = ()) -> tuple[dict[str, float], float]:
    """Return the offset of each series' bar from the middle of its group, and the bar width.

    Examples
    --------
    >>> places, width = bar_offsets(["pop", "random", "wrmf"], gaps=["wrmf"])
    >>> {name: round(place / width, 2) for name, place in places.items()}
    {'pop': -1.25, 'random': -0.25, 'wrmf': 1.25}
    """
    before = np.cumsum([GAP * (name in gaps) for name in names])
    width = GROUP_WIDTH / (len(names) + before[-1])
    middles = np.arange(len(names)) + before
    offsets = (middles - middles[-1] / 2) * width
    return dict(zip(names, offsets.tolist(), strict=True)), float(width)


def _matrix(
    frame: pd.DataFrame, group: str, series: str, value: str, groups: list[str], names: list[str]
) -> NDArray[np.float64]:
    """Return the values as an array of shape (n_groups, n_series)."""
    for column, allowed in ((group, groups), (series, names)):
        unknown = sorted(set(frame[column].astype(str)) - set(allowed))
        if unknown:
            raise ValueError(
                f"The column {column} holds {', '.join(unknown)}, which the figure does not draw "
                f"(it draws {', '.join(allowed)}). Leave those rows out or name them."
            )
    repeated = frame[frame.duplicated([group, series])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(
            f"There are several rows of {group} {first[group]} and {series} {first[series]}; a "
            "bar shows one. Average or filter them first."
        )
    found = frame.set_index([group, series])[value]
    wanted = [(g, s) for g in groups for s in names]
    for pair in wanted:
        if pair not in found.index:
            raise ValueError(
                f"There is no row of {group} {pair[0]} and {series} {pair[1]}. Add it, with the "
                "value NaN if it does not apply."
            )
    values: NDArray[np.float64] = found.loc[wanted].to_numpy(dtype=np.float64)
    return values.reshape(len(groups), len(names))


def _tint(colour: str) -> tuple[float, float, float]:
    """Return a light version of a colour, as the background of its hatch."""
    red, green, blue = (1 - 0.3 * (1 - part) for part in to_rgb(colour))
    return red, green, blue


BAR_HEIGHT = 0.74
"""Share of a row's height that its bar fills."""

ROW_HEIGHT = 0.19
"""Inches that a row needs for its number to be readable; gives the height of a figure."""

NUMBER_SIZE = 6.5
"""Font size of the numbers in points."""

EDGE = 0.01
"""Distance of the numbers from the ends of a bar, as a share of it."""


def stacked_shares(
    axes: Axes,
    shares: ArrayLike,
    first: Sequence[str],
    second: Sequence[str],
    labels: tuple[str, str, str] | None = None,
    least: float = 0.06,
    colours: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Draw one bar per pair of systems, with the shares that each wins or neither does.

    The shares have one row of three per pair; they are NaN for a pair without any verdict, which is
    marked by a dash. The name of the first system is on the left, beside its share, and that of the
    second on the right. Parts of at least the share ``least`` show it in percent (0.06 suits a
    panel of 4 inches), and so must the label of the axis say. The first pair is at the top, and a
    line marks the middle. The default ``colours`` are those of all comparisons of two systems.

    The caller adds the panel's title, the label of its x axis and the legend.
    """
    table = np.asarray(shares, dtype=np.float64)
    if table.shape != (len(first), 3) or len(first) != len(second) or not len(first):
        raise ValueError(
            f"The shares have the shape {table.shape}, but there are {len(first)} first and "
            f"{len(second)} second systems: give each pair one row of three shares, and at least "
            "one pair."
        )
    empty = np.isnan(table).all(axis=1)
    for row in np.flatnonzero(~empty).tolist():
        if not (table[row] >= 0).all() or abs(table[row].sum() - 1) > 1e-6:
            printed = ", ".join(f"{share:g}" for share in table[row])
            raise ValueError(
                f"The shares of {first[row]} and {second[row]} are {printed}: they must not be "
                "negative, and must sum to 1."
            )
    # The middle line shows only between the bars, so that it crosses no number.
    axes.axvline(0.5, color=INK, linewidth=0.8, zorder=0.5)
    rows = np.arange(len(table))
    left = np.zeros(len(table))
    firsts, seconds = zip(*(colours or [(FIRST_WINS, SECOND_WINS)] * len(table)), strict=True)
    grounds = (firsts, (NO_WINNER,) * len(table), seconds)
    for part, ground, label, align in zip(
        table.T, grounds, labels or ("", "", ""), ("left", "center", "right"), strict=True
    ):
        width = np.nan_to_num(part)
        axes.barh(
            rows,
            width,
            left=left,
            height=BAR_HEIGHT,
            color=ground,
            edgecolor="white",
            linewidth=0.5,
            label=label,
        )
        # A system's share is printed beside its name, where numbers can be compared.
        positions = {"left": left + EDGE, "center": left + width / 2, "right": left + width - EDGE}
        for row in np.flatnonzero(width >= least).tolist():
            axes.text(
                positions[align][row],
                row,
                f"{100 * width[row]:.0f}",
                ha=align,
                va="center_baseline",
                fontsize=NUMBER_SIZE,
                color=ink_on(ground[row]),
            )
        left = left + width
    for row in np.flatnonzero(empty).tolist():
        axes.text(EDGE, row, "\N{EN DASH}", ha="left", va="center", fontsize=NUMBER_SIZE)
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 5), ["0", "25", "50", "75", "100"])
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.set_yticks(rows, list(first))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)
    axes.spines[["left", "right", "top"]].set_visible(False)
    names = axes.secondary_yaxis("right")
    names.set_yticks(rows, list(second))
    names.tick_params(axis="y", length=0)
    names.spines[:].set_visible(False)


_STRIPS = ((COLOURS[0], "o"), (COLOURS[3], "D"))
"""Colours and markers of the two series of dots of :func:`strips`."""


def strips(
    axes: Axes,
    rows: Mapping[str, tuple[float, float, NDArray[np.float64], NDArray[np.float64]]],
    labels: Sequence[str] | None,
    shift: float,
) -> None:
    """Draw a pale bar between two numbers for each title, and two series of dots across it.

    The labels are those of the bar and of both series, in one panel of a figure. The series are
    this far below and above the middle of the bar.
    """
    for place, (low, high, *series) in enumerate(rows.values()):
        of_bar, *of_series = labels if labels and place == 0 else (None, None, None)
        (bar,) = axes.barh(
            place, high - low, left=low, height=0.8, color=NO_WINNER, alpha=0.5, label=of_bar
        )
        # A bar that ends with the axis looks as if it were cut off.
        bar.sticky_edges.x.clear()
        heights = (place + shift, place - shift)
        for values, height, (colour, marker), label in zip(
            series, heights, _STRIPS, of_series, strict=True
        ):
            dots: dict[str, Any] = {"markersize": 3, "markeredgewidth": 0, "alpha": 0.6}
            up = np.full(len(values), height)
            axes.plot(values, up, marker, color=colour, label=label, **dots)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


TABLE_ROW_HEIGHT = 0.16
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
