"""Figure 3: share of unrated items among the first ten."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from receval.figures.display import DisplayStyle
from receval.figures.style import INK
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.canamares2020._shared.system_curves import draw_system_curves

LOWEST = 0.5
"""The share is never below, according to the paper."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return Unjudged@10 of every system at every training ratio.

    The columns are those of :func:`.values_by_ratio`.
    """
    from receval.studies.canamares2020._shared.values_by_ratio import values_by_ratio

    return values_by_ratio(inputs)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for each dataset, a line for each system, and the paper's lower limit."""

    def finish(axes: Axes) -> None:
        axes.axhline(
            LOWEST, color=INK, linestyle=":", linewidth=0.8, label="Never below, says the paper"
        )
        axes.set_xlabel("Share of ratings for training")
        axes.set_ylabel("Unrated share of the top 10")
        axes.xaxis.set_major_locator(MultipleLocator(0.1))

    return draw_system_curves(
        results, display, display.datasets, panel="dataset", across="train_ratio", finish=finish
    )
