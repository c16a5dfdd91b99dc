"""Horizontal bars of the shares of three verdicts: one wins, neither does, the other wins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from receval.figures.style import FIRST_WINS, INK, NO_WINNER, SECOND_WINS, ink_on

BAR_HEIGHT = 0.74
"""Share of a row's room that its bar fills."""

ROW_HEIGHT = 0.19
"""Inches that a row needs for its number to be readable: for the height of a figure."""

NUMBER_SIZE = 6
"""Font size of the numbers in points."""

EDGE = 0.01
"""Where the numbers at the ends of a bar begin, as a share of it."""


def stacked_shares(
    axes: Axes,
    shares: ArrayLike,
    first: Sequence[str],
    second: Sequence[str],
    labels: tuple[str, str, str],
    least: float = 0.06,
) -> None:
    """Draw one bar a pair of systems, cut into what each wins and what neither does.

    The name of the first system stands on the left, beside what it wins, that of the second on the
    right. Shares are printed in percent in the parts that have room for them. The first pair is on
    top, and a line marks the middle, where each would win half.

    Parameters
    ----------
    axes : Axes
        The panel; title and label of the x axis are the caller's, and so is the legend
        (:func:`receval.figures.legend.legend_below`).
    shares : array_like of float, shape (n_pairs, 3)
        Where the first system wins, where neither does, where the second wins; of a pair without
        any verdict all three are NaN, which is marked by a dash.
    first, second : sequence of str, length n_pairs
        Titles of the systems.
    labels : tuple of three str
        What the parts mean, for the legend.
    least : float
        Parts of at least this share carry their number; 0.06 suits a panel of 4 inches.

    Raises
    ------
    ValueError
        There is no pair, the shapes do not fit each other, or the shares of a pair are negative or
        do not sum to 1.
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
    # The middle shows between the bars only, so that it crosses no number.
    axes.axvline(0.5, color=INK, linewidth=0.8, zorder=0.5)
    rows = np.arange(len(table))
    left = np.zeros(len(table))
    for part, colour, label, align in zip(
        table.T,
        (FIRST_WINS, NO_WINNER, SECOND_WINS),
        labels,
        ("left", "center", "right"),
        strict=True,
    ):
        width = np.nan_to_num(part)
        axes.barh(
            rows,
            width,
            left=left,
            height=BAR_HEIGHT,
            color=colour,
            edgecolor="white",
            linewidth=0.5,
            label=label,
        )
        # What a system wins is printed beside its name, where numbers can be compared.
        positions = {"left": left + EDGE, "center": left + width / 2, "right": left + width - EDGE}
        for row in np.flatnonzero(width >= least).tolist():
            axes.text(
                positions[align][row],
                row,
                f"{100 * width[row]:.0f}",
                ha=align,
                va="center_baseline",
                fontsize=NUMBER_SIZE,
                color=ink_on(colour),
            )
        left = left + width
    for row in np.flatnonzero(empty).tolist():
        axes.text(EDGE, row, "\N{EN DASH}", ha="left", va="center", fontsize=NUMBER_SIZE)
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 5), [f"{percent} %" for percent in (0, 25, 50, 75, 100)])
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.set_yticks(rows, list(first))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)
    axes.spines[["left", "right", "top"]].set_visible(False)
    names = axes.secondary_yaxis("right")
    names.set_yticks(rows, list(second))
    names.tick_params(axis="y", length=0)
    names.spines[:].set_visible(False)
