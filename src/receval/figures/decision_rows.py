# SPDX-License-Identifier: MIT
"""Draw rows of tiles that show where each level of a decision occurs among ordered universes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Annotation, Text
from numpy.typing import NDArray

SHADES = 9
"""Number of shades. It is odd, so that the middle shade stands for "as often as expected"."""

MIDDLE = SHADES // 2

NEVER = -1
"""Value in place of a shade for a level that no universe has."""

TILE_HEIGHT = 0.84
"""Height of the tiles as a share of the row height."""

MOST_BINS, UNIVERSES_PER_BIN, SINGLE_UNIVERSES = 120, 20, 30
"""Limits of the columns of tiles: the maximum number of columns, the minimum number of universes
per column, and the number of universes up to which each has its own column."""

STEPS = 600
"""Minimum number of steps of the curve, more than print can show."""

_LIGHTEST, _DARKEST = 0.98, 0.06


def shade_colour(shade: int) -> str:
    """Return the grey of a shade, from nearly white for 0 to nearly black.

    The grey darkens ever faster, so that levels as frequent as expected do not stand out.
    """
    share = (shade / (SHADES - 1)) ** 1.6
    level = f"{round(255 * (_LIGHTEST + (_DARKEST - _LIGHTEST) * share)):02x}"
    return f"#{level}{level}{level}"


def steps_and_bins(n_universes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where steps and bins begin among the universes; the last entry is their number.

    Each bin begins with a step.
    """
    n_bins = min(
        max(n_universes // UNIVERSES_PER_BIN, min(n_universes, SINGLE_UNIVERSES)), MOST_BINS
    )
    steps_per_bin = -(-STEPS // n_bins)
    n_steps = n_bins * steps_per_bin
    steps = np.arange(n_steps + 1, dtype=np.int64) * n_universes // n_steps
    # If there are fewer universes than steps, several steps begin with the same universe.
    return np.unique(steps), steps[::steps_per_bin]


def level_shades(
    codes: NDArray[np.integer], n_levels: int, edges: NDArray[np.integer]
) -> NDArray[np.int64]:
    r"""Return how often each level occurs in each bin of universes, relative to all universes.

    With p the share of all universes that have the level and q that of the bin's universes,

    .. math:: d = \begin{cases} \frac{q}{2 p} & q \le p \\
              \frac{1}{2} + \frac{q - p}{2 (1 - p)} & q > p \end{cases}

    which is 0 if no universe of the bin has the level, a half if the level is as frequent as in all
    universes, and 1 if all universes of the bin have it, whatever p. It is divided into ``SHADES``
    equal steps.

    Parameters
    ----------
    codes : ndarray of int, shape (n_universes,)
        The level of each universe as a number, in the order of the universes; negative for none.
    edges : ndarray of int, shape (n_bins + 1,)
        Bin b holds the universes from ``edges[b]`` up to but excluding ``edges[b + 1]``, at least
        one.

    Returns
    -------
    ndarray of int64, shape (n_levels, n_bins)
        From 0 to ``SHADES`` - 1, or ``NEVER`` for a level of no universe.
    """
    sizes = np.diff(edges)
    bins = np.repeat(np.arange(len(sizes)), sizes)
    has_level = codes >= 0
    # The type of the codes may be too small for the product.
    cells = codes[has_level].astype(np.int64) * len(sizes) + bins[has_level]
    counts = np.bincount(cells, minlength=n_levels * len(sizes)).reshape(n_levels, len(sizes))
    within = counts / sizes
    overall = counts.sum(axis=1, keepdims=True) / len(codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = within / (2 * overall)
        above = 0.5 + (within - overall) / (2 * (1 - overall))
    positions = np.where(within <= overall, below, above)
    # Rounding errors must not move values on the border of two shades.
    shades = np.minimum(np.floor(SHADES * np.nan_to_num(positions) + 1e-9), SHADES - 1)
    return np.where(overall > 0, shades, NEVER).astype(np.int64)


def draw_tiles(
    axes: Axes,
    shades: NDArray[np.int64],
    middles: Sequence[float],
    edges: NDArray[np.floating],
) -> None:
    """Draw one row of tiles for each row of shades.

    Adjacent tiles of the same shade are merged, and all tiles of a shade are one path, which keeps
    files with thousands of tiles small.
    """
    tiles: dict[int, list[tuple[float, float, float]]] = {}
    for row, middle in zip(shades, middles, strict=True):
        if row[0] == NEVER:
            continue
        # The middle shade fills the whole row first, so that no white shows between two tiles.
        tiles.setdefault(MIDDLE, []).append((float(edges[0]), float(edges[-1]), middle))
        starts = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), len(row)]
        for start, end in pairwise(starts):
            if row[start] != MIDDLE:
                position = (float(edges[start]), float(edges[end]), middle)
                tiles.setdefault(int(row[start]), []).append(position)
    for shade in sorted(tiles, key=lambda shade: (shade != MIDDLE, shade)):
        axes.add_patch(
            PathPatch(
                _rectangles(tiles[shade]),
                facecolor=shade_colour(shade),
                linewidth=0,
                # Edges between tiles are not anti-aliased, so they stay sharp.
                antialiased=False,
            )
        )


def _rectangles(positions: Sequence[tuple[float, float, float]]) -> Path:
    """Return one path of rectangles, each given by its left, right and vertical middle."""
    half = TILE_HEIGHT / 2
    corners = [
        [(left, y - half), (right, y - half), (right, y + half), (left, y + half), (left, y - half)]
        for left, right, y in positions
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(np.concatenate(corners), codes * len(positions))


GAP = 0.7
"""Free space between two decisions, in rows."""

LEVEL_SIZE, NAME_SIZE, NUMBER_SIZE = 6, 6.5, 5.5
"""Font sizes in points of levels, of decisions, and of the numbers beside the rows."""


@dataclass(frozen=True)
class Decision:
    """A decision, and its level in each universe.

    Attributes
    ----------
    title : str
        Line breaks are kept; it should not have more lines than there are levels.
    levels : tuple of str
        Titles of the levels, from the top.
    codes : ndarray of int, shape (n_universes,)
        The index of each universe's level among the levels; -1 where the decision does not apply.
    """

    title: str
    levels: tuple[str, ...]
    codes: NDArray[np.integer]


def draw_levels(
    axes: Axes, decisions: Sequence[Decision], order: NDArray[np.int64], bins: NDArray[np.int64]
) -> None:
    """Draw the tiles of all decisions, with the names of decisions and levels on the left.

    Parameters
    ----------
    axes : Axes
        The panel; its x axis is the share of the universes, from 0 to 1.
    bins : ndarray of int64, shape (n_bins + 1,)
        Where bins begin in the order of universes, and where the last one ends.
    """
    shades = [
        level_shades(decision.codes[order], len(decision.levels), bins) for decision in decisions
    ]
    middles = rows_of(decisions)
    rows = [middle for group in middles for middle in group]
    draw_tiles(axes, np.concatenate(shades), rows, bins / len(order))
    levels = [level for decision in decisions for level in decision.levels]
    axes.set_yticks(rows, levels, fontsize=LEVEL_SIZE)
    axes.set_ylim(rows[-1] + 0.5, -0.5)
    axes.tick_params(axis="y", length=0, pad=3)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    titles = [
        _beside(axes, 0, 0, group[0] - 0.5, decision.title, ha="left", va="top", weight="bold")
        for decision, group in zip(decisions, middles, strict=True)
    ]
    distance = _widest(titles) + _widest(axes.get_yticklabels()) + 14
    for title in titles:
        title.set_position((-distance, 0))


def rows_of(decisions: Sequence[Decision]) -> list[list[float]]:
    """Return the vertical positions of the rows of each decision, from the top."""
    tops = np.cumsum([0, *(len(decision.levels) + GAP for decision in decisions)])
    return [
        [float(top) + index for index in range(len(decision.levels))]
        for top, decision in zip(tops[:-1], decisions, strict=True)
    ]


def count_levels(
    strip: Axes, tiles: Axes, decisions: Sequence[Decision], ahead: NDArray[np.bool_], first: str
) -> None:
    """Print the share of universes with each level, and of these, where the first system is ahead.

    Parameters
    ----------
    strip : Axes
        The panel above the tiles, beside which the headings of the two columns are printed.
    """
    style: dict[str, Any] = {"ha": "center", "fontsize": NUMBER_SIZE}
    heads = [
        _beside(strip, 1, 0, 0, head, va="bottom", **style)
        for head in ("of all\nuniverses\n(%)", f"{first}\nahead\n(%)")
    ]
    widths = [max(_widest([head]), 18.0) for head in heads]
    positions = (4 + widths[0] / 2, 10 + widths[0] + widths[1] / 2)
    for head, position in zip(heads, positions, strict=True):
        head.set_position((position, 0))
    for decision, rows in zip(decisions, rows_of(decisions), strict=True):
        for level, row in enumerate(rows):
            having = decision.codes == level
            share = f"{100 * having.mean():.0f}"
            won = f"{100 * ahead[having].mean():.0f}" if having.any() else "\N{EN DASH}"
            for position, text in zip(positions, (share, won), strict=True):
                _beside(tiles, 1, position, row, text, va="center", **style)


def _beside(
    axes: Axes, side: int, distance: float, y: float, text: str, **style: Any
) -> Annotation:
    """Print a text a number of points to the right of the left (0) or right (1) end of a panel."""
    return axes.annotate(
        text,
        (side, y),
        xycoords=axes.get_yaxis_transform(),
        xytext=(distance, 0),
        textcoords="offset points",
        **{"fontsize": NAME_SIZE, **style},
    )


def _widest(texts: Sequence[Text]) -> float:
    """Return the width of the widest text in points."""
    return max(text.get_window_extent().width / text.figure.dpi * 72 for text in texts)
