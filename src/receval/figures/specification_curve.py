# SPDX-License-Identifier: MIT
"""Specification curves: a difference in all universes, and the decisions that lead to it.

Source: Simonsohn, Simmons and Nelson (2020), "Specification curve analysis", Nature Human Behaviour
4. They print one mark per specification; here, for thousands of universes, marks are counts in
bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Annotation, Text
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray

from receval.figures.finish import beside, legend_below
from receval.figures.point_labels import LEADER
from receval.figures.style import (
    DOUBLE_COLUMN,
    FIRST_WINS,
    INK,
    NO_WINNER,
    SECOND_WINS,
    SINGLE_COLUMN,
    new_figure,
    percent,
)

# Rows of tiles that show where each level of a decision occurs among ordered universes.

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
    r"""Return how often each level occurs in each bin of universes, shape (n_levels, n_bins).

    With p the share of all universes that have the level and q that of the bin's universes,

    .. math:: d = \begin{cases} \frac{q}{2 p} & q \le p \\
              \frac{1}{2} + \frac{q - p}{2 (1 - p)} & q > p \end{cases}

    which is 0 if no universe of the bin has the level, a half if the level is as frequent as in all
    universes, and 1 if all universes of the bin have it, whatever p. It is divided into ``SHADES``
    equal steps; a level of no universe has ``NEVER``.

    The codes are the levels of the universes in their order, negative for none. Bin b holds the
    universes from ``edges[b]`` up to but excluding ``edges[b + 1]``, at least one.
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
    axes: Axes, shades: NDArray[np.int64], middles: Sequence[float], edges: NDArray[np.floating]
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


GAP, HEADED_GAP = 0.7, 1.5
"""Free space between two decisions, in rows; and above each, where its name is there."""

LEVEL_SIZE = NAME_SIZE = NUMBER_SIZE = 6.5
"""Font sizes in points of levels, of decisions, and of the numbers beside the rows."""


@dataclass(frozen=True)
class Decision:
    """A decision, and the index of each universe's level, -1 where it does not apply.

    Line breaks of the title are kept; it should not have more lines than there are levels. The
    titles of the levels are from the top.
    """

    title: str
    levels: tuple[str, ...]
    codes: NDArray[np.integer]


def draw_levels(
    axes: Axes,
    decisions: Sequence[Decision],
    order: NDArray[np.int64],
    bins: NDArray[np.int64],
    *,
    headed: bool = False,
) -> None:
    """Draw the tiles of all decisions, with the names of levels on the left.

    The names of decisions are to their left, or above the rows as headings. The x axis of the panel
    is the share of the universes. The bins are where bins begin in the order of universes, and
    where the last one ends.
    """
    shades = [
        level_shades(decision.codes[order], len(decision.levels), bins) for decision in decisions
    ]
    middles = rows_of(decisions, HEADED_GAP if headed else GAP)
    rows = [middle for group in middles for middle in group]
    draw_tiles(axes, np.concatenate(shades), rows, bins / len(order))
    levels = [level for decision in decisions for level in decision.levels]
    axes.set_yticks(rows, levels, fontsize=LEVEL_SIZE)
    axes.set_ylim(rows[-1] + 0.5, -0.5)
    axes.tick_params(axis="y", length=0, pad=3)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    if headed:
        for decision, group in zip(decisions, middles, strict=True):
            name = decision.title.replace("\n", " ")
            _beside(axes, 0, 0, group[0] - 0.6, name, ha="left", va="bottom", weight="bold")
        return
    titles = [
        _beside(axes, 0, 0, group[0] - 0.5, decision.title, ha="left", va="top", weight="bold")
        for decision, group in zip(decisions, middles, strict=True)
    ]
    distance = _widest(titles) + _widest(axes.get_yticklabels()) + 14
    for title in titles:
        title.set_position((-distance, 0))


def rows_of(decisions: Sequence[Decision], gap: float = GAP) -> list[list[float]]:
    """Return the vertical positions of the rows of each decision, from the top.

    A gap of a row or more is above the first decision, too: there is room for a heading.
    """
    first = gap if gap >= 1 else 0
    tops = np.cumsum([first, *(len(decision.levels) + gap for decision in decisions)])
    return [
        [float(top) + index for index in range(len(decision.levels))]
        for top, decision in zip(tops[:-1], decisions, strict=True)
    ]


def count_levels(
    strip: Axes, tiles: Axes, decisions: Sequence[Decision], ahead: NDArray[np.bool_], first: str
) -> None:
    """Print the share of universes with each level, and of these, where the first system is ahead.

    The headings of both columns are printed beside the strip, the panel above the tiles.
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
    style = {"xycoords": axes.get_yaxis_transform(), "fontsize": NAME_SIZE, **style}
    return beside(axes, text, (side, y), (distance, 0), **style)


def _widest(texts: Sequence[Text]) -> float:
    """Return the width of the widest text in points."""
    return max(text.get_window_extent().width / text.figure.dpi * 72 for text in texts)


CURVE_HEIGHT, STRIP_HEIGHT, ROW_HEIGHT, SURROUNDINGS_HEIGHT = 1.9, 0.42, 0.128, 1.0
"""Heights in inches of the curve, of the verdicts below it, of a level, and of the surroundings."""

_SIGNS = (1, 0, -1)
"""Signs of the verdicts: the first system wins, neither does, the second does."""


@dataclass(frozen=True)
class MarkedUniverse:
    """A universe to highlight: its index among the universes, and its printed label."""

    index: int
    label: str


# The two sides of a specification curve: where and how often each system is ahead.

NARROW = 0.24
"""A side with a smaller share of the universes has no room for its text."""

_TOP = 0.985
_GAP = 0.012


def name_sides(
    axes: Axes, differences: NDArray[np.float64], first: str, second: str, marked: float
) -> None:
    """Mark where each system begins to be ahead, and print how many universes are on its side.

    Universes are in ascending order of the difference from 0 to 1; the first system is ahead where
    it is positive. ``marked`` is the position of the marked universe's line, NaN if there is none.
    A text that would overlap that line is placed beyond it, with a leader to the line of its own
    side.
    """
    behind, ahead = float((differences < 0).mean()), float((differences > 0).mean())
    for crossing in sorted({behind, 1 - ahead}):
        axes.axvline(crossing, color=INK, linewidth=0.6, linestyle=(0, (3, 2)))
    left = f"{second}\nahead in {percent(behind)}" if behind > 0 else ""
    right = f"{first}\nahead in {percent(ahead)}" if ahead > 0 else ""
    if left and right and not NARROW <= behind <= 1 - ahead <= 1 - NARROW:
        # If one side has no room for its text, both texts are on the other side.
        both = f"{second} ahead in {percent(behind)},\n{first} in {percent(ahead)}"
        left, right = (both, "") if behind > 0.5 else ("", both)
    ends = [behind, 1 - ahead]
    # The line of a universe is within a text's width of the crossing, and there is room beyond it.
    if behind - NARROW < marked < behind and marked >= NARROW:
        ends[0] = marked
    elif 0 < marked - (1 - ahead) < NARROW <= 1 - marked:
        ends[1] = marked
    if left:
        _print_side(axes, left, ends[0], behind, -1)
    if right:
        _print_side(axes, right, ends[1], 1 - ahead, 1)


def _print_side(axes: Axes, text: str, end: float, own: float, side: int) -> None:
    """Print a text to the left (-1) or right (1) of an end, with a leader to its own line."""
    style: dict[str, Any] = {
        "fontsize": NAME_SIZE,
        "va": "top",
        "linespacing": 1.15,
        "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    }
    place = end + side * _GAP
    axes.text(
        place,
        _TOP,
        text,
        ha="left" if side > 0 else "right",
        transform=axes.get_xaxis_transform(),
        **style,
    )
    if end != own:
        figure = axes.get_figure(root=True)
        assert figure is not None
        # The leader is at the height of the text's first line.
        down = ScaledTranslation(0, -0.6 * NAME_SIZE / 72, figure.dpi_scale_trans)
        axes.plot(
            [own, place - side * _GAP / 4],
            [_TOP, _TOP],
            transform=axes.get_xaxis_transform() + down,
            color=INK,
            linewidth=0.5,
            marker="o",
            markersize=1.8,
            markevery=[0],
            label=LEADER,
        )


def specification_curve(
    values: ArrayLike,
    verdicts: ArrayLike,
    decisions: Sequence[Decision],
    *,
    first: str,
    second: str,
    value_label: str,
    marked: MarkedUniverse | None = None,
    title: str | None = None,
    colours: tuple[str, str] = (FIRST_WINS, SECOND_WINS),
    in_short: bool = False,
) -> Figure:
    """Draw a specification curve, with the levels of the decisions below it.

    Universes are in the order of a difference, which is positive where the first system is ahead;
    equal ones are ordered by verdict, -1 first. A verdict is 1 where the first system wins
    significantly, -1 where the second does, otherwise 0. The area between the curve and 0 has the
    colour of the most frequent verdict in each bin of universes; the strip below shows the shares
    of all three verdicts. The more frequent a level is in a bin, the darker is its tile
    (:func:`level_shades`). Beside each row are the share of all universes with the level, and the
    share of these in which the first system is ahead, significantly or not.

    The figure is as wide as a page, or as a column if it is drawn ``in_short``: then the names of
    decisions are above their rows, and no numbers stand beside these. It is as high as its rows
    need, with a legend. A note may be added (:func:`receval.figures.finish.note`).
    """
    differences, signs = _checked(values, verdicts, decisions, marked)
    n_universes = len(differences)
    order = np.lexsort((signs, differences))
    steps, bins = steps_and_bins(n_universes)

    gap = HEADED_GAP if in_short else GAP
    n_rows = rows_of(decisions, gap)[-1][-1] + 1
    heights = (CURVE_HEIGHT, STRIP_HEIGHT, ROW_HEIGHT * n_rows)
    width = SINGLE_COLUMN if in_short else DOUBLE_COLUMN
    figure = new_figure(width, sum(heights) + SURROUNDINGS_HEIGHT)
    curve, strip, tiles = figure.subplots(
        3, sharex=True, gridspec_kw={"height_ratios": heights, "hspace": 0}
    )
    shares = np.array(
        [np.add.reduceat(signs[order] == sign, bins[:-1]) / np.diff(bins) for sign in _SIGNS]
    )
    grounds = (colours[0], NO_WINNER, colours[1])
    _draw_curve(curve, differences[order], steps, bins, shares, grounds)
    place = np.flatnonzero(order == marked.index)[0] if marked is not None else np.nan
    x = (float(place) + 0.5) / n_universes
    name_sides(curve, differences, first, second, x)
    curve.set_ylabel(value_label)
    _draw_strip(strip, shares, bins / n_universes, grounds)
    draw_levels(tiles, decisions, order, bins, headed=in_short)
    if not in_short:
        count_levels(strip, tiles, decisions, differences > 0, first)
    _name_colours(tiles, signs, first, second, grounds, with_shades=not in_short)
    tiles.set_xlabel(f"Universes{' in the order of' if not in_short else ' by'} the difference (%)")
    ticks = np.linspace(0, 1, 6)
    tiles.set_xticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    tiles.set_xlim(0, 1)
    if marked is not None:
        _mark(figure.axes, x, differences[marked.index], marked.label)
    if title is not None:
        curve.set_title(title, pad=14 if marked is not None else None)
    legend_below(figure)
    return figure


def _checked(
    values: ArrayLike,
    verdicts: ArrayLike,
    decisions: Sequence[Decision],
    marked: MarkedUniverse | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    differences, signs = np.asarray(values, dtype=np.float64), np.asarray(verdicts)
    if differences.ndim != 1 or not differences.size or not decisions:
        raise ValueError(
            f"The values have the shape {differences.shape}, and there are {len(decisions)} "
            "decisions. Give one value per universe, and at least one universe and one decision."
        )
    n_universes = len(differences)
    if not np.isfinite(differences).all():
        universe = int(np.flatnonzero(~np.isfinite(differences))[0])
        raise ValueError(
            f"The value of universe {universe} is {differences[universe]}, which has no place on "
            "an axis. Leave this universe out, and mention it in a note."
        )
    if signs.shape != (n_universes,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"There are {n_universes} universes and verdicts of the shape {signs.shape}. Give "
            "each universe one of 1 (the first system wins), 0 (neither does) and -1 (the second "
            "does)."
        )
    for decision in decisions:
        codes, n_levels = decision.codes, len(decision.levels)
        known = np.isin(codes, np.arange(-1, n_levels)).all()
        if codes.shape != (n_universes,) or not n_levels or not known:
            raise ValueError(
                f"The decision {decision.title} has {n_levels} levels and codes of the shape "
                f"{codes.shape} from {codes.min(initial=0)} to {codes.max(initial=0)}. Give each "
                f"of the {n_universes} universes the index of its level, or -1."
            )
    if marked is not None and not 0 <= marked.index < n_universes:
        raise ValueError(
            f"Universe {marked.index} cannot be marked: there are only the universes 0 to "
            f"{n_universes - 1}."
        )
    return differences, signs.astype(np.int64)


def _draw_curve(
    axes: Axes,
    ordered: NDArray[np.float64],
    steps: NDArray[np.int64],
    bins: NDArray[np.int64],
    shares: NDArray[np.float64],
    grounds: Sequence[str],
) -> None:
    """Draw the values as steps, over areas in the colour of the most frequent verdict."""
    n_universes = len(ordered)
    # The first and last steps show the lowest and highest values.
    shown = ordered[(steps[:-1] + steps[1:] - 1) // 2]
    shown[0], shown[-1] = ordered[0], ordered[-1]
    winners = shares.argmax(axis=0)
    changes = [0, *(np.flatnonzero(np.diff(winners)) + 1).tolist(), len(winners)]
    for start, end in pairwise(changes):
        low, high = np.searchsorted(steps, bins[[start, end]])
        axes.stairs(
            shown[low:high],
            steps[low : high + 1] / n_universes,
            baseline=0,
            fill=True,
            color=grounds[winners[start]],
            linewidth=0,
            antialiased=False,
        )
    axes.stairs(shown, steps / n_universes, baseline=None, color=INK, linewidth=0.9)
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    low, high = min(ordered[0], 0.0), max(ordered[-1], 0.0)
    span = high - low or 1.0
    ticks = axes.get_yticks()
    axes.set_yticks(ticks[(ticks >= low - span / 9) & (ticks <= high + span / 9)])
    # Leave space for two lines of text above the curve.
    axes.set_ylim(low - 0.04 * span, high + 0.24 * span)


def _draw_strip(
    axes: Axes, shares: NDArray[np.float64], edges: NDArray[np.float64], grounds: Sequence[str]
) -> None:
    """Draw the stacked shares of the verdicts, with the first system's on top."""
    floor = np.zeros(shares.shape[1])
    for part, colour in zip(shares[::-1], grounds[::-1], strict=True):
        axes.stairs(
            floor + part, edges, baseline=floor, fill=True, color=colour, lw=0, antialiased=False
        )
        floor = floor + part
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 1], ["0", "100"], fontsize=LEVEL_SIZE)
    axes.set_ylabel("Verdicts (%)", rotation=0, ha="right", va="center", fontsize=NAME_SIZE)
    axes.tick_params(axis="x", length=0, labelbottom=False)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)


def _name_colours(
    axes: Axes,
    signs: NDArray[np.int64],
    first: str,
    second: str,
    grounds: Sequence[str],
    *,
    with_shades: bool,
) -> None:
    """Add the legend entries: a row for the verdicts, and one for the shades of tiles."""
    verdicts = (
        f"{first} significantly better",
        "no significant difference",
        f"{second} significantly better",
    )
    tiles = (
        (0, "level nowhere in the bin"),
        (MIDDLE, "as often as in all universes"),
        (SHADES - 1, "everywhere in the bin"),
    )
    # The legend is filled column by column.
    for name, sign, colour, (shade, text) in zip(verdicts, _SIGNS, grounds, tiles, strict=True):
        share = percent((signs == sign).mean())
        entries = [(colour, f"{name} ({share})"), (shade_colour(shade), text)]
        for ground, label in entries if with_shades else entries[:1]:
            patch = Rectangle((0, 0), 0, 0, facecolor=ground, edgecolor=INK, lw=0.4, label=label)
            axes.add_patch(patch)


def _mark(panels: Sequence[Axes], x: float, value: float, label: str) -> None:
    """Draw a line through all panels at a universe, with its name above them."""
    for axes in panels:
        axes.axvline(x, color=INK, linewidth=0.7)
    panels[0].plot(
        x, value, marker="D", markersize=4.5, markerfacecolor="white", markeredgecolor=INK
    )
    align = "left" if x < 0.2 else "right" if x > 0.8 else "center"
    style = {"ha": align, "va": "bottom", "fontsize": NAME_SIZE}
    beside(panels[0], label, (x, 1), (0, 2), xycoords=panels[0].get_xaxis_transform(), **style)
