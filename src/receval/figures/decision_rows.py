"""Rows of tiles, one a level, in groups by decision, named on the left and counted on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text
from numpy.typing import NDArray

from receval.figures.level_tiles import draw_tiles, level_shades

GAP = 0.7
"""Rows left free between two decisions."""

LEVEL_SIZE, NAME_SIZE, NUMBER_SIZE = 6, 6.5, 5.5
"""Font sizes in points: of levels, of decisions, and of the numbers beside the rows."""


@dataclass(frozen=True)
class Decision:
    """A decision, and how it was taken in each universe.

    Attributes
    ----------
    title : str
        A line break is kept; it should not have more lines than there are levels.
    levels : tuple of str
        Their titles, from the top.
    codes : ndarray of int, shape (n_worlds,)
        The index of each universe's level among the levels; -1 where the decision does not apply.
    """

    title: str
    levels: tuple[str, ...]
    codes: NDArray[np.integer]


def draw_levels(
    axes: Axes, decisions: Sequence[Decision], order: NDArray[np.int64], bins: NDArray[np.int64]
) -> None:
    """Draw the tiles of all decisions, and name decisions and levels on the left.

    Parameters
    ----------
    axes : Axes
        The panel; its x axis is the share of the universes, from 0 to 1.
    decisions : sequence of Decision
        From the top.
    order : ndarray of int64, shape (n_worlds,)
        The universes from the left.
    bins : ndarray of int64, shape (n_bins + 1,)
        Where bins begin in this order, and where the last one ends.
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
    """Return the positions of the rows of each decision, from the top."""
    tops = np.cumsum([0, *(len(decision.levels) + GAP for decision in decisions)])
    return [
        [float(top) + index for index in range(len(decision.levels))]
        for top, decision in zip(tops[:-1], decisions, strict=True)
    ]


def count_levels(
    strip: Axes, tiles: Axes, decisions: Sequence[Decision], ahead: NDArray[np.bool_], first: str
) -> None:
    """Print how many universes have each level, and in how many of these the first system is ahead.

    Parameters
    ----------
    strip : Axes
        The panel above the tiles, beside which the heads of the two columns stand.
    tiles : Axes
        From :func:`draw_levels`.
    decisions : sequence of Decision
    ahead : ndarray of bool, shape (n_worlds,)
        Whether the first system is ahead.
    first : str
        Its title, for the head of its column.
    """
    style: dict[str, Any] = {"ha": "center", "fontsize": NUMBER_SIZE}
    heads = [
        _beside(strip, 1, 0, 0, head, va="bottom", **style)
        for head in ("of all\nworlds", f"{first} ahead".replace(" ", "\n"))
    ]
    widths = [max(_widest([head]), 18.0) for head in heads]
    positions = (4 + widths[0] / 2, 10 + widths[0] + widths[1] / 2)
    for head, position in zip(heads, positions, strict=True):
        head.set_position((position, 0))
    for decision, rows in zip(decisions, rows_of(decisions), strict=True):
        for level, row in enumerate(rows):
            having = decision.codes == level
            share = f"{100 * having.mean():.0f} %"
            won = f"{100 * ahead[having].mean():.0f} %" if having.any() else "\N{EN DASH}"
            for position, text in zip(positions, (share, won), strict=True):
                _beside(tiles, 1, position, row, text, va="center", **style)


def _beside(
    axes: Axes, side: int, distance: float, y: float, text: str, **style: Any
) -> Annotation:
    """Print a text so many points to the right of the left (0) or right (1) end of a panel."""
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
