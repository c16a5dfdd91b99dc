"""Heat maps that carry their numbers: square matrices, and triangles of what pairs explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from receval.figures.style import INK, ink_on

COLOUR_MAP = "YlGnBu"
"""Yellow for low, blue for high values: told apart under all colour vision deficiencies."""

SIGNED_COLOUR_MAP = "RdYlBu"
"""Of scales that go below 0: red for negative values, yellow for 0, blue for positive ones."""

NUMBER_SIZE = 5.5
"""Font size of the numbers in points."""


def heat_map(
    axes: Axes, values: ArrayLike, names: Sequence[str], lowest: float = 0.0, highest: float = 1.0
) -> AxesImage:
    """Draw a square matrix as coloured cells with two decimals in each, such as .97 or 1.00.

    Parameters
    ----------
    axes : Axes
        The panel; its title is the caller's.
    values : array_like of float, shape (n, n)
        NaN leaves a cell blank but for a dash.
    names : sequence of str
        Of rows and columns.
    lowest, highest : float
        Ends of the colour scale. One that goes below 0 has other colours, and ends as far below 0
        as above.

    Returns
    -------
    AxesImage
        For a colour bar.

    Raises
    ------
    ValueError
        The values are no square with one name a row, or lie outside the scale.
    """
    cells = np.asarray(values, dtype=np.float64)
    colour_map = COLOUR_MAP
    if lowest < 0:
        colour_map, lowest = SIGNED_COLOUR_MAP, min(lowest, -highest)
        highest = -lowest
    if cells.shape != (len(names), len(names)):
        raise ValueError(
            f"The values have the shape {cells.shape}, but there are {len(names)} names: give one "
            "row and one column for each."
        )
    known = cells[~np.isnan(cells)]
    if known.size and (known.min() < lowest - 1e-9 or known.max() > highest + 1e-9):
        raise ValueError(
            f"The values reach from {known.min():g} to {known.max():g}, beyond the colour scale "
            f"from {lowest:g} to {highest:g}."
        )
    image = axes.imshow(cells, cmap=colour_map, vmin=lowest, vmax=highest, interpolation="nearest")
    for (row, column), value in np.ndenumerate(cells):
        axes.text(
            column,
            row,
            "\N{EN DASH}" if np.isnan(value) else two_decimals(value),
            ha="center",
            va="center",
            fontsize=NUMBER_SIZE,
            color=_ink_on(colour_map, (value - lowest) / (highest - lowest)),
        )
    positions = range(len(names))
    axes.set_xticks(positions, names, rotation=90)
    axes.set_yticks(positions, names)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return image


def two_decimals(value: float) -> str:
    """Print a number with two decimals and no zero before the point.

    Examples
    --------
    >>> two_decimals(0.9), two_decimals(-0.001), two_decimals(1)
    ('.90', '.00', '1.00')
    """
    # Adding 0 makes a negative zero positive.
    text = f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
    return text.replace("0.", ".", 1) if abs(round(value, 2)) < 1 else text


def _ink_on(colour_map: str, share: float) -> str:
    if np.isnan(share):
        return "black"
    return ink_on(colormaps[colour_map](min(max(share, 0.0), 1.0)))


SHARE_SIZE = 6
"""Font size of the shares in a triangle in points."""


def triangle(
    axes: Axes,
    names: Sequence[str],
    alone: ArrayLike,
    together: ArrayLike,
    highest: float | None = None,
    remainders: Mapping[str, float] | None = None,
    column_names: Sequence[str] | None = None,
) -> PolyCollection:
    """Draw shares of variance in percent, a decision alone in a frame and the pairs below it.

    Parameters
    ----------
    axes : Axes
        The panel; its title is the caller's.
    names : sequence of str
        The decisions, from the top.
    alone : array_like of float, shape (n_decisions,)
        Shares, as of :class:`receval.statistics.type_ii_sums_of_squares.ExplainedVariance`. NaN
        leaves a cell blank but for a dash.
    together : array_like of float, shape (n_pairs,)
        Shares of the pairs, (first, second), (first, third), and so on.
    highest : float, optional
        The share with the darkest colour, so that several panels have one scale; by default the
        highest share there is.
    remainders : mapping of str to float, optional
        Further shares by what they are, printed in the free corner, which narrows downwards.
    column_names : sequence of str, optional
        Shorter names, such as A1, for below the columns; by default the names, upright.

    Returns
    -------
    PolyCollection
        For a colour bar; its values are in percent.

    Raises
    ------
    ValueError
        There is no decision, the shares are not one a decision and one a pair, or one of them is
        negative or beyond the scale.
    """
    pairs = list(combinations(range(len(names)), 2))
    shares = np.concatenate([np.ravel(alone), np.ravel(together)]).astype(np.float64)
    if not names or np.shape(alone) != (len(names),) or np.shape(together) != (len(pairs),):
        raise ValueError(
            f"There are {len(names)} decisions, but shares of the shapes {np.shape(alone)} and "
            f"{np.shape(together)}: give one share for each decision, of which there must be one "
            "or more, and one for each pair."
        )
    known = shares[~np.isnan(shares)]
    scale = highest if highest is not None else float(known.max(initial=0.0)) or 1.0
    if known.size and (known.min() < 0 or known.max() > scale + 1e-9):
        raise ValueError(
            f"The shares reach from {known.min():g} to {known.max():g}, beyond the colour scale "
            f"from 0 to {scale:g}."
        )
    cells = [(index, index) for index in range(len(names))]
    cells += [(second, first) for first, second in pairs]
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    drawn = ~np.isnan(shares)
    colours = colormaps[COLOUR_MAP]
    squares = PolyCollection(
        [corners + cell[::-1] for cell in np.array(cells)[drawn]],
        array=100 * shares[drawn],
        cmap=colours,
        norm=Normalize(0, 100 * scale),
        edgecolor="white",
        linewidth=0.8,
    )
    axes.add_collection(squares)
    for (row, column), share in zip(cells, shares.tolist(), strict=True):
        axes.text(
            column,
            row,
            _percent(share),
            ha="center",
            va="center",
            fontsize=SHARE_SIZE,
            fontweight="bold" if row == column else "normal",
            color="black" if np.isnan(share) else ink_on(colours(share / scale)),
        )
    for index in range(len(names)):
        axes.add_patch(
            Rectangle((index - 0.46, index - 0.46), 0.92, 0.92, fill=False, edgecolor=INK, lw=0.8)
        )
    positions = range(len(names))
    axes.set_xticks(positions, column_names or names, rotation=0 if column_names else 90)
    axes.set_yticks(positions, names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    if remainders:
        axes.text(
            1,
            1,
            "\n".join(f"{what}: {_percent(share)} %" for what, share in remainders.items()),
            transform=axes.transAxes,
            ha="right",
            va="top",
            fontsize=SHARE_SIZE,
            linespacing=1.3,
        )
    return squares


def _percent(share: float) -> str:
    """Print a share in percent, such as 41 and 4.1."""
    if np.isnan(share):
        return "\N{EN DASH}"
    # Adding 0 makes a negative zero positive.
    percent = round(100 * share, 1) + 0.0
    text = f"{percent:.1f}" if abs(percent) < 9.95 else f"{percent:.0f}"
    return text.replace("-", "\N{MINUS SIGN}")
