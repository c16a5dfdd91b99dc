# SPDX-License-Identifier: MIT
"""Tell claims of the rebuilt papers from statements of newer papers.

A study that rebuilds a paper is named after author and year. The follow-up study judges statements
of many newer papers that are not rebuilt. These are counted separately, and reported as seen or not
seen on our data.
"""

from __future__ import annotations

import pandas as pd

from reproduction.claims.verdicts import ClaimVerdict

_SEEN = {
    str(ClaimVerdict.HOLDS): "seen on our data",
    str(ClaimVerdict.HOLDS_IN_PART): "seen in part",
    str(ClaimVerdict.DOES_NOT_HOLD): "not seen on our data",
}


def is_rebuilt(paper: str) -> bool:
    """Return whether a study rebuilds a paper.

    Examples
    --------
    >>> is_rebuilt("valcarce2018"), is_rebuilt("followups")
    (True, False)
    """
    return paper[-1:].isdigit()


def verdict_in_words(paper: str, verdict: str) -> str:
    """Return a verdict in words; for newer papers, whether our data show the statement.

    Examples
    --------
    >>> verdict_in_words("valcarce2018", "holds"), verdict_in_words("followups", "holds")
    ('holds', 'seen on our data')
    """
    return verdict if is_rebuilt(paper) else _SEEN.get(verdict, verdict)


def of_rebuilt(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on the rebuilt papers."""
    return ledger[ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)


def of_newer(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on newer papers; see :func:`of_rebuilt`."""
    return ledger[~ledger["paper"].map(is_rebuilt).astype(bool)].reset_index(drop=True)
