# SPDX-License-Identifier: MIT
"""The designs of figure 8, for who draws it and who reads the paper's relations from it."""

from __future__ import annotations

import pandas as pd

from receval.storage.files import real_values

ONE_RELEVANT = ("1R", "-10% head", "U1R", "P1R")
"""Designs with one relevant item a list, in the order of the figure."""

ALL_RELEVANT = ("AR", "UAR", "AI-UAR")
"""Designs with all relevant items of a user in one list."""


def short_labels(rows: pd.DataFrame) -> pd.Series[str]:
    """Return each row's metric without parameters but with its cut-off: ``nDCG@10``, ``RR``."""
    cutoffs = [f"@{n:g}" if n == n else "" for n in real_values(rows["cutoff"])]
    return rows["metric"].str.partition("(")[0] + pd.Series(cutoffs, index=rows.index, dtype=str)
