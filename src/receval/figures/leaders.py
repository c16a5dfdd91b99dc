"""Leaders: thin lines from what is drawn to its name."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike


def draw_leader(figure: Figure, places: ArrayLike, colour: str) -> None:
    """Draw a leader, which takes no room in the layout.

    Parameters
    ----------
    figure : Figure
        With a settled layout.
    places : array_like of float, shape (n, 2)
        Where it bends, and its ends, in points from the figure's lower left corner.
    colour : str
        Of what is named.
    """
    across, up = (np.asarray(places, dtype=np.float64) / (figure.get_size_inches() * 72)).T
    leader = Line2D(
        np.round(across, 6),
        np.round(up, 6),
        transform=figure.transFigure,
        color=colour,
        linewidth=0.5,
        alpha=0.7,
    )
    leader.set_in_layout(False)
    figure.add_artist(leader)
