"""Figure 2: p-value curves of metrics."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.p_value_curves import draw_curves
from receval.studies.significance import p_values


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the p-value of every pair of systems.

    The columns are those of :func:`receval.studies.significance.p_values`.
    """
    return p_values(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw the curves of the largest p-values."""
    return draw_curves(numbers, look)
