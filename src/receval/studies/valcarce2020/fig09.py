"""Figure 9: agreement of metrics under the geometric mean, in two forms of it."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.studies.agreement_maps import draw_agreement
from receval.studies.geometric import geometric_agreement
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look

FORMS = {"geometric": "no hit: the floor", "released": "no hit: 1 (GF1, GMRR)"}
"""Titles of the two forms."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return Kendall's tau between all metrics, for both forms of the geometric means of F1 and RR.

    The columns are those of :func:`receval.studies.geometric.geometric_agreement`.
    """
    return geometric_agreement(inputs)


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw a heat map for each form and dataset."""
    return draw_agreement(numbers, look, FORMS, prefix="G")
