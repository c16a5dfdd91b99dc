"""Figure 12: observed true-positive against false-positive metrics."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.metric_pairs import metric_pairs
from receval.studies.metric_scatter import draw_metric_pairs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the coordinates of the systems.

    The columns are those of :func:`receval.studies.metric_pairs.metric_pairs`.
    """
    return metric_pairs(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a panel for every experiment and pair of metrics."""
    return draw_metric_pairs(numbers, look)
