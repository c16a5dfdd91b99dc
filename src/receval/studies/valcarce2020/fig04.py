"""Figure 4: values of metrics with ever fewer test ratings."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.inputs import ArtifactInputs
from receval.studies.level_curves import draw_levels
from receval.studies.look import Look
from receval.studies.self_correlation import mean_values


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the value of every metric, averaged over the systems, at every level.

    The columns are those of :func:`receval.studies.self_correlation.mean_values`.
    """
    return mean_values(inputs, "arithmetic")


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a curve for each metric."""
    return draw_levels(numbers, look, "value")
