# SPDX-License-Identifier: MIT
"""The two sides of a specification curve: where each system begins to be ahead, and how often."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from receval.figures.decision_rows import NAME_SIZE
from receval.figures.leaders import LEADER
from receval.figures.mosaic import percent
from receval.figures.style import INK

NARROW = 0.24
"""Less than this share of the universes has no room for a text."""

_TOP = 0.985
_GAP = 0.012


def name_sides(
    axes: Axes,
    differences: NDArray[np.float64],
    first: str,
    second: str,
    marked: float,
) -> None:
    """Mark where each system begins to be ahead, and say how many universes are on its side.

    Parameters
    ----------
    axes : Axes
        Universes in ascending order of the difference, from 0 to 1.
    first, second : str
        Short titles of the systems; the first is ahead where differences are positive.
    marked : float
        Where the line of the marked universe is, NaN if there is none. A text that would be on it
        stands beyond it, with a leader to the line of its own side.
    """
    behind, ahead = float((differences < 0).mean()), float((differences > 0).mean())
    for crossing in sorted({behind, 1 - ahead}):
        axes.axvline(crossing, color=INK, linewidth=0.6, linestyle=(0, (3, 2)))
    left = f"{second}\nahead in {percent(behind)}" if behind > 0 else ""
    right = f"{first}\nahead in {percent(ahead)}" if ahead > 0 else ""
    if left and right and not NARROW <= behind <= 1 - ahead <= 1 - NARROW:
        # One side has no room for its text, so the other has both.
        both = f"{second} ahead in {percent(behind)},\n{first} in {percent(ahead)}"
        left, right = (both, "") if behind > 0.5 else ("", both)
    ends = [behind, 1 - ahead]
    # The line of a universe within a text's width of the crossing, with room beyond.
    if behind - NARROW < marked < behind and marked >= NARROW:
        ends[0] = marked
    elif 0 < marked - (1 - ahead) < NARROW <= 1 - marked:
        ends[1] = marked
    if left:
        _print_side(axes, left, ends[0], behind, -1)
    if right:
        _print_side(axes, right, ends[1], 1 - ahead, 1)


def _print_side(axes: Axes, text: str, end: float, own: float, side: int) -> None:
    """Print a text beside an end, at the left (-1) or right (1), with a leader to its own line."""
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
        # At the height of the first line of the text.
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
