"""The designs of bellogin2017's figure 8 by their names in the paper."""

from __future__ import annotations

import pandas as pd

from receval.storage.tidy_csv import real_values

ONE_RELEVANT = ("1R", "-10% head", "U1R", "P1R")
"""Designs with one relevant item a list, in the order of the figure."""

ALL_RELEVANT = ("AR", "UAR", "AI-UAR")
"""Designs with all relevant items of a user in one list."""


def design_of(protocol: str, uniform: bool) -> str:
    """Return the paper's name of a protocol, on a uniform test or on another split.

    Protocols of all candidates (AR AN) on other splits are no designs of the figure and keep their
    own name.

    Raises
    ------
    ValueError
        The protocol is none of the designs.
    """
    relevant, candidates, *head = protocol.split(maxsplit=2)
    if not uniform and (relevant, candidates[-2:]) == ("AR", "AN"):
        return protocol
    design = head[0] if head else relevant
    if uniform:
        design = f"AI-U{relevant}" if candidates.startswith("AI") else f"U{relevant}"
    if design not in (*ONE_RELEVANT, *ALL_RELEVANT) or (uniform and head):
        where = "a uniform test" if uniform else "a split at random"
        raise ValueError(
            f"{protocol} on {where} is no design of figure 8, which has "
            f"{', '.join((*ONE_RELEVANT, *ALL_RELEVANT))}: leave it out of the experiment."
        )
    return design


def short_labels(rows: pd.DataFrame) -> pd.Series[str]:
    """Return each row's metric without parameters but with its cut-off: ``nDCG@10``, ``RR``."""
    cutoffs = [f"@{n:g}" if n == n else "" for n in real_values(rows["cutoff"])]
    return rows["metric"].str.partition("(")[0] + pd.Series(cutoffs, index=rows.index, dtype=str)
