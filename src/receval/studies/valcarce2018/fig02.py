"""Figure 2: nDCG cut-offs with ever fewer test ratings."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.inputs import ArtifactInputs
from receval.studies.level_curves import draw_levels
from receval.studies.look import Look
from receval.studies.self_correlation import self_correlations


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the self-correlation of every metric at every level.

    The columns are those of :func:`receval.studies.self_correlation.self_correlations`.
    """
    return self_correlations(inputs, "arithmetic")


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a curve for each metric."""
    return draw_levels(numbers, look)
