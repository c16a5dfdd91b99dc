# SPDX-License-Identifier: MIT
"""Draw heat maps with the value printed in each cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from numpy.typing import ArrayLike, NDArray

from receval.figures.printed_numbers import fixed
from receval.figures.style import ink_on

COLOUR_MAP = "YlGnBu"
"""Yellow for low and blue for high values: distinguishable under all colour vision deficiencies."""

SIGNED_COLOUR_MAP = "RdYlBu"
"""For scales that go below 0: red for negative values, yellow for 0, blue for positive ones."""

NUMBER_SIZE = 6.5
"""Font size of the numbers in points."""


def heat_map(
    axes: Axes, values: ArrayLike, names: Sequence[str], lowest: float = 0.0, highest: float = 1.0
) -> AxesImage:
    """Draw a square matrix as coloured cells, each with its value to two decimals, such as .97.

    NaN gives a blank cell with a dash. ``lowest`` and ``highest`` are the ends of the colour scale;
    one that goes below 0 has other colours, and is symmetric around 0.
    """
    cells = np.asarray(values, dtype=np.float64)
    if lowest < 0:
        lowest = min(lowest, -highest)
        highest = -lowest
    if cells.shape != (len(names), len(names)):
        raise ValueError(
            f"The values have the shape {cells.shape}, but there are {len(names)} names. Give one "
            "row and one column per name."
        )
    known = cells[~np.isnan(cells)]
    if known.size and (known.min() < lowest - 1e-9 or known.max() > highest + 1e-9):
        raise ValueError(
            f"The values range from {known.min():g} to {known.max():g}, beyond the colour scale "
            f"from {lowest:g} to {highest:g}."
        )
    image = coloured_cells(axes, cells, names, names, lowest, highest)
    axes.tick_params(axis="x", rotation=90)
    return image


def coloured_cells(
    axes: Axes,
    cells: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    lowest: float,
    highest: float,
) -> AxesImage:
    """Draw a matrix with one name per row and per column as :func:`heat_map` draws a square one.

    No value may lie beyond the ends of the scale.
    """
    colour_map = SIGNED_COLOUR_MAP if lowest < 0 else COLOUR_MAP
    image = axes.imshow(cells, cmap=colour_map, vmin=lowest, vmax=highest, interpolation="nearest")
    for (row, column), value in np.ndenumerate(cells):
        axes.text(
            column,
            row,
            two_decimals(value),
            ha="center",
            va="center",
            fontsize=NUMBER_SIZE,
            color=_ink_on(colour_map, (value - lowest) / (highest - lowest)),
        )
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return image


def two_decimals(value: float) -> str:
    """Format a number with two decimals and no zero before the point; a dash if there is none."""
    return fixed(value, 2)


def _ink_on(colour_map: str, share: float) -> str:
    if np.isnan(share):
        return "black"
    return ink_on(colormaps[colour_map](min(max(share, 0.0), 1.0)))
