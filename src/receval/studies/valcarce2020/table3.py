"""Table 3: discriminative power of metrics."""

from __future__ import annotations

import pandas as pd

from receval.figures.tables import Table
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.p_value_curves import tabulate_power
from receval.studies.significance import power


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the discriminative power of every metric on every dataset.

    The columns are those of :func:`receval.studies.significance.power`.
    """
    return power(inputs)


def tabulate(numbers: pd.DataFrame, look: Look) -> Table:
    """Print metrics against datasets."""
    return tabulate_power(numbers, look, "dp", metrics_down=True)
