"""Figure 4: effect of the training ratio on condensed lists."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.canamares2020._shared.system_curves import draw_by_ratio


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return nDCG@10 on condensed lists of every system at every training ratio.

    The columns are those of :func:`.values_by_ratio`; users are
    ``tested`` and ``relevant``. Large ratios leave users without a relevant test rating, who count
    0 among the tested.
    """
    from receval.studies.canamares2020._shared.values_by_ratio import values_by_ratio

    return values_by_ratio(inputs, ("tested", "relevant"))


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel for each dataset, a line for each system, over all tested users."""
    return draw_by_ratio(results[results["users"] == "tested"], display, "nDCG@10, condensed")
