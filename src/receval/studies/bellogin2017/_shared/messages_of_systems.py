# SPDX-License-Identifier: MIT
"""What messages say of systems: names and means of the paper's, and how numbers read."""

from __future__ import annotations

import pandas as pd

from receval.figures.printed_numbers import fixed
from receval.storage.files import real_values

PAPER_SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
"""The systems of the paper; others are left out."""

NAMES = {"plsa": "pLSA", "pop": "Pop", "mf": "MF", "knn-centred": "kNN", "random": "Random"}
"""How sentences name the paper's systems."""


def paper_means(results: pd.DataFrame) -> pd.DataFrame:
    """Return the means over folds of the paper's systems, their values as numbers."""
    means = results[(results["fold"] == "mean") & results["system"].isin(PAPER_SYSTEMS)]
    return means.assign(value=real_values(means["value"]))


def short_value(value: float, digits: int = 3) -> str:
    """Return a number with some digits and no zero before its point.

    Examples
    --------
    >>> short_value(0.0821), short_value(6.42, 1)
    ('.082', '6.4')
    """
    return fixed(value, digits)
