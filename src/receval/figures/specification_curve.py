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
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray

from receval.figures.decision_rows import (
    LEVEL_SIZE,
    MIDDLE,
    NAME_SIZE,
    SHADES,
    Decision,
    count_levels,
    draw_levels,
    rows_of,
    shade_colour,
    steps_and_bins,
)
from receval.figures.finish import legend_below
from receval.figures.label_boxes import LEADER
from receval.figures.mosaic import percent
from receval.figures.style import DOUBLE_COLUMN, FIRST_WINS, INK, NO_WINNER, SECOND_WINS, new_figure

CURVE_HEIGHT, STRIP_HEIGHT, ROW_HEIGHT, SURROUNDINGS_HEIGHT = 1.9, 0.42, 0.118, 1.0
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
    axes: Axes,
    differences: NDArray[np.float64],
    first: str,
    second: str,
    marked: float,
) -> None:
    """Mark where each system begins to be ahead, and print how many universes are on its side.

    Parameters
    ----------
    axes : Axes
        Universes in ascending order of the difference, from 0 to 1.
    first, second : str
        Short titles of the systems; the first is ahead where differences are positive.
    marked : float
        Position of the marked universe's line, NaN if there is none. A text that would overlap it
        is placed beyond it, with a leader to the line of its own side.
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
) -> Figure:
    """Draw a specification curve, with the levels of the decisions below it.

    Universes are in the order of a difference. The area between the curve and 0 has the colour of
    the most frequent verdict in each bin of universes; the strip below shows the shares of all
    three verdicts. The more frequent a level is in a bin, the darker is its tile
    (:func:`receval.figures.decision_rows.level_shades`). Beside each row are the share of all
    universes with the level, and the share of these in which the first system is ahead,
    significantly or not.

    Parameters
    ----------
    values : array_like of float, shape (n_universes,)
        Differences, positive where the first system is ahead. Equal values are ordered by verdict,
        wins of the second system first, and then by the order of the universes.
    verdicts : array_like of int, shape (n_universes,)
        1 where the first system wins significantly, -1 where the second does, otherwise 0.

    Returns
    -------
    Figure
        A figure as wide as a page and as high as its rows need, with a legend. A note may be added
        (:func:`receval.figures.finish.note`).

    Raises
    ------
    ValueError
        There is no universe or no decision, lengths differ, a value is not finite, a verdict is
        unknown, a level has no title, or the universe to be marked does not exist.
    """
    differences, signs = _checked(values, verdicts, decisions, marked)
    n_universes = len(differences)
    order = np.lexsort((signs, differences))
    steps, bins = steps_and_bins(n_universes)

    heights = (CURVE_HEIGHT, STRIP_HEIGHT, ROW_HEIGHT * (rows_of(decisions)[-1][-1] + 1))
    figure = new_figure(DOUBLE_COLUMN, sum(heights) + SURROUNDINGS_HEIGHT)
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
    draw_levels(tiles, decisions, order, bins)
    count_levels(strip, tiles, decisions, differences > 0, first)
    _name_colours(tiles, signs, first, second, grounds)
    tiles.set_xlabel("Universes in the order of the difference (%)")
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
            f"There are values of the shape {differences.shape} and {len(decisions)} decisions: "
            "give one value for each universe, and at least one universe and one decision."
        )
    n_universes = len(differences)
    if not np.isfinite(differences).all():
        universe = int(np.flatnonzero(~np.isfinite(differences))[0])
        raise ValueError(
            f"The value of universe {universe} is {differences[universe]}, which has no place on "
            "an axis. Leave that universe out, and say so in a note."
        )
    if signs.shape != (n_universes,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"There are {n_universes} universes and verdicts of the shape {signs.shape}: give each "
            "universe one of 1 (the first system wins), 0 (neither does) and -1 (the second does)."
        )
    for decision in decisions:
        codes, n_levels = decision.codes, len(decision.levels)
        known = np.isin(codes, np.arange(-1, n_levels)).all()
        if codes.shape != (n_universes,) or not n_levels or not known:
            raise ValueError(
                f"The decision {decision.title} has {n_levels} levels, and codes of the shape "
                f"{codes.shape} from {codes.min(initial=0)} to {codes.max(initial=0)}: give each "
                f"of the {n_universes} universes the index of its level, or -1."
            )
    if marked is not None and not 0 <= marked.index < n_universes:
        raise ValueError(
            f"Universe {marked.index} is to be marked, but there are only the universes 0 to "
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
    axes: Axes, signs: NDArray[np.int64], first: str, second: str, grounds: Sequence[str]
) -> None:
    """Add the legend entries: a row for the verdicts and one for the tiles."""
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
        for ground, label in ((colour, f"{name} ({share})"), (shade_colour(shade), text)):
            patch = Rectangle((0, 0), 0, 0, facecolor=ground, edgecolor=INK, lw=0.4, label=label)
            axes.add_patch(patch)


def _mark(panels: Sequence[Axes], x: float, value: float, label: str) -> None:
    """Draw a line through all panels at a universe, with its name above them."""
    for axes in panels:
        axes.axvline(x, color=INK, linewidth=0.7)
    panels[0].plot(
        x, value, marker="D", markersize=4.5, markerfacecolor="white", markeredgecolor=INK
    )
    panels[0].annotate(
        label,
        (x, 1),
        xycoords=panels[0].get_xaxis_transform(),
        xytext=(0, 2),
        textcoords="offset points",
        ha="left" if x < 0.2 else "right" if x > 0.8 else "center",
        va="bottom",
        fontsize=NAME_SIZE,
    )
