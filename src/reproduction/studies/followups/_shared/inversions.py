# SPDX-License-Identifier: MIT
"""How often a normalised metric puts two systems into the other order than its numerator does."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS
from receval.statistics.pairs import LEVEL

EVERY_RANK = "all"
"""The cut-off of whole lists."""


def inversions(results: pd.DataFrame) -> pd.DataFrame:
    """Count pairs in another order, by metric and cut-off.

    Returns
    -------
    DataFrame
        Columns: metric; cutoff; pairs; inverted (those whose two differences have opposite signs);
        significant (those of them in which both differences are significant at .05).
    """
    plain, normalised = (
        results[name].to_numpy(dtype=np.float64) for name in ("difference", "normalised_difference")
    )
    apart = np.minimum(np.abs(plain), np.abs(normalised)) > TOLERANCE_OF_MEANS
    inverted = apart & (np.sign(plain) != np.sign(normalised))
    both = (results["p_value"] < LEVEL) & (results["normalised_p_value"] < LEVEL)
    counted = results.assign(inverted=inverted, significant=inverted & both.to_numpy())
    groups = counted.groupby(["metric", "cutoff"], sort=False)
    return groups.agg(
        pairs=("inverted", "size"), inverted=("inverted", "sum"), significant=("significant", "sum")
    ).reset_index()
