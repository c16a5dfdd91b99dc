# SPDX-License-Identifier: MIT
"""Which claims are of the papers that are rebuilt, and which are statements of newer ones.

A study that rebuilds a paper is named after author and year. The study of what came after judges
statements of many newer papers, which nobody rebuilds: they are counted by themselves.
"""

from __future__ import annotations

import pandas as pd


def is_rebuilt(paper: str) -> bool:
    """Return whether a study rebuilds a paper.

    Examples
    --------
    >>> is_rebuilt("valcarce2018"), is_rebuilt("followups")
    (True, False)
    """
    return paper[-1:].isdigit()


def of_rebuilt(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on the papers that are rebuilt.

    Parameters
    ----------
    ledger : DataFrame
        With the column ``paper``.
    """
    return ledger[ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)


def of_newer(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the other rows: statements of newer papers; see :func:`of_rebuilt`."""
    return ledger[~ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)
