"""Figure 12: geometric metrics with the most popular items removed."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.geometric import geometric_self_correlations
from receval.studies.inputs import ArtifactInputs
from receval.studies.level_curves import draw_levels
from receval.studies.look import Look


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the self-correlation of every geometric metric at every level.

    The columns are those of :func:`receval.studies.self_correlation.self_correlations`.
    """
    return geometric_self_correlations(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a curve for each metric, and dotted ones for the released forms."""
    return draw_levels(numbers, look)
