# SPDX-License-Identifier: MIT
"""Leaders: thin lines from what is drawn to its name."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import ArrowStyle
from matplotlib.text import Annotation
from numpy.typing import ArrayLike, NDArray

LEADER = "_leader"
"""Label of leaders, which no legend shows and no file has, and by which they are known again."""


def draw_leader(figure: Figure, places: ArrayLike, colour: str) -> None:
    """Draw a leader, which takes no room in the layout.

    Parameters
    ----------
    places : array_like of float, shape (n, 2)
        Where it bends, and its ends, in points from the figure's lower left corner.
    """
    across, up = (np.asarray(places, dtype=np.float64) / (figure.get_size_inches() * 72)).T
    leader = Line2D(
        np.round(across, 6),
        np.round(up, 6),
        transform=figure.transFigure,
        color=colour,
        linewidth=0.5,
        alpha=0.7,
        label=LEADER,
    )
    leader.set_in_layout(False)
    figure.add_artist(leader)


def leaders_of(figure: Figure) -> list[NDArray[np.float64]]:
    """Return where all leaders of a figure go, also those of annotations, in pixels.

    Returns
    -------
    list of ndarray of float64, shape (n, 2)
        Their ends and where they bend; the name is at the last of these points.
    """
    lines = [
        line.get_transform().transform(line.get_xydata())
        for line in figure.findobj(Line2D)
        if line.get_label() == LEADER
    ]
    # An arrow without a head, which begins at its text.
    arrows = [
        text.arrow_patch.get_transform().transform(text.arrow_patch.get_path().vertices)[::-1]
        for text in figure.findobj(Annotation)
        if text.arrow_patch is not None
        and isinstance(text.arrow_patch.get_arrowstyle(), ArrowStyle.Curve)
    ]
    return [np.asarray(places, dtype=np.float64) for places in (*lines, *arrows)]
