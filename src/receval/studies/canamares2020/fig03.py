"""Figure 3: share of unrated items among the first ten."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.system_curves import draw_by_ratio


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return Unjudged@10 of every system at every training ratio.

    The columns are those of :func:`receval.studies.values_by_ratio.values_by_ratio`.
    """
    from receval.studies.values_by_ratio import values_by_ratio

    return values_by_ratio(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a panel for each dataset, a line for each system."""
    return draw_by_ratio(numbers, look, "Unrated share of the top 10")
