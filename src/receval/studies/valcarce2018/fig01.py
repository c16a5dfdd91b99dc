"""Figure 1: agreement of nDCG cut-offs."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.agreement_maps import draw_agreement
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.metric_agreement import agreement


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return Kendall's tau between all cut-offs.

    The columns are those of :func:`receval.studies.metric_agreement.agreement`.
    """
    return agreement(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw one heat map."""
    return draw_agreement(numbers, look, {"arithmetic": ""})
